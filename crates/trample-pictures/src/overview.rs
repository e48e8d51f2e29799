//! The whole terrain in one picture, however large or long: its land shaded, what feet changed in colours.

use super::Image;
use super::key::{Bar, colour_bar};
use super::map::{MapStyle, axes};
use super::text::{self, Style};
use trample::{CellRect, Map, Ramp, TILE, World};
use trample_looks::colour::{INK, PAPER, SOFT};
use trample_looks::{Colours, tick};

/// Most pixels along x and along z, as a map has.
const MOST: [f64; 2] = [860.0, 600.0];
/// Longer terrains are stretched across, so that a trail in a strip can be seen.
const LONGEST: f64 = 6.0;
/// Colours that a change has at least, of all there are: a faint trail shows, too.
const FAINTEST: f64 = 0.25;

/// Draws the whole terrain; `shown` is the part that has maps of its own, framed.
pub fn overview(world: &World, shown: Option<CellRect>) -> Image {
    let ground = world.ground();
    let extent = ground.size.map(|n| f64::from(n) * ground.cell);
    let aspect = (extent[0] / extent[1]).clamp(1.0 / LONGEST, LONGEST);
    let fit = (MOST[0] / aspect).min(MOST[1]);
    let [w, h] = [(fit * aspect) as usize, fit as usize].map(|n| n.max(1));
    let step = [extent[0] / w as f64, extent[1] / h as f64];
    let strongest = strongest(world, [w, h]);
    let far = strongest.iter().flatten().fold(0.0f64, |far, v| far.max(v.abs())).max(0.005);

    let rows = tick::ticks(0.0, extent[1], (h / 90).clamp(2, 8));
    let left = (62.0 + rows.iter().map(|(_, l)| text::text_width(l, 18.0)).fold(0.0, f32::max)).floor();
    let (top, width) = (74.0, (left + w as f32 + 36.0).max(620.0));
    let below = top + h as f32 + 66.0;
    let mut page = Image::new(width as usize, (below + 96.0) as usize, PAPER);
    let title =
        format!("all of {}: {} × {}", world.scene().name, tick::length(extent[0]), tick::length(extent[1]));
    page.text(
        left,
        46.0,
        &text::fitted_text(&title, 28.0, width - left - 30.0),
        Style::new(28.0, INK).bold(),
    );

    // Light from the north-west, on the land before anybody walked; flat land is even.
    let height =
        |i: usize, j: usize| ground.base.height((i as f64 + 0.5) * step[0], (j as f64 + 0.5) * step[1]);
    for j in 0..h {
        for i in 0..w {
            let slope =
                [(height(i + 1, j) - height(i, j)) / step[0], (height(i, j + 1) - height(i, j)) / step[1]];
            let light = (0.86 + 0.25 * (slope[0] + slope[1])).clamp(0.55, 1.0);
            let land = [226.0, 224.0, 216.0].map(|c| (c * light) as u8);
            let colour = strongest[j * w + i].map_or(land, |change| {
                let part = change / far;
                let part = part.signum() * (FAINTEST + (1.0 - FAINTEST) * part.abs());
                Ramp::Diverging.at((0.5 + 0.5 * part) as f32)
            });
            let at = ((top as usize + j) * page.width + left as usize + i) * 3;
            page.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
    let size = [w as f32, h as f32];
    page.frame([left, top], size, SOFT);
    if let Some(rect) = shown {
        let place = |k: usize, cells: f64| (cells * ground.cell / step[k]) as f32;
        let at = [left + place(0, f64::from(rect.x)), top + place(1, f64::from(rect.z))];
        let size = [place(0, rect.width as f64), place(1, rect.height as f64)];
        page.frame(at, size, INK);
        page.text(at[0] + 4.0, (at[1] - 5.0).max(top + 16.0), "maps", Style::new(16.0, INK));
    }
    axes(&mut page, [left, top], size, [[0.0; 2], extent], &rows);
    let style = MapStyle { range: Some([-far, far]), ..MapStyle::of(world, Map::Delta) };
    let labels = tick::ticks(-far * style.unit_scale, far * style.unit_scale, 7);
    let length = (0.6 * size[0]).max(320.0).min(width - left - 60.0);
    colour_bar(
        &mut page,
        Bar { at: [left, below + 8.0], length, upright: false },
        &style,
        (-far, far),
        &labels,
    );
    let cells = [0, 1].map(|k| (step[k] / ground.cell).ceil().max(1.0));
    let mut note = match cells {
        [1.0, 1.0] => "each cell has its own change".into(),
        [x, z] => format!("each pixel shows the strongest change of {x} × {z} cells"),
    };
    let stretch = step[0] / step[1];
    if stretch > 1.02 {
        note += &format!("; z is drawn {stretch:.0} times as large as x");
    } else if stretch < 0.98 {
        note += &format!("; x is drawn {:.0} times as large as z", 1.0 / stretch);
    }
    let line = text::fitted_text(&note, 17.0, width - left - 20.0);
    page.text(left, page.height as f32 - 14.0, &line, Style::new(17.0, SOFT));
    page
}

/// The change farthest from 0 in every pixel that somebody touched, m.
fn strongest(world: &World, [w, h]: [usize; 2]) -> Vec<Option<f64>> {
    let (ground, delta) = (world.ground(), world.map(Map::Delta));
    let mut out = vec![None; w * h];
    // The pixels of a cell: one, or all that it covers.
    let pixels = |cell: i32, k: usize, n: usize| {
        let first = (cell as usize * n / ground.size[k] as usize).min(n - 1);
        first..((cell as usize + 1) * n / ground.size[k] as usize).clamp(first + 1, n)
    };
    for tile in ground.tiles.iter() {
        let t = TILE as i32;
        for z in (tile.key.z * t).max(0)..((tile.key.z + 1) * t).min(ground.size[1]) {
            for x in (tile.key.x * t).max(0)..((tile.key.x + 1) * t).min(ground.size[0]) {
                let change = delta.at(x, z);
                // Half a millimetre cannot be seen.
                if change.abs() > 5e-4 {
                    for row in pixels(z, 1, h) {
                        for pixel in &mut out[row * w..][pixels(x, 0, w)] {
                            let stronger = |c: f64| if change.abs() > c.abs() { change } else { c };
                            *pixel = Some(pixel.map_or(change, stronger));
                        }
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::scene::library;

    #[test]
    fn a_long_strip_is_shown_whole() {
        let mut scene = library::by_name("plate").expect("scene");
        scene.terrain.size = [400.0, 2.0];
        let mut world = World::new(&scene).expect("world");
        for _ in 0..scene.steps() {
            world.step(scene.dt());
        }
        let touched = strongest(&world, [1200, 200]);
        assert!(touched.iter().flatten().any(|change| *change < -0.001), "the print is in it");
        let share = |size: [usize; 2]| {
            let all = strongest(&world, size);
            all.iter().flatten().count() as f64 / all.len() as f64
        };
        let cells = world.ground().size.map(|n| n as usize);
        assert_eq!(share(cells), share(cells.map(|n| 2 * n)), "every pixel of a cell has its change");
        let image = overview(&world, Some(CellRect { x: 0, z: 0, width: 200, height: 100 }));
        assert!(
            (860..=1060).contains(&image.width) && image.height < 500,
            "{} × {}",
            image.width,
            image.height
        );
    }
}
