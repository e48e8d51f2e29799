//! The `.prj` file beside an ASCII grid, which says in what its cell size and its heights are measured.

use super::RasterError;
use crate::memory;
use std::io::{self, Read};
use std::path::Path;

/// Largest `.prj` looked at; a CRS takes a few hundred bytes.
const LONGEST: u64 = 65536;
/// The US survey foot, m.
const US_FOOT: f64 = 1200.0 / 3937.0;
/// Deepest brackets that are looked into; a compound CRS has five.
const DEEPEST: usize = 32;

/// What a `.prj` file says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Units {
    /// Whether coordinates are degrees.
    pub(super) degrees: bool,
    /// Metres in one unit of the coordinates, if they are lengths.
    pub(super) across: f64,
    /// Metres in one unit of the heights.
    pub(super) up: f64,
    /// Whether a file that is there says what its coordinates are measured in; where it does not, they are taken for metres.
    pub(super) understood: bool,
    /// EPSG code of the coordinates, if the file names it, or names a UTM zone as ESRI does.
    pub(super) epsg: Option<u32>,
}

/// What the `.prj` file beside `map`, if there is one, says about its units.
///
/// The grid itself does not tell: a cell size of 0.01 may be a kilometre of a DEM or a centimetre of a
/// footprint, so taking it for metres without looking would be wrong by a factor of a hundred thousand.
pub(super) fn units(map: &Path) -> Result<Units, RasterError> {
    // Names are the same in either case on some systems, and files come from there.
    let upper = map.with_extension("PRJ");
    let lower = map.with_extension("prj");
    let path = if !lower.exists() && upper.exists() { upper } else { lower };
    let mut text = Vec::new();
    match memory::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Units { understood: true, ..parse("") });
        }
        Err(error) => return Err(RasterError::io(&path, "open the projection file")(error)),
        Ok(file) => {
            let read = file.take(LONGEST).read_to_end(&mut text);
            read.map_err(RasterError::io(&path, "read the projection file"))?;
        }
    }
    let text = String::from_utf8_lossy(&text).to_ascii_uppercase();
    let found = parse(&text);
    for (field, metres) in [("UNIT", found.across), ("UNIT of heights", found.up)] {
        if !(1e-6..=1e6).contains(&metres) {
            let allowed = "0.000001 to 1000000 metres";
            return Err(RasterError::field(&path, field, &metres, &allowed, "correct the projection file"));
        }
    }
    Ok(found)
}

fn parse(text: &str) -> Units {
    let mut units = Units { degrees: false, across: 1.0, up: 1.0, understood: false, epsg: None };
    let mut words =
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    match words.next() {
        // ArcInfo's own form: a line `Projection GEOGRAPHIC`, lines `Units FEET` and `Zunits METERS`.
        Some("PROJECTION") => {
            units.degrees = words.next() == Some("GEOGRAPHIC");
            let said = |key: &str| {
                let mut lines = text.lines().map(str::split_whitespace);
                lines.find_map(|mut line| line.next().filter(|k| *k == key).and_then(|_| line.next()))
            };
            // Its feet are those of the survey, as its state planes are.
            let metres =
                |word: Option<&str>| if word.is_some_and(|w| w.starts_with("FEET")) { US_FOOT } else { 1.0 };
            let across = said("UNITS");
            if !units.degrees {
                units.across = metres(across);
            }
            units.understood =
                units.degrees || across.is_some_and(|w| w.starts_with("FEET") || w.starts_with("MET"));
            units.up = metres(said("ZUNITS"));
        }
        // Well-known text: `KIND["name", …, UNIT["name", metres], …]`, one inside the other.
        Some(first) => {
            units.degrees = is_geographic(first);
            units.understood = units.degrees;
            let (mut open, mut name): (Vec<&str>, &str) = (Vec::new(), "");
            let mut rest = text;
            while let Some(at) = rest.find(['[', '(', ']', ')', '"']) {
                let (before, mark) = (&rest[..at], rest.as_bytes()[at]);
                rest = &rest[at + 1..];
                match mark {
                    // What is in quotes is a name.
                    b'"' => {
                        let end = rest.find('"').unwrap_or(rest.len());
                        (name, rest) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
                        if open == ["PROJCS"] && units.epsg.is_none() && !before.contains(',') {
                            units.epsg = utm(name);
                        }
                    }
                    b'[' | b'(' => {
                        let kind = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
                        open.push(kind.unwrap_or_default());
                        if open.len() > DEEPEST {
                            break;
                        }
                    }
                    _ => {
                        let last = before.rsplit(',').next().map_or("", str::trim);
                        let number = last.parse::<f64>().ok();
                        let closed = open.pop();
                        // AUTHORITY["EPSG","32632"] or ID["EPSG",32632] of the coordinates' own system.
                        if matches!(closed, Some("AUTHORITY" | "ID"))
                            && (is_projected(open.last()) || (open.len() == 1 && is_geographic(open[0])))
                        {
                            units.epsg =
                                if last.is_empty() { name } else { last }.parse().ok().or(units.epsg);
                        }
                        let is_unit = matches!(closed, Some("UNIT" | "LENGTHUNIT"));
                        if let (true, Some(metres)) = (is_unit, number) {
                            // Of the nearest kind of CRS around it.
                            match open.iter().rev().find(|k| is_system(k)) {
                                kind if is_projected(kind) => {
                                    (units.across, units.understood) = (metres, true);
                                }
                                Some(&("VERTCS" | "VERT_CS" | "VERTCRS" | "VERTICALCRS")) => {
                                    units.up = metres;
                                }
                                _ => {}
                            }
                        }
                    }
                }
            }
        }
        None => {}
    }
    units
}

/// The EPSG code of a UTM zone by the name that ESRI gives it, as in `WGS_1984_UTM_ZONE_32N`.
fn utm(name: &str) -> Option<u32> {
    let (datum, zone) = name.split_once("_UTM_ZONE_")?;
    let (zone, hemisphere) = zone.split_at_checked(zone.len().checked_sub(1)?)?;
    let zone: u32 = zone.parse().ok().filter(|zone| (1..=60).contains(zone))?;
    match (datum, hemisphere) {
        ("WGS_1984", "N") => Some(32600 + zone),
        ("WGS_1984", "S") => Some(32700 + zone),
        ("ETRS_1989", "N") if (28..=38).contains(&zone) => Some(25800 + zone),
        ("NAD_1983", "N") if zone <= 23 => Some(26900 + zone),
        _ => None,
    }
}

fn is_projected(kind: Option<&&str>) -> bool {
    matches!(kind, Some(&("PROJCS" | "PROJCRS" | "PROJECTEDCRS")))
}

fn is_geographic(kind: &str) -> bool {
    matches!(kind, "GEOGCS" | "GEOGCRS" | "GEODCRS" | "GEOGRAPHICCRS")
}

fn is_system(kind: &str) -> bool {
    let others = [
        "PROJCS",
        "PROJCRS",
        "PROJECTEDCRS",
        "BASEGEOGCRS",
        "BASEGEODCRS",
        "VERTCS",
        "VERT_CS",
        "VERTCRS",
        "VERTICALCRS",
    ];
    is_geographic(kind)
        || others.contains(&kind)
        || matches!(kind, "CONVERSION" | "DATUM" | "ELLIPSOID" | "SPHEROID" | "PARAMETER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_projected_system_and_of_the_vertical_one() {
        let plane = "PROJCS[\"NAD_1983_(2011)_California\",GEOGCS[\"GCS\",DATUM[\"D\",SPHEROID[\"GRS\",6378137.0,298.25]],PRIMEM[\"G\",0.0],\
                     UNIT[\"DEGREE\",0.0174532925199433]],PROJECTION[\"LAMBERT\"],PARAMETER[\"X\",6561666.6],UNIT[\"FOOT_US\",0.3048006096012192]]";
        let feet =
            Units { degrees: false, across: 0.304_800_609_601_219_2, up: 1.0, understood: true, epsg: None };
        assert_eq!(parse(plane), feet);
        let both =
            format!("{plane},VERTCS[\"NAVD\",VDATUM[\"V\"],PARAMETER[\"D\",1.0],UNIT[\"FOOT\",0.3048]]");
        assert_eq!(parse(&both), Units { up: 0.3048, ..feet });
        let newer = "PROJCRS[\"X\",BASEGEOGCRS[\"G\",DATUM[\"D\",ELLIPSOID[\"E\",6378137,298,LENGTHUNIT[\"METRE\",1]]]],\
                     CONVERSION[\"C\",PARAMETER[\"P\",500,LENGTHUNIT[\"METRE\",1]]],CS[CARTESIAN,2],AXIS[\"E\",EAST,LENGTHUNIT[\"FOOT\",0.3048]]]";
        assert_eq!(parse(newer).across, 0.3048);
        assert_eq!(
            parse("GEOGCS[\"W\",UNIT[\"DEGREE\",0.0174]]"),
            Units { degrees: true, across: 1.0, up: 1.0, understood: true, epsg: None }
        );
        assert_eq!(parse("PROJECTION STATEPLANE\nUNITS FEET\nZUNITS NO\n").across, US_FOOT);
        assert!(parse("PROJECTION UTM\nUNITS METERS\n").understood);
        for strange in [
            "",
            "+PROJ=UTM +UNITS=FT",
            "EPSG:2229",
            "LOCAL_CS[\"X\",UNIT[\"FOOT\",0.3048]]",
            "PROJECTION UTM\nUNITS RODS\n",
        ] {
            assert_eq!(
                parse(strange),
                Units { degrees: false, across: 1.0, up: 1.0, understood: false, epsg: None },
                "{strange}"
            );
        }
    }

    #[test]
    fn a_reference_system_is_known_by_its_code_or_its_zone() {
        let zone = |name: &str, code: &str| {
            format!(
                "PROJCS[\"{name}\",GEOGCS[\"WGS 84\",DATUM[\"W\",AUTHORITY[\"EPSG\",\"6326\"]],UNIT[\"DEGREE\",0.0174,AUTHORITY[\"EPSG\",\"9122\"]],\
                 AUTHORITY[\"EPSG\",\"4326\"]],PROJECTION[\"TRANSVERSE_MERCATOR\"],UNIT[\"METRE\",1,AUTHORITY[\"EPSG\",\"9001\"]]{code}]"
            )
        };
        for (text, epsg) in [
            (zone("WGS 84 / UTM ZONE 32N", ",AUTHORITY[\"EPSG\",\"32632\"]"), Some(32632)),
            (zone("WGS 84 / UTM ZONE 32N", ""), None),
            (zone("WGS_1984_UTM_ZONE_32N", ""), Some(32632)),
            (zone("ETRS_1989_UTM_ZONE_33N", ""), Some(25833)),
            (zone("NAD_1983_UTM_ZONE_11N", ""), Some(26911)),
            (zone("WGS_1984_UTM_ZONE_99N", ""), None),
            ("PROJCRS[\"X\",BASEGEOGCRS[\"G\",ID[\"EPSG\",4258]],ID[\"EPSG\",25832]]".into(), Some(25832)),
            ("GEOGCS[\"W\",UNIT[\"DEGREE\",0.0174],AUTHORITY[\"EPSG\",\"4326\"]]".into(), Some(4326)),
        ] {
            assert_eq!(parse(&text).epsg, epsg, "{text}");
        }
    }
}
