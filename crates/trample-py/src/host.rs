//! Puppets whose feet Python moves: soles as Python says them. The rest is `crates/trample-host`.

use crate::scene_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trample::glam::Vec3;
use trample::scene::SoleShape;
use trample::{PuppetSpec, Sole};
use trample_host::HostError;
pub(crate) use trample_host::{Control, Host, Told};

/// What Python raises for it.
pub(crate) fn error(problem: HostError) -> PyErr {
    match problem {
        HostError::Told(problem) => PyValueError::new_err(problem),
        HostError::Scene(problem) => scene_error(problem),
    }
}

/// What is under the feet, as Python says it.
#[derive(FromPyObject)]
pub(crate) enum SoleLike {
    /// A kind of footwear by name.
    Name(String),
    /// A closed outline, forward and to the right, m.
    Outline(Vec<[f64; 2]>),
    /// Triangles: x forward, y up, z right, m.
    Mesh(Vec<[[f32; 3]; 3]>),
}

impl SoleLike {
    fn shape(&self) -> Result<SoleShape, HostError> {
        let told = |problem: String| HostError::Told(format!("sole: {problem}"));
        match self {
            Self::Name(name) => trample_host::footwear(name),
            Self::Outline(points) => {
                let along = points.iter().map(|p| p[0]);
                let length = along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min);
                Sole::from_outline(points, length).map(SoleShape::Custom).map_err(|e| told(e.to_string()))
            }
            Self::Mesh(triangles) => {
                let triangles: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(Vec3::from_array)).collect();
                Sole::from_mesh(&triangles).map(SoleShape::Custom).map_err(|e| told(e.to_string()))
            }
        }
    }
}

/// The core's description of a puppet with so many feet.
pub(crate) fn spec(
    feet: usize,
    mass: f64,
    sole: &SoleLike,
    size: (Option<f64>, Option<f64>),
    hold: &str,
) -> PyResult<PuppetSpec> {
    let (sole, hold) = (sole.shape().map_err(error)?, trample_host::hold(hold).map_err(error)?);
    Ok(trample_host::spec("python", feet, Some(mass), sole, [size.0, size.1], hold))
}
