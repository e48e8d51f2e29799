//! `trample reproduce`: every experiment of the papers, run with our model and laid beside the published numbers.
//!
//! An experiment is a function from a context to an outcome: a figure, findings with verdicts, a few sentences. Nothing in
//! an outcome depends on the machine or on the clock, but for `timings`, which go into a file of their own.

mod convergence;
mod experiments;
mod figure;
mod finding;
mod footprints_body;
mod footprints_feet;
mod footprints_ground;
mod footprints_rods;
mod map_panel;
mod markdown;
mod measure;
mod measured;
mod passes;
mod report;
mod soft_walks;
mod soft_walks_grass;
mod strip;
mod timings;
mod trail_feet;
mod trail_ground;
mod trail_landscape;
mod trail_plants;
mod trail_prints;
mod trail_slopes;
mod trail_table;
mod trails;
mod trails_measured;

use crate::Progress;
use crate::{Failure, save};
pub(crate) use experiments::{EXPERIMENTS, Paper};
use figure::Figure;
use finding::{Finding, Kind, Verdict};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use trample::Scene;
use trample_pictures::Image;

/// Run the papers' experiments and compare them with the published numbers
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample reproduce all                    every experiment of the papers, one report
  trample reproduce trails                 seasons: against live steps, hashes, ways, use and impact; an hour")]
pub struct Reproduce {
    /// Experiments by name (see --list) or prefix such as `tr-`, `all` for all of the papers, or `trails`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Coarser cells and fewer passes; takes less than a minute
    #[arg(long)]
    quick: bool,
    /// Only list the experiments
    #[arg(long)]
    list: bool,
    /// Also show the results of the papers' printed equations where we deviate from them
    #[arg(long)]
    paper_reading: bool,
    /// Also write the report as Markdown, with its pictures in a folder beside it
    #[arg(long, value_name = "FILE.md")]
    docs: Option<PathBuf>,
    /// Print all numbers as one JSON object
    #[arg(long)]
    json: bool,
    /// Number of parallel experiments; it does not affect the result
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
}

/// An experiment.
pub(crate) struct Experiment {
    /// Its name for the command.
    pub(crate) name: &'static str,
    /// Where it was published.
    pub(crate) paper: Paper,
    /// Which figure or table it is.
    pub(crate) figure: &'static str,
    /// What it shows.
    pub(crate) title: &'static str,
    run: fn(&Context) -> Result<Outcome, Failure>,
}

/// What an experiment is run with.
#[derive(Default)]
pub(crate) struct Context {
    /// Coarser and shorter.
    pub(crate) quick: bool,
    /// Whether wrong readings are shown as well.
    pub(crate) paper_reading: bool,
    /// Cole's lanes, which two experiments look at.
    pub(crate) lanes: trail_plants::Lanes,
}

impl Context {
    /// The side of a cell, m: as wanted, or at least 2 cm when it shall be quick.
    pub(crate) fn cell(&self, wanted: f64) -> f64 {
        if self.quick { wanted.max(0.02) } else { wanted }
    }
}

/// What an experiment leaves.
pub(crate) struct Outcome {
    /// To look at.
    pub(crate) figure: Figure,
    /// Numbers and verdicts.
    pub(crate) findings: Vec<Finding>,
    /// What one sees, in a few sentences.
    pub(crate) text: String,
    /// The scene, where one scene says it all.
    pub(crate) scene: Option<Scene>,
    /// What the clock says; belongs to one machine.
    pub(crate) timings: Option<Timings>,
}

/// What the clock of one machine says; kept apart from what must repeat.
pub(crate) struct Timings {
    /// For `timings.json`.
    pub(crate) numbers: Value,
    /// For `timings.png` and, in place of the figure, for the page in the repository.
    pub(crate) figure: Option<Figure>,
}

/// An experiment that has been run.
pub(crate) struct Done {
    /// Which.
    pub(crate) experiment: &'static Experiment,
    /// What came out.
    pub(crate) outcome: Outcome,
    /// Its figure.
    pub(crate) image: Image,
}

impl Done {
    /// How many findings have a verdict.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.outcome.findings.iter().filter(|f| f.verdict() == verdict).count()
    }

    /// How many findings of a kind have a verdict.
    pub(crate) fn count_kind(&self, kind: Kind, verdict: Verdict) -> usize {
        self.outcome.findings.iter().filter(|f| f.kind() == kind && f.verdict() == verdict).count()
    }

    /// The experiment's own verdict: differs if any finding does.
    pub(crate) fn verdict(&self) -> Verdict {
        match (self.count(Verdict::Differs), self.count(Verdict::Agrees)) {
            (0, 0) if self.count(Verdict::Elsewhere) > 0 => Verdict::Elsewhere,
            (0, 0) => Verdict::NoReference,
            (0, _) => Verdict::Agrees,
            _ => Verdict::Differs,
        }
    }

    /// The object of `numbers.json`.
    fn to_json(&self) -> Value {
        json!({
            "name": self.experiment.name,
            "paper": self.experiment.paper.title(),
            "figure": self.experiment.figure,
            "title": self.experiment.title,
            "verdict": self.verdict().word(),
            "findings": self.outcome.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
        })
    }
}

/// The experiments that some names mean, in the order of the papers.
fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    let wanted = |e: &Experiment, name: &str| {
        let group =
            e.name.strip_prefix(name).is_some_and(|rest| name.ends_with('-') || rest.starts_with('-'));
        (name == "all" && e.paper != Paper::Trails) || e.name == name || group
    };
    for name in names {
        if !EXPERIMENTS.iter().any(|e| wanted(e, name)) {
            let near = EXPERIMENTS.iter().filter(|e| e.name.contains(name.as_str())).map(|e| e.name);
            let near: Vec<&str> = near.collect();
            let hint =
                if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(", ")) };
            return Err(
                format!("{name}: no such experiment.{hint} `trample reproduce --list` lists them").into()
            );
        }
    }
    Ok(EXPERIMENTS.iter().filter(|e| names.iter().any(|name| wanted(e, name))).collect())
}

impl Reproduce {
    /// Runs the experiments and writes what they leave.
    pub fn run(&self) -> Result<bool, Failure> {
        // Nothing said lists everything, and runs what the papers have: trails take an hour.
        let everything = || vec!["all".to_string(), "trails".into()];
        let chosen = match self.names.is_empty() {
            true if self.list => chosen(&everything())?,
            true => chosen(&everything()[..1])?,
            false => chosen(&self.names)?,
        };
        if self.list {
            for e in chosen {
                println!("{:22} {:26} {:11} {}", e.name, e.paper.title(), e.figure, e.title);
            }
            return Ok(true);
        }
        let context = Context { quick: self.quick, paper_reading: self.paper_reading, ..Context::default() };
        let begun = Instant::now();
        let (done, seconds) = run_all(&chosen, &context, self.threads as usize)?;
        for one in &done {
            write(&self.out.join(one.experiment.name), one)?;
        }
        let all = json!({
            "quick": self.quick,
            "paper_reading": self.paper_reading,
            "kinds": by_kind(&done).map(|(kind, [agree, differ, none])| {
                (kind.word().to_owned(), json!({ "agree": agree, "differ": differ, "not_judged": none }))
            }).collect::<serde_json::Map<_, _>>(),
            "experiments": done.iter().map(Done::to_json).collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&all)? + "\n";
        save(&self.out.join("numbers.json"), text.as_bytes())?;
        let page = report::report(&done, self.quick, self.paper_reading);
        save(&self.out.join("report.html"), page.as_bytes())?;
        if let Some(path) = &self.docs {
            markdown::write(path, &done, self.quick)?;
        }
        let own: serde_json::Map<String, Value> = done
            .iter()
            .zip(&seconds)
            .map(|(one, s)| {
                (
                    one.experiment.name.into(),
                    json!({ "seconds": s, "measured": one.outcome.timings.as_ref().map(|t| &t.numbers) }),
                )
            })
            .collect();
        let clock = json!({ "seconds": begun.elapsed().as_secs_f64(), "experiments": own });
        let clock = serde_json::to_string_pretty(&clock)? + "\n";
        save(&self.out.join("timings.json"), clock.as_bytes())?;
        if self.json {
            print!("{text}");
        } else {
            tell(&done, &self.out, begun.elapsed().as_secs_f64());
        }
        Ok(true)
    }
}

/// Experiments that take longest.
const LONGEST: [&str; 8] = [
    "convergence-passes",
    "tr-fig9",
    "sw-fig2",
    "df-fig6",
    "convergence-seeds",
    "tr-fig14",
    "tr-fig15",
    "tr-fig8",
];

/// Runs experiments on some threads; results come back in the order asked for, with the seconds each took.
fn run_all(
    chosen: &[&'static Experiment],
    context: &Context,
    threads: usize,
) -> Result<(Vec<Done>, Vec<f64>), Failure> {
    let bar = Progress::new("reproduce", chosen.len() as u64, "[{bar:32}] {pos}/{len} {msg}")?;
    // The longest first, so that no thread is left alone with one of them at the end.
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|&i| LONGEST.iter().position(|n| *n == chosen[i].name).unwrap_or(LONGEST.len()));
    let next = AtomicUsize::new(0);
    type Slot = Mutex<Option<(Result<Done, Failure>, f64)>>;
    let slots: Vec<Slot> = chosen.iter().map(|_| Mutex::new(None)).collect();
    let running: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let name = |change: &dyn Fn(&mut Vec<&'static str>)| {
        let mut names = running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut names);
        bar.say(names.join(", "));
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(chosen.len()).max(1) {
            scope.spawn(|| {
                while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let experiment = chosen[i];
                    name(&|names| names.push(experiment.name));
                    let begun = Instant::now();
                    let done = (experiment.run)(context).map(|outcome| {
                        let image = outcome.figure.image();
                        Done { experiment, outcome, image }
                    });
                    let seconds = begun.elapsed().as_secs_f64();
                    *slots[i].lock().unwrap_or_else(PoisonError::into_inner) = Some((done, seconds));
                    name(&|names| names.retain(|n| *n != experiment.name));
                    bar.inc();
                }
            });
        }
    });
    bar.finish();
    let (mut all, mut seconds) = (Vec::new(), Vec::new());
    for (slot, experiment) in slots.into_iter().zip(chosen) {
        let slot = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (done, took) = slot.ok_or_else(|| format!("{} did not end", experiment.name))?;
        all.push(done.map_err(|e| format!("{}: {e}", experiment.name))?);
        seconds.push(took);
    }
    Ok((all, seconds))
}

/// For each kind of evidence: how many numbers agree, differ, and are not judged.
pub(crate) fn by_kind(done: &[Done]) -> impl Iterator<Item = (Kind, [usize; 3])> + '_ {
    Kind::ALL.into_iter().map(|kind| {
        let count = |verdict| done.iter().map(|d| d.count_kind(kind, verdict)).sum::<usize>();
        let all = done.iter().flat_map(|d| &d.outcome.findings).filter(|f| f.kind() == kind).count();
        let (agree, differ) = (count(Verdict::Agrees), count(Verdict::Differs));
        (kind, [agree, differ, all - agree - differ])
    })
}

/// The headline: what speaks for the model, and what does not.
pub(crate) fn headline(done: &[Done]) -> String {
    let sum = |speaks: bool| {
        by_kind(done)
            .filter(|(kind, _)| kind.speaks() == speaks)
            .fold([0; 2], |[a, d], (_, n)| [a + n[0], d + n[1]])
    };
    let ([agree, differ], [own, off]) = (sum(true), sum(false));
    format!(
        "{agree} of {} numbers that a paper prints or that were measured and not used to build the model agree; {own} of {} fits, identities and directions do, which prove that the program does what it says and no more.",
        agree + differ,
        own + off
    )
}

/// Writes the files of one experiment.
fn write(folder: &Path, done: &Done) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    save(&folder.join("figure.png"), &done.image.to_png())?;
    save(&folder.join("figure.svg"), done.outcome.figure.svg().as_bytes())?;
    let text = serde_json::to_string_pretty(&done.to_json())? + "\n";
    save(&folder.join("numbers.json"), text.as_bytes())?;
    if let Some(scene) = &done.outcome.scene {
        trample_files::scene_file::write(&folder.join("scene.toml"), scene)?;
    }
    if let Some(timings) = &done.outcome.timings {
        let text = serde_json::to_string_pretty(&timings.numbers)? + "\n";
        save(&folder.join("timings.json"), text.as_bytes())?;
        if let Some(figure) = &timings.figure {
            save(&folder.join("timings.png"), &figure.image().to_png())?;
        }
    }
    Ok(())
}

/// The end, for a person.
fn tell(done: &[Done], out: &Path, seconds: f64) {
    for one in done {
        println!(
            "{:22} {:16} {} agree, {} differ, {} without reference",
            one.experiment.name,
            one.verdict().word(),
            one.count(Verdict::Agrees),
            one.count(Verdict::Differs),
            one.count(Verdict::NoReference)
        );
        for finding in one.outcome.findings.iter().filter(|f| f.verdict() == Verdict::Differs) {
            let (ours, theirs) = (finding.value_text(), finding.expected());
            println!("    {}: {ours} {}, reference {theirs}", finding.what, finding.unit);
        }
    }
    for (kind, [agree, differ, none]) in by_kind(done) {
        println!("{:22} {agree} agree, {differ} differ, {none} not judged", kind.word());
    }
    println!("{}", headline(done));
    println!("report.html, numbers.json and a folder for each are in {} ({seconds:.0} s)", out.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_has_its_name_once() {
        // Which names there must be is the contract that `tests/reproduce.rs` checks.
        for one in &EXPERIMENTS {
            assert_eq!(EXPERIMENTS.iter().filter(|e| e.name == one.name).count(), 1, "{}", one.name);
        }
    }

    #[test]
    fn the_committed_page_has_every_experiment_with_its_figure() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for (stem, trails) in [("validation", false), ("validation-trails", true)] {
            let page = std::fs::read_to_string(docs.join(format!("{stem}.md"))).expect("the page");
            let shown = EXPERIMENTS.iter().filter(|e| (e.paper == Paper::Trails) == trails);
            for e in shown.clone() {
                assert!(page.contains(&format!("### {} · {}\n", e.name, e.title)), "{}", e.name);
                assert!(docs.join(stem).join(format!("{}.png", e.name)).exists(), "{}", e.name);
            }
            assert_eq!(page.matches("\n### ").count(), shown.count(), "{stem} and no other");
        }
    }

    #[test]
    fn counts_and_ranges_on_the_committed_page_are_those_of_the_code() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let page = std::fs::read_to_string(docs.join("validation.md")).expect("the page");
        let substeps = trample::internal::reference::SUBSTEPS;
        assert!(
            page.contains(&format!("The simulation takes {substeps:.0} substeps a second")),
            "{substeps}"
        );
        // The head line, the table of kinds and the tables of numbers count the same.
        let cells = |line: &str| line.split('|').map(|c| c.trim().to_string()).collect::<Vec<_>>();
        let count = |verdict: &str, kinds: &[&str]| {
            let rows = page.lines().map(cells);
            rows.filter(|r| r.len() == 9 && r[4] == verdict && kinds.contains(&r[5].as_str())).count()
        };
        let (mut agree, mut all) = ([0, 0], [0, 0]);
        for kind in Kind::ALL {
            let row = page.lines().map(cells).find(|r| r.len() == 7 && r[1] == kind.word());
            let told: Vec<usize> =
                row.expect("a row of its kind")[3..6].iter().map(|c| c.parse().expect("a count")).collect();
            let found = ["agrees", "differs"].map(|verdict| count(verdict, &[kind.word()]));
            assert_eq!(told[..2], found, "{}", kind.word());
            let which = usize::from(!kind.speaks());
            (agree[which], all[which]) = (agree[which] + found[0], all[which] + found[0] + found[1]);
        }
        for which in [0, 1] {
            let told = format!("{} of {} ", agree[which], all[which]);
            assert!(page.lines().any(|l| l.contains(&told) && l.contains("which prove")), "{told}");
        }
    }

    #[test]
    fn names_beginnings_and_all_choose_and_mistakes_are_answered() {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_string()).collect::<Vec<_>>();
        let trails = chosen(&names(&["trails"])).expect("a group").len();
        assert_eq!(chosen(&names(&["all"])).expect("all").len() + trails, EXPERIMENTS.len());
        assert_eq!(trails, 8);
        assert_eq!(chosen(&names(&["sw-"])).expect("five").len(), 5);
        let two = chosen(&names(&["tr-fig6", "df-fig7"])).expect("two");
        assert_eq!(two.iter().map(|e| e.name).collect::<Vec<_>>(), ["df-fig7", "tr-fig6"]);
        let problem = chosen(&names(&["fig7"])).err().expect("a mistake").to_string();
        assert!(problem.contains("df-fig7") && problem.contains("--list"), "{problem}");
    }
}
