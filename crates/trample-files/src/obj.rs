//! Triangle meshes of soles from Wavefront OBJ: vertices and faces, nothing else. x forward, y up, z right, metres.

use std::path::Path;
use trample::glam::Vec3;

/// Largest mesh file that is read, bytes.
const LARGEST: u64 = 64 << 20;

/// Why a mesh cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ObjError {
    /// The file cannot be read or is too large.
    #[error("{0}: {1}")]
    File(String, String),
    /// A line makes no sense.
    #[error("{0}:{1}: {2}")]
    Line(String, usize, String),
}

/// Reads the triangles of a mesh; larger faces are cut into fans.
pub fn read(path: &Path) -> Result<Vec<[Vec3; 3]>, ObjError> {
    let name = path.display().to_string();
    let fail = |e: String| ObjError::File(name.clone(), e);
    let size = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?.len();
    if size > LARGEST {
        return Err(fail(format!("{size} bytes, allowed: {LARGEST}")));
    }
    parse(&std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?)
        .map_err(|(line, problem)| ObjError::Line(name, line, problem))
}

fn parse(text: &str) -> Result<Vec<[Vec3; 3]>, (usize, String)> {
    let (mut points, mut triangles): (Vec<Vec3>, Vec<[Vec3; 3]>) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f32> = words.filter_map(|w| w.parse().ok()).collect();
                match numbers[..] {
                    [x, y, z, ..] if Vec3::new(x, y, z).is_finite() => points.push(Vec3::new(x, y, z)),
                    _ => return Err((i + 1, format!("`{line}`: a vertex needs three finite numbers"))),
                }
            }
            Some("f") => {
                let corner = |word: &str| {
                    let index: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if index < 0 { points.len() as i64 + index } else { index - 1 };
                    usize::try_from(index).ok().and_then(|k| points.get(k)).copied()
                };
                let corners: Option<Vec<Vec3>> = words.map(corner).collect();
                let corners = corners.ok_or_else(|| (i + 1, format!("`{line}`: no such vertex")))?;
                if corners.len() < 3 {
                    return Err((i + 1, format!("`{line}`: a face needs three corners")));
                }
                triangles.extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_is_two_triangles_and_bad_faces_name_their_line() {
        let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\r\nv 0 0 1\nf 1/1/1 2 3 -1\n";
        assert_eq!(parse(square).expect("mesh").len(), 2);
        assert_eq!(parse("v 0 0 0\nf 1 2 3\n").expect_err("missing vertices").0, 2);
        assert_eq!(parse("v 0 nan 0\n").expect_err("NaN").0, 1);
    }
}
