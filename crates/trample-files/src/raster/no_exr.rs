//! EXR in programs that are built without images: refused. What reads EXR brings along code for relaxed vector instructions, which not every
//! engine of WebAssembly knows.

use super::detect::without_images;
use super::input::Input;
use super::{Grid, MapView, RasterError};
use std::path::Path;

pub(super) fn read<R>(input: &mut Input<'_, R>) -> Result<Grid, RasterError> {
    Err(without_images(input.path))
}

/// Writes nothing: this program was built without images.
///
/// # Errors
/// Always.
pub fn write_exr(path: &Path, _map: &MapView<'_>) -> Result<(), RasterError> {
    Err(without_images(path))
}
