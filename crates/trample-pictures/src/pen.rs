//! Strokes and words in a plot's units.

use super::PictureError;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::RGBAColor;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Draws in the plot's units on whatever plotters draws on.
pub(crate) struct Pen<'a, B: DrawingBackend> {
    /// What is drawn on.
    pub root: &'a DrawingArea<B, Shift>,
    /// Pixels per unit.
    pub k: f64,
    /// By how much of its size text is lowered.
    pub drop: f64,
}

impl<B: DrawingBackend> Pen<'_, B> {
    fn at(&self, p: (f64, f64)) -> (i32, i32) {
        (libm::round(p.0 * self.k) as i32, libm::round(p.1 * self.k) as i32)
    }

    /// A line through some points.
    pub(crate) fn line(
        &self,
        path: &[(f64, f64)],
        colour: [u8; 3],
        alpha: f64,
        width: f64,
    ) -> Result<(), PictureError> {
        let style =
            ShapeStyle { color: rgba(colour, alpha), filled: false, stroke_width: (width * self.k) as u32 };
        let path: Vec<_> = path.iter().map(|p| self.at(*p)).collect();
        self.put(self.root.draw(&PathElement::new(path, style)))
    }

    /// A filled outline.
    pub(crate) fn area(
        &self,
        outline: &[(f64, f64)],
        colour: [u8; 3],
        alpha: f64,
    ) -> Result<(), PictureError> {
        let outline: Vec<_> = outline.iter().map(|p| self.at(*p)).collect();
        self.put(self.root.draw(&Polygon::new(outline, rgba(colour, alpha).filled())))
    }

    /// Level text, centred on `y`.
    pub(crate) fn text(
        &self,
        at: (f64, f64),
        words: &str,
        size: f64,
        ink: [u8; 3],
        end: HPos,
    ) -> Result<(), PictureError> {
        self.write(at, words, size, ink, FontTransform::None, end)
    }

    /// Text that reads upwards, centred on its place.
    pub(crate) fn text_up(
        &self,
        at: (f64, f64),
        words: &str,
        size: f64,
        ink: [u8; 3],
    ) -> Result<(), PictureError> {
        self.write(at, words, size, ink, FontTransform::Rotate270, HPos::Center)
    }

    fn write(
        &self,
        at: (f64, f64),
        words: &str,
        size: f64,
        ink: [u8; 3],
        turn: FontTransform,
        end: HPos,
    ) -> Result<(), PictureError> {
        let ink = rgba(ink, 1.0);
        let down = self.drop * size;
        let at = if matches!(turn, FontTransform::None) { (at.0, at.1 + down) } else { (at.0 + down, at.1) };
        // plotters means the height of a line, which it takes to be 1.24 em.
        let font = ("sans-serif", 1.24 * size * self.k).into_font().transform(turn);
        let style = TextStyle::from(font).color(&ink).pos(Pos::new(end, VPos::Center));
        self.put(self.root.draw(&Text::new(words.to_owned(), self.at(at), style)))
    }

    fn put<T>(&self, drawn: Result<T, DrawingAreaErrorKind<B::ErrorType>>) -> Result<T, PictureError> {
        drawn.map_err(|e| PictureError::Plot(e.to_string()))
    }
}

fn rgba([r, g, b]: [u8; 3], alpha: f64) -> RGBAColor {
    RGBAColor(r, g, b, alpha)
}

/// A colour as the SVG backend writes it.
pub fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// A path with at most a few points per unit across: of the points in between, the lowest and the highest stay.
pub(crate) fn thinned(path: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    const MOST: usize = 3200;
    if path.len() <= MOST {
        return path;
    }
    let each = path.len().div_ceil(MOST / 4);
    let mut kept = Vec::with_capacity(MOST + 4);
    for part in path.chunks(each) {
        let by = |a: &usize, b: &usize| part[*a].1.total_cmp(&part[*b].1);
        let mut stay = [
            0,
            (0..part.len()).min_by(by).unwrap_or(0),
            (0..part.len()).max_by(by).unwrap_or(0),
            part.len() - 1,
        ];
        stay.sort_unstable();
        kept.extend(stay.map(|i| part[i]));
    }
    kept
}

/// A path cut into dashes.
pub(crate) fn dashes(path: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    const ON: f64 = 7.0;
    const OFF: f64 = 5.0;
    let mut pieces = Vec::new();
    let mut piece: Vec<(f64, f64)> = path.first().copied().into_iter().collect();
    let (mut drawing, mut left) = (true, ON);
    for pair in path.windows(2) {
        let (mut a, b) = (pair[0], pair[1]);
        loop {
            let span = ((b.0 - a.0) * (b.0 - a.0) + (b.1 - a.1) * (b.1 - a.1)).sqrt();
            if span < left {
                left -= span;
                if drawing {
                    piece.push(b);
                }
                break;
            }
            a = (a.0 + (b.0 - a.0) * left / span, a.1 + (b.1 - a.1) * left / span);
            if drawing {
                piece.push(a);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![a];
            }
            drawing = !drawing;
            left = if drawing { ON } else { OFF };
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_series_keep_their_peaks() {
        let mut path: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        path[54_321].1 = 9.0;
        let kept = thinned(path);
        assert!(kept.len() <= 3300 && kept.iter().any(|p| p.1 == 9.0));
    }
}
