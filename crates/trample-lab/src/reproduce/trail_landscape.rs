//! The experiment of TRAIL (2024) on its maps: stored every second, read back in, and laid on a terrain they were not made on.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, identity};
use super::map_panel::{PanelStyle, map_panel};
use super::measure::{field, lit, looks, named, run_with};
use super::trail_ground::{RUN_OUT, run_out, set_passes};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::Species;
use trample::scene::{DensityMap, PlantPatch, library};
use trample::{Base, Law, Map, Ramp, Scene, World};
use trample_pictures::{Field, Sward, relief_block};

/// Corners of the lane that is walked, m.
const LANE: [[f64; 2]; 2] = [[RUN_OUT + 1.0, 0.4], [RUN_OUT + 5.0, 2.6]];
/// Size of the larger terrain, m.
const LAND: [f64; 2] = [24.0, 12.0];

/// Wet soil under sedge.
fn lane(passes: u32) -> Result<Scene, Failure> {
    let mut scene = run_out(library::by_name("fifty-passes").ok_or("the library has fifty passes")?);
    scene.name = "tr-fig2".into();
    (scene.terrain.law, scene.terrain.materials) = (Law::Trail, vec![named("trail-wet-soil")]);
    set_passes(&mut scene, passes);
    scene.plants = vec![sedge([0.0, 0.0], scene.terrain.size)];
    Ok(scene)
}

fn sedge(min: [f64; 2], max: [f64; 2]) -> PlantPatch {
    let species = Species::CAREX_PENSYLVANICA;
    PlantPatch { name: "sedge".into(), species, density: 150.0, min, max, ..PlantPatch::default() }
}

/// How far along the way across the larger terrain a place is, and how far beside it, m: a way in two bends.
fn beside([x, z]: [f64; 2]) -> [f64; 2] {
    let bend = 2.0 * std::f64::consts::PI / LAND[0];
    let way = 0.5 * LAND[1] + 2.5 * libm::sin(bend * x);
    let steep = 2.5 * bend * libm::cos(bend * x);
    // Distance to the tangent there, which is the way's own where it bends as little as this.
    [x, (z - way) / (1.0 + steep * steep).sqrt()]
}

/// A map of the lane at a place of the larger terrain: end to end along the way.
fn laid(map: &Field, place: [f64; 2]) -> Option<f32> {
    let [along, aside] = beside(place);
    let row = ((aside / map.cell) + 0.5 * map.height as f64).floor();
    let column = (along / map.cell).rem_euclid(map.width as f64);
    (row >= 0.0 && row < map.height as f64).then(|| map.at(column as usize, row as usize))
}

/// Correlation of two maps.
fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let n = a.len() as f64;
    let mean = |v: &[f32]| v.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        a.iter().zip(b).map(|(x, y)| f(f64::from(*x) - ma, f64::from(*y) - mb)).sum::<f64>()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// A larger terrain whose sedge is as worn as a map of the lane says.
fn land(strength: &Field, cell: f64) -> Result<World, Failure> {
    let mut scene = lane(1)?;
    (scene.terrain.size, scene.terrain.cell, scene.puppets) = (LAND, cell, Vec::new());
    scene.terrain.base = Base::Hills { amplitude: 1.2, wavelength: 9.0, seed: 3 };
    let [width, height] = LAND.map(|l| (l / 0.05) as usize);
    let values = (0..width * height).map(|k| {
        let place = [k % width, k / width].map(|i| (i as f64 + 0.5) * 0.05);
        laid(strength, place).unwrap_or(1.0).clamp(0.0, 1.0)
    });
    let strength_map = Some(DensityMap { width, height, values: values.collect() });
    scene.plants = vec![PlantPatch { strength_map, ..sedge([0.0, 0.0], LAND) }];
    Ok(World::new(&scene)?)
}

fn stored_again() -> super::finding::Source {
    identity("TR §4.3: a simulation starts from such a map", "our own aim")
}

/// Passes that go on after the map was read back in.
const MORE: u32 = 10;

/// The lane with plants as worn as a map of them says: the same plants, or rooted elsewhere by another seed.
fn reborn(strength: &Field, seed: u64) -> Result<Scene, Failure> {
    let mut scene = lane(MORE)?;
    let values = strength.data.clone().into();
    let map = DensityMap { width: strength.width, height: strength.height, values };
    (scene.plants[0].strength_map, scene.plants[0].seed) = (Some(map), seed);
    Ok(scene)
}

/// TR Fig. 2 and §4.3.
pub(crate) fn landscape(context: &Context) -> Result<Outcome, Failure> {
    let stops: [u32; 3] = if context.quick { [1, 4, 8] } else { [10, 75, 200] };
    let scene = lane(stops[2] + MORE)?;
    let mut shots: Vec<World> = Vec::new();
    let before = World::new(&scene)?;
    let initial = [Map::Vegetation, Map::Modulus].map(|map| field(&before, map, LANE));
    // σ_acc at every new second (TR-17).
    let (mut curve, mut least, mut second) = (Vec::new(), f64::MAX, 0u64);
    let run = run_with(
        &scene,
        |_| {},
        |world, report| {
            if shots.len() < 3 && crate::cover::passes(world) >= stops[shots.len()] {
                shots.push(world.clone());
            }
            if report.time as u64 > second && second < 600 {
                second = report.time as u64;
                let held =
                    field(world, Map::PressureTime, LANE).data.iter().map(|v| f64::from(*v)).sum::<f64>();
                let sum = 1e-3 * held * scene.terrain.cell * scene.terrain.cell;
                if let Some((_, last)) = curve.last() {
                    least = least.min(sum - last);
                }
                curve.push((report.time, sum));
            }
        },
    )?;
    let later = run.world;
    let mut figure = Figure::new("TRAIL Fig. 2: a trail forms, and its maps lie on a larger terrain");
    let wide = Figure::across(3);
    for (world, passes) in shots.iter().zip(stops) {
        let title = format!("{passes} {}", if passes == 1 { "pass" } else { "passes" });
        figure.picture(title, lit(world, LANE, [wide, wide * 2 / 3], Some(1.0)));
    }
    let last = &shots[2];
    let [delta, strength] = [Map::Delta, Map::Vegetation].map(|map| field(last, map, LANE));
    let grown = land(&strength, 0.04)?;
    let corners = [[0.0; 2], LAND];
    let whole = field(&grown, Map::Height, corners);
    let place = |k: usize| {
        [
            whole.origin[0] + (k % whole.width) as f64 * whole.cell,
            whole.origin[1] + (k / whole.width) as f64 * whole.cell,
        ]
        .map(|v| v + 0.5 * whole.cell)
    };
    let mut sunk = 0.0;
    let data = whole.data.iter().enumerate().map(|(k, h)| {
        let change = laid(&delta, place(k)).unwrap_or(0.0);
        sunk += f64::from(change) * whole.cell * whole.cell;
        h + change
    });
    let height = Field { data: data.collect(), ..whole.clone() };
    let material = field(&grown, Map::Material, corners);
    let across = Figure::across(1);
    figure.row();
    figure.picture(
        format!(
            "the maps after {} passes, end to end along a way of {} m over hills that nobody walked on",
            stops[2], LAND[0]
        ),
        relief_block(
            &height,
            &whole,
            &material,
            &looks(&grown),
            &Sward::gather(&grown, &height),
            [across, across / 2],
            Some(1.0),
        ),
    );
    figure.row();
    let half = Figure::across(2);
    let most = initial[1].range().map_or(1e6, |r| f64::from(r.1));
    let style = PanelStyle {
        label: "E_total before anybody came (MPa)",
        colours: Ramp::Sequential,
        range: [0.0, most],
        scale: 1e-6,
    };
    figure.picture("Young's modulus of soil and roots", map_panel(&initial[1], &style, half));
    let mut plot = Drawing::new("Pressure × time over the lane, at every second", "time (s)", "kN·s");
    plot.line("σ_acc over the lane's area", 0, curve.clone());
    figure.plot("", &plot)?;
    // Read back in: the same plants, plants rooted elsewhere, and the same after some more passes over either.
    let stored = field(last, Map::Vegetation, [[0.0; 2], scene.terrain.size]);
    let again = reborn(&stored, 1)?;
    let planted = |scene: &Scene| Ok::<_, Failure>(field(&World::new(scene)?, Map::Vegetation, LANE));
    let (same, elsewhere) = (planted(&again)?, planted(&reborn(&stored, 2)?)?);
    let [went_on, goes_on] =
        [&later, &super::measure::run(&again)?.world].map(|w| field(w, Map::Vegetation, LANE));
    let mean = |map: &Field| map.data.iter().map(|v| f64::from(*v)).sum::<f64>() / map.data.len() as f64;
    figure.row();
    for (title, map) in [("α_veg stored", &strength), ("read back in, before anybody came", &same)] {
        let style = PanelStyle {
            label: "vegetation strength α",
            colours: Ramp::Sequential,
            range: [0.0, 1.0],
            scale: 1.0,
        };
        figure.picture(title, map_panel(map, &style, half));
    }
    let soil = f64::from(scene.terrain.materials[0].material.youngs_modulus as f32);
    let roots = scene.plants[0].species.root_modulus;
    let off = initial[0]
        .data
        .iter()
        .zip(&initial[1].data)
        .map(|(a, e)| (f64::from(*e) / (soil + roots * f64::from(*a)) - 1.0).abs());
    let per_metre = |sum: f64, length: f64| 1e6 * sum / length;
    let own = delta.data.iter().map(|v| f64::from(*v)).sum::<f64>() * delta.cell * delta.cell;
    let findings = vec![
        Finding::new("E_total against E_g + E_v·α, largest difference", "", off.fold(0.0, f64::max)).within(
            0.0,
            1e-5,
            identity("TR-9", "single precision of maps"),
        ),
        Finding::new("seconds at which σ_acc was stored", "", curve.len() as f64),
        Finding::new("least growth of σ_acc from second to second", "kN·s", least)
            .against(Expect::Above(-1e-9), identity("TR-17: an integral of a pressure only grows", "none")),
        Finding::new(
            "α_veg read back in: correlation with what was stored",
            "",
            correlation(&strength.data, &same.data),
        )
        .against(Expect::Above(0.99), stored_again()),
        Finding::new(
            "α_veg read back in by plants rooted elsewhere: correlation with what was stored",
            "",
            correlation(&strength.data, &elsewhere.data),
        )
        .against(Expect::Above(0.9), stored_again()),
        Finding::new(
            format!("α_veg after {MORE} more passes: correlation with the lane that went on"),
            "",
            correlation(&went_on.data, &goes_on.data),
        )
        .against(Expect::Above(0.95), stored_again()),
        Finding::new(
            format!("mean α_veg after {MORE} more passes against the lane that went on"),
            "",
            mean(&goes_on) / mean(&went_on),
        )
        .near(1.0, 0.05, stored_again()),
        Finding::new(
            "volume that the laid maps change, per metre of way, against the lane's",
            "",
            per_metre(sunk, LAND[0]) / per_metre(own, LANE[1][0] - LANE[0][0]),
        )
        .near(
            1.0,
            0.12,
            identity(
                "the same maps end to end",
                "the way bends: it is up to 1.19 times as long as the terrain, and stretched as much",
            ),
        ),
        Finding::new("volume lost per metre of the lane", "cm³/m", -per_metre(own, LANE[1][0] - LANE[0][0])),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "Wet soil under sedge is walked {} times. Before that, α_veg and E_total are stored; while it lasts, σ_acc at every new second; at the end compression, accumulation and α_veg. The last three are laid end to end along a way over a hilly terrain that nobody walked on: the surface changes by them, and the sedge there is as worn as the map says. Read back in as `strength_map` of a scene like the first, α_veg is found again, and {MORE} more passes wear it as they do the lane that went on.",
            stops[2]
        ),
        scene: Some(scene),
        timings: None,
    })
}
