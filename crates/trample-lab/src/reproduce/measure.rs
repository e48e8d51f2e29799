//! Runs scenes and measures what they leave: depths, areas, heaps, forces over a stride, cuts and lit pictures.

use crate::Failure;
use crate::figures::Figures;
use trample::body::Placed;
use trample::glam::Vec3;
use trample::params::{Body, GRAVITY, Law, material};
use trample::scene::{Control, ForceModel, Motion, NamedMaterial, Path, Route, WalkerSpec};
use trample::{CellRect, Event, Map, PuppetSpec, Report, Scene, Script, World};
use trample_pictures::{Field, Image, MaterialLook, Sward, ground_around, relief_block};

/// A foot that met the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Landing {
    /// Whose.
    pub(crate) puppet: usize,
    /// Which: puppets count the right foot first.
    pub(crate) foot: usize,
    /// When, s.
    pub(crate) time: f64,
    /// Where, x and z, m.
    pub(crate) place: [f64; 2],
}

/// A scene that has been run to its end.
pub(crate) struct Run {
    /// What is left.
    pub(crate) world: World,
    /// Totals over contacts.
    pub(crate) figures: Figures,
    /// Where feet landed.
    pub(crate) landings: Vec<Landing>,
}

impl Run {
    /// Deepest compression, m.
    pub(crate) fn deepest(&self) -> f64 {
        self.world.map(Map::Compression).max()
    }

    /// Mean of a cell's value over the cells where a map is above a level.
    pub(crate) fn mean_above(&self, map: Map, level: f64) -> f64 {
        let [nx, nz] = self.world.ground().size;
        let view = self.world.map(map);
        let all = (0..nz).flat_map(|z| (0..nx).map(move |x| (x, z)));
        let (sum, n) = all
            .map(|(x, z)| view.at(x, z))
            .filter(|v| *v > level)
            .fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
        if n > 0.0 { sum / n } else { 0.0 }
    }

    /// Deepest compression between two corners, x and z, m.
    pub(crate) fn deepest_in(&self, min: [f64; 2], max: [f64; 2]) -> f64 {
        let cell = self.world.ground().cell;
        let view = self.world.map(Map::Compression);
        let span = |k: usize| (min[k] / cell) as i32..(max[k] / cell) as i32;
        span(1).flat_map(|z| span(0).map(move |x| (x, z))).map(|(x, z)| view.at(x, z)).fold(0.0, f64::max)
    }

    /// Where the feet of a puppet landed, the first and the last left out: it stood there.
    pub(crate) fn steps_of(&self, puppet: usize) -> Vec<Landing> {
        let own: Vec<Landing> = self.landings.iter().copied().filter(|l| l.puppet == puppet).collect();
        own.get(2..own.len().saturating_sub(2)).unwrap_or_default().to_vec()
    }
}

/// Runs a scene to its end and lets everything come to rest.
pub(crate) fn run(scene: &Scene) -> Result<Run, Failure> {
    run_with(scene, |_| {}, |_, _| {})
}

/// The same; `before` each step somebody may steer, and after it everybody may look.
pub(crate) fn run_with(
    scene: &Scene,
    mut before: impl FnMut(&mut World),
    mut after: impl FnMut(&World, &Report),
) -> Result<Run, Failure> {
    let mut world = World::new(scene)?;
    let mut figures = Figures::new(scene.puppets.len());
    let mut landings = Vec::new();
    while world.steps() < scene.steps() && (scene.duration.is_some() || !have_arrived(&world)) {
        before(&mut world);
        world.step(scene.dt());
        let report = world.report();
        figures.take(report, |puppet, foot| {
            let p = world.puppet(puppet).pose.soles[foot].position;
            ([1.0, 0.0], [f64::from(p.x), f64::from(p.z)])
        });
        for event in &report.events {
            if let Event::FootDown { puppet, foot, time, position, .. } = *event {
                let place = [f64::from(position.x), f64::from(position.z)];
                landings.push(Landing { puppet, foot, time, place });
            }
        }
        after(&world, report);
    }
    world.settle();
    Ok(Run { world, figures, landings })
}

/// Whether all have arrived and stood for a second. A run goes on until feet are brought together, in steps that are no part of a walk.
fn have_arrived(world: &World) -> bool {
    let puppets = &world.scene().puppets;
    let arrived = |(id, puppet): (usize, &PuppetSpec)| match (&puppet.script, world.walker(id)) {
        (Script::Walker(spec), Some((walker, _))) => match &spec.control {
            Control::Route(route) => walker.pass >= route.path.passes && walker.rested > 1.0,
            _ => false,
        },
        _ => false,
    };
    world.is_over() || (!puppets.is_empty() && puppets.iter().enumerate().all(arrived))
}

/// A ground of one of the presets, of that size, m, under TRAIL's law.
pub(crate) fn ground(name: &str, size: [f64; 2], cell: f64) -> Scene {
    let mut scene = Scene::default();
    (scene.terrain.size, scene.terrain.cell, scene.terrain.law) = (size, cell, Law::Trail);
    scene.terrain.materials = vec![named(name)];
    scene
}

/// A material by its name; the papers' soil if there is none.
pub(crate) fn named(name: &str) -> NamedMaterial {
    NamedMaterial { name: name.into(), material: material::by_name(name).unwrap_or(trample::Material::SOIL) }
}

/// A body that walks by itself from one place to another.
pub(crate) fn walker(name: &str, body: Body, way: [[f64; 2]; 2], speed: f64) -> PuppetSpec {
    walker_on(name, body, Path { speed, ..Path::along(way) }, Motion::Auto)
}

/// A body that walks a route in some manner.
pub(crate) fn walker_on(name: &str, body: Body, path: Path, motion: Motion) -> PuppetSpec {
    let usual = WalkerSpec::on(path.clone());
    let walker = WalkerSpec {
        control: Control::Route(Route { path, metabolic: false, motion }),
        heading: motion.heading(usual.heading),
        // The papers' figures are about steps that are all alike.
        step_variation: 0.0,
        ..usual
    };
    PuppetSpec::walking(name, body, walker)
}

/// The same puppet with the papers' force model.
pub(crate) fn with_impulse(mut puppet: PuppetSpec) -> PuppetSpec {
    if let Script::Walker(walker) = &mut puppet.script {
        walker.force = ForceModel::Impulse;
    }
    puppet
}

/// One moment of a walk.
pub(crate) struct Moment {
    /// When, s.
    pub(crate) time: f64,
    /// The body's joints.
    pub(crate) placed: Placed,
    /// Force of the left and the right foot on the ground, body weights.
    pub(crate) force: [Vec3; 2],
    /// Where the left and the right sole are, m.
    pub(crate) soles: [Vec3; 2],
    /// Share of the force on the toes, left and right.
    pub(crate) toes: [f64; 2],
    /// Contact area, left and right, m².
    pub(crate) area: [f64; 2],
    /// Centre of mass, m.
    pub(crate) centre: Vec3,
    /// Lean ahead, rad.
    pub(crate) lean: f64,
    /// Ankles above the ground below them, left and right, m.
    pub(crate) ankles: [f64; 2],
    /// The ground along z = 1.5 m around it: along, surface, original surface, m; kept only for films.
    pub(crate) ground: Vec<[f64; 3]>,
    /// Stems that stand behind it, as lines of x and y, m; kept only for films.
    pub(crate) grass: Vec<Vec<[f64; 2]>>,
}

/// Runs a scene whose first puppet is a walker and keeps every moment of it.
pub(crate) fn gait(scene: &Scene) -> Result<(Run, Vec<Moment>), Failure> {
    recorded(scene, false)
}

/// The same with what a film shows around the walker.
pub(crate) fn filmed(scene: &Scene) -> Result<(Run, Vec<Moment>), Failure> {
    recorded(scene, true)
}

fn recorded(scene: &Scene, film: bool) -> Result<(Run, Vec<Moment>), Failure> {
    let mut moments = Vec::new();
    let weight = scene.puppets.first().map_or(1.0, |p| p.body.mass * GRAVITY) as f32;
    let run = run_with(
        scene,
        |_| {},
        |world, report| {
            let Some((walker, skeleton)) = world.walker(0) else { return };
            let (mut force, mut toes, mut area) = ([Vec3::ZERO; 2], [0.0; 2], [0.0; 2]);
            for c in report.contacts.iter().filter(|c| c.puppet == 0 && c.foot < 2) {
                let side = 1 - c.foot;
                force[side] += c.force * (c.seconds / scene.dt()) as f32 / weight;
                (toes[side], area[side]) = (c.toe_share, c.area);
            }
            let placed = skeleton.place(&walker.pose);
            let (x, mut grass) = (f64::from(placed.positions[0].x), Vec::new());
            let half = if film { 0.7 } else { 0.0 };
            world.each_stem([x - half, 1.3], [x + half, 1.5], |stem| {
                let points = stem.points.iter().map(|p| [f64::from(p.x), f64::from(p.y)]);
                grass.push(points.collect());
            });
            let soles = world.drawn_soles(0).unwrap_or_default().map(|s| s.position);
            let ankles = trample::body::HIP.map(|hip| {
                let p = placed.positions[hip + 2];
                f64::from(p.y) - world.height(f64::from(p.x), f64::from(p.z))
            });
            moments.push(Moment {
                time: report.time,
                placed,
                force,
                soles,
                toes,
                area,
                centre: world.puppet(0).pose.center_of_mass,
                lean: f64::from(walker.lean.angle.x),
                ankles,
                ground: if film { ground_around(world, x) } else { Vec::new() },
                grass,
            });
        },
    )?;
    Ok((run, moments))
}

/// Times at which the right foot landed in steady walking.
pub(crate) fn strides(run: &Run) -> Vec<f64> {
    let right: Vec<f64> =
        run.landings.iter().filter(|l| l.puppet == 0 && l.foot == 0).map(|l| l.time).collect();
    if right.len() > 3 { right[1..right.len() - 1].to_vec() } else { right }
}

/// Moments of the stride in the middle of a walk, `n` of them, and where in the stride they are.
pub(crate) fn stride<'a>(run: &Run, moments: &'a [Moment], n: usize) -> Vec<(f64, &'a Moment)> {
    let starts = strides(run);
    let k = (starts.len() / 2).max(1);
    let (Some(&from), Some(&to)) = (starts.get(k - 1), starts.get(k)) else { return Vec::new() };
    (0..n)
        .filter_map(|i| {
            let share = i as f64 / n as f64;
            let time = from + (to - from) * share;
            let at = moments.partition_point(|m| m.time < time).min(moments.len() - 1);
            moments.get(at).map(|m| (100.0 * share, m))
        })
        .collect()
}

/// A quantity over the gait cycle, from a landing of the right foot to the next, mean of all steady strides, at every percent.
pub(crate) fn cycle(run: &Run, moments: &[Moment], value: impl Fn(&Moment) -> f64) -> Vec<(f64, f64)> {
    let starts = strides(run);
    let mut sums = vec![0.0; 101];
    for pair in starts.windows(2) {
        for (i, sum) in sums.iter_mut().enumerate() {
            let time = pair[0] + (pair[1] - pair[0]) * i as f64 / 100.0;
            let k = moments.partition_point(|m| m.time < time).clamp(1, moments.len() - 1);
            let (a, b) = (&moments[k - 1], &moments[k]);
            let t = ((time - a.time) / (b.time - a.time).max(1e-9)).clamp(0.0, 1.0);
            *sum += value(a) + (value(b) - value(a)) * t;
        }
    }
    let n = starts.len().saturating_sub(1).max(1) as f64;
    sums.iter().enumerate().map(|(i, s)| (i as f64, s / n)).collect()
}

/// First peak, valley and second peak of a force over the cycle.
pub(crate) fn humps(cycle: &[(f64, f64)]) -> [f64; 3] {
    let stance: Vec<f64> = cycle.iter().map(|p| p.1).take_while(|f| *f > 0.02).collect();
    let stance = if stance.len() < 10 { cycle.iter().take(60).map(|p| p.1).collect() } else { stance };
    let half = stance.len() / 2;
    let top =
        |part: &[f64]| part.iter().enumerate().fold((0, 0.0), |a, (i, &f)| if f > a.1 { (i, f) } else { a });
    let ((i, first), (j, second)) = (top(&stance[..half]), top(&stance[half..]));
    let valley = stance[i..half + j].iter().fold(f64::MAX, |a, &f| a.min(f));
    [first, valley, second]
}

/// Mean of a quantity over the steady part of a walk.
pub(crate) fn steady_mean(run: &Run, moments: &[Moment], value: impl Fn(&Moment) -> f64) -> f64 {
    let starts = strides(run);
    let (Some(from), Some(to)) = (starts.first(), starts.last()) else { return f64::NAN };
    let (sum, n) = moments
        .iter()
        .filter(|m| m.time > *from && m.time <= *to)
        .fold((0.0, 0.0), |(s, n), m| (s + value(m), n + 1.0));
    sum / n
}

/// Mean place of the loose material around each print, ahead of and to the right of the print's middle, m.
pub(crate) fn heaps(run: &Run, feet: &[Landing], along: [f64; 2]) -> [f64; 2] {
    let all = (0..feet.len()).map(|i| heap_of(run, feet, i, along));
    let (sum, weight) =
        all.fold(([0.0; 2], 0.0), |(s, w), (_, [a, b], own)| ([s[0] + own * a, s[1] + own * b], w + own));
    sum.map(|s| if weight > 0.0 { s / weight } else { 0.0 })
}

/// From which depth on a cell belongs to a print, m; our choice.
const FELT: f64 = 1e-3;

/// Where one print's middle is, ahead of and to the right of its sole's, m, the same of its heap from there, and how much lies
/// there. Each cell counts for the foot that is nearest. Only a part of a sole may touch: its print is not where its middle is.
pub(crate) fn heap_of(
    run: &Run,
    feet: &[Landing],
    which: usize,
    along: [f64; 2],
) -> ([f64; 2], [f64; 2], f64) {
    let cell = run.world.ground().cell;
    let maps = [Map::Compression, Map::Accumulation].map(|map| run.world.map(map));
    let reach = (0.35 / cell) as i32;
    let foot = &feet[which];
    let mut sums = [[0.0; 3]; 2];
    let middle = foot.place.map(|p| (p / cell) as i32);
    for z in middle[1] - reach..=middle[1] + reach {
        for x in middle[0] - reach..=middle[0] + reach {
            let print = f64::from(u8::from(maps[0].at(x, z) > FELT));
            let amounts = [print, maps[1].at(x, z).max(0.0)];
            if amounts == [0.0; 2] {
                continue;
            }
            let p = [(f64::from(x) + 0.5) * cell, (f64::from(z) + 0.5) * cell];
            let off = |f: &Landing| {
                let d = [p[0] - f.place[0], p[1] - f.place[1]];
                d[0] * d[0] + d[1] * d[1]
            };
            if feet.iter().enumerate().any(|(j, other)| j != which && off(other) < off(foot)) {
                continue;
            }
            let d = [p[0] - foot.place[0], p[1] - foot.place[1]];
            for (sum, amount) in sums.iter_mut().zip(amounts) {
                sum[0] += amount * (d[0] * along[0] + d[1] * along[1]);
                sum[1] += amount * (d[1] * along[0] - d[0] * along[1]);
                sum[2] += amount;
            }
        }
    }
    let [print, heap] = sums.map(|[a, b, all]| if all > 0.0 { [a / all, b / all] } else { [0.0; 2] });
    (print, [heap[0] - print[0], heap[1] - print[1]], sums[1][2])
}

/// A cut: how far along, and how much higher the surface is than it was, m.
pub(crate) fn cut(world: &World, at: [f64; 2], along: [f64; 2], half: f64) -> Vec<(f64, f64)> {
    let n = 160;
    (-n..=n)
        .map(|i| {
            let d = half * f64::from(i) / f64::from(n);
            let p = [at[0] + d * along[0], at[1] + d * along[1]];
            (d, world.height(p[0], p[1]) - world.ground().base.height(p[0], p[1]))
        })
        .collect()
}

/// A cut along x through the ground as it is shown, with its material's own sharpness.
pub(crate) fn shown_cut(world: &World, at: [f64; 2], half: f64) -> Vec<(f64, f64)> {
    let rect = window(world, [at[0] - half, at[1] - 0.15], [at[0] + half, at[1] + 0.15]);
    let base = Field::base(world, rect);
    let height = Field::of(world, Map::Height, rect).smoothed(world, &base);
    let row = height.height / 2;
    let along = |k: usize| height.origin[0] + (k as f64 + 0.5) * height.cell - at[0];
    (0..height.width).map(|k| (along(k), f64::from(height.at(k, row) - base.at(k, row)))).collect()
}

/// A cut in centimetres along and millimetres up, for plots.
pub(crate) fn in_plot_units(cut: &[(f64, f64)]) -> Vec<(f64, f64)> {
    cut.iter().map(|(x, y)| (100.0 * x, 1000.0 * y)).collect()
}

/// The cells between two corners, x and z, m.
pub(crate) fn window(world: &World, min: [f64; 2], max: [f64; 2]) -> CellRect {
    let ground = world.ground();
    let at = |v: f64, k: usize| ((v / ground.cell).round() as i32).clamp(0, ground.size[k]);
    let (x, z) = (at(min[0], 0), at(min[1], 1));
    let width = (at(max[0], 0) - x).max(1) as usize;
    CellRect { x, z, width, height: (at(max[1], 1) - z).max(1) as usize }
}

/// Corners around some of a puppet's prints, none of the others cut through.
pub(crate) fn around(run: &Run, prints: std::ops::Range<usize>) -> [[f64; 2]; 2] {
    let feet = run.steps_of(0);
    let some: Vec<&Landing> = feet.iter().skip(prints.start).take(prints.len()).collect();
    let end = |k: usize, sign: f64, more: f64| {
        sign * some.iter().map(|l| sign * l.place[k]).fold(f64::MIN, f64::max) + sign * more
    };
    if some.is_empty() {
        return [[0.0; 2], run.world.scene().terrain.size];
    }
    [[end(0, -1.0, 0.42), end(1, -1.0, 0.38)], [end(0, 1.0, 0.42), end(1, 1.0, 0.38)]]
}

/// How the materials of a world look.
pub(crate) fn looks(world: &World) -> Vec<MaterialLook> {
    let linear = |c: u8| trample_looks::colour::linear([c; 3])[0];
    let all = world.scene().terrain.materials.iter();
    all.map(|m| MaterialLook { name: m.name.clone(), albedo: m.material.colour.map(linear) }).collect()
}

/// The ground between two corners as a lit block.
pub(crate) fn lit(world: &World, corners: [[f64; 2]; 2], size: [usize; 2], stretch: Option<f32>) -> Image {
    block(world, corners, size, stretch, true)
}

/// The same without what grows on it.
pub(crate) fn lit_bare(
    world: &World,
    corners: [[f64; 2]; 2],
    size: [usize; 2],
    stretch: Option<f32>,
) -> Image {
    block(world, corners, size, stretch, false)
}

fn block(
    world: &World,
    [min, max]: [[f64; 2]; 2],
    size: [usize; 2],
    stretch: Option<f32>,
    plants: bool,
) -> Image {
    let rect = window(world, min, max);
    let base = Field::base(world, rect);
    let height = Field::of(world, Map::Height, rect).smoothed(world, &base);
    let material = Field::of(world, Map::Material, rect);
    let sward = if plants { Sward::gather(world, &height) } else { Sward::default() };
    relief_block(&height, &base, &material, &looks(world), &sward, size, stretch)
}

/// A map between two corners.
pub(crate) fn field(world: &World, map: Map, [min, max]: [[f64; 2]; 2]) -> Field {
    Field::of(world, map, window(world, min, max))
}
