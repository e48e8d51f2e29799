//! A walker at several moments in one picture, from the side, over the ground it has pressed.

use super::Image;
use super::text::{Anchor, Style};
use super::tick;

/// A body at one moment: line segments with their thickness, all in metres, x along the walk and y up.
pub(crate) struct Figure {
    /// When, s.
    pub(crate) time: f64,
    /// From, to, thickness, and which of [`INKS`].
    pub(crate) bones: Vec<([f64; 2], [f64; 2], f64, usize)>,
}

/// Far side, trunk and head, near side.
const INKS: [[u8; 3]; 3] = [[196, 124, 96], [92, 98, 106], [64, 106, 158]];
const PAPER: [u8; 3] = [252, 252, 250];
const INK: [u8; 3] = [36, 40, 46];

/// Draws the figures over the ground's profile, `along` and `height` in metres, before and after.
pub(crate) fn strip(
    figures: &[Figure],
    along: &[f64],
    before: &[f64],
    after: &[f64],
    ground: [u8; 3],
    title: &str,
    lines: &[String],
) -> Image {
    let (width, fine) = (1800.0, 2.0);
    let (x0, x1) = (along.first().copied().unwrap_or(0.0), along.last().copied().unwrap_or(1.0));
    let scale = (width - 120.0) / (x1 - x0).max(0.1);
    let points = figures.iter().flat_map(|f| f.bones.iter().flat_map(|b| [b.0[1], b.1[1]]));
    let top = points.fold(f64::MIN, f64::max).max(1.0) + 0.15;
    let low = after.iter().chain(before).copied().fold(f64::MAX, f64::min) - 0.12;
    let height = (top - low) * scale + 150.0;
    let mut image = Image::new((width * fine) as usize, (height.clamp(300.0, 1600.0) * fine) as usize, PAPER);
    let place = |p: [f64; 2]| {
        [((60.0 + (p[0] - x0) * scale) * fine) as f32, ((90.0 + (top - p[1]) * scale) * fine) as f32]
    };
    // The ground: what was there, then what is.
    let floor = place([x0, low])[1];
    for pair in 0..along.len().saturating_sub(1) {
        let (a, b) = (place([along[pair], after[pair]]), place([along[pair + 1], after[pair + 1]]));
        let thick = (b[0] - a[0]).max(1.0);
        image.fill([a[0], 0.5 * (a[1] + b[1])], [thick, floor - 0.5 * (a[1] + b[1])], ground, 1.0);
        let (c, d) = (place([along[pair], before[pair]]), place([along[pair + 1], before[pair + 1]]));
        if pair % 8 < 4 {
            image.line(c, d, 1.5, INK);
        }
    }
    for figure in figures {
        for layer in 0..3 {
            for (from, to, thick, ink) in figure.bones.iter().filter(|b| b.3 == layer) {
                let w = (thick * scale * fine) as f32;
                image.line(place(*from), place(*to), w, INKS[*ink]);
            }
        }
        if let Some((at, ..)) = figure.bones.first() {
            let label = place([at[0], low]);
            let style = Style::new(24.0, INK).anchored(Anchor::Middle);
            image.text(label[0], label[1] + 34.0, &format!("{:.1} s", figure.time), style);
        }
    }
    image.text(120.0, 60.0, title, Style::new(52.0, INK).bold());
    for (i, line) in lines.iter().enumerate() {
        image.text(120.0, 110.0 + 36.0 * i as f32, line, Style::new(28.0, [92, 98, 106]));
    }
    // A ruler of round length.
    let length = tick::round_length(0.25 * (x1 - x0));
    let (a, b) = (place([x0, low]), place([x0 + length, low]));
    image.line([a[0], a[1] + 66.0], [b[0], b[1] + 66.0], 6.0, INK);
    image.text(b[0] + 20.0, b[1] + 74.0, &tick::length(length), Style::new(28.0, INK));
    image.shrunk(2)
}
