//! Seasons: whether they equal live steps, what bits depend on, how people join paths, and how use wears ground.

use super::figure::{Drawing, Figure};
use super::finding::{Expect, Finding, Source, fitted, identity};
use super::{Context, Outcome, Timings};
use crate::Failure;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use trample::Species;
use trample::scene::{Base, Scene, Season, TrailRoute, library};
use trample_season::cost::{Costs, Field, Grid, Pace, SlopeTable};
use trample_season::ground::{NO_PATCH, Tile};
use trample_season::lane::{self, Difference, Walked};
use trample_season::people::{Line, People};
use trample_season::unit::Plan;
use trample_season::{Run, measure, rules, season_of};

/// An aim of this group.
fn aim() -> Source {
    identity("our own aim: docs/trails.md, what must hold", "set with the aim")
}

pub(super) fn scene(name: &str, change: impl FnOnce(&mut Scene, &mut Season)) -> Result<Scene, Failure> {
    let mut scene = library::by_name(name).ok_or_else(|| format!("{name}: no library scene"))?;
    let mut season = scene.season.take().ok_or_else(|| format!("{name}: no season"))?;
    change(&mut scene, &mut season);
    scene.season = Some(season);
    scene.check()?;
    Ok(scene)
}

pub(super) fn run(scene: &Scene) -> Result<Run, Failure> {
    let mut run = Run::new(scene)?;
    while run.day < run.days() {
        run.pass_day();
    }
    Ok(run)
}

/// Mean and half of the 90 % interval of the mean.
fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
    (mean, 1.645 * spread / n.sqrt())
}

/// Quantities that are compared: name, unit, scale, how far off the mean may be.
const COMPARED: [(&str, &str, f64, f64); 4] = [
    ("depth", "%", 100.0, 5.0),
    ("width", "%", 100.0, 5.0),
    ("cross-section", "%", 100.0, 5.0),
    ("cover", "points", 100.0, 3.0),
];

/// Season against live: grounds × species × seeds, at 25, 75, 200 and 500 passes.
pub(crate) fn live(context: &Context) -> Result<Outcome, Failure> {
    let grounds: &[&str] =
        if context.quick { &["loam"] } else { &["loam", "grenville-loam", "upland-sandy-loam", "lete-sand"] };
    let species = &[Species::CAREX_PENSYLVANICA, Species::LAWN_GRASS];
    let times: &[u32] = if context.quick { &[25, 75] } else { &[25, 75, 200, 500] };
    let seeds: u64 = if context.quick { 3 } else { 20 };
    let most = times[times.len() - 1];
    let mut all = Vec::new();
    for &ground in grounds {
        for plant in species {
            let known = Arc::new(rules(&lane::season(&lane::scene(plant, ground, most, 1), most, A_DAY))?);
            let one = |seed: u64| -> Result<Vec<[Difference; 2]>, trample_season::SeasonError> {
                let scene = lane::scene(plant, ground, most, seed);
                let season = lane::season(&scene, most, A_DAY);
                let walked = lane::live(&scene, times)?;
                let same = lane::by_footfalls(&season, &known, &walked, A_DAY, times);
                let own = lane::by_people(&season, &known, times)?;
                let off = |(i, live)| [&same[i], &own[i]].map(|season| Difference::of(season, live));
                Ok(walked.moments.iter().enumerate().map(off).collect())
            };
            let found: Result<Vec<_>, _> = (1..=seeds).into_par_iter().map(one).collect();
            all.push((ground, plant, found?));
        }
    }
    let mut findings = Vec::new();
    let mut figure = Figure::new("A season against live steps");
    for (name, unit, scale, allowed) in COMPARED {
        let of = |d: &Difference| match name {
            "depth" => d.depth,
            "width" => d.width,
            "cross-section" => d.section,
            _ => d.cover,
        };
        let mut plot = Drawing::new(&format!("{name}, season − live"), "passes", unit);
        for (k, (ground, plant, lanes)) in all.iter().enumerate() {
            for (w, (walked, why)) in WALKED.into_iter().enumerate() {
                let at = |t: usize| interval(&lanes.iter().map(|l| scale * of(&l[t][w])).collect::<Vec<_>>());
                plot.marked(
                    &format!("{ground}, {}, {walked}", plant.preset),
                    (2 * k + w) % 6,
                    times.iter().enumerate().map(|(t, &n)| (f64::from(n), at(t).0)).collect(),
                );
                for (t, passes) in times.iter().enumerate() {
                    let (mean, half) = at(t);
                    let lane = format!("{name} on {ground} under {}", plant.preset);
                    let what = format!("{lane} after {passes} passes, {walked} (90 % interval ± {half:.1})");
                    findings.push(Finding::new(what, unit, mean).within(0.0, allowed, aim()).because(why));
                }
            }
        }
        figure.plot_in_pairs(&plot)?;
    }
    for (w, (walked, why)) in WALKED.into_iter().enumerate() {
        for (t, passes) in times.iter().enumerate() {
            let far: Vec<f64> = all.iter().flat_map(|(.., lanes)| lanes.iter().map(|l| l[t][w].ks)).collect();
            let what = format!(
                "distance of the distributions of depth after {passes} passes, {walked}, mean over lanes"
            );
            let finding = Finding::new(what, "", interval(&far).0);
            findings.push(finding.against(Expect::Below(0.05), aim()).because(why));
        }
    }
    Ok(Outcome {
        figure,
        findings,
        text: format!(
            "Cole's lane is walked live, and as a season of {A_DAY} passes a day: under the live walker's own footfalls, and by other people. {seeds} seeds each. Predicted: nothing of the season is fitted to these lanes; the curve of cover over footfalls is learnt from lanes of other seeds."
        ),
        scene: None,
        timings: None,
    })
}

/// Passes a day of the compared lanes.
const A_DAY: u32 = 5;

/// Whose feet fall in the season, and why it may differ from the live lane.
const WALKED: [(&str, &str); 2] = [
    (
        "same footfalls",
        "within a day a season sees the morning's ground, and its prints are the mean of several",
    ),
    (
        "own people",
        "other people walk the season than the live lane, and pass elsewhere: the width of one lane scatters by some 12 % with its seed",
    ),
];

/// The same bits for any threads and tiles.
pub(crate) fn hash(_: &Context) -> Result<Outcome, Failure> {
    let scene = scene("triangle", |_, season| season.calendar.days = 2)?;
    let source = trample_files::Source::of_scene(&scene)?;
    let known = Arc::new(rules(&scene)?);
    let mut hashes = BTreeSet::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        hashes.insert(pool.install(|| -> Result<u64, Failure> {
            let mut run = Run::with(&scene, known.clone())?;
            (0..2).for_each(|_| drop(run.pass_day().clone()));
            Ok(run.ground.hash())
        })?);
    }
    for side in [1, 2, 4] {
        let folder = std::env::temp_dir().join(format!("trample-tiles-{}-{side}", std::process::id()));
        let plan = Plan::new(&source, &scene, [side, side], folder.clone())?;
        for index in 0..plan.units {
            plan.run(index, Some(known.clone()))?;
        }
        hashes.insert(plan.join()?.ground.hash());
        let _ = std::fs::remove_dir_all(folder);
    }
    let finding =
        Finding::new("different hashes of 1, 2, 8 threads and 1, 4, 16 tiles", "", hashes.len() as f64);
    let mut plot = Drawing::new("hashes", "run", "which");
    plot.marked("hash", 0, (0..6).map(|i| (f64::from(i), 1.0)).collect());
    let mut figure = Figure::new("Bits do not depend on threads and tiles");
    figure.plot("", &plot)?;
    let text = "Two days of `triangle`; that a season which was stopped and resumed has the same bits is `cargo test -p trample-season no_bit`.";
    Ok(Outcome {
        figure,
        findings: vec![finding.within(1.0, 0.0, aim())],
        text: text.into(),
        scene: Some(scene),
        timings: None,
    })
}

/// The angle at which people join a path.
pub(crate) fn joining(_: &Context) -> Result<Outcome, Failure> {
    let grid = Grid { size: [400, 160], cell: 0.25 };
    let mut findings = Vec::new();
    let (mut ours, mut exact) = (Vec::new(), Vec::new());
    for r in [0.4f64, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let metre = |c: usize| if grid.middle(c)[1] < 1.0 { r as f32 } else { 1.0 };
        let costs = Costs {
            grid,
            metre: (0..grid.len()).map(metre).collect(),
            slope: Vec::new(),
            table: SlopeTable::new(Pace::of_decile(10.0)),
        };
        let line = Field::solve(&costs, [98.0, 0.5], 0.0).walk([20.0, 14.0]).ok_or("no way")?;
        let end = line.iter().position(|p| p[1] < 1.5).ok_or("it does not join")?;
        let angle = libm::atan2(line[0][1] - line[end][1], line[end][0] - line[0][0]).to_degrees();
        let expected = libm::acos(r).to_degrees();
        findings.push(
            Finding::new(format!("angle at which a path of relative cost {r} is joined"), "°", angle).within(
                expected,
                2.0,
                identity("arccos r, exact", "2°, an aim"),
            ),
        );
        ours.push((r, angle));
        exact.push((r, expected));
    }
    let mut plot = Drawing::new("Angle of joining", "relative cost of the path", "°");
    plot.marked("ours", 0, ours);
    plot.marked("arccos r", 1, exact);
    let mut figure = Figure::new("People join a path");
    figure.plot("", &plot)?;
    let text = "People who come from 14 m beside a path walk straight to where they join it. Predicted.";
    Ok(Outcome { figure, findings, text: text.into(), scene: None, timings: None })
}

/// Three gates at the corners of a triangle, for several strengths of what people see.
pub(crate) fn triangle(context: &Context) -> Result<Outcome, Failure> {
    let wears: &[f64] = if context.quick { &[0.0, 1.0] } else { &[0.0, 0.25, 0.5, 0.75, 1.0, 1.25] };
    let one = |&wear: &f64| -> Result<(f64, f64), String> {
        let scene = scene("triangle", |scene, season| {
            scene.terrain.cell = 0.08;
            season.choice.wear = wear;
            season.calendar.days = season.calendar.days.min(40);
        });
        Ok(run(&scene.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?.detour_and_centre())
    };
    let found: Result<Vec<(f64, f64)>, String> = wears.par_iter().map(one).collect();
    let found = found?;
    let last = found[found.len() - 1];
    let rises = found.windows(2).all(|w| w[1].1 >= w[0].1);
    let findings = vec![
        Finding::new("detour where nobody sees wear", "", found[0].0).within(1.0, 0.005, aim()),
        Finding::new("traffic near the centre where nobody sees wear", "", found[0].1).within(
            0.0,
            0.0,
            aim(),
        ),
        Finding::new(
            "whether central traffic never falls with what people see",
            "",
            f64::from(u8::from(rises)),
        )
        .within(1.0, 0.0, aim()),
        Finding::new("traffic near the centre where they see it best", "", last.1).against(
            Expect::Above(0.15),
            fitted(
                "Helbing 1997: 0.208 in the minimal way system",
                "the power by which trails in sight draw people was chosen for this",
            ),
        ),
        Finding::new("detour there", "", last.0)
            .against(Expect::Between(1.0, 1.155), "the minimal way system"),
    ];
    let mut figure = Figure::new("Three gates");
    for (name, of) in
        [("traffic near the centre", (|f: &(f64, f64)| f.1) as fn(&(f64, f64)) -> f64), ("detour", |f| f.0)]
    {
        let mut plot = Drawing::new(name, "how much of others' wear people see", "share");
        plot.marked(name, 0, wears.iter().zip(&found).map(|(w, f)| (*w, of(f))).collect());
        figure.plot("", &plot)?;
    }
    let text = "Gates at the corners of an equilateral triangle, 40 days, cells of 8 cm. The third power of the blurred wear, the width of sight and the noise were chosen so that ways run together; the detour and the order are predicted.";
    Ok(Outcome { figure, findings, text: text.into(), scene: None, timings: None })
}

/// Use against impact.
pub(crate) fn use_and_impact(context: &Context) -> Result<Outcome, Failure> {
    // People a day on the lane for twenty days without regrowth.
    let uses: &[f64] =
        if context.quick { &[2.0, 10.0, 50.0] } else { &[1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0] };
    let one = |&people: &f64| -> Result<[f64; 3], String> {
        let scene = scene("lane-season", |_, season| {
            season.routes.iter_mut().for_each(|r| {
                r.who.visits = Vec::new();
                r.who.people_per_day = people;
            });
            season.nature.regrowth = 0.0;
            season.nature.colonisation = 0.0;
            season.calendar.days = 20;
        });
        let run = run(&scene.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        let lines = measure::lines(&run);
        let stations: Vec<_> =
            lines.iter().flat_map(|l| measure::stations(&run.ground, 0, &l.1, 0.25)).collect();
        let trail = measure::trail(&run.ground, &stations, 0.25);
        // Bare where something grew: what lies around the lane never had plants.
        let bare =
            |t: &Tile| t.cover.iter().zip(&t.patch).filter(|(c, p)| **c < 0.15 && **p != NO_PATCH).count();
        let cells: usize = run.ground.sorted().iter().map(|(_, t)| bare(t)).sum();
        let bare = cells as f64 * run.ground.cell * run.ground.cell;
        Ok([100.0 * (1.0 - run.cover()), bare, 1e4 * trail.area_loss_m2])
    };
    let found: Result<Vec<[f64; 3]>, String> = uses.par_iter().map(one).collect();
    let found = found?;
    let n = uses.len();
    let slope = |i: usize| (found[i + 1][0] - found[i][0]) / (uses[i + 1] - uses[i]);
    let mut findings = vec![
        Finding::new(
            "cover lost with one more person a day, most used over least used",
            "",
            slope(n - 2) / slope(0),
        )
        .against(Expect::Below(0.5), "Cole 1987: loss of cover flattens with use; predicted"),
        Finding::new("bare ground at the least use", "m²", found[0][1])
            .against(Expect::Below(0.02), "Cole 1987: bare soil grows beyond a threshold; predicted"),
        Finding::new(
            "bare ground at the most use over that at half of it",
            "",
            found[n - 1][1] / found[n - 2][1].max(1e-3),
        )
        .against(Expect::Above(1.2), "the same; predicted"),
    ];
    let hill = |angle: f64| -> Result<[f64; 2], Failure> {
        let hill = run(&scene("hillside", |scene, season| {
            scene.terrain.cell = 0.04;
            scene.terrain.base = Base::Slope { angle: angle.to_radians(), direction: 0.0 };
            season.calendar.days = if context.quick { 10 } else { 60 };
        })?)?;
        let loss = |route: &TrailRoute| {
            let all = measure::stations(&hill.ground, 0, &route.waypoints, 1.0);
            all.iter().map(|s| s.area_loss_m2).sum::<f64>() / all.len() as f64
        };
        Ok([0, 1].map(|route| loss(&hill.season().routes[route])))
    };
    let ([steep, side], [gentle, _]) = (hill(14.0)?, hill(4.0)?);
    findings.push(
        Finding::new(
            "cross-section lost on the fall line over that on the side of the hill",
            "",
            steep / side,
        )
        .against(Expect::Above(1.0), "Olive & Marion 2009: fall-line trails erode most; predicted"),
    );
    findings.push(
        Finding::new("cross-section lost on a grade of 14° over that on 4°", "", steep / gentle)
            .against(Expect::Above(1.0), "Olive & Marion 2009: loss grows with grade; predicted"),
    );
    let mut figure = Figure::new("Use and impact");
    for (k, (name, unit)) in
        [("cover lost", "%"), ("bare ground", "m²"), ("cross-section lost", "cm²")].into_iter().enumerate()
    {
        let mut plot = Drawing::new(name, "people a day", unit);
        plot.marked(name, k, uses.iter().zip(&found).map(|(u, f)| (*u, f[k])).collect());
        figure.plot_in_pairs(&plot)?;
    }
    let text = "Cole's lane for twenty days under more and more people, without regrowth; and two trails on one hill, equally used.";
    Ok(Outcome { figure, findings, text: text.into(), scene: None, timings: None })
}

/// A lane's depth, width, cross-section, m, m and m², and cover over cells, epochs and seeds.
pub(crate) fn convergence(context: &Context) -> Result<Outcome, Failure> {
    let passes = if context.quick { 75 } else { 200 };
    let lane_of = |cell: f64, seed: u64| {
        let mut live = lane::scene(&Species::CAREX_PENSYLVANICA, "loam", passes, seed);
        live.terrain.cell = cell;
        lane::season(&live, passes, 1)
    };
    let known = rules(&lane_of(0.02, 1))?;
    // The same people's feet, however many days they are spread over.
    let one = |cell: f64, a_day: u32, seed: u64| -> Result<[f64; 4], Failure> {
        let scene = lane_of(cell, seed);
        let own = if cell == 0.02 { None } else { Some(rules(&scene)?) };
        let season = season_of(&scene)?;
        let (people, line) = (People::new(&scene, season), Line::new(&lane::WAY, &scene.terrain.base));
        let mut falls = Vec::new();
        for person in (0..i64::from(passes)).flat_map(|day| people.of(0, day)) {
            let mut own = Vec::new();
            people.footfalls(&person, &line, &known.atlases, &mut own);
            falls.push(own);
        }
        let walked = Walked { moments: Vec::new(), falls };
        let known = own.as_ref().unwrap_or(&known);
        let m = lane::by_footfalls(&scene, known, &walked, a_day, &[passes]).remove(0);
        Ok([m.depth.iter().sum::<f64>() / m.depth.len() as f64, m.width, m.section, m.cover])
    };
    // Quantities, how far off they may be, and how far off they are from the lane of 2 cm and five passes a day.
    let usual = one(0.02, A_DAY, 1)?;
    let off = |m: [f64; 4]| {
        [0, 1, 2, 3].map(|k| 100.0 * if k < 3 { m[k] / usual[k] - 1.0 } else { m[3] - usual[3] })
    };
    let mut findings = Vec::new();
    let mut figure = Figure::new("A season's lane over cells, epochs and seeds");
    let cells: &[f64] = if context.quick { &[0.04] } else { &[0.04, 0.01] };
    let mut varied = Vec::new();
    for &cell in cells {
        varied.push((format!("in cells of {} cm", 100.0 * cell), off(one(cell, A_DAY, 1)?)));
    }
    for a_day in [1, 25] {
        varied.push((format!("with {a_day} passes a day"), off(one(0.02, a_day, 1)?)));
    }
    let seeds: Result<Vec<[f64; 4]>, Failure> = (2..8).map(|seed| Ok(off(one(0.02, A_DAY, seed)?))).collect();
    let seeds = seeds?;
    for (k, (name, unit, _, allowed)) in COMPARED.into_iter().enumerate() {
        let seeds: Vec<f64> = seeds.iter().map(|s| s[k]).collect();
        let mut plot = Drawing::new(name, "variant, then seeds", unit);
        let values = varied.iter().map(|v| v.1[k]).chain(seeds.iter().copied());
        plot.marked(name, k, values.enumerate().map(|(i, v)| (i as f64, v)).collect());
        figure.plot_in_pairs(&plot)?;
        for (how, by) in &varied {
            findings.push(
                Finding::new(format!("{name} {how}, off from 2 cm and {A_DAY} a day"), unit, by[k]).within(
                    0.0,
                    allowed,
                    aim(),
                ),
            );
        }
        let scatter = interval(&seeds).1 * (seeds.len() as f64).sqrt() / 1.645;
        findings.push(Finding::new(format!("{name}, standard deviation over six seeds"), unit, scatter));
    }
    let text = format!("Cole's lane under sedge as a season of {passes} passes by its own people.");
    Ok(Outcome { figure, findings, text, scene: None, timings: None })
}

/// How long thirty kilometres of trails take: a few days, carried on to a year.
pub(crate) fn network(context: &Context) -> Result<Outcome, Failure> {
    let days = if context.quick { 1 } else { 4 };
    let scene = scene("network", |scene, season| {
        season.calendar.days = days;
        if context.quick {
            season.routes.truncate(1);
            scene.terrain.cell = 0.08;
        }
    })?;
    let known = Arc::new(rules(&scene)?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (footfalls, bytes, seconds) = pool.install(|| -> Result<(u64, usize, f64), Failure> {
        let mut run = Run::with(&scene, known)?;
        let begun = Instant::now();
        while run.day < run.days() {
            run.pass_day();
        }
        Ok((run.rows.iter().map(|r| r.footfalls).sum(), run.ground.bytes(), begun.elapsed().as_secs_f64()))
    })?;
    let year = seconds / f64::from(days) * 365.0 / 3600.0;
    let mut plot = Drawing::new("Footfalls", "days", "millions");
    plot.marked("footfalls", 0, vec![(0.0, 0.0), (f64::from(days), footfalls as f64 / 1e6)]);
    let mut figure = Figure::new("Thirty kilometres of trails");
    figure.plot("", &plot)?;
    let hours = Finding { ours: None, ..Finding::new("a year of 30 km, on one thread", "h", 0.0) };
    let findings = vec![
        Finding::new(format!("footfalls in {days} days"), "", footfalls as f64),
        Finding::new("memory of the touched tiles", "MB", bytes as f64 / 1e6),
        hours.against(Expect::Below(2.0), aim()),
    ];
    let timings = json!({ "days": days, "seconds": seconds, "footfalls": footfalls, "footfalls_per_second": footfalls as f64 / seconds, "hours_for_a_year": year });
    let text =
        "Six loops of 5 km, 500 visitors a day. The whole year is `trample season network --no-pictures`.";
    Ok(Outcome {
        figure,
        findings,
        text: text.into(),
        scene: None,
        timings: Some(Timings { numbers: timings, figure: None }),
    })
}
