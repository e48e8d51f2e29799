//! Tables of relative cover against passes, as text: columns `passes` and `cover`.

use crate::memory;
use std::path::Path;

/// Largest table that is read, bytes.
const LARGEST: u64 = 1 << 20;
/// Most passes that a lane is walked for.
const MOST_PASSES: u32 = 5000;
/// Most relative cover after passes, %: control lanes grow by some per cent, no trodden one by more than this (our choice).
const MOST_COVER: f64 = 120.0;
/// How far replicates of untrodden plots scatter at most, points: relative cover is their mean's 100 (our choice).
const UNTRODDEN: f64 = 10.0;

/// Relative cover after so many passes, %: the mean of all rows with that many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredCover {
    /// How often it was walked on.
    pub passes: u32,
    /// Relative cover, %.
    pub cover: f64,
    /// Standard deviation of single rows, %; 0 where there is one.
    pub deviation: f64,
    /// How many rows.
    pub replicates: u32,
}

impl MeasuredCover {
    /// Of all covers found after so many passes; at least one.
    pub fn of(passes: u32, covers: &[f64]) -> Self {
        let n = covers.len() as f64;
        let mean = covers.iter().sum::<f64>() / n;
        let squares: f64 = covers.iter().map(|c| (c - mean) * (c - mean)).sum();
        let deviation = if covers.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        Self { passes, cover: mean, deviation, replicates: covers.len() as u32 }
    }

    /// Standard error of the mean, %; 0 where nothing is known of it.
    pub fn error(&self) -> f64 {
        self.deviation / f64::from(self.replicates).sqrt()
    }
}

/// Reads a table with the columns `passes` and `cover`, in any order and beside others. Rows of equally many passes are replicates.
///
/// # Errors
/// If the file cannot be read or is no such table: file, line, and what is allowed.
pub fn read(path: &Path) -> Result<Vec<MeasuredCover>, String> {
    let text = memory::read_text(path, LARGEST)?;
    parse(&text).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))
}

/// The rows of a table, by passes; else the line and what is wrong with it.
fn parse(text: &str) -> Result<Vec<MeasuredCover>, (usize, String)> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim().trim_start_matches('\u{feff}')))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let cells = |line: &str| -> Vec<String> {
        line.split([',', ';', '\t']).map(|c| c.trim().trim_matches('"').to_lowercase()).collect()
    };
    let (at, header) = lines.next().ok_or((1, "nothing in it".to_string()))?;
    let header = cells(header);
    let column = |names: &[&str]| header.iter().position(|h| names.contains(&h.as_str()));
    if let Some(twice) = header.iter().enumerate().find(|(k, h)| !h.is_empty() && header[..*k].contains(h)) {
        return Err((at, format!("column `{}` is there twice; delete one", twice.1)));
    }
    let told =
        |name: &str| (at, format!("no column `{name}`; the first line must name `passes` and `cover`"));
    let passes = column(&["passes", "pass"]).ok_or_else(|| told("passes"))?;
    let names = ["cover", "cover_percent", "cover_pct", "relative_cover", "relative_cover_pct"];
    let cover = column(&names).ok_or_else(|| told("cover"))?;
    let mut rows: Vec<(u32, f64)> = Vec::new();
    let mut untrodden: Vec<(usize, f64)> = Vec::new();
    for (n, line) in lines {
        let cells = cells(line);
        let number = |k: usize, what: &str, most: f64| {
            let cell = cells.get(k).map_or("", String::as_str);
            let value = cell.trim_end_matches('%').trim().parse::<f64>().ok();
            value
                .filter(|v| (0.0..=most).contains(v))
                .ok_or_else(|| (n, format!("`{what}` is `{cell}`, must be a number from 0 to {most}")))
        };
        let (p, c) = (number(passes, "passes", f64::from(MOST_PASSES))?, number(cover, "cover", MOST_COVER)?);
        if p.fract() != 0.0 {
            return Err((n, format!("`passes` is {p}, must be a whole number")));
        }
        // Before anybody walked there is nothing to fit, and cover is what it is relative to; replicates scatter around it.
        if p == 0.0 && (c - 100.0).abs() > UNTRODDEN {
            return Err((
                n,
                format!(
                    "`cover` is {c} after 0 passes, must be about 100: it is relative to what was there before"
                ),
            ));
        }
        match p > 0.0 {
            true => rows.push((p as u32, c)),
            false => untrodden.push((n, c)),
        }
    }
    // One reading is what the others are relative to; the mean of several is, within a point, as readings are rounded.
    let mean = untrodden.iter().map(|u| u.1).sum::<f64>() / untrodden.len().max(1) as f64;
    if let Some((n, _)) = untrodden.last().filter(|_| (mean - 100.0).abs() > 1.0) {
        let problem = format!(
            "`cover` is {mean:.1} in the mean after 0 passes, must be 100: it is relative to what was there before"
        );
        return Err((*n, problem));
    }
    if rows.is_empty() {
        return Err((at, "no row with passes above 0".into()));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same = rows.chunk_by(|a, b| a.0 == b.0);
    Ok(same.map(|rows| MeasuredCover::of(rows[0].0, &rows.iter().map(|r| r.1).collect::<Vec<_>>())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_whatever_the_order_of_its_columns() {
        let rows = parse("site,cover,passes\na,70.4,75\na,100,0\nb,86.3 %,25\n").expect("rows");
        assert_eq!(rows, [MeasuredCover::of(25, &[86.3]), MeasuredCover::of(75, &[70.4])]);
        assert_eq!(parse("\u{feff}Passes;Cover\r\n25;86.3\r\n").expect("rows").len(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_what_is_allowed() {
        let problem = |text: &str| parse(text).expect_err("it is wrong");
        assert_eq!(
            problem("passes,height\n1,2\n"),
            (1, "no column `cover`; the first line must name `passes` and `cover`".into())
        );
        assert_eq!(
            problem("passes,cover\n25,86\n75,x\n"),
            (3, "`cover` is `x`, must be a number from 0 to 120".into())
        );
        assert_eq!(problem("passes,cover\n25,NaN\n").0, 2);
        assert_eq!(problem("passes,cover\n1e9,5\n").0, 2);
        assert_eq!(problem("").0, 1);
        assert_eq!(problem("passes,cover\n0,100\n25,190\n").0, 3);
        assert_eq!(problem("passes,passes,cover\n25,25,80\n").0, 1);
        assert_eq!(problem("passes,cover\n0,60\n25,50\n").0, 2);
        assert_eq!(problem("passes,cover\n0,98\n0,96\n25,50\n").0, 3);
    }

    #[test]
    fn rows_of_equally_many_passes_are_replicates() {
        let rows = parse("passes,cover\n0,101.5\n0,98.5\n25,80\n75,60\n25,90\n25,85\n").expect("rows");
        assert_eq!(rows, [MeasuredCover::of(25, &[80.0, 85.0, 90.0]), MeasuredCover::of(75, &[60.0])]);
        assert_eq!((rows[0].cover, rows[0].deviation, rows[0].replicates), (85.0, 5.0, 3));
        assert!((rows[0].error() - 5.0 / 3.0f64.sqrt()).abs() < 1e-12 && rows[1].deviation == 0.0);
    }
}
