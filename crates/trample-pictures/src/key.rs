//! The key to a map's colours: a ramp with numbers, or names with samples.

use super::Image;
use super::map::MapStyle;
use super::text::{self, Anchor, Style};
use trample_looks::colour::{INK, SOFT};
use trample_looks::{Colours, Legend};

/// Where a key to the colours stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bar {
    /// Its corner.
    pub at: [f32; 2],
    /// Pixels along it.
    pub length: f32,
    /// Whether it runs from the bottom up, beside the map, or to the right, below it.
    pub upright: bool,
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
            widest = widest.max(text::text_width(label, 19.0));
        } else {
            let at = x + bar.length * t;
            page.line([at, y + THICK + 2.0], [at, y + THICK + 7.0], 1.2, SOFT);
            page.text(at, y + THICK + 26.0, label, text_style.anchored(Anchor::Middle));
        }
    }
    if bar.upright {
        let name = text::fitted_text(&name, 19.0, bar.length.max(200.0));
        page.text_up(
            x + THICK + 12.0 + widest + 26.0,
            y + bar.length / 2.0,
            &name,
            text_style.anchored(Anchor::Middle),
        );
    } else {
        let room = page.width as f32 - (x + bar.length + 24.0) - 12.0;
        page.text(x + bar.length + 24.0, y + 18.0, &text::fitted_text(&name, 19.0, room), text_style);
    }
}

/// Names and samples of the categories.
pub(crate) fn legend(page: &mut Image, bar: Bar, names: &[(String, [u8; 3])], right: f32) {
    let [mut x, mut y] = bar.at;
    for (name, colour) in names {
        let name = text::fitted_text(name, 19.0, (right - bar.at[0] - 34.0).clamp(40.0, 326.0));
        let wide = 34.0 + text::text_width(&name, 19.0);
        if !bar.upright && x > bar.at[0] && x + wide > right {
            x = bar.at[0];
            y += 34.0;
        }
        page.swatch([x, y], 20.0, *colour);
        page.text(x + 31.0, y + 17.0, &name, Style::new(19.0, INK));
        if bar.upright { y += 34.0 } else { x += wide + 28.0 }
    }
}

/// Draws a legend into the lower left corner of a picture of four bytes a pixel, on a dark ground, as large as the picture asks for.
/// Pictures too small to hold a readable one are left as they are.
pub fn inset(rgba: &mut [u8], [width, height]: [usize; 2], legend: &Legend) {
    if width < 160 || height < 100 || rgba.len() < 4 * width * height {
        return;
    }
    // Letters of 15 pixels in a picture 540 high, never below 10: our choice.
    let scale = (height.min(width * 9 / 16) as f32 / 540.0).max(0.67);
    let [letter, pad] = [15.0 * scale, 9.0 * scale];
    let head = if legend.unit.is_empty() {
        legend.title.to_string()
    } else {
        format!("{}, {}", legend.title, legend.unit)
    };
    let names = &legend.names[..legend.names.len().min(8)];
    let widest = names
        .iter()
        .map(|n| text::text_width(n, letter) + 1.6 * letter)
        .fold(text::text_width(&head, letter), f32::max);
    let wide = (if names.is_empty() { widest.max(250.0 * scale) } else { widest } + 2.0 * pad)
        .min(0.9 * width as f32);
    let body = if names.is_empty() { 2.4 * letter } else { 1.4 * letter * names.len() as f32 };
    let tall = body + 1.5 * letter + 2.0 * pad;
    let mut box_of = Image::new(wide as usize, tall as usize, [0; 3]);
    let corner = [pad as usize, height.saturating_sub(box_of.height + pad as usize)];
    for y in 0..box_of.height {
        for x in 0..box_of.width {
            let at = 4 * ((corner[1] + y) * width + corner[0] + x);
            let to = 3 * (y * box_of.width + x);
            // Darkened, so that letters are read on snow and on soil.
            (0..3).for_each(|k| box_of.rgb[to + k] = (f32::from(rgba[at + k]) * 0.25) as u8);
        }
    }
    let white = Style::new(letter, [255; 3]);
    box_of.text(pad, pad + letter, &head, white.bold());
    let top = pad + 1.6 * letter;
    let bar = wide - 2.0 * pad - 2.0 * letter;
    for (i, name) in names.iter().enumerate() {
        let y = top + 1.4 * letter * i as f32;
        let last = (names.len() - 1).max(1) as f32;
        box_of.swatch([pad, y], letter, legend.ramp.at(i as f32 / last));
        box_of.text(
            pad + 1.6 * letter,
            y + 0.85 * letter,
            &text::fitted_text(name, letter, wide - 3.0 * pad - 1.6 * letter),
            white,
        );
    }
    if names.is_empty() {
        for i in 0..bar as usize {
            let colour = legend.ramp.at((i as f32 + 0.5) / bar);
            box_of.fill([pad + letter + i as f32, top], [1.0, letter], colour, 1.0);
        }
        let mut free = 0.0f32;
        for (value, label) in &legend.ticks {
            let x = pad + letter + bar * part(*value, legend.range[0], legend.range[1]) as f32;
            box_of.line([x, top + letter], [x, top + 1.25 * letter], scale.max(1.0), [255; 3]);
            // A label that would stand on the one before it is left out.
            let half = 0.5 * text::text_width(label, 0.85 * letter);
            if x - half < free {
                continue;
            }
            free = x + half + 0.4 * letter;
            box_of.text(
                x,
                top + 2.2 * letter,
                label,
                Style::new(0.85 * letter, [255; 3]).anchored(Anchor::Middle),
            );
        }
    }
    for y in 0..box_of.height {
        for x in 0..box_of.width {
            let at = 4 * ((corner[1] + y) * width + corner[0] + x);
            let from = 3 * (y * box_of.width + x);
            rgba[at..at + 3].copy_from_slice(&box_of.rgb[from..from + 3]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::{Map, World, scene::library};

    #[test]
    fn a_legend_stands_in_its_corner_and_nowhere_else() {
        let world = World::new(&library::by_name("snow-meets-sand").expect("a scene")).expect("world");
        for map in [Map::Compression, Map::Material] {
            let legend = trample_looks::legend(&world, map, trample_looks::range(&world, map));
            for size in [[320usize, 180], [640, 360], [390, 844]] {
                let plain = vec![200u8; 4 * size[0] * size[1]];
                let mut picture = plain.clone();
                inset(&mut picture, size, &legend);
                let changed: Vec<usize> =
                    (0..size[0] * size[1]).filter(|i| picture[4 * i..4 * i + 4] != plain[..4]).collect();
                assert!(changed.len() > 1000, "{size:?}: {} pixels", changed.len());
                assert!(changed.iter().all(|i| i / size[0] > size[1] / 2), "{size:?}: in the lower half");
                assert!(picture.iter().skip(3).step_by(4).all(|a| *a == 200), "what is seen through stays");
                let bright = changed.iter().filter(|i| picture[4 * **i] > 220).count();
                assert!(bright > 40, "{size:?}: letters");
            }
            let mut tiny = vec![0; 4 * 64 * 64];
            inset(&mut tiny, [64, 64], &legend);
            assert!(tiny.iter().all(|b| *b == 0));
        }
    }
}
