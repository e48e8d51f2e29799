//! GPX files: the places of tracks and routes.
//!
//! In: GPX 1.0 or 1.1. Out: longitude and latitude of every track point and route point in order, WGS 84, degrees.

use crate::memory;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::path::Path;

/// Largest file that is read, bytes.
const LARGEST: u64 = 64 << 20;
/// Most points of a line.
const MOST: usize = 100_000;

/// The line of a GPX file: longitude and latitude of its points.
///
/// # Errors
/// If the file cannot be read or is no GPX with at least two points: file, line and what is wrong.
pub fn read(path: &Path) -> Result<Vec<[f64; 2]>, String> {
    let text = memory::read_text(path, LARGEST)?;
    parse(&text).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))
}

/// The points of a text; else the line and what is wrong with it.
fn parse(text: &str) -> Result<Vec<[f64; 2]>, (usize, String)> {
    let mut reader = Reader::from_str(text);
    let line = |byte: u64| text.as_bytes().iter().take(byte as usize).filter(|b| **b == b'\n').count() + 1;
    let (mut points, mut root) = (Vec::new(), false);
    loop {
        let event = reader.read_event();
        let at = reader.buffer_position();
        match event {
            Err(e) => return Err((line(at), format!("not XML: {e}"))),
            Ok(Event::Eof) => break,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let name = tag.local_name();
                if name.as_ref() == b"gpx" {
                    root = true;
                } else if !root {
                    return Err((line(at), "not a GPX file: its first element must be `gpx`".into()));
                }
                if !matches!(name.as_ref(), b"trkpt" | b"rtept") {
                    continue;
                }
                let number = |key: &str, most: f64| {
                    let given =
                        tag.attributes().flatten().find(|a| a.key.local_name().as_ref() == key.as_bytes());
                    let value = given.as_ref().map(|a| String::from_utf8_lossy(&a.value).into_owned());
                    let shown = value.clone().unwrap_or_else(|| "missing".into());
                    value.and_then(|v| v.trim().parse::<f64>().ok()).filter(|v| v.abs() <= most).ok_or_else(
                        || (line(at), format!("`{key}` is {shown}, must be a number from −{most} to {most}")),
                    )
                };
                points.push([number("lon", 180.0)?, number("lat", 90.0)?]);
                if points.len() > MOST {
                    return Err((line(at), format!("more than {MOST} points, allowed: {MOST}")));
                }
            }
            Ok(_) => {}
        }
    }
    points.dedup();
    if points.len() < 2 {
        return Err((1, format!("{} track or route point(s), a line needs two", points.len())));
    }
    Ok(points)
}

/// A line as a GPX track.
pub fn to_gpx(name: &str, line: &[[f64; 2]]) -> String {
    let name = name.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"trample\" \
         xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk><name>{name}</name><trkseg>\n"
    );
    for [lon, lat] in line {
        out += &format!("<trkpt lat=\"{lat:.8}\" lon=\"{lon:.8}\"/>\n");
    }
    out + "</trkseg></trk>\n</gpx>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_read_and_errors_name_the_line() {
        let line = [[11.0, 48.0], [11.001, 48.0005]];
        assert_eq!(parse(&to_gpx("a & b", &line)), Ok(line.to_vec()));
        let bad = "<gpx>\n<trk><trkseg>\n<trkpt lat=\"x\" lon=\"1\"/></trkseg></trk></gpx>";
        assert_eq!(parse(bad).map_err(|e| e.0), Err(3));
        for text in
            ["", "<kml/>", "<gpx></gpx>", "<gpx><trkpt lat=\"1\"", "<gpx><trkpt lat=\"91\" lon=\"0\"/></gpx>"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
