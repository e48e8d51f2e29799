//! Filling no-data from the nearest valid sample.

use super::RasterError;

/// Spreads valid samples into no-data, one step of the rim at a time.
///
/// Only the rim between filled and void is kept, so a map with a few holes costs no memory to speak of.
pub(super) fn fill(width: usize, data: &mut [f32]) -> Result<usize, RasterError> {
    let voids = data.iter().filter(|sample| sample.is_nan()).count();
    if voids == 0 {
        return Ok(0);
    }
    if voids == data.len() || width == 0 {
        return Err(RasterError::AllNoData { cells: data.len() });
    }
    let mut rim: Vec<usize> = (0..data.len())
        .filter(|&cell| !data[cell].is_nan() && neighbours(cell, width, data.len()).any(|n| data[n].is_nan()))
        .collect();
    let mut next = Vec::new();
    while !rim.is_empty() {
        for &cell in &rim {
            for neighbour in neighbours(cell, width, data.len()) {
                if data[neighbour].is_nan() {
                    data[neighbour] = data[cell];
                    next.push(neighbour);
                }
            }
        }
        rim.clear();
        std::mem::swap(&mut rim, &mut next);
    }
    Ok(voids)
}

/// The cells above, left, right and below that exist.
fn neighbours(cell: usize, width: usize, cells: usize) -> impl Iterator<Item = usize> {
    let column = cell % width;
    [
        cell.checked_sub(width),
        (column > 0).then(|| cell - 1),
        (column + 1 < width && cell + 1 < cells).then_some(cell + 1),
        cell.checked_add(width).filter(|&below| below < cells),
    ]
    .into_iter()
    .flatten()
}
