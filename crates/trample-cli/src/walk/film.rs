//! The filmstrip of a walk: which moments are shown, and what of them.

use super::{Landing, Sample, Stance, Walk};
use crate::Failure;
use serde_json::Value;
use std::sync::Arc;
use trample::World;
use trample::body::{JOINTS, PARENT, Placed, Pose};
use trample::glam::Vec3;
use trample_files::character::source::Local;
use trample_files::character::{Fit, Loaded, Outfit, PosedMesh};
use trample_lab::conduct::Conduct;
use trample_looks::Skin;
use trample_looks::colour::{BLUE, RED};
use trample_pictures::{Film, Frame, Image, Looks, filmstrip, ground_along, tinted};

/// How a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum View {
    /// A lit body with clothes.
    Mesh,
    /// Bones as thick lines.
    Skeleton,
}

/// A walk that has ended.
pub(crate) struct Walked {
    /// What was noted of it.
    pub(crate) samples: Vec<Sample>,
    /// Where its feet landed.
    pub(crate) landings: Vec<Landing>,
    /// When its feet left the ground and how long they had stood, s.
    pub(crate) stances: Vec<Stance>,
    /// The ground it left.
    pub(crate) world: World,
    /// Whose body it is, if that came from a file.
    pub(crate) character: Option<Arc<Loaded>>,
    /// And what it looks like.
    pub(crate) guest: Option<Guest>,
    /// How it got on.
    pub(crate) conduct: Conduct,
}

/// The skin of a character's own file, and how it stands on its soles.
pub(crate) struct Guest {
    outfit: Outfit,
    fit: Fit,
    /// Colours of its triangles.
    colours: Vec<[f32; 3]>,
}

impl Guest {
    /// That of the first walker of a world, if its file has a skin.
    pub(crate) fn new(loaded: &Loaded, world: &World) -> Option<Self> {
        let outfit = crate::gltf::outfit(loaded)?;
        let own = crate::gltf::on_own_soles(loaded, &world.scene().puppets[0].sole);
        let fit = Fit::new(loaded, world.walker(0)?.1, own)?;
        let colours = outfit.colours();
        Some(Self { outfit, fit, colours })
    }

    /// Its joints where our skeleton is.
    fn joints(&self, loaded: &Loaded, world: &World, placed: &Placed) -> Option<Vec<Local>> {
        let mut pose = Pose { root: placed.positions[0], rotations: placed.rotations };
        for j in 1..JOINTS {
            pose.rotations[j] = (placed.rotations[PARENT[j]].conjugate() * placed.rotations[j]).normalize();
        }
        Some(loaded.upright()?.fitted(&loaded.source, world.walker(0)?.1, &pose, &self.fit))
    }

    /// Its meshes where our skeleton is.
    fn looks(&self, loaded: &Loaded, world: &World, placed: &Placed, tint: Option<[u8; 3]>) -> Option<Looks> {
        let (upright, locals) = (loaded.upright()?, self.joints(loaded, world, placed)?);
        let PosedMesh { points, normals, triangles } =
            self.outfit.posed(&loaded.source, &upright.space, &locals);
        let bytes = |c: [f32; 3]| c.map(|v| (255.0 * libm::powf(v.clamp(0.0, 1.0), 1.0 / 2.2)) as u8);
        let colours = match tint {
            Some(hue) => self.colours.iter().map(|c| tinted(hue, bytes(*c))).collect(),
            None => self.colours.clone(),
        };
        Some(Looks::Mesh { points, normals, triangles, colours })
    }
}

impl Guest {
    /// The lowest skin of the left and the right foot, m: its height, and how far it is above the ground below it. None where a foot has
    /// no skin of its own.
    pub(crate) fn lowest(
        &self,
        loaded: &Loaded,
        world: &World,
        placed: &Placed,
    ) -> Option<[Option<[f64; 2]>; 2]> {
        let locals = self.joints(loaded, world, placed)?;
        let lowest = loaded.upright()?.lowest_skin(&loaded.source, &locals, &self.fit);
        // The edge of a foot is the edge of its print, whose wall is less than a cell away: on it skin is on the ground.
        let cell = world.scene().terrain.cell;
        let above = |p: Vec3| {
            let near = [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
            let heights =
                near.map(|[x, z]| world.height(f64::from(p.x) + cell * x, f64::from(p.z) + cell * z));
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), &h| (a.min(h), b.max(h)));
            f64::from(p.y) - f64::from(p.y).clamp(low, high)
        };
        let seen = |p: Vec3| [f64::from(p.y), above(p)];
        Some(lowest.map(|p| p.map(seen)))
    }
}

/// Between the lowest skin of every foot that stands and 0 the middle of its sole, 1 the ground below that skin, m; none for a body of
/// ours. A foot that rolls has the middle of its sole in the air, and skin at the edge of a print is over cells that lie in it for a part.
pub(crate) fn skin_gaps(walked: &Walked, to: usize) -> Option<Vec<f64>> {
    walked.guest.as_ref()?;
    Some(walked.samples.iter().flat_map(|s| s.skin).flatten().map(|gaps| gaps[to].abs()).collect())
}

/// Moments in a filmstrip.
const FRAMES: usize = 8;

/// Draws the filmstrip of one walk, or of one without and one with balance.
pub(crate) fn film(options: &Walk, walks: &[Walked], figures: &Value) -> Result<Image, Failure> {
    let shown = walks.last().ok_or("nobody walked")?;
    let (moments, stride) = moments(shown);
    let skins: Vec<Option<Skin>> =
        walks.iter().map(|w| Skin::of(&w.world, 0).filter(|_| options.view == View::Mesh)).collect();
    let both = walks.len() > 1;
    let mut frames = Vec::new();
    let (mut half, mut tall) = (0.45, 1.0);
    for (i, &at) in moments.iter().enumerate() {
        let sample = &shown.samples[at];
        let middle = f64::from(sample.placed.positions[0].x);
        let mut bodies = Vec::new();
        for (k, walk) in walks.iter().enumerate() {
            // Both at the same moment; one that has gone less far is moved along, so that the bodies compare.
            let Some(sample) = walk.samples.get(at) else { continue };
            let tint = both.then_some(if k == 0 { RED } else { BLUE });
            let shift = (middle - f64::from(sample.placed.positions[0].x)) as f32;
            let mut placed = sample.placed;
            placed.positions.iter_mut().for_each(|p| p.x += shift);
            for p in placed.positions {
                half = f64::max(half, (f64::from(p.x) - middle).abs() + 0.24);
                tall = f64::max(tall, f64::from(p.y) - base(&shown.world, middle) + 0.30);
            }
            let own = walk.guest.as_ref().filter(|_| options.view == View::Mesh).zip(walk.character.as_ref());
            let own = own.and_then(|(guest, loaded)| guest.looks(loaded, &walk.world, &placed, tint));
            if let Some(Looks::Mesh { points, .. }) = &own {
                for [x, y, _] in points {
                    half = f64::max(half, (f64::from(*x) - middle).abs() + 0.05);
                    tall = f64::max(tall, f64::from(*y) - base(&shown.world, middle) + 0.05);
                }
            }
            bodies.push(own.unwrap_or_else(|| Looks::of(skins[k].as_ref(), &placed, tint)));
        }
        let label = match stride {
            true => format!("{} %", 100.0 * i as f64 / FRAMES as f64),
            false => format!("{}", i + 1),
        };
        let ground = sample.ground.clone();
        frames.push(Frame { time: sample.time, label, middle: [middle, 1.5], bodies, ground });
    }
    let (first, last) = span(&frames);
    let prints = (0..=1200).map(|i| {
        let [x, now, before] = ground_along(&shown.world, first + (last - first) * f64::from(i) / 1200.0);
        [x, now - before]
    });
    let number = |name: &str| figures[name].as_f64().unwrap_or(0.0);
    let facts = format!(
        "{} on {}, {:.1} m/s{}: stride {:.2} m in {:.2} s, prints up to {:.0} mm deep",
        options.who(),
        options.material,
        options.speed,
        if options.slope == 0.0 { String::new() } else { format!(", {}° slope", options.slope) },
        number("stride_length_m"),
        number("stride_period_s"),
        1e3 * number("depth_m")
    );
    let title = if stride { "One stride, from a landing of the right foot to the next" } else { "A walk" };
    let materials = &shown.world.scene().terrain.materials;
    let film = Film {
        title: title.into(),
        lines: vec![facts],
        legend: if both {
            vec![("balance off".into(), RED), ("balance on".into(), BLUE)]
        } else {
            Vec::new()
        },
        half,
        tall,
        prints: prints.collect(),
        steps: shown.landings.iter().map(|l| (['L', 'R'][l.1], f64::from(l.2.x))).collect(),
        colour: materials.first().map_or([150; 3], |m| m.material.colour),
        frames,
    };
    Ok(filmstrip(&film))
}

fn base(world: &World, x: f64) -> f64 {
    world.ground().base.height(x, 1.5)
}

/// The part of the walk whose prints are shown.
fn span(frames: &[Frame]) -> (f64, f64) {
    let ends = |f: Option<&Frame>| f.map_or(1.0, |f| f.middle[0]);
    let (a, b) = (ends(frames.first()), ends(frames.last()));
    let more = (4.0 - (b - a)).max(1.2) / 2.0;
    (a - more, b + more)
}

/// The samples that are shown, and whether they are one stride: the one in the middle of the walk if there is one.
fn moments(walk: &Walked) -> (Vec<usize>, bool) {
    let right: Vec<f64> = walk.landings.iter().filter(|l| l.1 == 1).map(|l| l.0).collect();
    let n = walk.samples.len();
    let index = |time: f64| walk.samples.partition_point(|s| s.time < time).min(n.saturating_sub(1));
    if right.len() < 3 {
        return ((0..FRAMES).map(|i| (n - 1) * i / (FRAMES - 1)).collect(), false);
    }
    let k = right.len() / 2;
    let (from, to) = (right[k - 1], right[k]);
    let at = |i: usize| index(from + (to - from) * i as f64 / FRAMES as f64);
    ((0..FRAMES).map(at).collect(), true)
}
