//! The ground from straight above, shaded like a paper map.

use super::camera::unit;
use super::ground::Ground;
use super::relief::{MaterialLook, Panel};
use super::sward::{BRIGHTEST, Placed};
use super::text::{Anchor, Style};
use super::view::{material_colour, tone};
use super::{Image, canvas};
use trample_looks::colour::{self, SOFT, luminance};
use trample_looks::tick;

/// The map from above with its axes: light from the upper left, as on paper maps, so that prints look sunken.
pub(crate) fn draw(
    page: &mut Image,
    ground: &Ground,
    looks: &[MaterialLook],
    panel: Panel,
    origin: [f64; 2],
    plants: Option<&Placed>,
) {
    let light = unit([-0.62, 0.62, -0.62]);
    let exposure = exposure(ground, looks) / 0.80;
    let (w, h) = (panel.size[0] as usize, panel.size[1] as usize);
    // Plants hide the ground less than they would in the field: the map shows where feet were.
    let plants = plants.map(|p| p.map(ground, exposure.min(BRIGHTEST), [w, h]));
    for py in 0..h {
        for px in 0..w {
            let mut sum = [0.0f32; 3];
            for (k, [dx, dy]) in
                [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]].into_iter().enumerate()
            {
                let x = (px as f32 + dx) / w as f32 * ground.wide;
                let z = (py as f32 + dy) / h as f32 * ground.deep;
                let (index, known) = ground.material(x, z);
                if !known {
                    let grey = colour::linear(canvas::hatch(px, py));
                    sum = std::array::from_fn(|c| sum[c] + 0.25 * grey[c]);
                    continue;
                }
                let spot = ground.spot(x, z);
                let slope = [spot.slope[0] - ground.tilt[0], spot.slope[1] - ground.tilt[1]];
                let normal = unit([-1.4 * slope[0], 1.0, -1.4 * slope[1]]);
                let key = (normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]).max(0.0);
                let shade = exposure * (0.25 + 1.1 * key) * (0.35 + 0.65 * spot.sky * spot.sky);
                let own = material_colour(looks, index).map(|v| v * shade);
                let light = match plants.as_ref().map(|p| p.at(px, py, k)).filter(|p| p.0.is_finite()) {
                    Some((_, plant)) => colour::mix(own, plant, 0.8),
                    None => own,
                };
                sum = std::array::from_fn(|c| sum[c] + 0.25 * tone(light[c]));
            }
            let at = ((panel.at[1] as usize + py) * page.width + panel.at[0] as usize + px) * 3;
            page.rgb[at..at + 3].copy_from_slice(&colour::encode(sum));
        }
    }
    page.frame(panel.at, [w as f32, h as f32], SOFT);
    let (right, bottom) = (panel.at[0] + w as f32, panel.at[1] + h as f32);
    let letter = panel.letter;
    let style = Style::new(letter, SOFT);
    let (wide, deep) = (f64::from(ground.wide), f64::from(ground.deep));
    let count = |pixels: f32, each: f32| ((pixels / each) as usize).clamp(2, 8);
    for (v, label) in tick::ticks(origin[0], origin[0] + wide, count(w as f32, 5.0 * letter)) {
        let x = panel.at[0] + ((v - origin[0]) / wide) as f32 * w as f32;
        page.line([x, bottom + 2.0], [x, bottom + 7.0], 1.2, SOFT);
        page.text(x, bottom + 6.0 + letter, &label, style.anchored(Anchor::Middle));
    }
    for (v, label) in tick::ticks(origin[1], origin[1] + deep, count(h as f32, 3.0 * letter)) {
        let y = panel.at[1] + ((v - origin[1]) / deep) as f32 * h as f32;
        page.line([panel.at[0] - 7.0, y], [panel.at[0] - 2.0, y], 1.2, SOFT);
        page.text(panel.at[0] - 11.0, y + 0.35 * letter, &label, style.anchored(Anchor::End));
    }
    page.text(
        (panel.at[0] + right) / 2.0,
        bottom + 8.0 + 2.1 * letter,
        "x (m)",
        style.anchored(Anchor::Middle),
    );
    page.text_up(
        panel.at[0] - 12.0 - 1.8 * letter,
        (panel.at[1] + bottom) / 2.0,
        "z (m)",
        style.anchored(Anchor::Middle),
    );
}

/// Brightness of flat ground per albedo: dark ground is shown longer than snow, but snow never burns out.
pub(crate) fn exposure(ground: &Ground, looks: &[MaterialLook]) -> f32 {
    // A grid of places stands for the whole.
    let place = |i: usize, size: f32| (i as f32 + 0.5) / 24.0 * size;
    let (mut mean, mut brightest) = (0.0f32, 0.0f32);
    for i in 0..24 * 24 {
        let (index, _) = ground.material(place(i % 24, ground.wide), place(i / 24, ground.deep));
        let albedo = luminance(material_colour(looks, index));
        mean += albedo / (24.0 * 24.0);
        brightest = brightest.max(albedo);
    }
    (0.80 / libm::powf(mean.max(0.02), 0.40)).min(0.86 / brightest.max(0.05))
}
