//! One coloured picture of a map, with axes and the key to its colours.

use super::key::{Bar, colour_bar, legend, part};
use super::text::{self, Anchor, Style};
use super::{Field, Image, canvas};
use trample::{Map, World};
use trample::{Ramp, Span};
use trample_looks::colour::{INK, PAPER, SOFT};
use trample_looks::{Colours, tick};

/// How a map's numbers are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct MapStyle {
    /// What the numbers are, for the colour bar.
    pub name: String,
    /// Their unit, after scaling; empty for none.
    pub unit: String,
    /// The colours of a continuous map.
    pub colours: Ramp,
    /// The numbers at the ends of the ramp, before scaling; the map's own when absent.
    pub range: Option<[f64; 2]>,
    /// What a number is multiplied by for its label, 1000 to show metres as millimetres.
    pub unit_scale: f64,
    /// Names and colours of whole numbers, for a map of materials; the ramp is not used then.
    pub categories: Option<Vec<(String, [u8; 3])>>,
}

impl MapStyle {
    /// How a map of a world is shown: as its row in the table of maps says.
    pub fn of(world: &World, map: Map) -> Self {
        let (row, materials) = (map.row(), &world.scene().terrain.materials);
        let range = match row.span {
            Span::Fixed(ends) => Some(ends),
            _ => None,
        };
        let categories = match row.span {
            Span::Materials => Some(materials.iter().map(|m| (m.name.clone(), m.material.colour)).collect()),
            Span::Kinds(kinds) => Some(kinds.iter().map(|&(name, colour)| (name.into(), colour)).collect()),
            _ => None,
        };
        let (unit, unit_scale) = row.display;
        Self { name: map.title(), unit: unit.into(), colours: row.ramp, range, unit_scale, categories }
    }
}

/// The most pixels the map itself has along x and z: few enough for its text to be read where two stand beside each other.
const MOST: [usize; 2] = [860, 600];
/// A map longer than this many times its short side is cut.
const LONGEST: f64 = 14.0;

/// How several cells become one pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Merge {
    /// The mean, for a mild reduction.
    Mean,
    /// The number farthest from what most of the map is, so that a print one cell wide does not vanish.
    Extreme,
    /// The middle cell: categories have no mean.
    Pick,
}

/// Draws a map.
pub fn map_picture(field: &Field, style: &MapStyle, title: &str) -> Image {
    let whole = field.mended();
    let usual = whole.median().unwrap_or(0.0);
    let mut notes = Vec::new();
    let mut window = whole.clone();
    let far = |v: f32| if v.is_finite() { (v - usual).abs() } else { -1.0 };
    if let Some([x, z, w, h]) = whole.cut(LONGEST, 10.0, far) {
        window = whole.crop(x, z, w, h);
        let all = tick::length(whole.width.max(whole.height) as f64 * whole.cell);
        notes.push(format!("part of {all}, around the strongest place"));
    }
    let fit = (MOST[0] as f64 / window.width as f64).min(MOST[1] as f64 / window.height as f64);
    // Small maps grow by whole factors: each cell stays a square of its own.
    let scale = if fit >= 1.0 { fit.floor().min(360.0) } else { fit };
    let size = [window.width, window.height].map(|n| ((n as f64 * scale) as usize).max(1));
    let merge = match scale {
        _ if style.categories.is_some() => Merge::Pick,
        s if s >= 0.5 => Merge::Mean,
        _ => Merge::Extreme,
    };
    if merge == Merge::Extreme {
        let n = (1.0 / scale).ceil();
        notes.push(format!("each pixel shows the strongest of {n} × {n} cells"));
    }
    let pixels = reduced(&window, size, merge, usual);
    let (low, high) = limits(&window, style);

    let [w, h] = size.map(|v| v as f32);
    let beside = w / h < 2.2;
    // Length of the colour bar, upright or lying.
    let (tall, lies) = (h.clamp(160.0, 620.0), (w * 0.6).max(320.0));
    let labels: Vec<(f64, String)> = if style.categories.is_some() {
        Vec::new()
    } else {
        // Labels below a bar stand side by side, those beside it above each other.
        let (most, room) = if beside { (6, tall) } else { (7, lies) };
        fitting(low * style.unit_scale, high * style.unit_scale, most, room, |label| {
            if beside { 26.0 } else { text::text_width(label, 19.0) + 16.0 }
        })
    };
    let names = entries(style, &window);
    let widest = labels.iter().map(|(_, l)| text::text_width(l, 19.0)).fold(0.0, f32::max);
    let key = if style.categories.is_some() {
        names.iter().map(|(name, _)| text::text_width(name, 19.0) + 34.0).fold(60.0, f32::max).min(360.0)
    } else {
        24.0 + 12.0 + widest + 40.0
    };
    let ends = [window.origin[1], window.origin[1] + window.height as f64 * window.cell];
    let rows = tick::ticks(ends[0], ends[1], (size[1] / 90).clamp(2, 10));
    let left = 62.0 + rows.iter().map(|(_, l)| text::text_width(l, 18.0)).fold(0.0, f32::max);
    let top = 74.0;
    let width = (left + w + if beside { 34.0 + key } else { 0.0 } + 36.0).max(560.0);
    let lines = if beside || style.categories.is_none() { 1.0 } else { (names.len() as f32 / 4.0).ceil() };
    let foot = if beside { 0.0 } else { 44.0 + 34.0 * lines };
    let note = if notes.is_empty() { 0.0 } else { 30.0 };
    let height = (top + h + 66.0 + foot + note + 10.0).max(if beside { 320.0 } else { 0.0 });
    let mut page = Image::new(width as usize, height as usize, PAPER);
    page.text(left, 46.0, &text::fitted_text(title, 28.0, width - left - 30.0), Style::new(28.0, INK).bold());

    // A colour takes powers and a cosine: those of 4096 steps are made once.
    let ramp: Vec<[u8; 3]> = (0..=4096).map(|i| style.colours.at(i as f32 / 4096.0)).collect();
    for y in 0..size[1] {
        for x in 0..size[0] {
            let v = pixels[y * size[0] + x];
            let colour = if v.is_nan() {
                canvas::hatch(x, y)
            } else if let Some(kinds) = &style.categories {
                kinds.get(v.max(0.0) as usize).map_or_else(|| canvas::hatch(x, y), |kind| kind.1)
            } else {
                ramp[(part(f64::from(v), low, high).clamp(0.0, 1.0) * 4096.0).round() as usize]
            };
            let at = ((top as usize + y) * page.width + left as usize + x) * 3;
            page.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
    let corner = [left.floor(), top];
    page.frame(corner, [w, h], SOFT);
    let extent = [window.width, window.height].map(|n| n as f64 * window.cell);
    axes(&mut page, corner, [w, h], [window.origin, extent], &rows);
    let below = top + h + 66.0;
    let bar = if beside {
        Bar { at: [corner[0] + w + 34.0, top], length: tall, upright: true }
    } else {
        Bar { at: [corner[0], below + 8.0], length: lies.min(width - left - 60.0), upright: false }
    };
    if style.categories.is_some() {
        legend(&mut page, bar, &names, width - 30.0);
    } else {
        colour_bar(&mut page, bar, style, (low, high), &labels);
    }
    if !notes.is_empty() {
        let line = text::fitted_text(&notes.join("; "), 17.0, width - left - 20.0);
        page.text(left, height - 16.0, &line, Style::new(17.0, SOFT));
    }
    page
}

/// Round numbers with their labels, at most about `most`, as many as fit along `room` pixels if each takes what `space` says.
fn fitting(low: f64, high: f64, most: usize, room: f32, space: impl Fn(&str) -> f32) -> Vec<(f64, String)> {
    let made = |count: usize| tick::ticks(low, high, count);
    let fits = |labels: &Vec<(f64, String)>| {
        labels.windows(2).all(|two| {
            let apart = (part(two[1].0, low, high) - part(two[0].0, low, high)) as f32 * room;
            apart >= 0.5 * (space(&two[0].1) + space(&two[1].1))
        })
    };
    // Where no two fit, one stands alone.
    (1..=most).rev().map(made).find(fits).unwrap_or_else(|| made(1).into_iter().take(1).collect())
}

/// The numbers at the ends of the ramp. A ramp with a meaningful middle reaches equally far to both sides.
fn limits(field: &Field, style: &MapStyle) -> (f64, f64) {
    if let Some([low, high]) = style.range {
        return (low, high);
    }
    let (low, high) = field.range().map_or((0.0, 0.0), |(low, high)| (f64::from(low), f64::from(high)));
    let far = low.abs().max(high.abs());
    if style.colours == Ramp::Diverging { (-far, far) } else { (low, high) }
}

/// The categories that occur, with their colours.
fn entries(style: &MapStyle, field: &Field) -> Vec<(String, [u8; 3])> {
    let kinds = style.categories.as_deref().unwrap_or_default();
    let mut seen = vec![false; kinds.len()];
    for v in field.data.iter().filter(|v| **v >= 0.0) {
        if let Some(flag) = seen.get_mut(*v as usize) {
            *flag = true;
        }
    }
    kinds.iter().zip(seen).filter(|(_, seen)| *seen).map(|(kind, _)| kind.clone()).take(24).collect()
}

/// The map at the picture's resolution.
fn reduced(field: &Field, size: [usize; 2], merge: Merge, usual: f32) -> Vec<f32> {
    let span = |i: usize, from: usize, to: usize| {
        let first = i * from / to;
        first..((i + 1) * from / to).max(first + 1)
    };
    let mut out = Vec::with_capacity(size[0] * size[1]);
    for y in 0..size[1] {
        let rows = span(y, field.height, size[1]);
        for x in 0..size[0] {
            let columns = span(x, field.width, size[0]);
            if merge == Merge::Pick {
                out.push(field.at(
                    usize::midpoint(columns.start, columns.end - 1),
                    usize::midpoint(rows.start, rows.end - 1),
                ));
                continue;
            }
            let (mut sum, mut count, mut extreme) = (0.0f64, 0u32, f32::NAN);
            for z in rows.clone() {
                for c in columns.clone() {
                    let v = field.at(c, z);
                    if v.is_nan() {
                        continue;
                    }
                    sum += f64::from(v);
                    count += 1;
                    if extreme.is_nan() || (v - usual).abs() > (extreme - usual).abs() {
                        extreme = v;
                    }
                }
            }
            out.push(match merge {
                _ if count == 0 => f32::NAN,
                Merge::Extreme => extreme,
                _ => (sum / f64::from(count)) as f32,
            });
        }
    }
    out
}

/// Ticks and names of both axes of a window, given by its corner and its extent, m.
pub(crate) fn axes(
    page: &mut Image,
    at: [f32; 2],
    size: [f32; 2],
    [origin, extent]: [[f64; 2]; 2],
    rows: &[(f64, String)],
) {
    let style = Style::new(18.0, SOFT);
    let bottom = at[1] + size[1];
    let ([wide, deep], first) = (extent, origin[0]);
    let most = ((size[0] / 110.0) as usize).clamp(2, 10);
    for (v, label) in fitting(first, first + wide, most, size[0], |l| text::text_width(l, 18.0) + 12.0) {
        let x = at[0] + ((v - first) / wide) as f32 * size[0];
        page.line([x, bottom + 2.0], [x, bottom + 7.0], 1.2, SOFT);
        page.text(x, bottom + 25.0, &label, style.anchored(Anchor::Middle));
    }
    for (v, label) in rows {
        let y = at[1] + ((v - origin[1]) / deep) as f32 * size[1];
        page.line([at[0] - 7.0, y], [at[0] - 2.0, y], 1.2, SOFT);
        page.text(at[0] - 11.0, y + 6.0, label, style.anchored(Anchor::End));
    }
    page.text(at[0] + size[0] / 2.0, bottom + 48.0, "x (m)", style.anchored(Anchor::Middle));
    page.text_up(26.0, at[1] + size[1] / 2.0, "z (m)", style.anchored(Anchor::Middle));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style() -> MapStyle {
        MapStyle {
            name: "depth".into(),
            unit: "mm".into(),
            colours: Ramp::Sequential,
            range: None,
            unit_scale: 1000.0,
            categories: None,
        }
    }

    fn field(width: usize, height: usize, data: Vec<f32>) -> Field {
        Field { width, height, cell: 0.01, origin: [0.0; 2], data }
    }

    #[test]
    fn a_constant_map_still_has_a_colour_bar() {
        let image = map_picture(&field(20, 20, vec![0.5; 400]), &style(), "flat");
        let has = |t: f32| image.rgb.chunks(3).any(|p| p == Ramp::Sequential.at(t));
        assert!(has(0.5) && has(0.001), "the bar holds colours the map does not");
    }

    #[test]
    fn labels_of_a_bar_never_overprint_each_other() {
        for (low, high) in
            [(0.0, 1.0), (0.0, 123_456.0), (-2e6, 2e6), (1234.561, 1234.569), (-0.0031, 0.0031)]
        {
            for room in [40.0f32, 160.0, 320.0, 516.0] {
                let space = |l: &str| text::text_width(l, 19.0) + 16.0;
                let labels = fitting(low, high, 7, room, space);
                assert!(!labels.is_empty(), "{low} {high}");
                for two in labels.windows(2) {
                    let at = |v: f64| part(v, low, high) as f32 * room;
                    let gap = at(two[1].0) - at(two[0].0);
                    assert!(gap >= 0.5 * (space(&two[0].1) + space(&two[1].1)), "{room} px: {labels:?}");
                }
            }
        }
        assert!(fitting(0.0, 1.0, 7, 516.0, |_| 30.0).len() > 4, "where there is room there are many");
    }

    #[test]
    fn degenerate_maps_are_drawn() {
        for (w, h, data) in [
            (0, 0, vec![]),
            (1, 1, vec![1.0]),
            (3, 2, vec![f32::NAN; 6]),
            (2, 2, vec![f32::MAX, -f32::MAX, f32::INFINITY, 0.0]),
            (5, 5, vec![1.0]),
        ] {
            for colours in [Ramp::Sequential, Ramp::Diverging, Ramp::Heat] {
                let image = map_picture(
                    &field(w, h, data.clone()),
                    &MapStyle { colours, ..style() },
                    &"Ü".repeat(400),
                );
                assert!(!image.to_png().is_empty());
            }
        }
    }

    #[test]
    fn a_print_one_cell_wide_survives_reduction() {
        let mut data = vec![0.0; 1200 * 400];
        data[200 * 1200 + 601] = -0.05;
        let small = reduced(&field(1200, 400, data), [120, 40], Merge::Extreme, 0.0);
        assert_eq!(small.iter().filter(|v| **v == -0.05).count(), 1);
    }

    #[test]
    fn a_strip_a_thousand_times_longer_than_wide_stays_readable() {
        let mut data = vec![0.0; 50_000 * 40];
        data[20 * 50_000 + 31_000] = 0.1;
        let image = map_picture(&field(50_000, 40, data), &style(), "strip");
        assert!(image.width <= 1600 && image.height >= 200, "{} × {}", image.width, image.height);
    }

    #[test]
    fn categories_show_their_own_colours_only() {
        let kinds = vec![("Schnee".to_owned(), [240, 244, 250]), ("泥".to_owned(), [90, 60, 40])];
        let style = MapStyle { categories: Some(kinds), ..style() };
        let image = map_picture(&field(4, 1, vec![0.0, 1.0, 7.0, f32::NAN]), &style, "ground");
        assert!(image.rgb.chunks(3).any(|p| p == [90, 60, 40]));
    }
}
