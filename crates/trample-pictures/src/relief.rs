//! The preview of a run: a block of ground in low sun, a map of it from above, and what one needs to read both.

use super::camera::{Camera, unit};
use super::ground::Ground;
use super::plan::{self, exposure};
use super::sward::{BRIGHTEST, Placed, Sward};
use super::text::{self, Anchor, Style};
use super::view::{Scene, flat_light, material_colour};
use super::{Field, Image};
use std::collections::BTreeMap;
use trample_looks::colour::{self, INK, PAPER, SOFT, smooth};
use trample_looks::tick;

/// How a material looks.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialLook {
    /// The name in the legend.
    pub name: String,
    /// The part of the light the dry, undisturbed surface throws back, in linear sRGB, 0 to 1: fresh snow is about
    /// 0.85, dry sand 0.45, dark soil 0.1.
    pub albedo: [f32; 3],
}

const SIZE: [usize; 2] = [1600, 1000];
const MARGIN: f32 = 36.0;
/// Where the panels start below the title.
const HEAD: f32 = 96.0;
/// Pixels per em of all text but the title: read with ease at full width, and still at half, 12 pixels.
const LETTER: f32 = 24.0;
/// The same in a panel of a larger figure, which has its own title.
const SMALL: f32 = 20.0;
/// Room for numbers and name of an axis beside the map.
const AXIS: f32 = 66.0;
/// A window longer than this many times its short side is cut.
const LONGEST: f64 = 6.0;

/// A box on the page: corner and size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    /// Its upper left corner.
    pub at: [f32; 2],
    /// Pixels across and down.
    pub size: [f32; 2],
    /// Pixels per em of text in it.
    pub letter: f32,
}

/// Draws the preview. `height` is the surface now, `base` the undisturbed surface, `material` an index into
/// `materials` per cell; all three cover the same cells.
pub fn preview(
    height: &Field,
    base: &Field,
    material: &Field,
    materials: &[MaterialLook],
    title: &str,
    lines: &[String],
    plants: &Sward,
) -> Image {
    // No ground is a hundred kilometres high; such a number is a fault and is drawn as unknown.
    let sane = |field: &Field| {
        let mut field = field.mended();
        field.data.iter_mut().filter(|v| v.abs() > 1e5).for_each(|v| *v = f32::NAN);
        field
    };
    let whole = sane(height);
    let mut window = whole.clone();
    let mut base = sane(base);
    let mut material = material.mended();
    let mut notes = Vec::new();
    let depth = Field {
        data: (0..whole.data.len())
            .map(|i| base.at(i % whole.width, i / whole.width) - whole.data[i])
            .collect(),
        ..whole.clone()
    };
    if let Some([x, z, w, h]) = whole.cut(LONGEST, 5.0, |v| if v.is_finite() { v } else { f32::NEG_INFINITY })
    {
        window = whole.crop(x, z, w, h);
        base = base.crop(x, z, w, h);
        material = material.crop(x, z, w, h);
        let (axis, start, end, full) = if w < whole.width {
            ("x", window.origin[0], window.origin[0] + w as f64 * whole.cell, whole.width as f64 * whole.cell)
        } else {
            (
                "z",
                window.origin[1],
                window.origin[1] + h as f64 * whole.cell,
                whole.height as f64 * whole.cell,
            )
        };
        let step = tick::step(end - start, 100);
        notes.push(format!(
            "Shown: {axis} = {} to {} m of {}, around the deepest print",
            tick::label(start, step),
            tick::label(end, step),
            tick::length(full)
        ));
    }
    let exaggerate = exaggeration(&depth, window.width.min(window.height) as f64 * window.cell);
    if exaggerate > 1.0 {
        notes.push(format!("Relief ×{exaggerate}"));
    }
    let mut ground = Ground::new(&window, &base, &material, exaggerate);
    notes.extend(plants.note());
    let placed = (!plants.is_empty()).then(|| plants.placed(&ground, window.origin));
    let aspect = ground.wide / ground.deep;

    let mut page = Image::new(SIZE[0], SIZE[1], PAPER);
    let [full, tall] = [SIZE[0] as f32, SIZE[1] as f32];
    let room = full - 2.0 * MARGIN;
    page.text(MARGIN, 62.0, &text::fitted_text(title, 36.0, room), Style::new(36.0, INK).bold());

    // A wide window gets its map below the view, any other one to the right.
    let (view, map, facts);
    let letter = LETTER;
    if aspect > 1.7 {
        let high = (760.0 / aspect).clamp(140.0, 230.0);
        // Two lines of legend and five of facts have room beside the flattest map.
        let below = tall - MARGIN - (high + AXIS).max(256.0);
        view = Panel { at: [MARGIN, HEAD], size: [room, below - HEAD - 26.0], letter };
        let wide = (high * aspect).min(room * 0.60);
        map = Panel { at: [MARGIN + AXIS, below], size: [wide, wide / aspect], letter };
        let left = map.at[0] + wide + 44.0;
        facts = Panel { at: [left, below], size: [full - MARGIN - left, tall - MARGIN - below], letter };
    } else {
        let column = 480.0;
        let left = full - MARGIN - column;
        view = Panel { at: [MARGIN, HEAD], size: [left - 32.0 - MARGIN, tall - HEAD - MARGIN], letter };
        let wide = (column - AXIS).min(430.0 * aspect);
        map = Panel { at: [left + AXIS, HEAD], size: [wide, wide / aspect], letter };
        let below = HEAD + map.size[1] + AXIS + 22.0;
        facts = Panel { at: [left, below], size: [column, tall - MARGIN - below], letter };
    }

    // Long walks are seen more from the side, so that they fill the view.
    let azimuth = if aspect > 1.7 { -0.52 + 0.11 * (aspect - 1.7).min(2.4) } else { -0.50 };
    draw_view(&mut page, &mut ground, materials, placed.as_ref(), view, azimuth, !notes.is_empty());
    if !notes.is_empty() {
        let note = notes.join("   ·   ");
        let note = text::fitted_text(&note, LETTER, view.size[0] - 60.0);
        tag(&mut page, [view.at[0] + 10.0, view.at[1] + 12.0], &note, LETTER);
    }
    plan::draw(&mut page, &ground, materials, map, window.origin, placed.as_ref());
    let mut legend: Vec<(String, [u8; 3])> =
        present(&material).iter().take(8).map(|&i| entry(materials, i)).collect();
    legend.extend(plants.legend());
    draw_facts(&mut page, facts, &legend, lines);
    page
}

/// The lit block alone, for a panel of a larger figure. The fields are as for [`preview`]; `stretch` is how much heights that
/// differ from the base are stretched, so that panels of one figure can be alike; found from the depth if it is none.
pub fn relief_block(
    height: &Field,
    base: &Field,
    material: &Field,
    looks: &[MaterialLook],
    plants: &Sward,
    [wide, tall]: [usize; 2],
    stretch: Option<f32>,
) -> Image {
    let (height, base, material) = (height.mended(), base.mended(), material.mended());
    let depth: Vec<f32> = height.data.iter().zip(&base.data).map(|(h, b)| b - h).collect();
    let depth = Field { data: depth, ..height.clone() };
    let short = height.width.min(height.height) as f64 * height.cell;
    let stretch = stretch.unwrap_or_else(|| exaggeration(&depth, short));
    let texels = 1.2 * (wide * tall) as f64;
    let mut ground = Ground::with_texels(&height, &base, &material, stretch, texels);
    let placed = (!plants.is_empty()).then(|| plants.placed(&ground, height.origin));
    let aspect = ground.wide / ground.deep;
    let mut page = Image::new(wide, tall, PAPER);
    let panel = Panel { at: [0.0, 0.0], size: [wide as f32, tall as f32], letter: SMALL };
    let azimuth = if aspect > 1.7 { -0.52 + 0.11 * (aspect - 1.7).min(2.4) } else { -0.50 };
    draw_view(&mut page, &mut ground, looks, placed.as_ref(), panel, azimuth, stretch > 1.0);
    if stretch > 1.0 {
        tag(&mut page, [10.0, 10.0], &format!("relief ×{stretch}"), SMALL);
    }
    page
}

/// A note on a pale ground, by its upper left corner.
fn tag(page: &mut Image, at: [f32; 2], note: &str, letter: f32) {
    page.fill(at, [text::text_width(note, letter) + 18.0, 1.5 * letter], PAPER, 0.72);
    page.text(at[0] + 8.0, at[1] + 1.1 * letter, note, Style::new(letter, INK));
}

/// How much to stretch what differs from the base: not at all unless the deepest print would hardly show.
fn exaggeration(depth: &Field, short: f64) -> f32 {
    let deepest = depth.data.iter().filter(|v| v.is_finite()).map(|v| f64::from(v.abs())).fold(0.0, f64::max);
    let enough = 0.006 * short;
    if deepest <= 1e-6 || deepest >= enough {
        return 1.0;
    }
    [2.0, 5.0].into_iter().find(|f| deepest * f64::from(*f) >= enough).unwrap_or(10.0)
}

/// The materials that occur, most frequent first.
fn present(material: &Field) -> Vec<usize> {
    let mut count = BTreeMap::new();
    for v in material.data.iter().filter(|v| v.is_finite() && **v >= 0.0) {
        *count.entry(*v as usize).or_insert(0usize) += 1;
    }
    let mut found: Vec<(usize, usize)> = count.into_iter().map(|(index, n)| (n, index)).collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, index)| index).collect()
}

/// The perspective view with its ruler and axes.
fn draw_view(
    page: &mut Image,
    ground: &mut Ground,
    looks: &[MaterialLook],
    plants: Option<&Placed>,
    panel: Panel,
    azimuth: f32,
    noted: bool,
) {
    let (wide, deep) = (ground.wide, ground.deep);
    let (short, long) = (wide.min(deep), wide.max(deep));
    let floor = ground.lowest - (0.07 * short).max(0.03 * long);
    let length = tick::round_length(0.42 * f64::from(wide)) as f32;
    let thick = (0.016 * long).min(0.06 * length);
    let gap = 0.05 * long;
    let ruler = [0.0, deep + gap, length, thick];
    let top = ground.top + 0.5 * (ground.tilt[0].abs() * wide + ground.tilt[1].abs() * deep);
    let top = plants.map_or(top, |p| p.top().min(top + 0.5 * long)).max(top);
    let mut corners = Vec::new();
    for (x, z) in [(0.0, 0.0), (wide, 0.0), (0.0, deep), (wide, deep)] {
        corners.push([x, floor, z]);
        corners.push([
            x,
            (ground.plane(x, z) + ground.top).max(if plants.is_some() { top } else { f32::MIN }).min(top),
            z,
        ]);
    }
    corners.push([0.0, floor, deep + gap + thick]);
    let head = if noted { 52.0 } else { 34.0 };
    let camera = Camera::framing(&corners, azimuth, 0.66, panel.size, [36.0, head, 36.0, 46.0]);

    // The sun stands behind the block to the left, low over its surface, never below the horizon.
    let toward = camera.heading(0.95);
    // Shallow prints need raking light; deep ones would drown in their own shadow.
    let low = 0.36 + 0.34 * smooth(0.15, 0.9, ground.relief() / 0.12);
    // Plants stand far above the prints: a low sun would leave the ground to their shadows.
    let low = if plants.is_some() { low.max(0.62) } else { low };
    let climb = low.max(0.20 - ground.tilt[0] * toward[0] - ground.tilt[1] * toward[1]);
    let steep = climb + ground.tilt[0] * toward[0] + ground.tilt[1] * toward[1];
    let sun = unit([toward[0], steep, toward[1]]);
    ground.bake(toward, climb);
    if let Some(plants) = plants {
        plants.shade(ground, toward, climb);
    }

    // Dark ground is photographed longer than snow, but still looks darker.
    let shown = exposure(ground, looks);
    let exposure = shown / flat_light(sun);
    let on_leaves = shown.min(BRIGHTEST) / flat_light(sun);
    let size = panel.size.map(|v| v as usize);
    let plants = plants.map(|p| p.layer(ground, &camera, sun, on_leaves, size));
    let scene = Scene { ground, camera, looks, sun, floor, ruler, exposure, plants };
    let view = scene.draw(size[0], size[1]);
    for y in 0..view.height {
        let to = ((panel.at[1] as usize + y) * page.width + panel.at[0] as usize) * 3;
        page.rgb[to..to + view.width * 3].copy_from_slice(&view.rgb[y * view.width * 3..][..view.width * 3]);
    }

    let place = |p: [f32; 3]| {
        let q = scene.camera.project(p);
        [q[0] + panel.at[0], q[1] + panel.at[1]]
    };
    let z = ruler[1] + 1.9 * thick;
    // The label begins under the middle of the ruler; the ruler rises to the right and so leaves it free.
    let [x, y] = place([0.5 * ruler[2], floor, z]);
    page.text(
        x + 6.0,
        y + 0.9 * panel.letter,
        &tick::length(f64::from(ruler[2])),
        Style::new(panel.letter, INK),
    );
    // The axes stand in the lower right corner, turned as the block is.
    let centre = [wide / 2.0, floor, deep / 2.0];
    let zero = scene.camera.project(centre);
    let corner = [panel.at[0] + panel.size[0] - 92.0, panel.at[1] + panel.size[1] - 62.0];
    for (name, axis) in [("x", [1.0, 0.0, 0.0]), ("y", [0.0, 1.0, 0.0]), ("z", [0.0, 0.0, 1.0])] {
        let tip = scene.camera.project(std::array::from_fn(|c| centre[c] + 0.05 * long * axis[c]));
        let unit_x = scene.camera.project([centre[0] + 0.05 * long, centre[1], centre[2]]);
        let pixels = ((unit_x[0] - zero[0]) * (unit_x[0] - zero[0])
            + (unit_x[1] - zero[1]) * (unit_x[1] - zero[1]))
            .sqrt();
        let to: [f32; 2] = std::array::from_fn(|c| corner[c] + (tip[c] - zero[c]) / pixels.max(1e-6) * 46.0);
        page.arrow(corner, to, 2.0, INK);
        let beyond: [f32; 2] = std::array::from_fn(|c| corner[c] + (to[c] - corner[c]) * 1.4);
        page.text(beyond[0], beyond[1] + 6.0, name, Style::new(panel.letter, INK).anchored(Anchor::Middle));
    }
}

/// A material in the legend.
fn entry(looks: &[MaterialLook], index: usize) -> (String, [u8; 3]) {
    let name = looks.get(index).map_or_else(|| format!("material {index}"), |look| look.name.clone());
    (name, colour::encode(material_colour(looks, index).map(|v| 0.96 * v)))
}

/// Legend and facts, as many lines as there is room for.
fn draw_facts(page: &mut Image, panel: Panel, legend: &[(String, [u8; 3])], lines: &[String]) {
    let [left, mut y] = panel.at;
    let end = panel.at[1] + panel.size[1];
    let (wide, letter) = (panel.size[0], panel.letter);
    let (line, indent) = (1.35 * letter, 1.6 * letter);
    let mut x = left;
    for (name, colour) in legend {
        let name = text::fitted_text(name, letter, wide - indent);
        let needed = indent + text::text_width(&name, letter) + 26.0;
        if x > left && x + needed > left + wide {
            x = left;
            y += 1.6 * letter;
        }
        page.swatch([x, y], letter, *colour);
        page.text(x + indent, y + 0.88 * letter, &name, Style::new(letter, INK));
        x += needed;
    }
    if !legend.is_empty() {
        y += 2.1 * letter;
    }
    let room = (((end - y) / line).max(0.0) as usize).max(1);
    let mut wrapped: Vec<String> =
        lines.iter().take(40).flat_map(|line| text::wrapped_text(line, letter, wide, 2)).collect();
    if wrapped.len() > room {
        wrapped.truncate(room);
        if let Some(last) = wrapped.last_mut() {
            *last = text::fitted_text(&format!("{last} …"), letter, wide);
        }
    }
    for words in wrapped {
        page.text(left, y + 0.8 * letter, &words, Style::new(letter, SOFT));
        y += line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks() -> Vec<MaterialLook> {
        vec![MaterialLook { name: "Pulverschnee 雪".into(), albedo: [0.85, 0.88, 0.92] }]
    }

    fn field(width: usize, height: usize, f: impl Fn(usize, usize) -> f32) -> Field {
        let data = (0..width * height).map(|i| f(i % width, i / width)).collect();
        Field { width, height, cell: 0.01, origin: [0.0; 2], data }
    }

    fn print(width: usize, height: usize) -> Image {
        let ground = field(width, height, |x, z| {
            if x.abs_diff(width / 2) < width / 4 && z.abs_diff(height / 2) < height / 4 { -0.03 } else { 0.0 }
        });
        let flat = field(width, height, |_, _| 0.0);
        preview(&ground, &flat, &flat, &looks(), "a print", &["one line".to_owned()], &Sward::default())
    }

    #[test]
    fn picture_bytes_do_not_depend_on_threads() {
        let draw = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| print(30, 20))
        };
        assert_eq!(draw(1), draw(3));
    }

    #[test]
    fn degenerate_ground_is_drawn() {
        let none = Field { width: 0, height: 0, cell: 0.0, origin: [f64::NAN; 2], data: vec![] };
        let wild = field(3, 40, |x, _| [f32::NAN, 3e38, -3e38][x]);
        for ground in [none, wild] {
            let image = preview(
                &ground,
                &ground,
                &ground,
                &[],
                &"long ".repeat(100),
                &vec!["x".repeat(300); 60],
                &Sward::default(),
            );
            assert_eq!((image.width, image.height), (1600, 1000));
        }
    }

    #[test]
    fn shallow_prints_are_stretched_and_deep_ones_are_not() {
        let depth = |v: f32| exaggeration(&field(2, 2, |_, _| v), 1.0);
        assert_eq!([0.0, 0.0001, 0.0015, 0.004, 0.02].map(depth), [1.0, 10.0, 5.0, 2.0, 1.0]);
    }

    #[test]
    fn materials_are_listed_most_frequent_first() {
        let kinds = field(4, 1, |x, _| [2.0, f32::NAN, 0.0, 2.0][x]);
        assert_eq!(present(&kinds), [2, 0]);
    }
}
