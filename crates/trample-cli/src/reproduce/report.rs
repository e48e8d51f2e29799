//! The report: one page, pictures first, with every number, its reference and the verdict.

use super::figure::resized;
use super::finding::{Finding, Verdict};
use super::{Done, Paper};
use crate::picture::html::{Block, Card, Picture, Report, Section};

/// The experiment whose figure comes first.
pub(super) const HERO: &str = "df-fig4";

/// Experiments of which a small figure stands before all tables.
const SHOWN: [&str; 4] = ["sw-fig2", "df-fig8", "tr-fig8", "tr-fig15"];

/// What the model does not do, in plain words.
pub(super) const LIMITS: [&str; 12] = [
    "Feet do not drag material: a foot that slides in its print makes no longer print, so prints down a dune are not longer than level ones as in TR Fig. 12.",
    "Repeated traffic does not compact the ground further by itself. The papers' law is monotone in pressure: the hundredth equal step leaves what the first left. Depth grows with passes only where plants wear off and where footfalls overlap.",
    "Loose material carries nothing: a sole goes through it to the firm ground.",
    "Snow and mud do not spray, stick or flow; water, frost, rain and wind are not there. Snow has one modulus, not a density profile.",
    "The ground is a height field of one layer over rigid ground: no overhangs, no shear failure under the sole, no tunnels of a deep snowshoe. Sides of prints stand as steep as the sole cuts them; only loose material slides.",
    "The force on the ground comes from the motion; the ground does not push back into it as dynamics do. Bodies lean, sink, lift their knees and slow down, but do not slip, stumble or fall.",
    "Generated motion is one style of gait per body. Dance is what a stick can ask for: turns, sidesteps, jumps.",
    "Plants do not grow, seed or recover over weeks. Recovery is TRAIL's linear one over seconds; Cole's plots were measured two weeks after trampling. Roots only stiffen the ground; soil does not get into the plants' health.",
    "Plant presets other than the two of TRAIL are plausible, not measured. The field series that those two are compared with carry uncertain species and date labels in the authors' files.",
    "The papers publish few numbers: most of their figures are pictures. Where a reference here is `above` or `below`, the paper shows a direction and no value, and agreement means no more than that.",
    "Rest angles, characteristic times of TRAIL's soils and the force threshold of the anisotropic rim are not printed in the papers; they come from the authors' prototype, from measured values or are our choice (docs/papers.md).",
    "Timings are from the machine that ran them, on one core; the papers' are from a game engine that also drew the picture.",
];

/// Makes the page.
pub(super) fn report(done: &[Done], quick: bool, paper_reading: bool) -> Report {
    let count = |verdict: Verdict| done.iter().map(|d| d.count(verdict)).sum::<usize>();
    let (agree, differ, none) =
        (count(Verdict::Agrees), count(Verdict::Differs), count(Verdict::NoReference));
    let hero = done.iter().find(|d| d.experiment.name == HERO).or(done.first());
    let mut sections = vec![Section {
        heading: String::new(),
        blocks: vec![
            Block::Cards(vec![
                card("experiments", done.len()),
                card("numbers that agree with their reference", agree),
                card("numbers that differ", differ),
                card("numbers without a reference", none),
            ]),
            Block::Text(intro(quick)),
            Block::Gallery(
                done.iter().filter(|d| SHOWN.contains(&d.experiment.name)).map(thumbnail).collect(),
            ),
        ],
    }];
    sections.push(Section {
        heading: "All experiments".into(),
        blocks: vec![Block::Table { head: words(&OVERVIEW), rows: done.iter().map(overview).collect() }],
    });
    let differing: Vec<Vec<String>> = done
        .iter()
        .flat_map(|d| d.outcome.findings.iter().map(move |f| (d, f)))
        .filter(|(_, f)| f.verdict() == Verdict::Differs)
        .map(|(d, f)| vec![d.experiment.name.into(), f.what.clone(), told(f), f.expected(), f.why.clone()])
        .collect();
    if !differing.is_empty() {
        sections.push(Section {
            heading: "What differs, and why".into(),
            blocks: vec![Block::Table {
                head: words(&["experiment", "what", "ours", "reference", "why"]),
                rows: differing,
            }],
        });
    }
    for paper in Paper::ALL {
        for one in done.iter().filter(|d| d.experiment.paper == paper) {
            sections.push(section(one));
        }
    }
    sections.push(Section {
        heading: "What the model does not do".into(),
        blocks: LIMITS.iter().map(|line| Block::Text((*line).into())).collect(),
    });
    sections.push(Section {
        heading: "Readings of the papers".into(),
        blocks: vec![
            Block::Text(READINGS.into()),
            Block::Text(if paper_reading {
                "They are switched on here and marked `paper's reading`.".into()
            } else {
                "They are off here; `trample reproduce all --paper-reading` shows what they would give."
                    .into()
            }),
        ],
    });
    sections.push(Section {
        heading: "Machine".into(),
        blocks: vec![Block::Text(
            "Nothing on this page depends on the machine, the clock or the number of threads: running it again gives the same bytes. Wall-clock times stand apart in timings.json.".into(),
        )],
    });
    Report {
        title: "What the papers show, computed".into(),
        subtitle: "Soft Walks (2021), Dynamic Footprints (2022), TRAIL (2024): every experiment beside its published numbers"
            .into(),
        hero: hero.map(|d| Picture {
            png: d.image.to_palette_png(256),
            caption: format!("{} ({}, {}).", d.experiment.title, d.experiment.paper.title(), d.experiment.figure),
        }),
        sections,
        footer: format!(
            "Made by trample {} with `trample reproduce`{}.",
            env!("CARGO_PKG_VERSION"),
            if quick { " --quick" } else { "" }
        ),
    }
}

/// What the readings are that can be switched on.
pub(super) const READINGS: &str = "Where the papers' text and physics conflict we take the physical reading (docs/papers.md). Printed forms that can be shown: the controller with +βθ̇ (sw-fig2), the weight ratio as a cosine (df-fig6), the displaced volume 2 − 2ν (df-fig7), a sole of 10 cm² (df-table1), a stabilisation step of 0.01 in metres (tr-fig7), the vegetation strength with 1/N (tr-fig14). Two are not shown: the swapped plant stiffnesses of TRAIL's Table 1, which have no meaning for stems with a physical rigidity, and sums over frames instead of time, which would only say how fast the game engine ran.";

/// The first words.
pub(super) fn intro(quick: bool) -> String {
    let mut text = String::from(
        "Each experiment below is a figure or a table of one of the papers, run with this program. A verdict compares one number with one reference within a tolerance that is stated beside it: agrees, differs, or no reference where the paper shows a picture and no number.",
    );
    if quick {
        text += " This is the quick version, with coarser cells and fewer passes; its numbers are not the final ones.";
    }
    text
}

/// Columns of the overview.
pub(super) const OVERVIEW: [&str; 6] =
    ["experiment", "paper", "figure", "what", "verdict", "agree / differ / none"];

/// A row of the overview.
pub(super) fn overview(done: &Done) -> Vec<String> {
    vec![
        done.experiment.name.into(),
        done.experiment.paper.title().into(),
        done.experiment.figure.into(),
        done.experiment.title.into(),
        done.verdict().word().into(),
        format!(
            "{} / {} / {}",
            done.count(Verdict::Agrees),
            done.count(Verdict::Differs),
            done.count(Verdict::NoReference)
        ),
    ]
}

/// Columns of an experiment's table.
pub(super) const COLUMNS: [&str; 5] = ["what", "ours", "reference", "verdict", "source"];

/// A row of an experiment's table.
pub(super) fn row(finding: &Finding) -> Vec<String> {
    let source = finding.reference.as_ref().map_or_else(String::new, |r| r.source.clone());
    vec![finding.what.clone(), told(finding), finding.expected(), finding.verdict().word().into(), source]
}

/// Our number with its unit.
fn told(finding: &Finding) -> String {
    match (finding.unit, finding.ours) {
        ("", _) | (_, None) => finding.shown(),
        (unit, _) => format!("{}\u{a0}{unit}", finding.shown()),
    }
}

/// Sentences on what differs or is a reading.
pub(super) fn reasons(done: &Done) -> Vec<String> {
    // Numbers that differ for the same reason share a sentence.
    let mut all: Vec<(Vec<&str>, &str)> = Vec::new();
    for finding in done.outcome.findings.iter().filter(|f| f.told()) {
        match all.iter_mut().find(|(_, why)| *why == finding.why) {
            Some((whats, _)) => whats.push(&finding.what),
            None => all.push((vec![&finding.what], &finding.why)),
        }
    }
    all.into_iter().map(|(whats, why)| format!("{}: {why}", whats.join("; "))).collect()
}

fn section(done: &Done) -> Section {
    let e = done.experiment;
    let mut blocks = vec![
        Block::Gallery(vec![Picture {
            png: done.image.to_palette_png(256),
            caption: format!("{}. {}, {}.", e.title, e.paper.title(), e.figure),
        }]),
        Block::Text(done.outcome.text.clone()),
        Block::Table { head: words(&COLUMNS), rows: done.outcome.findings.iter().map(row).collect() },
    ];
    blocks.extend(reasons(done).into_iter().map(Block::Text));
    Section { heading: format!("{} · {}", e.name, e.title), blocks }
}

fn thumbnail(done: &Done) -> Picture {
    let wide = 760;
    let small = resized(&done.image, wide, done.image.height * wide / done.image.width);
    let e = done.experiment;
    Picture {
        png: small.to_palette_png(256),
        caption: format!("{} ({}, {}).", e.title, e.paper.title(), e.figure),
    }
}

fn card(label: &str, value: usize) -> Card {
    Card { label: label.into(), value: value.to_string(), unit: String::new() }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| (*w).to_string()).collect()
}
