//! The JSON file beside a PNG or RAW file that says which heights its 16-bit numbers stand for.

use super::{MapView, RasterError};
use crate::memory;
use serde_json::Value;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest sidecar read. Ours have 200 bytes.
const LONGEST: u64 = 65536;

const ADVICE: &str = "correct the sidecar, or rename it if it does not belong to the PNG";

/// `dem.json` for `dem.png`.
pub(super) fn path_for(png: &Path) -> PathBuf {
    png.with_extension("json")
}

/// `dem.r16.json` for `dem.r16`: a PNG of the same name has its own.
pub(super) fn path_for_raw(raw: &Path) -> PathBuf {
    let mut name = raw.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// The range of heights that the numbers span.
pub(super) struct Range {
    /// Height of pixel value 0, metres.
    pub(super) min: f64,
    /// Height of the largest pixel value, metres.
    pub(super) max: f64,
    /// Metres between samples.
    pub(super) spacing: Option<[f64; 2]>,
}

/// A sidecar as it stands in the file.
pub(super) struct Sidecar {
    path: PathBuf,
    pub(super) json: Value,
}

/// Reads the sidecar of a PNG if there is one.
pub(super) fn read(png: &Path, width: usize, height: usize) -> Result<Option<Range>, RasterError> {
    let found = Sidecar::open(path_for(png))?;
    found.map(|sidecar| sidecar.range(width, height)).transpose()
}

impl Sidecar {
    /// The sidecar of that name, if there is one.
    pub(super) fn open(path: PathBuf) -> Result<Option<Self>, RasterError> {
        let mut text = String::new();
        match memory::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RasterError::io(&path, "open the sidecar")(error)),
            Ok(file) => {
                file.take(LONGEST + 1)
                    .read_to_string(&mut text)
                    .map_err(RasterError::io(&path, "read the sidecar as UTF-8 text"))?;
            }
        }
        if text.len() as u64 > LONGEST {
            let allowed = format!("at most {LONGEST} bytes");
            return Err(RasterError::field(&path, "file length", &"larger", &allowed, ADVICE));
        }
        let json: Value = serde_json::from_str(&text)
            .map_err(|error| RasterError::field(&path, "json", &error, &"valid JSON", ADVICE))?;
        Ok(Some(Self { path, json }))
    }

    /// What it says of a map of those sides.
    pub(super) fn range(&self, width: usize, height: usize) -> Result<Range, RasterError> {
        let Self { path, json } = self;
        let unit = match json.get("unit") {
            None | Some(Value::Null) => 1.0,
            Some(unit) => match unit.as_str() {
                Some("m") => 1.0,
                Some("cm") => 0.01,
                Some("mm") => 0.001,
                Some("km") => 1000.0,
                _ => {
                    return Err(RasterError::field(
                        path,
                        "unit",
                        &unit,
                        &"\"m\", \"cm\", \"mm\" or \"km\"",
                        ADVICE,
                    ));
                }
            },
        };
        let number = |field| {
            let found = json.get(field).ok_or_else(|| RasterError::Missing {
                path: path.clone(),
                line: None,
                field,
                advice: ADVICE,
            })?;
            let number = found.as_f64().map(|number| number * unit);
            number
                .filter(|number| number.is_finite())
                .ok_or_else(|| RasterError::field(path, field, &found, &"a finite number", ADVICE))
        };
        let (min, max) = (number("min")?, number("max")?);
        if min > max {
            return Err(RasterError::field(
                path,
                "min",
                &min,
                &format!("at most `max`, which is {max}"),
                ADVICE,
            ));
        }
        for (field, side) in [("width", width), ("height", height)] {
            // A sidecar of another picture would scale the heights wrongly without anybody noticing.
            if let Some(found) = json.get(field).filter(|found| found.as_u64() != Some(side as u64)) {
                return Err(RasterError::field(
                    path,
                    field,
                    &found,
                    &format!("{side}, that of the PNG"),
                    ADVICE,
                ));
            }
        }
        let spacing = match json.get("cell_m") {
            None | Some(Value::Null) => None,
            Some(found) => Some(cell(found).ok_or_else(|| {
                RasterError::field(path, "cell_m", &found, &"a number greater than 0, or two", ADVICE)
            })?),
        };
        Ok(Range { min, max, spacing })
    }
}

/// One number for square cells, or two along x and z.
fn cell(found: &Value) -> Option<[f64; 2]> {
    let side = |value: &Value| value.as_f64().filter(|&side| side > 0.0 && side.is_finite());
    match found.as_array().map(Vec::as_slice) {
        None => side(found).map(|side| [side, side]),
        Some([x, z]) => Some([side(x)?, side(z)?]),
        Some(_) => None,
    }
}

/// The sidecar of a map whose integers span `range`. Its fields keep this order whatever the
/// features of the JSON crate, so that the same map gives the same bytes.
pub(super) fn text(map: &MapView<'_>, range: [f32; 2], nodata: usize, more: &[(&str, &str)]) -> String {
    let [min, max] = range;
    // Numbers of 32 bits are printed as the 64-bit numbers they are, so that reading gives the same ones.
    let number = |value: f64| Value::from(value).to_string();
    let cell = match map.spacing {
        None => Value::Null.to_string(),
        Some([x, z]) if x == z => number(x),
        Some([x, z]) => format!("[{}, {}]", number(x), number(z)),
    };
    let outside = |sample: &&f32| **sample < min || **sample > max;
    let mut fields = vec![
        ("name", Value::from(map.name).to_string()),
        ("unit", Value::from(map.unit).to_string()),
        ("min", number(f64::from(min))),
        ("max", number(f64::from(max))),
        ("width", map.width.to_string()),
        ("height", map.height.to_string()),
        ("cell_m", cell),
        ("nodata", nodata.to_string()),
        ("clipped", map.data.iter().filter(outside).count().to_string()),
        ("formula", Value::from("value = min + (max-min) * pixel / 65535").to_string()),
    ];
    fields.extend(more.iter().map(|&(name, value)| (name, Value::from(value).to_string())));
    let lines: Vec<String> = fields.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}
