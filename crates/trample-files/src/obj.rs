//! Triangle meshes of soles from Wavefront OBJ: vertices and faces, nothing else. x forward, y up, z right, metres.

use crate::memory;
use crate::scene_file::shortened;
use std::io::Read;
use std::path::Path;
use trample::glam::Vec3;

/// Largest mesh file that is read, bytes.
const LARGEST: u64 = 64 << 20;
/// Most triangles: a scanned foot has some ten thousand.
const MOST: usize = 1_000_000;

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
    let file = memory::open(path).map_err(|e| fail(e.to_string()))?;
    let mut bytes = Vec::new();
    // What is not a file does not say how long it is: read no more than is allowed.
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(fail(format!("more than {LARGEST} bytes, allowed: {LARGEST}; simplify the mesh")));
    }
    let text = String::from_utf8(bytes).map_err(|_| fail("not a text file; give a Wavefront OBJ".into()))?;
    parse(&text).map_err(|(line, problem)| ObjError::Line(name, line, problem))
}

/// Scales a mesh evenly so that it is `length` metres long in x. A mesh without length is left as it is.
pub fn scale_to(triangles: &mut [[Vec3; 3]], length: f32) {
    let bounds = triangles.iter().flatten().fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.x), b.max(p.x)));
    let factor = length / (bounds.1 - bounds.0);
    if factor.is_finite() && factor > 0.0 {
        triangles.iter_mut().flatten().for_each(|p| *p *= factor);
    }
}

fn parse(text: &str) -> Result<Vec<[Vec3; 3]>, (usize, String)> {
    let (mut points, mut triangles): (Vec<Vec3>, Vec<[Vec3; 3]>) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let fail = |problem: &str| (i + 1, format!("`{}`: {problem}", shortened(line)));
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                // Weights and colours may follow; they do not matter.
                let numbers: Vec<f32> = words.take(3).map_while(|w| w.parse().ok()).collect();
                match numbers[..] {
                    [x, y, z] if Vec3::new(x, y, z).is_finite() => points.push(Vec3::new(x, y, z)),
                    _ => return Err(fail("a vertex needs three finite numbers")),
                }
            }
            Some("f") => {
                let corner = |word: &str| {
                    let index: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if index < 0 { points.len() as i64 + index } else { index - 1 };
                    usize::try_from(index).ok().and_then(|k| points.get(k)).copied()
                };
                let corners: Option<Vec<Vec3>> = words.map(corner).collect();
                let corners = corners.ok_or_else(|| fail("no such vertex"))?;
                if corners.len() < 3 {
                    return Err(fail("a face needs three corners"));
                }
                triangles.extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
                if triangles.len() > MOST {
                    return Err(fail("too many triangles, allowed: 1000000; simplify the mesh"));
                }
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
        assert_eq!(parse("v x 0 0 0\n").expect_err("not a number").0, 1);
    }

    #[test]
    fn a_mesh_in_millimetres_can_be_told_its_length() {
        let mut mesh = parse("v 0 0 0\nv 270 0 0\nv 0 0 100\nf 1 2 3\n").expect("mesh");
        scale_to(&mut mesh, 0.27);
        assert!((mesh[0][2].z - 0.1).abs() < 1e-6, "{mesh:?}");
    }
}
