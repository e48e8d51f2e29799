//! `trample walk`: a body walks on a ground; a filmstrip, plots of angles, forces and heights, and the gait's figures.

mod animal;
mod figures;
pub(crate) mod film;
mod page;

use crate::Failure;
use crate::folder::Folder;
use crate::gltf::{self, Recorder};
use crate::series::Series;
use figures::{figures, knee, swing};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use trample::Walker;
use trample::body::{FootShape, HIP, Placed, Skeleton};
use trample::glam::Vec3;
use trample::params::{Body, Footwear, material};
use trample::scene::{Control, ForceModel, Motion, Path, Route, SoleShape, WalkerSpec};
use trample::{Base, Event, PuppetSpec, Scene, Script, World};
use trample_files::character::{self, Loaded, MapOptions};
use trample_lab::conduct::Conduct;
use trample_lab::save;
use trample_pictures::{ground_around, plot_lines};

/// Simulate and measure one walker: a filmstrip, plots of angles, forces and heights
#[derive(Clone, clap::Args)]
#[command(after_help = "Examples:
  trample walk --gltf walk.glb             an animated body and its prints, for any 3D viewer
  trample walk --slope 12 --compare        without balance (red) and with it (blue)")]
pub(crate) struct Walk {
    /// Body: default, child, tall, heavy, small-footed, stocky
    #[arg(long, default_value = "default")]
    body: String,
    /// A character from a BVH, glTF, GLB or VRM file instead; it has its own skin, and its own motion if the file contains one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["body", "page"])]
    character: Option<PathBuf>,
    /// Speed, m/s; a body of 1.8 m runs from 2.2 m/s on, others at the same Froude number [default: 1.3, or that of the recording]
    #[arg(long, default_value_t = f64::NAN, hide_default_value = true)]
    speed: f64,
    #[arg(long, value_name = "HOW or FILE", default_value = "auto", help = format!("Kind of motion: {}; walk up to 2.5 m/s, run from 1.1 m/s on. Or a file with recorded motion, or `generated` to ignore recordings", Motion::ALL.map(|m| m.0).join(", ")))]
    motion: String,
    /// Take of the recorded motion, by its name or a part of it
    #[arg(long, value_name = "NAME")]
    take: Option<String>,
    /// Accept the detected mapping of the character even if its confidence is low
    #[arg(long)]
    yes: bool,
    /// Footwear (see `trample presets`); snowshoes change the gait [default: shoe, or the sole of the character's skin]
    #[arg(long)]
    footwear: Option<String>,
    /// Ground material (see `trample presets`)
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
    /// Length of the walk, m [default: 8, or 6 s at the given speed if that is longer, for room to accelerate]
    #[arg(long, value_name = "METRES")]
    length: Option<f64>,
    /// Steps of the simulation per second
    #[arg(long, default_value_t = 120.0)]
    rate: f64,
    /// Force model: whole_body, or the papers' impulse
    #[arg(long, default_value = "whole_body")]
    force: String,
    /// Disable the balance controller (red in the papers' figures)
    #[arg(long, conflicts_with = "compare")]
    no_balance: bool,
    /// Reduce the speed on soft and steep ground to keep metabolic power constant
    #[arg(long)]
    metabolic: bool,
    /// Variation of steps: 1 as measured for people, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    step_variation: f64,
    /// Draw the body as a mesh or as a skeleton
    #[arg(long, value_enum, default_value_t = film::View::Mesh)]
    view: film::View,
    /// Walk twice and draw both in one filmstrip: red without balance, blue with it
    #[arg(long)]
    compare: bool,
    /// Write an animation of the walker and the ground with its prints as binary glTF (.glb) or USD (.usda)
    #[arg(long, value_name = "FILE", visible_alias = "usd")]
    gltf: Option<PathBuf>,
    /// Also walk on slopes, in snow and at other speeds, and write all measurements as a Markdown page
    #[arg(long, value_name = "FILE.md")]
    page: Option<PathBuf>,
    /// Write forces under feet, footsteps and joints of every step: contacts.csv, footsteps.csv, joints.csv (s, m, N, m²)
    #[arg(long)]
    series: bool,
    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "out/walk")]
    out: PathBuf,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
}

impl Walk {
    /// Name of the body or of its file.
    fn who(&self) -> String {
        let stem = self.character.as_ref().and_then(|path| path.file_stem());
        stem.map_or(self.body.clone(), |stem| stem.to_string_lossy().into_owned())
    }

    /// Length of the walk, m.
    fn length(&self) -> f64 {
        self.length.unwrap_or_else(|| 8.0f64.max(6.0 * self.speed))
    }
}

/// One moment of the walk.
pub(crate) struct Sample {
    time: f64,
    placed: Placed,
    /// The ground's force on left and right foot along the walk, upwards and to the right, body weights.
    force: [[f64; 3]; 2],
    /// Ankles above the ground below them, m.
    clearance: [f64; 2],
    centre: Vec3,
    lean: f64,
    /// Between the drawn sole and the one that presses the ground, m, where a foot stands.
    gaps: [Option<f64>; 2],
    /// How far the lowest skin of each foot that stands is above its sole, and above the ground below it, m, at every eighth moment.
    skin: [Option<[f64; 2]>; 2],
    /// How far the drawn soles are in the ground, m; below 0 above it.
    penetration: [f64; 2],
    /// The point of each standing foot that must not move, and whether it is the heel or the ball.
    fixed: [Option<(Vec3, bool)>; 2],
    /// The ground around it: along, surface, original surface, m.
    ground: Vec<[f64; 3]>,
}

/// When a foot landed, which (0 left, 1 right), and where.
pub(crate) type Landing = (f64, usize, Vec3);

/// When a foot left the ground, and how long it had stood, s.
pub(crate) type Stance = (f64, f64);

/// All that was noted of a walk.
type Recorded = (Vec<Sample>, Vec<Landing>, Vec<Stance>);

impl Walk {
    /// Walks and writes what there is to see.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if let Some(path) = &self.character
            && character::load(path, &MapOptions::default())?.four_footed().is_some()
        {
            return animal::walk(self, path);
        }
        let own = Own::of(self)?;
        let speed = if self.speed.is_nan() { own.speed() } else { self.speed };
        let doubts = own.doubts();
        let good = Self { speed, ..self.clone() }.show(&own)?;
        doubts.iter().for_each(|doubt| eprintln!("WARNING: {doubt}"));
        Ok(good && (doubts.is_empty() || self.yes))
    }

    fn show(&self, own: &Own) -> Result<bool, Failure> {
        self.gltf.as_deref().map_or(Ok(()), gltf::check_name)?;
        let output = Folder::open(&self.out)?;
        let staged = Self { out: output.stage(), ..self.clone() };
        let series = if self.series { Some(Series::new(&staged.out)?) } else { None };
        // The walk that is measured; the other one of a comparison is only drawn.
        let (shown, recorder) = walked(self, own, self.compare || !self.no_balance, series)?;
        let mut figures = figures(&shown);
        let spec = &shown.world.scene().puppets[0];
        figures["recorded_share"] = json!(shown.conduct.recorded_share(spec));
        figures["outside_recorded"] = json!(trample_lab::conduct::outside_recorded(spec));
        draw(&staged, &shown.world, &shown.samples)?;
        let hash = json!(format!("{:016x}", shown.world.hash()));
        if let Some(path) = &self.gltf {
            recorder.save(path, &shown.world)?;
        }
        let mut walks = vec![shown];
        if self.compare {
            walks.insert(0, walked(self, own, false, None)?.0);
        }
        save(&staged.out.join("filmstrip.png"), &film::film(self, &walks, &figures)?.to_png())?;
        if let Some(path) = &self.page {
            page::write(self, path)?;
        }
        let text = serde_json::to_string_pretty(&figures)? + "\n";
        save(&staged.out.join("walk.json"), text.as_bytes())?;
        output.commit(&hash)?;
        if self.json {
            print!("{text}");
        } else {
            println!(
                "{text}filmstrip.png, angles.png, force.png, centre.png, feet.png and walk.json are in {}",
                self.out.display()
            );
            if let Some(path) = &self.gltf {
                println!("the animated walk is {}", path.display());
            }
        }
        let told = walks.last().map(|w| w.conduct.lines(&w.world.scene().puppets[0]));
        for line in told.into_iter().flatten() {
            eprintln!("{line}");
        }
        Ok(true)
    }
}

/// A body and a motion that come from files.
#[derive(Default)]
pub(crate) struct Own {
    character: Option<Arc<Loaded>>,
    motion: Option<Arc<Loaded>>,
    recorded: Option<Arc<trample::imported::Recorded>>,
}

impl Own {
    fn of(options: &Walk) -> Result<Self, Failure> {
        let load = |path: &std::path::Path| -> Result<Arc<Loaded>, Failure> {
            Ok(Arc::new(character::load(path, &MapOptions::default())?))
        };
        let character = options.character.as_deref().map(load).transpose()?;
        let word = options.motion == GENERATED || Motion::ALL.iter().any(|(name, _)| *name == options.motion);
        let named = PathBuf::from(&options.motion);
        if !word && !character::is_character(&named) {
            let names = Motion::ALL.map(|(name, _)| name).join(", ");
            return Err(format!(
                "--motion {}: allowed: {names}, {GENERATED}, or a BVH, glTF, GLB or VRM file",
                options.motion
            )
            .into());
        }
        let motion = match &character {
            _ if !word => Some(load(&named)?),
            // Its own, if it has one; one who shall go sideways or backwards does so by generated motion.
            Some(own) if options.motion == "auto" && !own.source.takes.is_empty() => Some(Arc::clone(own)),
            _ => None,
        };
        let mut own = Self { character, motion, recorded: None };
        if let Some(motion) = &own.motion {
            let (body, sole) =
                (body(options, own.character.as_deref())?, sole(options, own.character.as_deref())?);
            let skeleton = Skeleton::on_soles(&body, FootShape::on(&body, &sole.on(&body)));
            let chosen = motion.chosen(&skeleton, options.take.as_deref())?;
            own.recorded = Some(Arc::new(character::recorded(vec![chosen], false, true)));
        }
        Ok(own)
    }

    /// The speed of its recording, or the usual one, m/s.
    fn speed(&self) -> f64 {
        let own = self.recorded.as_ref().and_then(|r| r.own_speed());
        own.map_or(USUAL, |v| f64::from(v).clamp(0.1, 5.5))
    }

    fn doubts(&self) -> Vec<String> {
        let mut doubts: Vec<String> =
            [&self.character, &self.motion].into_iter().flatten().filter_map(|l| l.doubt()).collect();
        doubts.dedup();
        doubts
    }
}

/// The word for no recorded motion.
const GENERATED: &str = "generated";
/// Speed of a walk that is not asked for another, m/s.
const USUAL: f64 = 1.3;

/// The body that walks.
fn body(options: &Walk, character: Option<&Loaded>) -> Result<Body, Failure> {
    match character {
        Some(loaded) => Ok(*loaded.body().ok_or_else(|| {
            format!(
                "--character {}: an animal, which uses the strides of its own file; leave `--motion` out",
                loaded.path.display()
            )
        })?),
        None => Ok(Body::by_name(&options.body).ok_or_else(|| {
            format!("--body {}: no such body, allowed: {}", options.body, Body::VARIANTS.join(", "))
        })?),
    }
}

/// What is under its feet.
fn sole(options: &Walk, character: Option<&Loaded>) -> Result<SoleShape, Failure> {
    let wear = options.footwear.as_deref();
    let footwear = Footwear::by_name(wear.unwrap_or("shoe")).ok_or_else(|| {
        format!("--footwear {}: no such footwear; `trample presets` lists them", wear.unwrap_or_default())
    })?;
    let own = character.filter(|_| wear.is_none()).and_then(Loaded::own_sole);
    Ok(own.map_or(SoleShape::Footwear(footwear), SoleShape::Custom))
}

/// Walks to the end of the route.
fn walked(
    options: &Walk,
    own: &Own,
    balance: bool,
    mut series: Option<Series>,
) -> Result<(film::Walked, Recorder), Failure> {
    let character = own.character.clone();
    let scene = scene(options, own, balance)?;
    let mut world = World::new(&scene)?;
    let guest = character.as_deref().and_then(|loaded| film::Guest::new(loaded, &world));
    let mut recorder = Recorder::new(&mut world, &vec![character.clone()]);
    let mut conduct = Conduct::default();
    let skin = guest.as_ref().zip(character.as_deref());
    let (samples, landings, stances) =
        record(&mut world, &scene, &mut recorder, &mut conduct, series.as_mut(), skin)?;
    if let Some(series) = series {
        series.finish()?;
    }
    world.settle();
    Ok((film::Walked { samples, landings, stances, world, character, guest, conduct }, recorder))
}

fn scene(options: &Walk, own: &Own, balance: bool) -> Result<Scene, Failure> {
    let character = own.character.as_deref();
    let body = body(options, character)?;
    let ground = material::by_name(&options.material).ok_or_else(|| {
        format!("--material {}: no such material; `trample presets` lists them", options.material)
    })?;
    let force = ForceModel::ALL.iter().find(|(name, _)| *name == options.force).map(|(_, f)| *f);
    let force = force.ok_or_else(|| format!("--force {}: allowed: whole_body, impulse", options.force))?;
    // A file was looked at already: by recorded motion it goes ahead.
    let motion =
        Motion::ALL.iter().find(|(name, _)| *name == options.motion).map_or(Motion::Auto, |(_, m)| *m);
    let (x0, x1) = (1.0, 1.0 + options.length());
    let mut scene = Scene { name: "walk".into(), rate: options.rate, ..Scene::default() };
    scene.terrain.size = [options.length() + 2.0, 3.0];
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
    let path = Path { speed: options.speed, ..Path::along([[x0, 1.5], [x1, 1.5]]) };
    scene.puppets = vec![PuppetSpec {
        name: options.who(),
        body,
        sole: sole(options, character)?,
        script: Script::Walker(Box::new(WalkerSpec {
            // What is no locomotion is played where the route begins.
            control: if own.recorded.as_ref().is_some_and(|r| r.in_place) {
                Control::Stand
            } else {
                Control::Route(Route { path: path.clone(), metabolic: options.metabolic, motion })
            },
            recorded: own.recorded.clone(),
            force,
            balance,
            step_variation: options.step_variation,
            ..WalkerSpec::on(path)
        })),
        ..PuppetSpec::default()
    }];
    scene.check()?;
    Ok(scene)
}

/// Steps the world and notes every moment; also when and where each foot landed, and when and how long it stood.
fn record(
    world: &mut World,
    scene: &Scene,
    recorder: &mut Recorder,
    conduct: &mut Conduct,
    mut series: Option<&mut Series>,
    guest: Option<(&film::Guest, &Loaded)>,
) -> Result<Recorded, Failure> {
    let (mut samples, mut landings, mut stances) = (Vec::new(), Vec::new(), Vec::new());
    let weight = scene.puppets[0].body.mass * trample::params::GRAVITY;
    for _ in 0..scene.steps() {
        let report = world.step(scene.dt());
        let mut force = [[0.0; 3]; 2];
        for c in &report.contacts {
            // Puppets count the right foot first, bodies the left.
            for (sum, f) in force[1 - c.foot].iter_mut().zip(c.force.to_array()) {
                *sum -= f64::from(f) * c.seconds / scene.dt() / weight;
            }
        }
        for event in &report.events {
            if let Event::FootDown { foot, time, position, .. } = *event {
                landings.push((time, 1 - foot, position));
            }
            if let Event::FootUp { time, stance, .. } = *event {
                stances.push((time, stance));
            }
        }
        recorder.take(world);
        conduct.watch(world, 0);
        if let Some(series) = &mut series {
            series.take(world, scene.dt())?;
        }
        let (walker, skeleton) = world.walker(0).ok_or("the scene has no walker")?;
        let placed = skeleton.place(&walker.pose);
        let puppet = world.puppet(0);
        let ground = |p: Vec3| world.height(f64::from(p.x), f64::from(p.z));
        let clearance = [0, 1].map(|s| {
            let ankle = placed.positions[HIP[s] + 2];
            f64::from(ankle.y) - ground(ankle)
        });
        // Five moments of a step are enough.
        let looked_at = guest.filter(|_| samples.len() % 8 == 0);
        let skin = looked_at.and_then(|(guest, loaded)| guest.lowest(loaded, world, &placed));
        let skin = skin.unwrap_or_default();
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
            skin: [0, 1].map(|side| {
                let foot = &puppet.feet[1 - side];
                let stands = foot.down && foot.stance > 0.0;
                skin[side].filter(|_| stands).map(|[y, above]| [y - foot.height, above])
            }),
            penetration: world.sole_penetration(0).unwrap_or_default(),
            fixed: [0, 1].map(|side| fixed(walker, skeleton, &placed, side)),
            ground: ground_around(world, f64::from(placed.positions[0].x)),
        });
    }
    Ok((samples, landings, stances))
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

fn draw(options: &Walk, world: &World, samples: &[Sample]) -> Result<(), Failure> {
    let base = |x: f64| world.ground().base.height(x, 1.5);
    let x: Vec<f64> = samples.iter().map(|s| s.time).collect();
    let line = |name: &str, f: &dyn Fn(&Sample) -> f64| trample_pictures::Series {
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
            vec![
                line("left foot", &|s| s.force[0][1]),
                line("right foot", &|s| s.force[1][1]),
                line("left foot, forwards", &|s| s.force[0][0]),
                line("right foot, forwards", &|s| s.force[1][0]),
            ],
            "Force of the ground on the feet",
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
        let chart = plot_lines(&series, title, "time (s)", label)?;
        save(&options.out.join(format!("{file}.png")), &chart.image.to_png())?;
    }
    Ok(())
}
