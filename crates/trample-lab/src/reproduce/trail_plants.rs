//! The experiments of TRAIL (2024) on plants: bending, Cole's lanes, and what plants do for the ground.

use super::figure::{Drawing, Figure, INKS, THEIRS};
use super::finding::{Expect, Finding, fitted, identity};
use super::map_panel::{PanelStyle, map_panel};
use super::measure::{Landing, Run, cut, field, in_plot_units, lit, lit_bare, run, run_with};
use super::strip::stems;
use super::trail_ground::set_passes;
use super::{Context, Outcome};
use crate::Failure;
use std::sync::OnceLock;
use trample::Ramp;
use trample::glam::Vec3;
use trample::scene::library::{self, LANE};
use trample::{Map, Scene, World};
use trample_pictures::{Field, Image};

/// Passes after which Cole looked.
const STOPS: [u32; 4] = [25, 75, 200, 500];

/// A published series of relative cover, %, after [`STOPS`] passes. Which species and which date the two series of the
/// authors' files belong to is uncertain; they are taken in the order in which TRAIL names its species.
struct Series {
    species: &'static str,
    lane: &'static str,
    cole: [f64; 4],
    /// The authors' own simulations of it.
    authors: &'static [[f64; 4]],
}

const SERIES: [Series; 2] = [
    Series {
        species: "Carex pensylvanica",
        lane: "carex-lane",
        cole: [86.3, 70.4, 39.8, 20.0],
        authors: &[[87.0, 65.0, 37.0, 15.0]],
    },
    Series {
        species: "Lycopodium lucidulum",
        lane: "lycopodium-lane",
        cole: [96.2, 83.8, 60.2, 45.5],
        authors: &[[94.0, 87.0, 67.0, 37.0], [93.0, 80.0, 60.0, 26.0]],
    },
];

/// A lane that has been walked.
pub(crate) struct Lane {
    /// Relative cover after each pass, corrected by the control lane: passes, %.
    cover: Vec<(f64, f64)>,
    /// Vegetation strength after each of [`STOPS`].
    strength: Vec<Field>,
    scene: Scene,
    /// Mean of TR-7 as printed over the lane before anybody walked.
    printed: f64,
}

impl Lane {
    fn after(&self, passes: u32) -> Option<f64> {
        self.cover.iter().find(|p| p.0 == f64::from(passes)).map(|p| p.1)
    }
}

/// Both lanes, walked when first asked for.
#[derive(Default)]
pub(crate) struct Lanes {
    walked: [OnceLock<Result<Lane, String>>; 2],
}

impl Lanes {
    fn get(&self, which: usize, context: &Context) -> Result<&Lane, Failure> {
        let lane =
            self.walked[which].get_or_init(|| walk(&SERIES[which], context).map_err(|e| e.to_string()));
        lane.as_ref().map_err(|e| e.clone().into())
    }
}

fn stops(context: &Context) -> &'static [u32] {
    if context.quick { &STOPS[..1] } else { &STOPS }
}

fn walk(series: &Series, context: &Context) -> Result<Lane, Failure> {
    let mut scene = library::by_name(series.lane).ok_or("the library has lanes")?;
    let stops = stops(context);
    set_passes(&mut scene, stops[stops.len() - 1]);
    let corners = [[LANE[0][0] - 0.2, LANE[0][1] - 0.2], [LANE[1][0] + 0.2, LANE[1][1] + 0.2]];
    let (mut rows, mut strength, mut printed) = (Vec::new(), Vec::new(), 0.0);
    let run = run_with(
        &scene,
        |_| {},
        |world, _| {
            if world.steps() == 1 {
                printed = printed_strength(world);
            }
            crate::cover::take(world, &mut rows, false);
            let passes = rows.last().map_or(0.0, |r| r.passes);
            if strength.len() + 1 < stops.len() && passes >= f64::from(stops[strength.len()]) {
                strength.push(field(world, Map::Vegetation, corners));
            }
        },
    )?;
    crate::cover::take(&run.world, &mut rows, true);
    strength.push(field(&run.world, Map::Vegetation, corners));
    let of = |patch: f64| rows.iter().filter(move |r| r.patch == patch);
    let cover = of(0.0)
        .zip(of(1.0))
        .map(|(lane, control)| (lane.passes, 100.0 * lane.cover / control.cover))
        .collect();
    Ok(Lane { cover, strength, scene, printed })
}

/// The mean over the lane of TR-7 as printed: a sum over plants divided by their number.
fn printed_strength(world: &World) -> f64 {
    let mut roots: Vec<[f64; 2]> = Vec::new();
    world.each_stem(LANE[0], LANE[1], |stem| {
        if stem.number == 0 {
            roots.push(stem.root);
        }
    });
    let width = world.scene().plants.first().map_or(0.05, |p| p.species.width);
    let (mut sum, mut n) = (0.0, 0.0);
    for i in 0..30 {
        for k in 0..10 {
            let p = [LANE[0][0] + 0.05 * (f64::from(i) + 0.5), LANE[0][1] + 0.05 * (f64::from(k) + 0.5)];
            let near = roots.iter().filter_map(|r| {
                let d = ((p[0] - r[0]) * (p[0] - r[0]) + (p[1] - r[1]) * (p[1] - r[1])).sqrt();
                (d < width).then_some(1.0 - d / width)
            });
            let (own, count) = near.fold((0.0, 0.0), |(s, c), w| (s + w, c + 1.0));
            sum += if count > 0.0 { own / count } else { 0.0 };
            n += 1.0;
        }
    }
    sum / n
}

/// Where a foot comes down in the middle of the patch: walked once to see it, so that one can look there when it is walked again.
fn middle_landing(scene: &Scene) -> Result<Landing, Failure> {
    let off = |l: &Landing| (l.place[0] - 2.0).abs();
    let landings = run(scene)?.landings;
    Ok(landings.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).ok_or("nobody walked")?)
}

/// TR Fig. 13: grass bends under a walker and gets up again.
pub(crate) fn bending(_: &Context) -> Result<Outcome, Failure> {
    let scene = library::by_name("bend-and-return").ok_or("the library has grass")?;
    let foot = middle_landing(&scene)?.place;
    let under_sole = [[foot[0] - 0.09, foot[1] - 0.025], [foot[0] + 0.09, foot[1] + 0.025]];
    let (mut before, mut under, mut lowest) = (None, None, f64::MAX);
    let mut curve = Vec::new();
    let run = run_with(
        &scene,
        |_| {},
        |world, report| {
            let height = world.plant_tally(under_sole[0], under_sole[1]).mean_height();
            curve.push((report.time, 1e3 * height));
            if before.is_none() {
                before = Some(world.clone());
            }
            if height < lowest {
                (lowest, under) = (height, Some(world.clone()));
            }
        },
    )?;
    let (before, under) = (before.ok_or("no step was made")?, under.ok_or("no step was made")?);
    let mut figure = Figure::new("TRAIL Fig. 13: grass bends under a walker and gets up again");
    let wide = Figure::across(1);
    let colour = scene.plants[0].species.colour;
    let near = [[foot[0] - 0.45, foot[1] - 0.05], [foot[0] + 0.45, foot[1] + 0.05]];
    for (name, world) in
        [("before", &before), ("under a sole", &under), ("at the end, some seconds later", &run.world)]
    {
        figure.row();
        figure.picture(
            format!("{name}: stems of a strip 10 cm deep, from the side"),
            stems(world, near, [wide, wide / 7], colour),
        );
    }
    let mut plot =
        Drawing::new("Mean height of the tips of plants under the sole", "time (s)", "height (mm)");
    plot.line("tips", 2, curve);
    figure.row();
    figure.plot("", &plot)?;
    let tally = |world: &World| world.plant_tally([1.5, 0.85], [2.5, 1.15]);
    let (whole, last) = (tally(&before), tally(&run.world));
    let source = "TR Fig. 13: bends, and recovers after trampling";
    let standing = before.plant_tally(under_sole[0], under_sole[1]).mean_height();
    let findings = vec![
        Finding::new("height of tips under the sole against before", "", lowest / standing)
            .against(Expect::Below(0.7), source),
        Finding::new(
            "height at the end against before, along the path",
            "",
            last.mean_height() / whole.mean_height(),
        )
        .against(Expect::Above(0.95), source),
        Finding::new(
            "stems broken along the path",
            "%",
            100.0 * last.broken as f64 / last.stems.max(1) as f64,
        )
        .against(Expect::Below(1.0), source),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "A walker crosses a lawn. Stems give way to the soles, lie under them and rise again within a second or two; none breaks in a single pass. The paper compares a photograph with a rendering; below 0.7 and above 0.95 are our words for `bent` and `got up`.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// The particles of the plant rooted nearest to a place: stems of points.
fn particles(world: &World, near: [f64; 2]) -> Vec<Vec<Vec3>> {
    let off = |r: [f64; 2]| (r[0] - near[0]) * (r[0] - near[0]) + (r[1] - near[1]) * (r[1] - near[1]);
    let corner = |sign: f64| near.map(|v| v + sign * 0.15);
    let mut roots = Vec::new();
    world.each_stem(corner(-1.0), corner(1.0), |stem| roots.push(stem.root));
    let Some(root) = roots.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))) else { return Vec::new() };
    let mut stems = Vec::new();
    world.each_stem(corner(-1.0), corner(1.0), |stem| {
        if stem.root == root {
            stems.push(stem.points.to_vec());
        }
    });
    stems
}

/// A plant as particles and the links between them, seen from where its row is widest.
fn lattice_picture(stems: &[Vec<Vec3>], middle: Vec3, size: [usize; 2]) -> Image {
    let mut page = Image::new(2 * size[0], 2 * size[1], [226, 232, 236]);
    // Along the row, which a plant's stems stand in, and up.
    let row = match (stems.first(), stems.last()) {
        (Some(a), Some(b)) => (b[0] - a[0]).normalize_or(Vec3::X),
        _ => Vec3::X,
    };
    let scale = page.height as f32 / 0.15;
    let at = |p: &Vec3| {
        let d = *p - middle;
        [
            page.width as f32 / 2.0 + (d.dot(row) + 0.25 * d.dot(row.cross(Vec3::Y))) * scale,
            page.height as f32 - 60.0 - d.y * scale,
        ]
    };
    let drawn: Vec<Vec<[f32; 2]>> = stems.iter().map(|s| s.iter().map(at).collect()).collect();
    page.fill([0.0, page.height as f32 - 60.0], [page.width as f32, 60.0], [150, 132, 110], 1.0);
    for pair in drawn.windows(2) {
        for (a, b) in pair[0].iter().zip(&pair[1]) {
            page.line(*a, *b, 2.0, [150, 170, 150]);
        }
    }
    for stem in &drawn {
        for pair in stem.windows(2) {
            page.line(pair[0], pair[1], 4.0, [70, 120, 60]);
        }
        for [x, y] in stem {
            page.line([x - 5.0, *y], [x + 5.0, *y], 10.0, [40, 70, 40]);
        }
    }
    super::figure::resized(&page, size[0], size[1])
}

/// TR Fig. 5: a row of stems made of particles, pressed by a foot and risen again.
pub(crate) fn lattice(_: &Context) -> Result<Outcome, Failure> {
    let scene = library::by_name("bend-and-return").ok_or("the library has grass")?;
    let species = scene.plants.first().ok_or("something grows")?.species;
    let foot = middle_landing(&scene)?;
    let (mut upright, mut pressed, mut lowest) = (Vec::new(), Vec::new(), f32::MAX);
    let tip = |stems: &[Vec<Vec3>]| {
        stems.iter().filter_map(|s| s.last()).map(|p| p.y).sum::<f32>() / stems.len().max(1) as f32
    };
    let run = run_with(
        &scene,
        |_| {},
        |world, report| {
            if upright.is_empty() {
                upright = particles(world, foot.place);
            }
            if (foot.time..foot.time + 0.8).contains(&report.time) {
                let now = particles(world, foot.place);
                if tip(&now) < lowest {
                    lowest = tip(&now);
                    pressed = now;
                }
            }
        },
    )?;
    let risen = particles(&run.world, foot.place);
    let middle = upright.first().and_then(|s| s.first()).copied().ok_or("a plant stands there")?;
    let mut figure = Figure::new("TRAIL Fig. 5: a plant as a row of stems made of particles");
    let wide = Figure::across(3);
    for (title, stems) in [("before", &upright), ("under the sole", &pressed), ("at the end", &risen)] {
        figure.picture(title, lattice_picture(stems, middle, [wide, wide * 3 / 4]));
    }
    let count = |n: f64| libm::floor(n) + 1.0;
    let source = "TR Fig. 5: the model retrieves its shape after trampling";
    let findings = vec![
        Finding::new("stems of a plant", "", upright.len() as f64).within(
            count(species.width / species.spacing),
            0.0,
            identity("width and spacing of the species", "a number of stems"),
        ),
        Finding::new("particles of a stem", "", upright[0].len() as f64),
        Finding::new("mean tip under the sole against before", "", f64::from(tip(&pressed) / tip(&upright)))
            .against(Expect::Below(0.7), source),
        Finding::new("mean tip at the end against before", "", f64::from(tip(&risen) / tip(&upright)))
            .against(Expect::Above(0.95), source),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "One plant of the lawn under a walker's foot: stems of particles with links along and across. It lies under the sole and rises again. The paper draws it; below 0.7 and above 0.95 are our words for `pressed` and `retrieved`.".into(),
        scene: Some(scene),
        timings: None,
    })
}

/// TR Fig. 14: maps of the vegetation's strength after some numbers of passes.
pub(crate) fn strength(context: &Context) -> Result<Outcome, Failure> {
    let stops = stops(context);
    let mut figure = Figure::new("TRAIL Fig. 14: vegetation strength in a lane of 1.5 m × 0.5 m");
    let mut findings = Vec::new();
    let wide = Figure::across(2);
    for (which, series) in SERIES.iter().enumerate() {
        let lane = context.lanes.get(which, context)?;
        let mut means = Vec::new();
        for (i, (map, passes)) in lane.strength.iter().zip(stops).enumerate() {
            if i % 2 == 0 && stops.len() > 1 {
                figure.row();
            }
            let style =
                PanelStyle { label: "strength α", colours: Ramp::Sequential, range: [0.0, 1.0], scale: 1.0 };
            figure.picture(format!("{}, {passes} passes", series.species), map_panel(map, &style, wide));
            let inside = map.data.iter().map(|v| f64::from(*v)).sum::<f64>() / map.data.len() as f64;
            means.push(inside);
            findings.push(Finding::new(
                format!("mean strength around the lane, {}, {passes} passes", series.species),
                "",
                inside,
            ));
        }
        if let [first, .., last] = means[..] {
            findings.push(
                Finding::new(
                    format!(
                        "strength lost from {} to {} passes, {}",
                        stops[0],
                        stops[stops.len() - 1],
                        series.species
                    ),
                    "",
                    first - last,
                )
                .against(Expect::Above(0.0), "TR Fig. 14: damage grows with the passes"),
            );
        }
        if context.paper_reading {
            findings.push(
                Finding::new(format!("mean strength of the untouched lane, {}, TR-7 as printed", series.species), "", lane.printed)
                    .printed_reading("Printed, TR-7 divides a sum of weights below one by the number of plants: dense healthy cover would have about a third, not one. We divide by the weights of a dense cover."),
            );
        }
    }
    Ok(Outcome {
        figure,
        findings,
        text: "The strength of the vegetation in the two lanes of Fig. 15 from above, after the passes of the field study. The lane is in the middle of each map; what surrounds it is bare. The paper shows maps without a scale.".into(),
        scene: Some(context.lanes.get(0, context)?.scene.clone()),
        timings: None,
    })
}

/// TR Fig. 15: relative cover against passes, beside Cole 1995 and the authors' simulation.
pub(crate) fn cover(context: &Context) -> Result<Outcome, Failure> {
    let mut figure = Figure::new("TRAIL Fig. 15: relative cover against passes, beside Cole 1995");
    let mut findings = Vec::new();
    // The lane that the other experiment does not begin with, so that two threads share the work.
    for which in [1, 0] {
        context.lanes.get(which, context)?;
    }
    for (which, series) in SERIES.iter().enumerate() {
        let lane = context.lanes.get(which, context)?;
        let mut plot = Drawing::new(series.species, "passes", "relative cover (%)");
        plot.line("ours", which, lane.cover.clone());
        let points =
            |cover: &[f64; 4]| STOPS.iter().zip(cover).map(|(p, c)| (f64::from(*p), *c)).collect::<Vec<_>>();
        plot.dots("Cole 1995", THEIRS, points(&series.cole));
        for (i, run) in series.authors.iter().enumerate() {
            let name = if i == 0 { "TRAIL's simulation" } else { "" };
            plot.dashes(name, INKS[4], points(run));
        }
        figure.plot("", &plot)?;
        for (passes, measured) in stops(context).iter().zip(series.cole) {
            let ours = lane.after(*passes).unwrap_or(f64::NAN);
            findings.push(
                Finding::new(format!("relative cover after {passes} passes, {}", series.species), "%", ours)
                    .within(measured, 8.0, fitted("Cole 1995, as in the TRAIL authors' files (species and date labels uncertain), to which the species are fitted", "what one lane of 200 plants scatters with its seed"))
                    .because("cover falls at another pace than in the field: what a pass does to a stem follows from the species' thresholds and rates and from where feet happen to land."),
            );
        }
        let off = |cover: &[f64; 4]| {
            let gap = |(p, c): (&u32, &f64)| lane.after(*p).map(|ours| (ours - c) * (ours - c));
            let gaps: Vec<f64> = STOPS.iter().zip(cover).filter_map(gap).collect();
            (gaps.iter().sum::<f64>() / gaps.len().max(1) as f64).sqrt()
        };
        findings.push(Finding::new(
            format!("RMS difference from Cole 1995, {}", series.species),
            "%",
            off(&series.cole),
        ));
        let theirs = series.authors.iter().map(|run| {
            let square: f64 = run.iter().zip(&series.cole).map(|(a, c)| (a - c) * (a - c)).sum();
            (square / 4.0).sqrt()
        });
        let best = theirs.fold(f64::MAX, f64::min);
        findings.push(Finding::new(
            format!(
                "for comparison, RMS difference of TRAIL's simulation from Cole 1995, {}",
                series.species
            ),
            "%",
            best,
        ));
    }
    Ok(Outcome {
        figure,
        findings,
        text: "Two lanes of 1.5 m × 0.5 m with 200 plants each are walked along by 75 kg in lugged boots, scattered over the width, who turns about 1.4 m beyond its ends; cover is the share of joints that still hold, divided by that of a lane beside which nobody enters. Dots are the field study; ochre dashes are the authors' own simulation. The tolerance of 8 % of cover is our choice.".into(),
        scene: Some(context.lanes.get(1, context)?.scene.clone()),
        timings: None,
    })
}

/// TR Fig. 16: the same walk over bare ground and through sedge.
pub(crate) fn shield(context: &Context) -> Result<Outcome, Failure> {
    let mut scene = library::by_name("with-and-without").ok_or("the library has both")?;
    scene.terrain.cell = context.cell(0.01);
    if context.quick {
        set_passes(&mut scene, 4);
    }
    let run: Run = run(&scene)?;
    let depth = |x: [f64; 2]| run.deepest_in([x[0], 0.4], [x[1], 1.6]);
    let (bare, held) = (depth([1.0, 2.7]), depth([3.4, 5.0]));
    let volume = |x: [f64; 2]| {
        let map = field(&run.world, Map::Compression, [[x[0], 0.3], [x[1], 1.7]]);
        map.data.iter().map(|v| f64::from(*v)).sum::<f64>() / f64::from(map.width as u32)
    };
    let mut figure = Figure::new("TRAIL Fig. 16: bare ground on the left, sedge on the right");
    let half = Figure::across(2);
    let (corners, size) = ([[0.5, 0.3], [5.5, 1.7]], [half, half * 9 / 16]);
    figure.picture("ground and plants after the walks", lit(&run.world, corners, size, Some(1.0)));
    figure.picture("the same ground without its plants", lit_bare(&run.world, corners, size, Some(1.0)));
    figure.row();
    let map = field(&run.world, Map::Vegetation, [[0.5, 0.3], [5.5, 1.7]]);
    let style = PanelStyle {
        label: "vegetation strength α",
        colours: Ramp::Sequential,
        range: [0.0, 1.0],
        scale: 1.0,
    };
    figure.picture("what is left of the sedge", map_panel(&map, &style, Figure::across(2)));
    let mut plot = Drawing::new("Cut along the path", "along the path (cm)", "height (mm)");
    plot.line("surface", 0, in_plot_units(&cut(&run.world, [3.0, 1.05], [1.0, 0.0], 2.0)));
    figure.plot("", &plot)?;
    let source = "TR Fig. 16: bare ground carves deeper";
    let findings = vec![
        Finding::new("deepest print under sedge against bare ground", "", held / bare)
            .against(Expect::Below(1.0), source),
        Finding::new(
            "compression per length of path under sedge against bare ground",
            "",
            volume([3.4, 5.0]) / volume([1.0, 2.7]),
        )
        .against(Expect::Below(1.0), source),
        Finding::new("deepest print, bare ground", "mm", 1e3 * bare),
        Finding::new("deepest print, under sedge", "mm", 1e3 * held),
    ];
    Ok(Outcome {
        figure,
        findings,
        text: "A walker goes to and fro over dry soil, half of it bare and half of it under sedge. Roots add to the ground's modulus as long as the plants above them live, so prints are shallower there until the plants are gone.".into(),
        scene: Some(scene),
        timings: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_series_are_those_of_the_field_study() {
        for series in &SERIES {
            assert!(series.cole.windows(2).all(|w| w[1] < w[0]), "{}: cover only falls", series.species);
            assert!(library::by_name(series.lane).is_some());
        }
    }
}
