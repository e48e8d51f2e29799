//! The report: one page, pictures first, with every number, its reference and the verdict.

use super::figure::resized;
use super::finding::{Finding, Kind, Verdict};
use super::{Done, Paper, by_kind, headline};
use maud::{Markup, html};
use trample_pictures::{cards, figure, page, table};

/// The experiment whose figure comes first.
pub(crate) const HERO: &str = "df-fig4";

/// Experiments of which a small figure stands before all tables.
const SHOWN: [&str; 4] = ["sw-fig2", "df-fig8", "tr-fig8", "tr-fig15"];

/// What the model does not do, in plain words.
pub(crate) const LIMITS: [&str; 12] = [
    "The papers' experiments run under the papers' laws, in which feet drag nothing and repeated traffic does not compact the ground: the hundredth equal step leaves what the first left. Dragging, packing by passes, water and snow by density belong to the natural law, which is ours and the default elsewhere.",
    "Loose material carries nothing: a sole goes through it to the firm ground.",
    "Snow and mud do not spray or flow. Water is a share of the ground that changes its strength; it does not run, and there is no frost and no wind on the ground.",
    "The ground is a height field of one layer over rigid ground: no overhangs, no tunnels of a deep snowshoe. Sides of prints stand as steep as the sole cuts them; only loose material slides.",
    "The force on the ground comes from the motion. Bodies lean, sink, lift their knees, slow down, slip and answer a push with steps, but they do not stumble or fall.",
    "Generated motion is one style of gait per body. Dance is what a stick can ask for: turns, sidesteps, jumps.",
    "In a live run plants do not grow, seed or recover over weeks; in a season they do, by one rate. Cole's plots were measured two weeks after trampling. Roots only stiffen the ground; soil does not get into the plants' health.",
    "Plant presets other than the two of TRAIL are set by published passes to half cover, or are plausible and not measured. The field series that those two are compared with carry uncertain species and date labels in the authors' files.",
    "The papers publish few numbers: most of their figures are pictures. Where a reference here is `above` or `below`, the paper shows a direction and no value, and agreement means no more than that.",
    "Numbers of the kinds `fitted` and `identity` cannot speak for the model: the first were used to build it, the second are its own equations.",
    "Rest angles, characteristic times of TRAIL's soils and the force threshold of the anisotropic rim are not printed in the papers; they come from the authors' prototype, from measured values or are our choice (docs/papers.md).",
    "Timings are from the machine that ran them, on one core; the papers' are from a game engine that also drew the picture.",
];

/// Makes the page.
pub(crate) fn report(done: &[Done], quick: bool, paper_reading: bool) -> String {
    let speaks = |verdict: Verdict| {
        let kinds = Kind::ALL.into_iter().filter(|k| k.speaks());
        kinds.map(|k| done.iter().map(|d| d.count_kind(k, verdict)).sum::<usize>()).sum::<usize>().to_string()
    };
    let totals = [
        ("experiments", done.len().to_string(), ""),
        ("printed or measured numbers that agree", speaks(Verdict::Agrees), ""),
        ("printed or measured numbers that differ", speaks(Verdict::Differs), ""),
    ];
    let hero = done.iter().find(|d| d.experiment.name == HERO).or(done.first());
    let differing: Vec<Vec<String>> = done
        .iter()
        .flat_map(|d| d.outcome.findings.iter().map(move |f| (d, f)))
        .filter(|(_, f)| f.verdict() == Verdict::Differs)
        .map(|(d, f)| vec![d.experiment.name.into(), f.what.clone(), told(f), f.expected(), f.why.clone()])
        .collect();
    let body = html! {
        @if let Some(d) = hero { (figure(&d.image.to_palette_png(256), &cited(d))) }
        section {
            (cards(&totals))
            p { (headline(done)) }
            (table(&KINDS, &kinds(done)))
            p { (intro(quick)) }
            div.gallery { @for d in done.iter().filter(|d| SHOWN.contains(&d.experiment.name)) { (thumbnail(d)) } }
        }
        section {
            h2 { "All experiments" }
            (table(&OVERVIEW, &done.iter().map(overview).collect::<Vec<_>>()))
        }
        @if !differing.is_empty() {
            section {
                h2 { "What differs, and why" }
                (table(&["experiment", "what", "ours", "reference", "why"], &differing))
            }
        }
        @for paper in Paper::ALL {
            @for one in done.iter().filter(|d| d.experiment.paper == paper) { (section(one)) }
        }
        section { h2 { "What the model does not do" } @for line in LIMITS { p { (line) } } }
        section {
            h2 { "Readings of the papers" }
            p { (READINGS) }
            p {
                @if paper_reading { "They are switched on here and marked `paper's reading`." }
                @else { "They are off here; `trample reproduce all --paper-reading` shows what they would give." }
            }
        }
        section {
            h2 { "Machine" }
            p { "Nothing on this page depends on the machine, the clock or the number of threads: running it again gives the same bytes. Wall-clock times stand apart in timings.json." }
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let how = if quick { " --quick" } else { "" };
    page(
        "What the papers show, computed",
        "Soft Walks (2021), Dynamic Footprints (2022), TRAIL (2024): every experiment beside its published numbers",
        &body,
        &format!("Made by trample {version} with `trample reproduce`{how}."),
    )
}

/// An experiment's title and where it was published.
fn cited(done: &Done) -> String {
    let e = done.experiment;
    format!("{} ({}, {}).", e.title, e.paper.title(), e.figure)
}

/// What the readings are that can be switched on.
pub(crate) const READINGS: &str = "Where the papers' text and physics conflict we take the physical reading (docs/papers.md). Printed forms that can be shown: the controller with +βθ̇ (sw-fig2), the weight ratio as a cosine (df-fig6), the displaced volume 2 − 2ν (df-fig7), a sole of 10 cm² (df-table1), a stabilisation step of 0.01 in metres (tr-fig7), the vegetation strength with 1/N (tr-fig14). Two are not shown: the swapped plant stiffnesses of TRAIL's Table 1, which have no meaning for stems with a physical rigidity, and sums over frames instead of time, which would only say how fast the game engine ran.";

/// The first words.
pub(crate) fn intro(quick: bool) -> String {
    let mut text = String::from(
        "Each experiment below is a figure or a table of one of the papers, run with this program. A verdict compares one number with one reference within a tolerance that is stated beside it: agrees, differs, or no reference where the paper shows a picture and no number.",
    );
    if quick {
        text += " This is the quick version, with coarser cells and fewer passes; its numbers are not the final ones.";
    }
    text
}

/// Columns of the table of kinds.
pub(crate) const KINDS: [&str; 5] = ["kind of evidence", "what it is", "agree", "differ", "not judged"];

/// Its rows.
pub(crate) fn kinds(done: &[Done]) -> Vec<Vec<String>> {
    let row = |(kind, n): (Kind, [usize; 3])| {
        let what = match kind {
            Kind::Printed => "a result that a paper prints",
            Kind::Measured => "data that were not used to build the model",
            Kind::Fitted => "data that were used to build the model",
            Kind::Identity => "our own equation, conservation, or an aim of ours",
            Kind::Direction => "a source that says only which way",
            Kind::Picture => "no reference: something to look at",
        };
        let [agree, differ, none] = n.map(|n| n.to_string());
        vec![kind.word().into(), what.into(), agree, differ, none]
    };
    by_kind(done).map(row).collect()
}

/// Columns of the overview.
pub(crate) const OVERVIEW: [&str; 6] =
    ["experiment", "paper", "figure", "what", "verdict", "agree / differ / none"];

/// A row of the overview.
pub(crate) fn overview(done: &Done) -> Vec<String> {
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
pub(crate) const COLUMNS: [&str; 7] =
    ["what", "ours", "reference", "verdict", "kind", "source", "why this tolerance"];

/// A row of an experiment's table.
pub(crate) fn row(finding: &Finding) -> Vec<String> {
    let source = finding.reference.as_ref().map(|r| &r.source);
    vec![
        finding.what.clone(),
        told(finding),
        finding.expected(),
        finding.verdict().word().into(),
        finding.kind().word().into(),
        source.map_or_else(String::new, |s| s.text.clone()),
        source.map_or_else(String::new, |s| s.tolerance.into()),
    ]
}

/// Our number with its unit.
fn told(finding: &Finding) -> String {
    match (finding.unit, finding.ours) {
        ("", _) | (_, None) => finding.value_text(),
        (unit, _) => format!("{}\u{a0}{unit}", finding.value_text()),
    }
}

/// Sentences on what differs or is a reading.
pub(crate) fn reasons(done: &Done) -> Vec<String> {
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

fn section(done: &Done) -> Markup {
    let e = done.experiment;
    let caption = format!("{}. {}, {}.", e.title, e.paper.title(), e.figure);
    html! {
        section {
            h2 { (e.name) " · " (e.title) }
            div.gallery { (figure(&done.image.to_palette_png(256), &caption)) }
            p { (done.outcome.text) }
            (table(&COLUMNS, &done.outcome.findings.iter().map(row).collect::<Vec<_>>()))
            @for reason in reasons(done) { p { (reason) } }
        }
    }
}

fn thumbnail(done: &Done) -> Markup {
    let wide = 760;
    let small = resized(&done.image, wide, done.image.height * wide / done.image.width);
    figure(&small.to_palette_png(256), &cited(done))
}
