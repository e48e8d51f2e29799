//! ESRI ASCII grids: a header of names and numbers, then rows of heights from the north.

use super::asc_words::{Words, bad};
use super::input::{Input, Sides};
use super::{Geo, Grid, RasterError, prj};
use std::collections::BTreeMap;
use std::io::{BufRead, Seek};

/// The value that marks no-data when the header does not name one.
const DEFAULT_NODATA: f64 = -9999.0;

/// The names of the header, in the order in which they are usually written.
const KEYS: &str = "ncols nrows xllcorner xllcenter yllcorner yllcenter cellsize dx dy nodata_value";

/// Whether the first bytes of a file are the header of an ASCII grid.
pub(super) fn starts_like_a_header(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    key_of(word).is_some()
}

fn key_of(word: &[u8]) -> Option<&'static str> {
    KEYS.split(' ').find(|key| word.eq_ignore_ascii_case(key.as_bytes()))
}

/// The header's numbers by name, with the line each one stood on.
#[derive(Default)]
struct Header(BTreeMap<&'static str, (f64, u32)>);

impl Header {
    fn get(&self, key: &str) -> Option<(f64, u32)> {
        self.0.get(key).copied()
    }
}

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let mut words = Words::new();
    let mut header = Header::default();
    // The header ends at the first word that is not a name; it is the first height.
    let mut more = words.next(input)?;
    if words.word.starts_with(b"\xef\xbb\xbf") {
        words.word.drain(..3);
    }
    while let (true, Some(key)) = (more, key_of(&words.word)) {
        let name_line = words.line;
        if !words.next(input)? {
            return Err(missing(input, Some(name_line), key, "write its value after the name"));
        }
        let value = words.number().ok_or_else(|| {
            bad(input, words.line, key, &words.text(), &"a number", "write a number with a decimal point")
        })?;
        if header.get(key).is_some() {
            let advice = "delete one of the two lines";
            return Err(bad(input, words.line, key, &"given twice", &"one value", advice));
        }
        header.0.insert(key, (value, words.line));
        more = words.next(input)?;
    }
    let complete = header.get("ncols").is_some()
        && header.get("nrows").is_some()
        && header.get("cellsize").or(header.get("dx")).is_some();
    if more && !complete && words.number().is_none() {
        // Most likely a misspelt name, which is more to the point than the name that is missing.
        let (allowed, word) = (KEYS.replace(' ', ", "), words.text());
        // What is no word may be of any file.
        let found = if word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') {
            word
        } else {
            "not a name".into()
        };
        return Err(bad(input, words.line, "header", &found, &allowed, "correct the spelling"));
    }
    let width = count(input, &header, "ncols")?;
    let height = count(input, &header, "nrows")?;
    let sides = input.sides(width, height)?;
    let (geo, units) = place(input, &header, sides)?;
    let nodata = header.get("nodata_value").map_or(DEFAULT_NODATA, |(value, _)| value);
    // Every height takes at least a digit and a space, so a short file cannot claim a large map.
    input.require("the block of heights", sides.cells() as u64 * 2 - 1, input.len)?;

    let mut data = input.empty_map(sides)?;
    while more {
        let (row, column) = (data.len() / sides.width, data.len() % sides.width);
        if data.len() == sides.cells() {
            let value = format!("more than {width} × {height} values");
            let advice = "check ncols and nrows, or remove what follows the last height";
            return Err(bad(input, words.line, "heights", &value, &"ncols × nrows values", advice));
        }
        let value = words.number().ok_or_else(|| {
            let value = format!("\"{}\" at row {row}, column {column}", words.text());
            bad(
                input,
                words.line,
                "heights",
                &value,
                &"numbers",
                "write numbers with a decimal point, or NODATA_value",
            )
        })?;
        data.push(if value == nodata { f32::NAN } else { input.sample(value * units.up, row, column)? });
        more = words.next(input)?;
    }
    if data.len() < sides.cells() {
        let value = format!("{} values", data.len());
        let allowed = format!("{} values (ncols {width} × nrows {height})", sides.cells());
        return Err(bad(
            input,
            words.line,
            "heights",
            &value,
            &allowed,
            "the file is cut off: copy it again",
        ));
    }
    let spacing = geo.0.spacing(sides.height, units.across);
    let geo = geo.1.then_some(geo.0);
    Ok(Grid { width: sides.width, height: sides.height, data, spacing, geo, raw_integer_range: None })
}

/// The cell size and corner, whether the header has a corner at all, and what they are measured in.
fn place<R: BufRead + Seek>(
    input: &Input<'_, R>,
    header: &Header,
    sides: Sides,
) -> Result<((Geo, bool), prj::Units), RasterError> {
    let size = |key| positive(input, header, key);
    let pixel = match (size("cellsize")?, size("dx")?, size("dy")?) {
        (Some(cell), None, None) => [cell, cell],
        (None, Some(dx), Some(dy)) => [dx, dy],
        (None, None, None) => {
            return Err(missing(input, None, "cellsize", "add `cellsize` with the metres between heights"));
        }
        (None, Some(_), None) => return Err(missing(input, None, "dy", "give both `dx` and `dy`")),
        (None, None, Some(_)) => return Err(missing(input, None, "dx", "give both `dx` and `dy`")),
        (Some(cell), ..) => {
            let line = header.get("cellsize").map_or(1, |(_, line)| line);
            let advice = "delete one of them";
            return Err(bad(input, line, "cellsize", &cell, &"either `cellsize` or `dx` and `dy`", advice));
        }
    };
    // A corner lies half a cell outside the centre of the corner sample.
    let mut lower_left = [0.0; 2];
    let mut located = [false; 2];
    for (axis, corner, center) in [(0, "xllcorner", "xllcenter"), (1, "yllcorner", "yllcenter")] {
        let (value, half, key) = match (header.get(corner), header.get(center)) {
            (Some(value), None) => (value, 0.5, corner),
            (None, Some(value)) => (value, 0.0, center),
            (None, None) => continue,
            (Some(_), Some((value, line))) => {
                let allowed = "either the corner or the centre";
                return Err(bad(input, line, center, &value, &allowed, "delete one of the two lines"));
            }
        };
        if !value.0.is_finite() {
            return Err(bad(input, value.1, key, &value.0, &"finite", "write the map's lower left corner"));
        }
        lower_left[axis] = value.0 + half * pixel[axis];
        located[axis] = true;
    }
    let north = lower_left[1] + (sides.height - 1) as f64 * pixel[1];
    let origin = [lower_left[0], north];
    // The format itself names no CRS, a `.prj` beside it may; without a word about degrees or feet its units are metres.
    let units = prj::units(input.path)?;
    let geo = Geo { origin, pixel, epsg: units.epsg, degrees: units.degrees };
    Ok(((geo, located == [true, true]), units))
}

fn positive<R: BufRead + Seek>(
    input: &Input<'_, R>,
    header: &Header,
    key: &'static str,
) -> Result<Option<f64>, RasterError> {
    match header.get(key) {
        Some((value, line)) if !(value > 0.0 && value.is_finite()) => {
            Err(bad(input, line, key, &value, &"greater than 0", "write the metres between heights"))
        }
        found => Ok(found.map(|(value, _)| value)),
    }
}

fn count<R: BufRead + Seek>(
    input: &Input<'_, R>,
    header: &Header,
    key: &'static str,
) -> Result<u64, RasterError> {
    let Some((value, line)) = header.get(key) else {
        return Err(missing(input, None, key, "start the file with `ncols` and `nrows`"));
    };
    if value.fract() != 0.0 || value < 1.0 || value > f64::from(u32::MAX) {
        let allowed = format!("a whole number from 1 to {}", input.limits.max_side);
        return Err(bad(input, line, key, &value, &allowed, "write how many heights the map has"));
    }
    Ok(value as u64)
}

fn missing<R>(
    input: &Input<'_, R>,
    line: Option<u32>,
    field: &'static str,
    advice: &'static str,
) -> RasterError {
    RasterError::Missing { path: input.path.to_path_buf(), line, field, advice }
}
