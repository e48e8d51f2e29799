//! `trample walk`: a body walks on a ground; a filmstrip, plots of angles, forces and heights, and the gait's figures.

pub(crate) mod film;
mod page;

use crate::Failure;
use crate::gltf::Recorder;
use crate::picture::plot::{self, Series};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trample::glam::Vec3;
use trample::motion::skeleton::{HIP, Placed, Skeleton};
use trample::params::{Body, Footwear, material};
use trample::scene::{Control, ForceModel, Motion, Route, SoleShape, WalkerSpec};
use trample::state::Walker;
use trample::{Base, Event, PuppetSpec, Scene, Script, World};
use trample_files::character::{self, Loaded, MapOptions};
use trample_files::whole;

/// Options of `trample walk`.
#[derive(Clone, clap::Args)]
pub(crate) struct Options {
    /// Body: default, child, tall, heavy, small-footed, stocky
    #[arg(long, default_value = "default")]
    body: String,
    /// A body in a file instead, BVH, glTF, GLB or VRM; it is drawn in its own skin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["body", "page"])]
    character: Option<PathBuf>,
    /// Speed, m/s; above 2.1 it runs
    #[arg(long, default_value_t = 1.3)]
    speed: f64,
    /// How it goes: auto, walk, run, sidestep, backward, jump
    #[arg(long, default_value = "auto")]
    motion: String,
    /// Footwear, as in `trample presets`: snowshoes have a gait of their own [default: shoe, or the sole of a character's skin]
    #[arg(long)]
    footwear: Option<String>,
    /// Ground, as in `trample presets`
    #[arg(long, default_value = "soil")]
    material: String,
    /// Slope along the walk, degrees; uphill positive
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    slope: f64,
    /// Slope across the walk, degrees; rising to the right positive
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    across: f64,
    /// Side of a cell of the ground, m
    #[arg(long, default_value_t = 0.01)]
    cell: f64,
    /// Length of the walk, m
    #[arg(long, default_value_t = 8.0)]
    length: f64,
    /// Steps of the simulation per second
    #[arg(long, default_value_t = 120.0)]
    rate: f64,
    /// Force model: whole_body, or the papers' impulse
    #[arg(long, default_value = "whole_body")]
    force: String,
    /// Leave the balance controller out (red in the papers' figures)
    #[arg(long, conflicts_with = "compare")]
    no_balance: bool,
    /// Let soft and steep ground slow the walker at equal metabolic power
    #[arg(long)]
    metabolic: bool,
    /// Draw the body as a mesh or as a skeleton
    #[arg(long, value_enum, default_value_t = film::View::Mesh)]
    view: film::View,
    /// Walk twice and draw both in one filmstrip: red without balance, blue with it
    #[arg(long)]
    compare: bool,
    /// Write the animated walker and its ground as binary glTF
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Also walk on slopes, in snow and at other paces, and write all that is measured as a page
    #[arg(long, value_name = "FILE.md")]
    page: Option<PathBuf>,
    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "out/walk")]
    out: PathBuf,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

impl Options {
    /// Who walks: the name of its body or of its file.
    fn who(&self) -> String {
        let stem = self.character.as_ref().and_then(|path| path.file_stem());
        stem.map_or(self.body.clone(), |stem| stem.to_string_lossy().into_owned())
    }
}

/// One moment of the walk.
pub(crate) struct Sample {
    time: f64,
    placed: Placed,
    /// Vertical force of left and right foot, body weights.
    force: [f64; 2],
    /// Ankles above the ground below them, m.
    clearance: [f64; 2],
    centre: Vec3,
    lean: f64,
    /// Between the drawn sole and the one that presses the ground, m, where a foot stands.
    gaps: [Option<f64>; 2],
    /// How far the drawn soles are in the ground, m; below 0 above it.
    penetration: [f64; 2],
    /// The point of each standing foot that must not move, and whether it is the heel or the ball.
    fixed: [Option<(Vec3, bool)>; 2],
    /// The ground around it: along, surface, original surface, m.
    ground: Vec<[f64; 3]>,
}

/// When a foot landed, which (0 left, 1 right), and where.
pub(crate) type Landing = (f64, usize, Vec3);

/// Walks and writes what there is to see.
pub(crate) fn run(options: &Options) -> Result<bool, Failure> {
    // The walk that is measured; the other one of a comparison is only drawn.
    let (shown, recorder) = walked(options, options.compare || !options.no_balance)?;
    std::fs::create_dir_all(&options.out).map_err(|e| format!("{}: {e}", options.out.display()))?;
    let figures = figures(&shown.samples, &shown.landings, &shown.world);
    draw(options, &shown.world, &shown.samples)?;
    if let Some(path) = &options.gltf {
        recorder.save(path, &shown.world)?;
    }
    let mut walks = vec![shown];
    if options.compare {
        walks.insert(0, walked(options, false)?.0);
    }
    save(&options.out.join("filmstrip.png"), &film::film(options, &walks, &figures)?.to_png())?;
    if let Some(path) = &options.page {
        page::write(options, path)?;
    }
    let text = serde_json::to_string_pretty(&figures)? + "\n";
    save(&options.out.join("walk.json"), text.as_bytes())?;
    if options.json {
        print!("{text}");
    } else {
        println!(
            "{text}filmstrip.png, angles.png, force.png, centre.png, feet.png and walk.json are in {}",
            options.out.display()
        );
        if let Some(path) = &options.gltf {
            println!("the animated walk is {}", path.display());
        }
    }
    Ok(true)
}

/// Walks to the end of the route.
fn walked(options: &Options, balance: bool) -> Result<(film::Walked, Recorder), Failure> {
    let character = match &options.character {
        Some(path) => Some(Arc::new(character::load(path, &MapOptions::default())?)),
        None => None,
    };
    let scene = scene(options, balance, character.as_deref())?;
    let mut world = World::new(&scene)?;
    let guest = character.as_deref().and_then(|loaded| film::Guest::new(loaded, &world));
    let mut recorder = Recorder::new(&world, &vec![character.clone()]);
    let (samples, landings) = record(&mut world, &scene, &mut recorder)?;
    world.settle();
    Ok((film::Walked { samples, landings, world, character, guest }, recorder))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn scene(options: &Options, balance: bool, character: Option<&Loaded>) -> Result<Scene, Failure> {
    let body = match character {
        Some(loaded) => *loaded.body().ok_or_else(|| {
            format!("--character {}: four-footed; animals walk in scenes", loaded.path.display())
        })?,
        None => Body::by_name(&options.body).ok_or_else(|| {
            format!("--body {}: no such body, allowed: {}", options.body, Body::VARIANTS.join(", "))
        })?,
    };
    let ground = material::by_name(&options.material).ok_or_else(|| {
        format!("--material {}: no such material; `trample presets` lists them", options.material)
    })?;
    let force = ForceModel::ALL.iter().find(|(name, _)| *name == options.force).map(|(_, f)| *f);
    let force = force.ok_or_else(|| format!("--force {}: allowed: whole_body, impulse", options.force))?;
    let motion = Motion::ALL.iter().find(|(name, _)| *name == options.motion).map(|(_, m)| *m);
    let motion = motion.ok_or_else(|| {
        let names = Motion::ALL.map(|(name, _)| name).join(", ");
        format!("--motion {}: allowed: {names}", options.motion)
    })?;
    let wear = options.footwear.as_deref();
    let footwear = Footwear::by_name(wear.unwrap_or("shoe")).ok_or_else(|| {
        format!("--footwear {}: no such footwear; `trample presets` lists them", wear.unwrap_or_default())
    })?;
    let own = character.filter(|_| wear.is_none()).and_then(Loaded::own_sole);
    let (x0, x1) = (1.0, 1.0 + options.length);
    let mut scene = Scene { name: "walk".into(), rate: options.rate, ..Scene::default() };
    scene.terrain.size = [options.length + 2.0, 3.0];
    scene.terrain.cell = options.cell;
    scene.terrain.materials[0].name.clone_from(&options.material);
    scene.terrain.materials[0].material = ground;
    if options.slope != 0.0 && options.across != 0.0 {
        return Err("--slope and --across: give one".into());
    }
    if options.slope != 0.0 {
        scene.terrain.base = Base::Slope { angle: options.slope.to_radians(), direction: 0.0 };
    } else if options.across != 0.0 {
        let direction = std::f64::consts::FRAC_PI_2;
        scene.terrain.base = Base::Slope { angle: options.across.to_radians(), direction };
    }
    let walk = trample::scene::Walk {
        waypoints: vec![[x0, 1.5], [x1, 1.5]],
        speed: options.speed,
        ..Default::default()
    };
    scene.puppets = vec![PuppetSpec {
        name: options.who(),
        mass: body.mass,
        height: body.height,
        foot_length: body.foot_length,
        foot_width: body.foot_width,
        sole: own.map_or(SoleShape::Footwear(footwear), SoleShape::Custom),
        script: Script::Walker(Box::new(WalkerSpec {
            recorded: None,
            body,
            control: Control::Route(Route { walk, metabolic: options.metabolic, motion }),
            force,
            balance,
            position: [x0, 1.5],
            heading: 0.0,
        })),
        ..PuppetSpec::default()
    }];
    scene.check()?;
    Ok(scene)
}

/// Steps the world and notes every moment; also when and where each foot landed.
fn record(
    world: &mut World,
    scene: &Scene,
    recorder: &mut Recorder,
) -> Result<(Vec<Sample>, Vec<Landing>), Failure> {
    let (mut samples, mut landings) = (Vec::new(), Vec::new());
    let weight = scene.puppets[0].mass * 9.806_65;
    for _ in 0..scene.steps() {
        let report = world.step(scene.dt());
        let mut force = [0.0; 2];
        for c in &report.contacts {
            // Puppets count the right foot first, bodies the left.
            force[1 - c.foot] += f64::from(-c.force.y) * c.seconds / scene.dt() / weight;
        }
        for event in &report.events {
            if let Event::FootDown { foot, time, position, .. } = *event {
                landings.push((time, 1 - foot, position));
            }
        }
        recorder.take(world);
        let (walker, skeleton) = world.walker(0).ok_or("the scene has no walker")?;
        let placed = skeleton.place(&walker.pose);
        let puppet = world.puppet(0);
        let ground = |p: Vec3| world.height(f64::from(p.x), f64::from(p.z));
        let clearance = [0, 1].map(|s| {
            let ankle = placed.positions[HIP[s] + 2];
            f64::from(ankle.y) - ground(ankle)
        });
        samples.push(Sample {
            time: world.time(),
            placed,
            force,
            clearance,
            centre: puppet.pose.center_of_mass,
            lean: f64::from(walker.lean.angle.x),
            gaps: [0, 1].map(|side| {
                let foot = &puppet.feet[1 - side];
                let drawn = world.drawn_soles(0).map_or(0.0, |soles| f64::from(soles[side].position.y));
                (foot.down && foot.stance > 0.0).then(|| (drawn - foot.height).abs())
            }),
            penetration: world.sole_penetration(0).unwrap_or_default(),
            fixed: [0, 1].map(|side| fixed(walker, skeleton, &placed, side)),
            ground: film::around(world, f64::from(placed.positions[0].x)),
        });
    }
    Ok((samples, landings))
}

/// The point of a standing foot that must not move: the heel while it rolls over the heel, else the ball. Past the bend of
/// the toes the foot turns about their tips, which are not a joint.
fn fixed(walker: &Walker, skeleton: &Skeleton, placed: &Placed, side: usize) -> Option<(Vec3, bool)> {
    let lock = &walker.locks[side];
    let (pitch, bend) = (lock.shown_turn.y, lock.shown_turn.z);
    let (ankle, foot) = (HIP[side] + 2, &skeleton.foot);
    let below = Vec3::new((foot.heel - foot.ankle) as f32, -foot.ankle_height as f32, 0.0);
    match (lock.held, pitch > 0.003, (pitch + bend).abs() < 0.01) {
        (true, true, _) => Some((placed.positions[ankle] + placed.rotations[ankle] * below, true)),
        (true, false, true) => Some((placed.positions[ankle + 1], false)),
        _ => None,
    }
}

/// Speeds of standing feet along the ground, m/s, and the farthest one has drifted, m.
fn skate(samples: &[Sample]) -> (Vec<f64>, f64) {
    let (mut speeds, mut drift) = (Vec::new(), 0.0f64);
    for side in 0..2 {
        let mut since: Option<Vec3> = None;
        for pair in samples.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            match (a.fixed[side], b.fixed[side]) {
                (Some((p, x)), Some((q, y))) if x == y => {
                    speeds.push(f64::from((q - p).with_y(0.0).length()) / (b.time - a.time));
                    let from = *since.get_or_insert(p);
                    drift = drift.max(f64::from((q - from).with_y(0.0).length()));
                }
                _ => since = None,
            }
        }
    }
    (speeds, drift)
}

/// First peak, valley and second peak of the right foot's force over a stance, body weights, mean of the stances between
/// `from` and `to` s; none where a stance has no two humps.
fn humps(samples: &[Sample], landings: &[Landing], from: f64, to: f64) -> Option<[f64; 3]> {
    let starts: Vec<f64> =
        landings.iter().filter(|l| l.1 == 1 && l.0 >= from && l.0 <= to).map(|l| l.0).collect();
    let (mut sum, mut n) = ([0.0; 3], 0.0);
    for pair in starts.windows(2) {
        let force: Vec<f64> = samples
            .iter()
            .filter(|s| s.time > pair[0] && s.time < pair[1])
            .map(|s| s.force[1])
            .take_while(|f| *f > 0.0)
            .collect();
        let half = force.len() / 2;
        let top = |part: &[f64]| {
            part.iter().enumerate().fold((0, 0.0), |a, (i, &f)| if f > a.1 { (i, f) } else { a })
        };
        if half < 4 {
            continue;
        }
        let ((i, first), (j, second)) = (top(&force[..half]), top(&force[half..]));
        let valley = force[i..half + j].iter().fold(f64::MAX, |a, &f| a.min(f));
        for (slot, value) in sum.iter_mut().zip([first, valley, second]) {
            *slot += value;
        }
        n += 1.0;
    }
    (n > 0.0).then(|| sum.map(|x| x / n))
}

/// Angle of a segment from `a` to `b` against the downward vertical in the plane of the walk, degrees, forwards positive.
fn swing(placed: &Placed, a: usize, b: usize) -> f64 {
    let d = placed.positions[b] - placed.positions[a];
    libm::atan2(f64::from(d.x), f64::from(-d.y)).to_degrees()
}

fn knee(placed: &Placed, side: usize) -> f64 {
    let (h, k, a) = (HIP[side], HIP[side] + 1, HIP[side] + 2);
    let (u, v) = (placed.positions[k] - placed.positions[h], placed.positions[a] - placed.positions[k]);
    f64::from(libm::acosf(u.normalize().dot(v.normalize()).clamp(-1.0, 1.0))).to_degrees()
}

/// What the walk measures: rhythm, feet, force.
fn figures(samples: &[Sample], landings: &[Landing], world: &World) -> Value {
    // Steady walking: from the third landing to the one but last.
    let right: Vec<&Landing> = landings.iter().filter(|l| l.1 == 1).collect();
    let steady = if right.len() > 3 { &right[1..right.len() - 1] } else { &right[..] };
    let strides: Vec<(f64, f64)> = steady
        .windows(2)
        .map(|w| (w[1].0 - w[0].0, f64::from((w[1].2 - w[0].2).with_y(0.0).length())))
        .collect();
    let mean = |f: fn(&(f64, f64)) -> f64| strides.iter().map(f).sum::<f64>() / strides.len().max(1) as f64;
    let (from, to) = (steady.first().map_or(0.0, |l| l.0), steady.last().map_or(0.0, |l| l.0));
    let within: Vec<&Sample> = samples.iter().filter(|s| s.time > from && s.time <= to).collect();
    let weight_share =
        within.iter().map(|s| s.force[0] + s.force[1]).sum::<f64>() / within.len().max(1) as f64;
    let peak = within.iter().flat_map(|s| s.force).fold(0.0, f64::max);
    let straightest =
        samples.iter().flat_map(|s| [knee(&s.placed, 0), knee(&s.placed, 1)]).fold(f64::MAX, f64::min);
    // How far the drawn sole is from the sole that presses the ground, up or down.
    let spread = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        let last = values.len().saturating_sub(1) as f64;
        let share = |q: f64| values.get((q * last) as usize).copied().unwrap_or(0.0);
        json!({ "median": share(0.5), "p99": share(0.99), "max": share(1.0) })
    };
    let gaps = samples.iter().flat_map(|s| s.gaps.iter().flatten().copied()).collect();
    let depths = samples.iter().flat_map(|s| s.penetration.map(|depth| depth.max(0.0))).collect();
    let (speeds, drift) = skate(samples);
    let humps = humps(samples, landings, from, to);
    json!({
        "footsteps": landings.len(),
        "stride_length_m": mean(|s| s.1),
        "stride_period_s": mean(|s| s.0),
        "mean_force_body_weights": weight_share,
        "peak_foot_force_body_weights": peak,
        "straightest_knee_deg": straightest,
        "force_humps_body_weights": humps,
        "skate_m_per_s": spread(speeds),
        "drift_m": drift,
        "sole_gap_m": spread(gaps),
        "sole_penetration_m": spread(depths),
        "depth_m": world.map(trample::Map::Compression).max(),
        "lean_deg": within.iter().map(|s| s.lean).sum::<f64>().to_degrees() / within.len().max(1) as f64,
    })
}

fn draw(options: &Options, world: &World, samples: &[Sample]) -> Result<(), Failure> {
    let base = |x: f64| world.ground().base.height(x, 1.5);
    let x: Vec<f64> = samples.iter().map(|s| s.time).collect();
    let line = |name: &str, f: &dyn Fn(&Sample) -> f64| Series {
        name: name.into(),
        x: x.clone(),
        y: samples.iter().map(f).collect(),
    };
    let thigh = |s: &Sample, side: usize| swing(&s.placed, HIP[side], HIP[side] + 1);
    let charts = [
        (
            "angles",
            vec![
                line("right thigh", &|s| thigh(s, 1)),
                line("right knee", &|s| knee(&s.placed, 1)),
                line("left knee", &|s| knee(&s.placed, 0)),
            ],
            "Joint angles",
            "angle (°)",
        ),
        (
            "force",
            vec![line("left foot", &|s| s.force[0]), line("right foot", &|s| s.force[1])],
            "Vertical force on the ground",
            "force (body weights)",
        ),
        (
            "centre",
            vec![line("centre of mass", &|s| f64::from(s.centre.y) - base(f64::from(s.centre.x)))],
            "Centre of mass above the ground",
            "height (m)",
        ),
        (
            "feet",
            vec![
                line("left ankle", &|s| 100.0 * s.clearance[0]),
                line("right ankle", &|s| 100.0 * s.clearance[1]),
            ],
            "Ankles above the ground",
            "height (cm)",
        ),
    ];
    for (file, series, title, label) in charts {
        let chart = plot::lines(&series, title, "time (s)", label)?;
        save(&options.out.join(format!("{file}.png")), &chart.image.to_png())?;
    }
    Ok(())
}
