//! Places on the earth in the plane coordinates of a map: transverse Mercator (UTM) and web Mercator.
//!
//! In: longitude and latitude on WGS 84, degrees. Out: easting and northing, m. Transverse Mercator by Krüger's series in the third
//! flattening to the fourth order, which is exact to a tenth of a millimetre within a zone (Karney 2011). ETRS89 is taken as WGS 84:
//! they differ by less than a metre.

/// WGS 84: semi-major axis, m, and flattening.
const AXIS: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// UTM: scale on the central meridian and false easting, m; false northing of the south, m.
const SCALE: f64 = 0.9996;
const EAST: f64 = 500_000.0;
const SOUTH: f64 = 10_000_000.0;

/// Systems that are known, in words.
pub const KNOWN: &str =
    "UTM (EPSG 32601 to 32660, 32701 to 32760, 25828 to 25838) and web Mercator (EPSG 3857)";

/// Central meridian, degrees, and false northing, m, of a UTM zone.
fn zone(epsg: u32) -> Option<(f64, f64)> {
    let (number, north) = match epsg {
        32601..=32660 => (epsg - 32600, 0.0),
        32701..=32760 => (epsg - 32700, SOUTH),
        25828..=25838 => (epsg - 25800, 0.0),
        _ => return None,
    };
    Some((f64::from(number) * 6.0 - 183.0, north))
}

/// Easting and northing of a place.
///
/// # Errors
/// If the system is not known or the place is none on the earth.
pub fn project(epsg: u32, longitude: f64, latitude: f64) -> Result<[f64; 2], String> {
    if !(longitude.abs() <= 180.0 && latitude.abs() <= 90.0) {
        return Err(format!("{latitude}° N {longitude}° E is no place on the earth"));
    }
    let (lambda, phi) = (longitude.to_radians(), latitude.to_radians());
    if epsg == 3857 {
        let y = libm::log(libm::tan(std::f64::consts::FRAC_PI_4 + 0.5 * phi));
        return Ok([AXIS * lambda, AXIS * y]);
    }
    let (meridian, north) =
        zone(epsg).ok_or_else(|| format!("EPSG:{epsg} is not known here; known are {KNOWN}"))?;
    let n = FLATTENING / (2.0 - FLATTENING);
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n);
    let a = [
        n / 2.0 - 2.0 / 3.0 * n2 + 5.0 / 16.0 * n3 + 41.0 / 180.0 * n4,
        13.0 / 48.0 * n2 - 3.0 / 5.0 * n3 + 557.0 / 1440.0 * n4,
        61.0 / 240.0 * n3 - 103.0 / 140.0 * n4,
        49_561.0 / 161_280.0 * n4,
    ];
    let rectifying = AXIS / (1.0 + n) * (1.0 + n2 / 4.0 + n4 / 64.0);
    let e = (FLATTENING * (2.0 - FLATTENING)).sqrt();
    let (sine, delta) = (libm::sin(phi), lambda - meridian.to_radians());
    let t = libm::sinh(libm::atanh(sine) - e * libm::atanh(e * sine));
    let xi = libm::atan2(t, libm::cos(delta));
    let eta = libm::atanh(libm::sin(delta) / (1.0 + t * t).sqrt());
    let (mut x, mut y) = (eta, xi);
    for (j, a) in a.into_iter().enumerate() {
        let k = 2.0 * (j as f64 + 1.0);
        x += a * libm::cos(k * xi) * libm::sinh(k * eta);
        y += a * libm::sin(k * xi) * libm::cosh(k * eta);
    }
    Ok([EAST + SCALE * rectifying * x, north + SCALE * rectifying * y])
}

/// Longitude and latitude of a place of the plane, degrees: Newton's method on [`project`].
///
/// # Errors
/// If the system is not known.
pub fn unproject(epsg: u32, east: f64, north: f64) -> Result<[f64; 2], String> {
    let start = match zone(epsg) {
        Some((meridian, south)) => [meridian, ((north - south) / 111_000.0).clamp(-80.0, 80.0)],
        None => [(east / AXIS).to_degrees().clamp(-180.0, 180.0), 0.0],
    };
    let [mut lon, mut lat] = start;
    for _ in 0..30 {
        let at = |lon: f64, lat: f64| project(epsg, lon, lat);
        let ([x, y], h) = (at(lon, lat)?, 1e-4);
        let ([xe, ye], [xn, yn]) = (at(lon + h, lat)?, at(lon, lat + h)?);
        let (a, b, c, d) = ((xe - x) / h, (xn - x) / h, (ye - y) / h, (yn - y) / h);
        let (r, s, det) = (east - x, north - y, a * d - b * c);
        lon = (lon + (r * d - s * b) / det).clamp(-179.99, 179.99);
        lat = (lat + (a * s - c * r) / det).clamp(-89.0, 89.0);
        if r.abs() < 1e-5 && s.abs() < 1e-5 {
            break;
        }
    }
    Ok([lon, lat])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_places_have_their_utm_coordinates() {
        // The CN Tower: 43°38'33.24" N 79°23'13.7" W is 17N 630084 E 4833439 N (the usual example of UTM).
        let [e, n] =
            project(32617, -(79.0 + 23.0 / 60.0 + 13.7 / 3600.0), 43.0 + 38.0 / 60.0 + 33.24 / 3600.0)
                .expect("known");
        assert!((e - 630_084.0).abs() < 1.0 && (n - 4_833_439.0).abs() < 1.0, "{e} {n}");
        let [e, n] = project(32733, 15.0, 0.0).expect("known");
        assert!((e - 500_000.0).abs() < 1e-6 && (n - 10_000_000.0).abs() < 1e-6, "{e} {n}");
        // On the meridian northing is the length of the meridian times 0.9996: 5 540 847.042 m to 50° N on WGS 84.
        let [_, n] = project(25832, 9.0, 50.0).expect("known");
        assert!((n / SCALE - 5_540_847.042).abs() < 0.01, "{}", n / SCALE);
        assert!(project(31370, 4.0, 50.0).is_err());
    }

    #[test]
    fn there_and_back_is_the_same_place() {
        for (epsg, lon, lat) in [(32632, 11.57, 48.14), (32719, -70.0, -33.4), (3857, 2.35, 48.85)] {
            let [e, n] = project(epsg, lon, lat).expect("known");
            let [x, y] = unproject(epsg, e, n).expect("known");
            assert!((x - lon).abs() < 1e-9 && (y - lat).abs() < 1e-9, "{epsg}: {x} {y}");
        }
    }
}
