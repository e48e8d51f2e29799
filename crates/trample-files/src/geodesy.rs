//! Places on the earth in the plane coordinates of a map: transverse Mercator (UTM) and web Mercator.
//!
//! In: longitude and latitude on WGS 84, degrees. Out: easting and northing, m. Transverse Mercator by Krüger's series in the third
//! flattening to the fourth order, which is exact to a tenth of a millimetre within a zone (Karney 2011). ETRS89, NAD83, SIRGAS 2000
//! and GDA are taken as WGS 84, from which they differ by less than a metre (ETRS89, SIRGAS) or up to two (NAD83, GDA). And the units of systems that are not in metres.

/// WGS 84: semi-major axis, m, and flattening.
const AXIS: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// UTM: scale on the central meridian and false easting, m; false northing of the south, m.
const SCALE: f64 = 0.9996;
const EAST: f64 = 500_000.0;
const SOUTH: f64 = 10_000_000.0;

/// Systems that are known, in words.
pub const KNOWN: &str = "UTM (EPSG 32601 to 32660, 32701 to 32760; ETRS89 25828 to 25838; NAD83 26901 to 26923, 6330 to 6348; SIRGAS 31965 to 31985; \
     GDA 28346 to 28359, 7846 to 7859) and web Mercator (EPSG 3857)";

/// Metres in the unit of projected systems that are not in metres, and their EPSG codes: single ones, `first-last`, and every second one of
/// `first-last/2` (EPSG dataset 11.022).
const UNITS: [(f64, &str); 15] = [
    // Foot.
    (
        0.3048,
        "2222-2224 2251-2253 2256 2265-2266 2269-2270 2273 2280-2282 2867-2869 2896-2898 2901 2909-2910 2913-2914 \
         2921-2923 2992-2994/2 3080 3359-3361/2 3479-3483/2 3588-3590/2 3593 3605 3634-3636/2 3644-3648/2 3656 \
         3676 3679 3682 5588 6128-6141 6391 6405-6409/2 6494-6496/2 6499 6515 6545-6547/2 6557-6561/2 6570 \
         6785-6863/2 6868 6885-6887/2 7119-7127 8065-8068 8312-8348/2 20050",
    ),
    // US survey foot.
    (
        1200.0 / 3937.0,
        "2155 2194 2204 2225-2250 2254-2255 2257-2264 2267-2268 2271-2272 2274-2279 2283-2289 2870-2895 2899-2900 \
         2902-2908 2911-2912 2915-2920 2924-2930 2964-2968 3089-3091/2 3102 3363-3365/2 3404 3417-3438 3441-3446 \
         3451-3459 3485-3487/2 3490-3512/2 3515-3553/2 3560-3570 3582-3586/2 3598-3600/2 3608-3632/2 3640-3642/2 \
         3650-3654/2 3658-3664/2 3668-3674/2 3677 3680 3683 3686-3692/2 3696-3700/2 3728-3739 3753-3760 3991-3992 \
         4217 4399-4413 4418-4433 4438-4457 5623-5625 5646 5654-5655 6200-6202 6411-6413/2 6416-6438/2 6441-6479/2 \
         6484-6492/2 6501-6507/2 6510 6517-6543/2 6549-6555/2 6563-6565/2 6568 6572-6578/2 6582-6590/2 6593-6609/2 \
         6612-6618/2 6625-6627 6633 6880 6923-6925/2 6966 6997 7057-7070 7128-7132/2 7258-7370/2 7587-7645 \
         8035-8036 8091-8093/2 8096-8182/2 8177 8185 8189 8193-8197/2 8200-8210/2 8213 8216 8220 8224-8226/2 \
         8380-8384/2 8387 8518-8540 9748-9749 10481-10516 10622 23301-23333 26729-26813 26847-26870 32001-32058 \
         32064-32077 32099 32164-32167 32664-32667",
    ),
    // Clarke's foot.
    (0.304_797_265_4, "2314 3407 5589 24100"),
    // German legal metre.
    (1.000_013_596_5, "29371-29385"),
    // Kilometre.
    (1000.0, "22300"),
    // Clarke's yard.
    (0.914_391_796_2, "5472"),
    // Clarke's link.
    (0.201_166_195_164, "2066 30200"),
    // British yard (Sears 1922).
    (0.914_398_414_616_028_7, "27291-27292"),
    // British foot (Sears 1922).
    (0.304_799_471_538_676_2, "29872"),
    // British chain (Sears 1922).
    (20.116_765_121_552_632, "29871"),
    // British chain (Benoit 1895 B).
    (20.116_782_494_375_872, "24571"),
    // Indian yard.
    (0.914_398_530_744_440_8, "24370-24374 24382"),
    // Gold Coast foot.
    (0.304_799_710_181_508_8, "2136 2159-2160"),
    // Link.
    (0.201_168, "3139-3140"),
    // British chain (Sears 1922 truncated).
    (20.116_756, "3167"),
];

/// Metres in one unit of a projected system; 1 for one that is not known to have another unit.
pub fn metres_per_unit(epsg: u32) -> f64 {
    let holds = |part: &str| {
        let (range, step) = part.strip_suffix("/2").map_or((part, 1), |range| (range, 2));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.parse::<u32>().unwrap_or_default();
        (number(first)..=number(last)).contains(&epsg) && (epsg - number(first)).is_multiple_of(step)
    };
    let known = UNITS.iter().find(|(_, codes)| codes.split(' ').any(holds));
    known.map_or(1.0, |(metres, _)| *metres)
}

/// Central meridian, degrees, and false northing, m, of a UTM zone.
fn zone(epsg: u32) -> Option<(f64, f64)> {
    let (number, north) = match epsg {
        32601..=32660 => (epsg - 32600, 0.0),
        32701..=32760 => (epsg - 32700, SOUTH),
        25828..=25838 => (epsg - 25800, 0.0),
        26901..=26923 => (epsg - 26900, 0.0),
        6330..=6348 => (epsg - 6329, 0.0),
        31965..=31976 => (epsg - 31954, 0.0),
        31977..=31985 => (epsg - 31960, SOUTH),
        28346..=28359 => (epsg - 28300, SOUTH),
        7846..=7859 => (epsg - 7800, SOUTH),
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
        // Zones of other datums: NAD83 10N, NAD83(2011) 10N, SIRGAS 18N and 23S, GDA94 and GDA2020 55, by their EPSG codes.
        for (same, epsg, [lon, lat]) in [
            (32610, 26910, [-122.0, 37.5]),
            (32610, 6339, [-122.0, 37.5]),
            (32618, 31972, [-75.0, 4.0]),
            (32723, 31983, [-45.5, -23.0]),
            (32755, 28355, [147.0, -36.0]),
            (32755, 7855, [147.0, -36.0]),
        ] {
            assert_eq!(project(epsg, lon, lat), project(same, lon, lat), "EPSG:{epsg}");
        }
        let [e, n] = project(32733, 15.0, 0.0).expect("known");
        assert!((e - 500_000.0).abs() < 1e-6 && (n - 10_000_000.0).abs() < 1e-6, "{e} {n}");
        // On the meridian northing is the length of the meridian times 0.9996: 5 540 847.042 m to 50° N on WGS 84.
        let [_, n] = project(25832, 9.0, 50.0).expect("known");
        assert!((n / SCALE - 5_540_847.042).abs() < 0.01, "{}", n / SCALE);
        assert!(project(31370, 4.0, 50.0).is_err());
    }

    #[test]
    fn state_planes_are_in_their_feet_and_others_in_metres() {
        // California 5 and its metric twin; Oregon North in international feet; the first and last of two ranges.
        let us = 1200.0 / 3937.0;
        for (epsg, metres) in
            [(2229, us), (26945, 1.0), (2269, 0.3048), (32632, 1.0), (6785, 0.3048), (6863, 0.3048)]
        {
            assert_eq!(metres_per_unit(epsg), metres, "EPSG:{epsg}");
        }
        for (epsg, metres) in
            [(6786, 1.0), (8177, us), (8179, 1.0), (32667, us), (2056, 1.0), (2136, 0.304_799_710_181_508_8)]
        {
            assert_eq!(metres_per_unit(epsg), metres, "EPSG:{epsg}");
        }
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
