//! Filmstrips of walkers with their forces, and side views of plants.

use super::measure::{Moment, Run};
use trample::World;
use trample::glam::Vec3;
use trample_looks::Skin;
use trample_looks::colour::{BLUE, INK, PAPER, RED};
use trample_pictures::{Bone, Film, Frame, Image, Looks, Style, filmstrip, ground_along};

/// A force drawn as an arrow from a sole: where, how much in body weights, and in which ink.
pub(crate) type Arrow = (Vec3, Vec3, [u8; 3]);

/// The colour of grass behind a walker.
const GRASS: [u8; 3] = [128, 156, 92];
/// Length of an arrow per body weight, m.
const PER_WEIGHT: f32 = 0.55;

/// The farthest a force is drawn to either side, m, so that it stays in its frame.
const FARTHEST: f32 = 0.36;

/// One frame: bodies, the last one in front, and forces.
pub(crate) struct Shot<'a> {
    /// What stands below it.
    pub(crate) label: String,
    /// Moments of walks, their skins and tints.
    pub(crate) bodies: Vec<(&'a Moment, &'a Skin, Option<[u8; 3]>)>,
    /// Forces.
    pub(crate) arrows: Vec<Arrow>,
}

/// Draws a strip. The prints below are the ones that `left` has left; none if it is none.
pub(crate) fn film(
    title: &str,
    line: &str,
    legend: &[(&str, [u8; 3])],
    shots: &[Shot<'_>],
    left: Option<&Run>,
) -> Image {
    let (mut half, mut tall) = (0.45f64, 1.0f64);
    for shot in shots {
        // Every frame is as wide as the widest stride.
        for (moment, ..) in &shot.bodies {
            let p = &moment.placed.positions;
            let reach = p.iter().map(|q| f64::from((q.x - p[0].x).abs())).fold(0.0, f64::max);
            half = half.max(reach + 0.24);
        }
    }
    let mut frames = Vec::new();
    for shot in shots {
        let Some((front, ..)) = shot.bodies.last() else { continue };
        let middle = f64::from(front.placed.positions[0].x);
        let floor =
            front.ground.iter().min_by(|a, b| (a[0] - middle).abs().total_cmp(&(b[0] - middle).abs()));
        let floor = floor.map_or(0.0, |g| g[2]);
        let blade =
            |line: &Vec<[f64; 2]>| -> Vec<Bone> { line.windows(2).map(|w| (w[0], w[1], 0.005, 0)).collect() };
        let inside = |line: &[[f64; 2]]| line.iter().all(|p| (p[0] - middle).abs() < half - 0.02);
        let mut bodies: Vec<Looks> = front
            .grass
            .iter()
            .filter(|line| inside(line))
            .map(|line| Looks::Bones(blade(line), Some(GRASS)))
            .collect();
        for (moment, skin, tint) in &shot.bodies {
            // Bodies that have gone less far are moved along, so that they compare.
            let shift = (middle - f64::from(moment.placed.positions[0].x)) as f32;
            let mut placed = moment.placed;
            placed.positions.iter_mut().for_each(|p| p.x += shift);
            for p in placed.positions {
                tall = tall.max(f64::from(p.y) - floor + 0.30);
            }
            bodies.push(Looks::of(Some(skin), &placed, *tint));
        }
        let arrows: Vec<(Vec<Bone>, [u8; 3])> =
            shot.arrows.iter().map(|(from, force, ink)| (arrow(*from, *force), *ink)).collect();
        bodies.extend(arrows.into_iter().map(|(bones, ink)| Looks::Bones(bones, Some(ink))));
        frames.push(Frame {
            time: front.time,
            label: shot.label.clone(),
            middle: [middle, 1.5],
            bodies,
            ground: front.ground.clone(),
        });
    }
    let (first, last) =
        (frames.first().map_or(0.0, |f| f.middle[0] - 1.2), frames.last().map_or(1.0, |f| f.middle[0] + 1.2));
    let world = left.map(|run| &run.world);
    let prints = world.map_or_else(Vec::new, |world: &World| {
        (0..=1200)
            .map(|i| {
                let [x, now, before] = ground_along(world, first + (last - first) * f64::from(i) / 1200.0);
                [x, now - before]
            })
            .collect()
    });
    let steps = left.map_or_else(Vec::new, |run| {
        run.landings.iter().map(|l| (['R', 'L'][l.foot.min(1)], l.place[0])).collect()
    });
    let colour = world
        .and_then(|w| w.scene().terrain.materials.first())
        .map_or([150, 132, 110], |m| m.material.colour);
    trimmed(filmstrip(&Film {
        title: title.into(),
        lines: vec![line.into()],
        legend: legend.iter().map(|(name, ink)| ((*name).into(), *ink)).collect(),
        frames,
        half,
        tall,
        prints,
        steps,
        colour,
    }))
}

/// The picture without the empty paper at its lower end.
fn trimmed(mut image: Image) -> Image {
    let line = image.width * 3;
    let empty = |row: &[u8]| row.chunks_exact(3).all(|p| p == PAPER);
    while image.height > 1 && empty(&image.rgb[(image.height - 1) * line..]) {
        image.height -= 1;
        image.rgb.truncate(image.height * line);
    }
    image
}

/// The force of the ground on a sole as lines: the other way round than the sole presses.
fn arrow(from: Vec3, force: Vec3) -> Vec<Bone> {
    let wide = (force.x * PER_WEIGHT).abs();
    let length = force.length() * PER_WEIGHT * (FARTHEST / wide.max(1e-6)).min(1.0);
    if length < 0.02 {
        return Vec::new();
    }
    let point = |p: Vec3| [f64::from(p.x), f64::from(p.y)];
    let up = -force / force.length();
    let tip = from + up * length;
    let side = Vec3::new(-up.y, up.x, 0.0);
    let head = 0.07f32.min(0.5 * length);
    let wing = |s: f32| tip - up * head + side * (s * 0.5 * head);
    vec![
        (point(from), point(tip), 0.022, 2),
        (point(tip), point(wing(1.0)), 0.022, 2),
        (point(tip), point(wing(-1.0)), 0.022, 2),
    ]
}

/// The two tints of the papers with their names.
pub(crate) fn legend<'a>(red: &'a str, blue: &'a str) -> [(&'a str, [u8; 3]); 2] {
    [(red, RED), (blue, BLUE)]
}

/// Stems between two corners from the side, x to the right, with the ground below them.
pub(crate) fn stems(world: &World, [min, max]: [[f64; 2]; 2], size: [usize; 2], colour: [u8; 3]) -> Image {
    let mut page = Image::new(size[0] * 2, size[1] * 2, [226, 232, 236]);
    let scale = page.width as f64 / (max[0] - min[0]);
    let zero = page.height as f64 - 60.0 - 0.02 * scale;
    let at = |x: f64, y: f64| [((x - min[0]) * scale) as f32, (zero - y * scale) as f32];
    let mut lines: Vec<(f64, Vec<[f32; 2]>, bool)> = Vec::new();
    world.each_stem(min, max, |stem| {
        let points = stem.points.iter().map(|p| at(f64::from(p.x), f64::from(p.y))).collect();
        lines.push((stem.root[1], points, stem.state.broken));
    });
    // Those that are nearer are drawn over those behind, and are darker.
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = f64::midpoint(min[1], max[1]);
    let column = |page: &mut Image, z: f64, ink: [u8; 3]| {
        for i in 0..page.width {
            let x = min[0] + (i as f64 + 0.5) / scale;
            let y = at(x, world.height(x, z))[1];
            page.fill([i as f32, y], [1.0, page.height as f32 - y], ink, 1.0);
        }
    };
    let soil = world.scene().terrain.materials.first().map_or([150, 132, 110], |m| m.material.colour);
    column(&mut page, middle, soil);
    for (z, points, broken) in &lines {
        let near = ((z - min[1]) / (max[1] - min[1]).max(1e-9)).clamp(0.0, 1.0) as f32;
        let shade = |c: u8| (f32::from(c) * (1.25 - 0.5 * near)).clamp(0.0, 255.0) as u8;
        let ink = if *broken { [176, 148, 84] } else { colour };
        for pair in points.windows(2) {
            page.line(pair[0], pair[1], 3.2, ink.map(shade));
        }
    }
    // The soles of whoever walks here.
    for id in 0..world.puppets() {
        for sole in world.drawn_soles(id).into_iter().flatten() {
            let half = 0.5 * world.scene().puppets[id].body.foot_length as f32;
            let end = |d: f32| {
                let p = sole.position + sole.rotation * Vec3::new(d, 0.004, 0.0);
                (f64::from(p.z), at(f64::from(p.x), f64::from(p.y)))
            };
            let ((z, back), (_, toe)) = (end(-half), end(half));
            if (min[1] - 0.05..=max[1] + 0.05).contains(&z) {
                page.line(back, toe, 16.0, [74, 58, 50]);
            }
        }
    }
    let length = trample_looks::tick::round_length(0.2 * (max[0] - min[0]));
    let end = page.height as f32 - 20.0;
    let long = (length * scale) as f32;
    page.line([20.0, end], [20.0 + long, end], 5.0, INK);
    let style = Style::new(34.0, INK);
    page.text(32.0 + long, end + 10.0, &trample_looks::tick::length(length), style);
    super::figure::resized(&page, size[0], size[1])
}
