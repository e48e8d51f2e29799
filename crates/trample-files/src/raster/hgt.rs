//! SRTM tiles: bare big-endian 16-bit heights, one degree by one degree, named by their south-west corner.

use super::input::Input;
use super::{Geo, Grid, RasterError};
use std::io::{BufRead, Seek};
use std::path::Path;

/// The height that SRTM stores where the radar saw nothing.
const VOID: i16 = -32768;

pub(super) fn read<R: BufRead + Seek>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    let side = (input.len / 2).isqrt();
    if side < 2 || side * side * 2 != input.len {
        return Err(RasterError::field(
            input.path,
            "file length",
            &format!("{} bytes", input.len),
            &"2 · n² with n of 2 or more, such as 2884802 (n = 1201) or 25934402 (n = 3601)",
            "download the tile again; a tile is bare big-endian 16-bit heights",
        ));
    }
    let sides = input.sides(side, side)?;
    let mut data = input.empty_map(sides)?;
    let mut row = vec![0; sides.width * 2];
    for _ in 0..sides.height {
        input.read_exact("a row of heights", &mut row)?;
        data.extend(row.chunks_exact(2).map(|bytes| match i16::from_be_bytes([bytes[0], bytes[1]]) {
            VOID => f32::NAN,
            height => f32::from(height),
        }));
    }
    let geo = south_west(input.path).map(|[longitude, latitude]| {
        // Neighbouring tiles share their edge samples, so n samples span one degree in n − 1 steps.
        let pixel = 1.0 / (side - 1) as f64;
        Geo { origin: [longitude, latitude + 1.0], pixel: [pixel, pixel], epsg: Some(4326), degrees: true }
    });
    Ok(Grid {
        width: sides.width,
        height: sides.height,
        data,
        spacing: geo.and_then(|geo| geo.spacing(sides.height, 1.0)),
        geo,
        raw_integer_range: None,
    })
}

/// Longitude and latitude of the south-west sample from a name such as `N46E007.hgt`, degrees.
fn south_west(path: &Path) -> Option<[f64; 2]> {
    let name = path.file_name()?.to_str()?.to_ascii_uppercase();
    let part = |range: std::ops::Range<usize>| name.get(range);
    let number = |range: std::ops::Range<usize>, largest: u32| {
        let digits = part(range).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<u32>().ok().filter(|&degrees| degrees <= largest)
    };
    let signed = |letter: &str, plus: &str, minus: &str, value: u32| match letter {
        _ if letter == plus => Some(f64::from(value)),
        _ if letter == minus => Some(-f64::from(value)),
        _ => None,
    };
    let latitude = signed(part(0..1)?, "N", "S", number(1..3, 90)?)?;
    let longitude = signed(part(3..4)?, "E", "W", number(4..7, 180)?)?;
    Some([longitude, latitude])
}
