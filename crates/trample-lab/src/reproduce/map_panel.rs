//! A map as a panel: colours from above, axes in metres, and the key to its colours below.

use trample::Ramp;
use trample_looks::colour::{INK, PAPER, SOFT};
use trample_looks::{Colours, tick};
use trample_pictures::{Anchor, Field, Image, Style};

/// How a map is shown.
pub(crate) struct PanelStyle<'a> {
    /// What the colours mean, with its unit.
    pub(crate) label: &'a str,
    /// The colours.
    pub(crate) colours: Ramp,
    /// Numbers at the ends of the ramp, before scaling.
    pub(crate) range: [f64; 2],
    /// What a number is multiplied by for its label.
    pub(crate) scale: f64,
}

/// Pixels left, right, above and below a map.
const ROOM: [f32; 4] = [64.0, 14.0, 8.0, 112.0];

/// Draws an arrow on a map that [`map_panel`] has drawn, between two places, m.
pub(crate) fn arrow_on(page: &mut Image, map: &Field, [from, to]: [[f64; 2]; 2], ink: [u8; 3], width: f32) {
    let [left, right, top, _] = ROOM;
    let per_metre = (page.width as f32 - left - right) / (map.width as f64 * map.cell) as f32;
    let at = |p: [f64; 2]| {
        [left + (p[0] - map.origin[0]) as f32 * per_metre, top + (p[1] - map.origin[1]) as f32 * per_metre]
    };
    let (a, b) = (at(from), at(to));
    let d = [b[0] - a[0], b[1] - a[1]];
    let long = (d[0] * d[0] + d[1] * d[1]).sqrt().max(1e-3);
    let (u, head) = (d.map(|v| v / long), (4.0 * width).min(0.6 * long));
    page.line(a, b, width, ink);
    for side in [-0.6, 0.6] {
        page.line(b, [b[0] - head * (u[0] + side * u[1]), b[1] - head * (u[1] - side * u[0])], width, ink);
    }
}

/// Draws a map `width` pixels wide.
pub(crate) fn map_panel(map: &Field, style: &PanelStyle<'_>, width: usize) -> Image {
    let [left, right, top, bottom] = ROOM;
    let room = width as f32 - left - right;
    let tall = (room * map.height as f32 / map.width.max(1) as f32).round();
    let mut page = Image::new(width, (top + tall + bottom) as usize, PAPER);
    let share = |v: f64| ((v - style.range[0]) / (style.range[1] - style.range[0]).max(1e-12)) as f32;
    for y in 0..tall as usize {
        for x in 0..room as usize {
            let (col, row) = (
                (x as f32 / room * map.width as f32) as usize,
                (y as f32 / tall * map.height as f32) as usize,
            );
            let colour = style.colours.at(share(f64::from(map.at(col, row))));
            let at = ((top as usize + y) * width + left as usize + x) * 3;
            page.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
    page.frame([left, top], [room.floor(), tall], SOFT);
    let small = Style::new(19.0, SOFT);
    let [wide, deep] = [map.width, map.height].map(|n| n as f64 * map.cell);
    let under = top + tall;
    for (v, label) in tick::ticks(map.origin[0], map.origin[0] + wide, 6) {
        let x = left + ((v - map.origin[0]) / wide) as f32 * room;
        page.line([x, under + 2.0], [x, under + 7.0], 1.2, SOFT);
        page.text(x.min(width as f32 - 24.0), under + 27.0, &label, small.anchored(Anchor::Middle));
    }
    for (v, label) in tick::ticks(map.origin[1], map.origin[1] + deep, ((tall / 60.0) as usize).clamp(2, 5)) {
        let y = top + ((v - map.origin[1]) / deep) as f32 * tall;
        page.line([left - 7.0, y], [left - 2.0, y], 1.2, SOFT);
        page.text(left - 11.0, (y + 7.0).max(20.0), &label, small.anchored(Anchor::End));
    }
    page.text_up(20.0, top + tall / 2.0, "z (m)", small.anchored(Anchor::Middle));
    // The key: a bar with its ends and a round number or two between, and what it means.
    let bar = [left, under + 44.0];
    let long = (0.42 * room).floor();
    for i in 0..long as usize {
        page.fill([bar[0] + i as f32, bar[1]], [1.0, 18.0], style.colours.at((i as f32 + 0.5) / long), 1.0);
    }
    page.frame(bar, [long, 18.0], SOFT);
    let ends = style.range.map(|v| v * style.scale);
    for (v, label) in tick::ticks(ends[0], ends[1], if long < 240.0 { 2 } else { 4 }) {
        let x = bar[0] + ((v - ends[0]) / (ends[1] - ends[0]).max(1e-12)) as f32 * long;
        page.line([x, bar[1] + 20.0], [x, bar[1] + 25.0], 1.2, SOFT);
        page.text(x, bar[1] + 44.0, &label, small.anchored(Anchor::Middle));
    }
    page.text(bar[0] + long + 26.0, bar[1] + 17.0, style.label, Style::new(20.0, INK));
    page.text(width as f32 - right, under + 50.0 + 44.0, "x (m) to the right", small.anchored(Anchor::End));
    page
}
