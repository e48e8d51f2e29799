//! The experiments of TRAIL (2024) on trails: maps, soils with plants, masses.

use super::figure::{Drawing, Figure, THEIRS};
use super::finding::{Expect, Finding, fitted, identity, measured, printed};
use super::map_panel::{PanelStyle, map_panel};
use super::measure::{Run, cut, field, in_plot_units, lit, named, run, run_with, walker};
use super::{Context, Outcome};
use crate::Failure;
use trample::Ramp;
use trample::params::Species;
use trample::scene::{Control, PaintShape, PlantPatch, library};
use trample::{Law, Map, Scene, Script, World};

/// Sets how often everybody walks.
pub(crate) fn set_passes(scene: &mut Scene, passes: u32) {
    for puppet in &mut scene.puppets {
        match &mut puppet.script {
            Script::Walk(walk) => walk.path.passes = passes,
            Script::Walker(walker) => {
                if let Control::Route(route) = &mut walker.control {
                    route.path.passes = passes;
                }
            }
            _ => {}
        }
    }
}

/// TR Fig. 8: four maps after fifty passes.
pub(crate) fn maps(context: &Context) -> Result<Outcome, Failure> {
    let passes = if context.quick { 8 } else { 50 };
    let mut scene = run_out(library::by_name("fifty-passes").ok_or("the library has fifty passes")?);
    scene.name = "tr-fig8".into();
    // The library's scene is on natural ground; the figure is TRAIL's.
    (scene.terrain.law, scene.terrain.materials) = (Law::Trail, vec![named("trail-wet-soil")]);
    set_passes(&mut scene, passes);
    scene.plants = vec![PlantPatch {
        name: "sedge".into(),
        species: Species::CAREX_PENSYLVANICA,
        density: 250.0,
        min: [RUN_OUT + 0.5, 0.4],
        max: [RUN_OUT + 5.5, 2.6],
        ..PlantPatch::default()
    }];
    let mut impulse = 0.0;
    let run = run_with(
        &scene,
        |_| {},
        |_, report| {
            impulse += report.contacts.iter().map(|c| c.normal_force * c.seconds).sum::<f64>();
        },
    )?;
    let corners = [[RUN_OUT + 1.0, 0.3], [RUN_OUT + 5.0, 2.7]];
    let wide = Figure::across(2);
    let mut figure = Figure::new(&format!("TRAIL Fig. 8: four maps after {passes} passes back and forth"));
    let most = |map: Map| field(&run.world, map, corners).range().map_or(1.0, |r| f64::from(r.1));
    for (i, (map, label, colours, scale)) in [
        (Map::Vegetation, "vegetation strength α", Ramp::Sequential, 1.0),
        (Map::PressureTime, "pressure × time σ (kPa·s)", Ramp::Heat, 1e-3),
        (Map::Compression, "compression h_c (mm)", Ramp::Heat, 1e3),
        (Map::Accumulation, "accumulation h_a (mm)", Ramp::Heat, 1e3),
    ]
    .into_iter()
    .enumerate()
    {
        if i == 2 {
            figure.row();
        }
        let high = match map {
            Map::Vegetation => 1.0,
            // One scale for what went down and what came up.
            Map::Compression | Map::Accumulation => most(Map::Compression).max(most(Map::Accumulation)),
            _ => most(map),
        };
        let style = PanelStyle { label, colours, range: [0.0, high], scale };
        figure.picture(map.title(), map_panel(&field(&run.world, map, corners), &style, wide));
    }
    figure.row();
    let whole = Figure::across(1);
    figure.picture("the trail", lit(&run.world, corners, [whole, whole * 2 / 5], Some(1.0)));
    let cell = scene.terrain.cell;
    let on_map = run.world.map(Map::PressureTime).sum() * cell * cell;
    let strength = |z0: f64, z1: f64| {
        let map = field(&run.world, Map::Vegetation, [[RUN_OUT + 1.5, z0], [RUN_OUT + 4.5, z1]]);
        map.data.iter().map(|v| f64::from(*v)).sum::<f64>() / map.data.len() as f64
    };
    let (middle, edge) = (strength(1.4, 1.6), strength(0.45, 0.65));
    let findings = vec![
        Finding::new("pressure × time on the map against the impulse of all feet", "", on_map / impulse)
            .near(1.0, 0.001, identity("TR-17: σ integrated over time and area is the impulse", "rounding")),
        Finding::new("volume error", "", run.world.volume().relative_error).within(
            0.0,
            1e-6,
            identity("exact ledger", "our own aim"),
        ),
        Finding::new("vegetation strength, middle of the trail less its edge", "", middle - edge)
            .against(Expect::Below(0.0), "TR Fig. 8: plants are gone where feet go"),
        Finding::new("vegetation strength in the middle of the trail", "", middle),
        Finding::new("vegetation strength 1 m beside the middle", "", edge),
        Finding::new("deepest compression", "mm", 1e3 * run.deepest()),
        Finding::new("highest accumulation", "mm", 1e3 * run.world.map(Map::Accumulation).max()),
        Finding::new("largest pressure × time", "kPa·s", 1e-3 * run.world.map(Map::PressureTime).max()),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "A walker goes {passes} times to and fro over wet soil with sedge on it, scattered by 15 cm to either side. The four maps are those of the paper. It prints them without numbers on their scales, so what is compared is that they are consistent: the pressure map holds the whole impulse of the feet, and volume is kept."
        ),
        scene: Some(scene),
        timings: None,
    })
}

/// A number of passes in words that agree with it.
fn told(passes: u32) -> String {
    if passes == 1 { "1 pass".into() } else { format!("{passes} passes") }
}

/// How far walkers go on beyond the plants on either side, m, besides what the library's scenes have: they turn about there, and
/// strips are worn evenly along. Our choice.
pub(crate) const RUN_OUT: f64 = 1.5;

/// The same scene with so much more room on either side of its plants.
pub(crate) fn run_out(mut scene: Scene) -> Scene {
    scene.terrain.size[0] += 2.0 * RUN_OUT;
    for paint in &mut scene.terrain.paints {
        if let PaintShape::Rectangle { max, .. } = &mut paint.shape {
            max[0] += 2.0 * RUN_OUT;
        }
    }
    for patch in &mut scene.plants {
        (patch.min[0], patch.max[0]) = (patch.min[0] + RUN_OUT, patch.max[0] + RUN_OUT);
    }
    for puppet in &mut scene.puppets {
        if let Script::Walker(walker) = &mut puppet.script
            && let Control::Route(route) = &mut walker.control
            && let Some(end) = route.path.waypoints.last_mut()
        {
            end[0] += 2.0 * RUN_OUT;
        }
    }
    scene
}

/// TR Fig. 9: three soils with plants after 1, 75 and 200 passes.
pub(crate) fn soils(context: &Context) -> Result<Outcome, Failure> {
    let stops: [u32; 3] = if context.quick { [1, 4, 8] } else { [1, 75, 200] };
    let mut scene = run_out(library::by_name("soils-and-plants").ok_or("the library has three soils")?);
    scene.name = "tr-fig9".into();
    set_passes(&mut scene, stops[2]);
    let mut shots: Vec<World> = Vec::new();
    let run = run_with(
        &scene,
        |_| {},
        |world, _| {
            if shots.len() < 2 && crate::cover::passes(world) >= stops[shots.len()] {
                shots.push(world.clone());
            }
        },
    )?;
    shots.push(run.world);
    let mut figure =
        Figure::new(&format!("TRAIL Fig. 9: after {}, {} and {} passes", stops[0], stops[1], stops[2]));
    let mut plot = Drawing::new("Cover that is left", "passes", "relative cover (%)");
    let mut findings = Vec::new();
    let names = ["sedge on soft soil", "clubmoss on dry soil", "clubmoss on wet soil"];
    let wide = Figure::across(3);
    let mut cover = vec![Vec::new(); 3];
    for (k, name) in names.into_iter().enumerate() {
        let z = 1.5 * k as f64;
        for (world, passes) in shots.iter_mut().zip(stops) {
            world.settle();
            figure.picture(
                format!("{name}, {}", told(passes)),
                lit(
                    world,
                    [[RUN_OUT + 0.6, z + 0.2], [RUN_OUT + 3.4, z + 1.3]],
                    [wide, wide * 11 / 20],
                    Some(2.0),
                ),
            );
            let tally = world.plant_tally([RUN_OUT + 0.5, z + 0.25], [RUN_OUT + 3.5, z + 1.25]);
            cover[k].push(100.0 * tally.cover());
            if passes == stops[2] {
                figure.row();
            }
        }
    }
    for (world, passes) in shots.iter().zip(stops) {
        let map = field(world, Map::Vegetation, [[RUN_OUT + 0.3, 0.1], [RUN_OUT + 3.7, 4.4]]);
        let style =
            PanelStyle { label: "strength", colours: Ramp::Sequential, range: [0.0, 1.0], scale: 1.0 };
        figure.picture(format!("vegetation strength, {}", told(passes)), map_panel(&map, &style, wide));
    }
    for (k, name) in names.into_iter().enumerate() {
        plot.marked(name, k, stops.iter().zip(&cover[k]).map(|(p, c)| (f64::from(*p), *c)).collect());
        for (i, passes) in stops.into_iter().enumerate() {
            findings.push(Finding::new(format!("cover left, {name}, {passes} passes"), "%", cover[k][i]));
        }
        let part = |x: [f64; 2]| {
            let z = 1.5 * k as f64;
            shots[2].plant_tally([RUN_OUT + x[0], z + 0.25], [RUN_OUT + x[1], z + 1.25]).cover()
        };
        let ends = 0.5 * (part([0.5, 1.5]) + part([2.5, 3.5]));
        findings.push(
            Finding::new(
                format!("cover of the outer metres less that of the middle one, {name}, {} passes", stops[2]),
                "%",
                100.0 * (ends - part([1.5, 2.5])),
            )
            .within(
                0.0,
                8.0,
                identity(
                    "nobody turns about on a strip: it is worn evenly along",
                    "what strips of so many plants scatter by",
                ),
            ),
        );
        findings.push(
            Finding::new(
                format!("cover lost from {} to {} passes, {name}", stops[0], stops[2]),
                "%",
                cover[k][0] - cover[k][2],
            )
            .against(Expect::Above(0.0), "TR Fig. 9: trails form with the passes"),
        );
    }
    let deepest = |i: usize| {
        let z = 1.5 * i as f64;
        let last = &shots[2];
        let view = last.map(Map::Compression);
        let rect = super::measure::window(last, [RUN_OUT + 1.0, z + 0.2], [RUN_OUT + 3.0, z + 1.3]);
        view.window(rect).into_iter().map(f64::from).fold(0.0, f64::max)
    };
    for (k, name) in names.into_iter().enumerate() {
        let what = format!("deepest compression after all passes, {name}");
        findings.push(Finding::new(what, "mm", 1e3 * deepest(k)));
    }
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "Three soils under two plants, each with a walker of its own who turns about beyond them, after the passes of the paper. Plants go first where feet go, then prints deepen because roots no longer hold the ground. How deep depends on both soil and plants: soft soil under bare lanes can be pressed deeper than dry soil that roots still hold. Cover here is that of a strip 1 m wide; the paper shows pictures.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// Why the authors' own depths cannot be met all three at once.
const LINEAR: &str = "by the papers' own law (DF-10) depth goes with force over area: 100 kg on 259 cm² against 50 kg on 229 cm² is 1.77 times as deep. The authors' prints differ by 2.12, more than their law gives, so one modulus cannot meet all three; 0.5 MPa meets the heavier two (test `the_authors_own_numbers_do_not_agree_with_their_law_nor_with_newton`).";

/// Mass, kg, depth, mm, and contact area, cm², of the authors' prints in their terrain files.
const THEIR_PRINTS: [(f64, f64, f64); 3] = [(50.0, 11.1, 229.0), (75.0, 18.4, 244.0), (100.0, 23.5, 259.0)];

/// TR Fig. 10: 50, 75 and 100 kg on dry soil.
pub(crate) fn masses(context: &Context) -> Result<Outcome, Failure> {
    let mut scene = library::by_name("masses").ok_or("the library has three masses")?;
    scene.terrain.cell = context.cell(0.01);
    let run_flat = run(&scene)?;
    let mut figure = Figure::new("TRAIL Fig. 10: walkers of 50, 75 and 100 kg on dry soil");
    let whole = Figure::across(1);
    figure.picture(
        "feet planted flat, as the authors' are: 50 kg at the back, 100 kg in front",
        lit(&run_flat.world, [[0.0, 0.4], [6.0, 3.6]], [whole, whole * 9 / 20], Some(2.0)),
    );
    let mut plot = Drawing::new("Depth against mass", "mass (kg)", "depth of prints (mm)");
    let mut cuts = Drawing::new("Cut along a print", "along the walk (cm)", "height (mm)");
    let source = "the TRAIL authors' own prints (terrain files of the prototype)";
    let spread = "prints of one walk differ by about so much";
    let mut findings = Vec::new();
    let depth = |run: &Run, i: usize| {
        let z = 1.0 + i as f64;
        run.deepest_in([1.0, z - 0.4], [5.0, z + 0.4])
    };
    for (i, (mass, printed, area)) in THEIR_PRINTS.into_iter().enumerate() {
        let ours = 1e3 * depth(&run_flat, i);
        let tally = run_flat.figures.puppets[i];
        findings.push(
            Finding::new(format!("depth, {mass} kg"), "mm", ours)
                .near(
                    printed,
                    0.15,
                    fitted(&format!("{source}; the modulus of 0.5 MPa was chosen by them"), spread),
                )
                .because(LINEAR),
        );
        let what = format!("contact area, {mass} kg (soles were made as large as the authors': {area} cm²)");
        findings.push(Finding::new(what, "cm²", 1e4 * tally.mean_area()));
        if let Some(foot) = run_flat.steps_of(i).get(2) {
            cuts.line(
                &format!("{mass} kg"),
                i,
                in_plot_units(&cut(&run_flat.world, foot.place, [1.0, 0.0], 0.4)),
            );
        }
    }
    let pressure = run_flat.figures.puppets[1].mean_pressure();
    findings.push(
        Finding::new("mean pressure under the soles, 75 kg, 1.3 m/s", "kPa", 1e-3 * pressure)
            .near(20.0, 0.25, printed("TR §5.2, which prints “20 kN”: a pressure, so 20 kPa", "it is printed to one digit: 15 to 25"))
            .because("a foot that carries the weight for 60 % of a stride presses with 0.83 of it on the mean (Newton): 613 N on the authors' own 244 cm² are 25 kPa. 20 kPa would need a sole of 306 cm²."),
    );
    let ratio = depth(&run_flat, 2) / depth(&run_flat, 0);
    findings.push(
        Finding::new("depth of 100 kg against 50 kg", "", ratio)
            .near(23.5 / 11.1, 0.15, measured(&format!("{source}; no modulus changes a ratio"), spread))
            .because(LINEAR),
    );
    plot.marked(
        "ours, flat feet",
        0,
        [50.0, 75.0, 100.0].iter().enumerate().map(|(i, m)| (*m, 1e3 * depth(&run_flat, i))).collect(),
    );
    // The same with bodies whose feet roll from heel to toes.
    let mut rolling = scene.clone();
    rolling.puppets = scene
        .puppets
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let z = 1.0 + i as f64;
            walker(&p.name, p.body, [[0.4, z], [5.6, z]], 1.3)
        })
        .collect();
    let run_rolling = run(&rolling)?;
    for (i, (mass, ..)) in THEIR_PRINTS.into_iter().enumerate() {
        findings.push(Finding::new(
            format!("depth, {mass} kg, feet that roll: deepest point"),
            "mm",
            1e3 * depth(&run_rolling, i),
        ));
        let mean = run_rolling.figures.puppets[i].mean_depth();
        findings.push(Finding::new(
            format!("depth, {mass} kg, feet that roll: mean under the soles"),
            "mm",
            1e3 * mean,
        ));
    }
    plot.marked(
        "ours, rolling feet, deepest",
        1,
        (0..3).map(|i| (THEIR_PRINTS[i].0, 1e3 * depth(&run_rolling, i))).collect(),
    );
    plot.dots("the authors' prints", THEIRS, THEIR_PRINTS.iter().map(|t| (t.0, t.1)).collect());
    figure.row();
    figure.plot("", &plot)?;
    figure.plot("", &cuts)?;
    Ok(Outcome {
        figure,
        findings,
        text: "Three walkers on dry soil of 0.5 MPa, the stiff end of the printed range and the value in it that comes closest. The authors' terrain files hold the depth and the contact area of their own prints; ours are laid beside them with feet planted flat, as theirs are. Feet that roll from heel to toes press deeper at the toes; they are shown for comparison.".into(),
        scene: Some(scene),
        timings: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trample::params::GRAVITY;

    #[test]
    fn the_authors_own_numbers_do_not_agree_with_their_law_nor_with_newton() {
        let [light, usual, heavy] = THEIR_PRINTS;
        // DF-10: depth goes with force over area.
        let by_law = (heavy.0 / heavy.2) / (light.0 / light.2);
        assert!(by_law < 0.85 * heavy.1 / light.1, "{by_law}");
        // Two feet that stand 60 % of a stride each carry the weight over all of it.
        let pressure = 0.5 / 0.6 * usual.0 * GRAVITY / (1e-4 * usual.2);
        assert!(pressure > 25e3, "{pressure} Pa are not the 20 kPa of TR §5.2");
    }
}
