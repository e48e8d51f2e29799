//! The key to a map's colours: a ramp with numbers, or names with samples.

use super::Image;
use super::colour::{INK, SOFT};
use super::map::MapStyle;
use super::text::{self, Anchor, Style};

/// Where a key to the colours stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bar {
    /// Its corner.
    pub(crate) at: [f32; 2],
    /// Pixels along it.
    pub(crate) length: f32,
    /// Whether it runs from the bottom up, beside the map, or to the right, below it.
    pub(crate) upright: bool,
}

/// Where `v` lies between two ends; in halves, so that even the widest range does not overflow.
pub(crate) fn part(v: f64, low: f64, high: f64) -> f64 {
    if high > low { (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.5 }
}

/// The ramp with round numbers and what they mean.
pub(crate) fn colour_bar(
    page: &mut Image,
    bar: Bar,
    style: &MapStyle,
    ends: (f64, f64),
    labels: &[(f64, String)],
) {
    const THICK: f32 = 24.0;
    let [x, y] = bar.at;
    for i in 0..bar.length as usize {
        let t = (i as f32 + 0.5) / bar.length;
        let colour = style.colours.at(t);
        if bar.upright {
            page.fill([x, y + bar.length - 1.0 - i as f32], [THICK, 1.0], colour, 1.0);
        } else {
            page.fill([x + i as f32, y], [1.0, THICK], colour, 1.0);
        }
    }
    page.frame(bar.at, if bar.upright { [THICK, bar.length] } else { [bar.length, THICK] }, SOFT);
    let name =
        if style.unit.is_empty() { style.name.clone() } else { format!("{} ({})", style.name, style.unit) };
    let text_style = Style::new(19.0, INK);
    let mut widest = 0.0f32;
    for (v, label) in labels {
        let t = part(*v, ends.0 * style.unit_scale, ends.1 * style.unit_scale) as f32;
        if bar.upright {
            let at = y + bar.length * (1.0 - t);
            page.line([x + THICK + 2.0, at], [x + THICK + 7.0, at], 1.2, SOFT);
            page.text(x + THICK + 12.0, at + 6.5, label, text_style);
            widest = widest.max(text::width(label, 19.0));
        } else {
            let at = x + bar.length * t;
            page.line([at, y + THICK + 2.0], [at, y + THICK + 7.0], 1.2, SOFT);
            page.text(at, y + THICK + 26.0, label, text_style.anchored(Anchor::Middle));
        }
    }
    if bar.upright {
        let name = text::fit(&name, 19.0, bar.length.max(200.0));
        page.text_up(
            x + THICK + 12.0 + widest + 26.0,
            y + bar.length / 2.0,
            &name,
            text_style.anchored(Anchor::Middle),
        );
    } else {
        let room = page.width as f32 - (x + bar.length + 24.0) - 12.0;
        page.text(x + bar.length + 24.0, y + 18.0, &text::fit(&name, 19.0, room), text_style);
    }
}

/// Names and samples of the categories.
pub(crate) fn legend(page: &mut Image, bar: Bar, names: &[(String, [u8; 3])], right: f32) {
    let [mut x, mut y] = bar.at;
    for (name, colour) in names {
        let name = text::fit(name, 19.0, (right - bar.at[0] - 34.0).clamp(40.0, 326.0));
        let wide = 34.0 + text::width(&name, 19.0);
        if !bar.upright && x > bar.at[0] && x + wide > right {
            x = bar.at[0];
            y += 34.0;
        }
        page.swatch([x, y], 20.0, *colour);
        page.text(x + 31.0, y + 17.0, &name, Style::new(19.0, INK));
        if bar.upright { y += 34.0 } else { x += wide + 28.0 }
    }
}
