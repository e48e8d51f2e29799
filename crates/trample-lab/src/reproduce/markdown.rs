//! The report as Markdown for the repository, with small pictures beside it.

use super::figure::{Figure, resized};
use super::report::{COLUMNS, HERO, KINDS, LIMITS, OVERVIEW, READINGS, intro, kinds, overview, reasons, row};
use super::{Done, Paper, headline};
use crate::{Failure, save};
use std::fmt::Write as _;
use std::path::Path;

/// Pixels across a picture of the page.
const WIDTH: usize = 900;
/// Colours of a picture: enough for snow and sand, few enough to be small.
const COLOURS: usize = 128;

/// Writes the page and its pictures, into a folder beside it that has its name.
pub(crate) fn write(path: &Path, done: &[Done], quick: bool) -> Result<(), Failure> {
    let stem = path.file_stem().map_or_else(|| "validation".into(), |s| s.to_string_lossy().into_owned());
    let folder = path.parent().unwrap_or(Path::new("")).join(&stem);
    for one in done {
        // The README's picture may be larger than the others.
        let first = one.experiment.name == HERO;
        let (width, colours) = if first { (1200, 256) } else { (WIDTH, COLOURS) };
        let clocked = one.outcome.timings.as_ref().and_then(|t| t.figure.as_ref()).map(Figure::image);
        let image = clocked.as_ref().unwrap_or(&one.image);
        let small = resized(image, width, image.height * width / image.width);
        save(&folder.join(format!("{}.png", one.experiment.name)), &small.to_palette_png(colours))?;
    }
    save(path, page(&stem, done, quick)?.as_bytes())
}

fn page(stem: &str, done: &[Done], quick: bool) -> Result<String, Failure> {
    let mut out = String::new();
    let trails = done.iter().all(|d| d.experiment.paper == Paper::Trails);
    let (title, names) = if trails {
        ("What must hold of trails", "trails")
    } else {
        ("What the papers show, computed", "all")
    };
    let flag = if quick { " --quick" } else { "" };
    writeln!(
        out,
        "# {title}\n\nWritten by `trample reproduce {names}{flag} --docs docs/{stem}.md`; do not edit.\n"
    )?;
    writeln!(out, "{}\n", headline(done))?;
    table(&mut out, &KINDS, kinds(done).into_iter())?;
    writeln!(out, "\n{}\n", intro(quick))?;
    table(&mut out, &OVERVIEW, done.iter().map(overview))?;
    for paper in Paper::ALL {
        let own: Vec<&Done> = done.iter().filter(|d| d.experiment.paper == paper).collect();
        if own.is_empty() {
            continue;
        }
        writeln!(out, "\n## {}", paper.title())?;
        for one in own {
            let e = one.experiment;
            writeln!(out, "\n### {} · {}\n", e.name, e.title)?;
            writeln!(out, "![{}, {}: {}]({stem}/{}.png)\n", paper.title(), e.figure, e.title, e.name)?;
            writeln!(out, "{}\n", one.outcome.text)?;
            table(&mut out, &COLUMNS, one.outcome.findings.iter().map(row))?;
            for reason in reasons(one) {
                writeln!(out, "\n{reason}")?;
            }
        }
    }
    if trails {
        return Ok(out);
    }
    writeln!(out, "\n## What the model does not do\n")?;
    for line in LIMITS {
        writeln!(out, "- {line}")?;
    }
    writeln!(
        out,
        "\n## Readings of the papers\n\n{READINGS} They are off here; `--paper-reading` shows them."
    )?;
    Ok(out)
}

fn table(
    out: &mut String,
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), std::fmt::Error> {
    writeln!(out, "| {} |", head.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(head.len()))?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}
