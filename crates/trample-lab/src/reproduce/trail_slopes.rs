//! The experiments of TRAIL (2024) on slopes: forces, and prints on a dune.

use super::figure::{Drawing, Figure, INKS};
use super::finding::{Expect, Finding, Source, identity};
use super::map_panel::{PanelStyle, arrow_on, map_panel};
use super::measure::{
    Moment, Run, cycle, field, filmed, ground, heap_of, heaps, lit, run, steady_mean, stride, walker,
    with_impulse,
};
use super::strip::{Shot, film};
use super::{Context, Outcome};
use crate::Failure;
use trample::params::Body;
use trample::scene::library;
use trample::{Base, Map, Ramp, Scene};
use trample_looks::Skin;
use trample_looks::colour::INK;

/// A walk along z = 1.5 m, level or up a slope, by the papers' force model or ours.
fn slope(degrees: f64, impulse: bool) -> Scene {
    let mut scene = ground("soil", [9.0, 3.0], 0.02);
    scene.rate = 240.0;
    if degrees != 0.0 {
        scene.terrain.base = Base::Slope { angle: degrees.to_radians(), direction: 0.0 };
    }
    let puppet = walker("walker", Body::default(), [[1.0, 1.5], [8.0, 1.5]], 1.1);
    scene.puppets = vec![if impulse { with_impulse(puppet) } else { puppet }];
    scene
}

/// TR Fig. 4: forces on level ground and on a slope, at stages of the gait.
pub(crate) fn slope_forces(_: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 4: forces of the ground on level ground and on a slope of 20°");
    let mut plot =
        Drawing::new("Share of the right foot's force on its toes", "gait cycle (%)", "share on the toes");
    let mut findings = Vec::new();
    let mut rows = Vec::new();
    for (i, (name, degrees)) in [("level", 0.0), ("20° uphill", 20.0)].into_iter().enumerate() {
        let (run, moments) = filmed(&slope(degrees, true))?;
        let skin = Skin::of(&run.world, 0).ok_or("a walker has a skin")?;
        let shots: Vec<Shot<'_>> = stride(&run, &moments, 100)
            .into_iter()
            .filter(|(share, _)| [2.0, 8.0, 16.0, 30.0, 44.0, 54.0].contains(&share.round()))
            .map(|(share, m)| Shot {
                label: format!("{share:.0} %"),
                bodies: vec![(m, &skin, None)],
                arrows: [0, 1].map(|s| (m.soles[s], m.force[s], INKS[[0, 1][s]])).to_vec(),
            })
            .collect();
        let legend = [("left foot", INKS[0]), ("right foot", INKS[1])];
        figure.row();
        let line =
            "The papers' impulse model; 55 cm of arrow are one body weight; from a landing of the right foot";
        figure.picture("", film(name, line, &legend, &shots, Some(&run)));
        let vertical = cycle(&run, &moments, |m| -f64::from(m.force[1].y));
        let single: Vec<f64> =
            vertical.iter().filter(|p| (25.0..=42.0).contains(&p.0)).map(|p| p.1).collect();
        let mean = single.iter().sum::<f64>() / single.len() as f64;
        findings.push(
            Finding::new(format!("force of the standing foot, {name}, impulse model"), "BW", mean).near(
                1.0,
                0.03,
                identity(
                    "TR Fig. 4: during stance the force equals the weight on that foot, as its model says",
                    "what a landing adds dies away",
                ),
            ),
        );
        plot.line(name, i, toes(&run, &moments));
        let down = |m: &Moment| m.area[1] > 0.0;
        let share = |value: &dyn Fn(&Moment) -> f64| {
            let over = |m: &Moment| if down(m) { value(m) } else { 0.0 };
            steady_mean(&run, &moments, over) / steady_mean(&run, &moments, |m| f64::from(u8::from(down(m))))
        };
        rows.push([share(&|m| m.toes[1]), share(&|m| m.area[1]), run.figures.total().mean_pressure()]);
    }
    let [flat, up] = [rows[0], rows[1]];
    let source = "TR §3.1, §3.2: uphill the toes carry, contact shrinks, pressure grows";
    findings.push(
        Finding::new("mean share of the force on the toes, uphill less level", "", up[0] - flat[0])
            .against(Expect::Above(0.0), source),
    );
    findings.push(
        Finding::new("mean contact area, uphill against level", "", up[1] / flat[1])
            .against(Expect::Below(1.0), source),
    );
    findings.push(
        Finding::new("mean pressure, uphill against level", "", up[2] / flat[2])
            .against(Expect::Above(1.0), source),
    );
    findings.push(Finding::new("mean contact area of a foot, level", "cm²", 1e4 * flat[1]));
    findings.push(Finding::new("mean contact area of a foot, uphill", "cm²", 1e4 * up[1]));
    figure.row();
    figure.plot("", &plot)?;
    Ok(Outcome {
        figure,
        findings,
        text: "A walker on the level and up 20° with the papers' force model. At landing the momentum of the foot adds to the weight; in the middle of stance the force is the weight on that foot. Uphill the foot lands on its toes and the heel stays up: less contact, more pressure. Published is a picture with arrows.".into(),
        scene: Some(slope(20.0, true)),
        timings: None,
    })
}

fn toes(run: &Run, moments: &[Moment]) -> Vec<(f64, f64)> {
    let share = cycle(run, moments, |m| m.toes[1]);
    let area = cycle(run, moments, |m| m.area[1]);
    share.into_iter().zip(area).map(|(p, a)| (p.0, if a.1 > 1e-4 { p.1 } else { f64::NAN })).collect()
}

/// Length along the walk over which a print is pressed to at least a quarter of its depth, m, mean over prints.
fn print_length(run: &Run, along: [f64; 2]) -> f64 {
    let feet = run.steps_of(0);
    let view = run.world.map(Map::Compression);
    let cell = run.world.ground().cell;
    let at = |p: [f64; 2]| view.at((p[0] / cell) as i32, (p[1] / cell) as i32);
    let (mut sum, mut n) = (0.0, 0.0);
    for foot in &feet {
        let line: Vec<f64> = (-100..=100)
            .map(|i| {
                let d = 0.0025 * f64::from(i);
                at([foot.place[0] + d * along[0], foot.place[1] + d * along[1]])
            })
            .collect();
        let deepest = line.iter().copied().fold(0.0, f64::max);
        if deepest > 0.0 {
            sum += 0.0025 * line.iter().filter(|c| **c > 0.25 * deepest).count() as f64;
            n += 1.0;
        }
    }
    sum / f64::max(n, 1.0)
}

/// Colour of the arrows that show where a walker goes, as in the paper.
const MOVES: [u8; 3] = [40, 140, 60];

/// TR Fig. 12: up, down and across a dune.
pub(crate) fn dune(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 12: prints on the side of a dune of 22°");
    let mut findings = Vec::new();
    let mut level = library::by_name("dune-up").ok_or("the library has a dune")?;
    level.terrain.base = Base::Flat;
    level.terrain.cell = context.cell(0.01);
    let level = run(&level)?;
    let flat = [level.figures.total().mean_area(), print_length(&level, [1.0, 0.0])];
    let wide = Figure::across(2);
    let mut shown = None;
    for (title, name, along, corners) in [
        ("up, to the right", "dune-up", [1.0, 0.0], [[4.0, 2.5], [5.8, 3.5]]),
        ("down, to the left", "dune-down", [-1.0, 0.0], [[4.0, 2.5], [5.8, 3.5]]),
        ("across, towards the reader", "dune-side", [0.0, 1.0], [[4.1, 2.35], [5.9, 3.45]]),
    ] {
        let mut scene = library::by_name(name).ok_or("the library has a dune")?;
        scene.terrain.cell = context.cell(0.01);
        let run = run(&scene)?;
        figure.row();
        figure.picture(title, lit(&run.world, corners, [wide, wide * 5 / 8], Some(1.0)));
        let feet = run.steps_of(0);
        let delta = field(&run.world, Map::Delta, corners);
        let style = PanelStyle {
            label: "change of height (mm)",
            colours: Ramp::Diverging,
            range: [-0.04, 0.04],
            scale: 1e3,
        };
        let mut page = map_panel(&delta, &style, wide);
        let inside = |p: [f64; 2]| (0..2).all(|k| p[k] > corners[0][k] && p[k] < corners[1][k]);
        for (i, foot) in feet.iter().enumerate().filter(|(_, f)| inside(f.place)) {
            let ahead = |d: f64| [0, 1].map(|k| foot.place[k] + d * along[k]);
            arrow_on(&mut page, &delta, [ahead(-0.16), ahead(0.16)], MOVES, 4.0);
            // Towards the middle of what was thrown out, three times as far, so that it is seen.
            let (print, heap, _) = heap_of(&run, &feet, i, along);
            let [from, to] = [0.0, 3.0].map(|far| {
                let [front, right] = [0, 1].map(|k| print[k] + far * heap[k]);
                [
                    foot.place[0] + front * along[0] - right * along[1],
                    foot.place[1] + front * along[1] + right * along[0],
                ]
            });
            arrow_on(&mut page, &delta, [from, to], INK, 4.0);
        }
        figure.picture("green: its way; black: from the print to its heap, three times as far", page);
        let [front, right] = heaps(&run, &feet, along);
        let area = run.figures.total().mean_area();
        let length = print_length(&run, along);
        let source = "TR §5.2: uphill smaller prints with bumps against the motion, downhill longer ones with bumps along it, sideways bumps on the low side";
        match name {
            "dune-up" => {
                findings.push(
                    Finding::new("uphill: heaps ahead of the print by", "mm", 1e3 * front)
                        .against(Expect::Below(0.0), source),
                );
                findings.push(
                    Finding::new("uphill: contact area against level", "", area / flat[0])
                        .against(Expect::Below(1.0), source),
                );
                findings.push(
                    Finding::new("uphill: length of prints against level", "", length / flat[1])
                        .against(Expect::Below(1.0), source),
                );
            }
            "dune-down" => {
                findings.push(
                    Finding::new("downhill: heaps ahead of the print by", "mm", 1e3 * front)
                        .against(Expect::Above(0.0), source),
                );
                findings.push(
                    Finding::new("downhill: length of prints against level", "", length / flat[1])
                        .against(Expect::Above(1.0), source)
                        .because("the paper's reason is a foot that slides in contact; under the papers' law our feet hold their place and drag nothing. Feet that slide belong to the natural law."),
                );
            }
            // Walking along +z, the dune rises along +x: downhill is −x, to the right of the walk.
            _ => {
                findings.push(
                    Finding::new("across: heaps towards the low side by", "mm", 1e3 * right)
                        .against(Expect::Above(0.0), source),
                );
                findings.push(Finding::new("across: contact area against level", "", area / flat[0]).near(
                    1.0,
                    0.25,
                    Source::from("TR §5.2: foot-size footprints"),
                ));
            }
        }
        shown = Some(scene);
    }
    findings.push(Finding::new("length of prints on the level", "cm", 100.0 * flat[1]));
    Ok(Outcome {
        figure,
        findings,
        text: "A walker up, down and across the windward side of a sand dune. Uphill only the forefoot touches and sand is thrown behind it; downhill the heap lies ahead; across it lies on the low side. The published figure compares with photographs and gives directions.".into(),
        scene: shown,
        timings: None,
    })
}
