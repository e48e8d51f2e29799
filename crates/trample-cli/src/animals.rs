//! Animals of a run to be looked at: one stride of each from the side, over the ground that was left.

use crate::gltf::{Recorder, outfit};
use trample::glam::{Quat, Vec3};
use trample::scene::{Animal, Script};
use trample::{PuppetSpec, World};
use trample_files::Cast;
use trample_files::character::{Outfit, ReadyBody, Source, Tread};
use trample_pictures::{Film, Frame, Looks, filmstrip};

/// Moments of a stride.
const FRAMES: usize = 8;
/// Most animals that are drawn.
const MOST: usize = 4;
/// Spacing of the ground's profile, m, and how far from the animal's middle it goes, in heights of its body.
const EVERY: f64 = 0.01;
const REACH: f64 = 3.0;

/// A picture of every animal, up to a few, with what it shows.
pub(crate) fn strips(world: &World, recorder: &Recorder, cast: &Cast) -> Vec<(Vec<u8>, String)> {
    let mut strips = Vec::new();
    for (id, treads) in recorder.animals() {
        let spec = &world.scene().puppets[id];
        let Script::Animal(animal) = &spec.script else { continue };
        let picture = match (animal.ready, cast.get(id).and_then(|c| c.as_deref())) {
            (Some(ready), _) => {
                let body = ReadyBody::new(ready);
                let shown = stride(animal, treads);
                let motion = body.joint_motion(&animal.stride, &shown);
                let meshes = (0..shown.len()).map(|i| motion.posed(&body.source, &body.outfit, i));
                strip(world, spec, animal, &shown, meshes.collect(), &body.outfit)
            }
            (None, Some(loaded)) => outfit(loaded).and_then(|own| {
                let shown = stride(animal, treads);
                let source: &Source = &loaded.source;
                let motion = loaded.four_footed()?.joint_motion(source, &animal.take, &shown)?;
                let meshes = (0..shown.len()).map(|i| motion.posed(source, &own, i));
                strip(world, spec, animal, &shown, meshes.collect(), &own)
            }),
            (None, None) => None,
        };
        strips.extend(
            picture.map(|png| (png, format!("{}: one stride, over the ground as it was left.", spec.name))),
        );
        if strips.len() == MOST {
            break;
        }
    }
    strips
}

/// Moments of one stride in the middle of the way.
fn stride(animal: &Animal, treads: &[Tread]) -> Vec<Tread> {
    let n = animal.stride.centre.len() as f64;
    let phase = |t: &Tread| t.moment.sample / n;
    // From a beginning of the stride to the next.
    let begins: Vec<usize> =
        (1..treads.len()).filter(|&i| phase(&treads[i]) < phase(&treads[i - 1])).collect();
    let k = begins.len() / 2;
    let (first, last) = match (begins.get(k.wrapping_sub(1)), begins.get(k)) {
        (Some(&a), Some(&b)) => (a, b),
        _ => (0, treads.len().saturating_sub(1)),
    };
    (0..FRAMES).filter_map(|i| treads.get(first + (last - first) * i / FRAMES).cloned()).collect()
}

type Meshes = Vec<trample_files::character::PosedMesh>;

fn strip(
    world: &World,
    spec: &PuppetSpec,
    animal: &Animal,
    treads: &[Tread],
    meshes: Meshes,
    outfit: &Outfit,
) -> Option<Vec<u8>> {
    let first = treads.first()?;
    let colours = outfit.colours();
    let (mut half, mut tall, mut along) = (0.3, 0.3, 0.0);
    let mut frames = Vec::new();
    let mut before = first.moment.place;
    for (i, (tread, mut mesh)) in treads.iter().zip(meshes).enumerate() {
        let moment = &tread.moment;
        let [x, z] = moment.place;
        along += libm::hypot(x - before[0], z - before[1]);
        before = moment.place;
        let (sin, cos) = (libm::sin(moment.heading), libm::cos(moment.heading));
        // Seen from its right side, so that it goes to the right.
        let turn = Quat::from_rotation_y(moment.heading as f32);
        let seen = |p: Vec3| turn * (p - Vec3::new(x as f32, 0.0, z as f32));
        for p in &mut mesh.points {
            let at = seen(Vec3::from(*p));
            half = f64::max(half, f64::from(at.x).abs() + 0.05);
            *p = (at + Vec3::X * along as f32).to_array();
        }
        mesh.normals.iter_mut().for_each(|n| *n = (turn * Vec3::from(*n)).to_array());
        let rows: Vec<f64> = tread.feet.iter().map(|f| f64::from(seen(f.0).z)).collect();
        let reach = (REACH * spec.body.height / EVERY) as i32;
        let ground: Vec<[f64; 3]> = (-reach..=reach)
            .map(|k| {
                let u = f64::from(k) * EVERY;
                let place = |across: f64| [x + u * cos - across * sin, z + u * sin + across * cos];
                let base = |p: [f64; 2]| world.ground().base.height(p[0], p[1]);
                let lowest = rows.iter().map(|&r| place(r)).map(|p| world.height(p[0], p[1]) - base(p));
                let level = base(place(0.0));
                [along + u, level + lowest.fold(f64::MAX, f64::min).min(1.0), level]
            })
            .collect();
        let floor = world.ground().base.height(x, z);
        for p in &mesh.points {
            tall = f64::max(tall, f64::from(p[1]) - floor + 0.05);
        }
        let triangles = mesh.triangles;
        let body =
            Looks::Mesh { points: mesh.points, normals: mesh.normals, triangles, colours: colours.clone() };
        let label = format!("{} %", 100.0 * i as f64 / FRAMES as f64);
        frames.push(Frame { time: 0.0, label, middle: [along, 0.0], bodies: vec![body], ground });
    }
    let seconds = animal.stride.advance / animal.path.speed;
    frames.iter_mut().enumerate().for_each(|(i, f)| f.time = seconds * i as f64 / FRAMES as f64);
    let prints =
        frames.get(FRAMES / 2).map_or(Vec::new(), |f| f.ground.iter().map(|g| [g[0], g[1] - g[2]]).collect());
    let speed = animal.path.speed;
    let facts =
        format!("{}, {speed:.2} m/s: stride {:.2} m in {seconds:.2} s", spec.name, animal.stride.advance);
    let film = Film {
        title: "One stride, over the ground as it was left".into(),
        lines: vec![facts],
        legend: Vec::new(),
        half,
        tall,
        prints,
        steps: Vec::new(),
        colour: world.scene().terrain.materials.first().map_or([150; 3], |m| m.material.colour),
        frames,
    };
    Some(filmstrip(&film).to_png())
}
