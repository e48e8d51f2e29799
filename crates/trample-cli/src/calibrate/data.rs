//! Cover against passes: from a file, or as Cole 1995 measured it.

use crate::Failure;
use std::io::Read;
use std::path::Path;

/// Largest table that is read, bytes.
const LARGEST: u64 = 1 << 20;
/// Most passes that a lane is walked for.
const MOST_PASSES: u32 = 5000;

/// One row: relative cover after so many passes, %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) passes: u32,
    pub(super) cover: f64,
}

/// Relative cover after 25, 75, 200 and 500 passes (Cole 1995, as the authors of TRAIL 2024 took it over for the two species
/// that they fitted), %.
const COLE: [(&str, [f64; 4]); 2] =
    [("carex-pensylvanica", [86.3, 70.4, 39.8, 20.0]), ("lycopodium-lucidulum", [96.2, 83.8, 60.2, 45.5])];

/// What is built in for a species, and where it comes from.
pub(super) fn built_in(species: &str) -> Option<(Vec<Measured>, String)> {
    let (_, cover) = COLE.iter().find(|(name, _)| *name == species)?;
    let rows = [25, 75, 200, 500].into_iter().zip(cover);
    Some((
        rows.map(|(passes, &cover)| Measured { passes, cover }).collect(),
        "Cole 1995, by way of TRAIL 2024".into(),
    ))
}

/// Reads a table with the columns `passes` and `cover`, in any order and beside others.
pub(super) fn read(path: &Path) -> Result<Vec<Measured>, Failure> {
    let place = path.display();
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|e| format!("{place}: {e}"))?;
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(|e| format!("{place}: {e}"))?;
    if text.len() as u64 > LARGEST {
        return Err(format!("{place}: more than {LARGEST} bytes, allowed: {LARGEST}").into());
    }
    parse(&text).map_err(|(line, problem)| format!("{place}:{line}: {problem}").into())
}

/// The rows of a table, by passes; else the line and what is wrong with it.
fn parse(text: &str) -> Result<Vec<Measured>, (usize, String)> {
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
    let told =
        |name: &str| (at, format!("no column `{name}`; the first line must name `passes` and `cover`"));
    let passes = column(&["passes", "pass"]).ok_or_else(|| told("passes"))?;
    let names = ["cover", "cover_percent", "cover_pct", "relative_cover", "relative_cover_pct"];
    let cover = column(&names).ok_or_else(|| told("cover"))?;
    let mut rows = Vec::new();
    for (n, line) in lines {
        let cells = cells(line);
        let number = |k: usize, what: &str, most: f64| {
            let cell = cells.get(k).map_or("", String::as_str);
            let value = cell.trim_end_matches('%').trim().parse::<f64>().ok();
            value
                .filter(|v| (0.0..=most).contains(v))
                .ok_or_else(|| (n, format!("`{what}` is `{cell}`, must be a number from 0 to {most}")))
        };
        let (p, c) = (number(passes, "passes", f64::from(MOST_PASSES))?, number(cover, "cover", 200.0)?);
        if p.fract() != 0.0 {
            return Err((n, format!("`passes` is {p}, must be a whole number")));
        }
        // Before anybody walked there is nothing to fit.
        if p > 0.0 {
            rows.push(Measured { passes: p as u32, cover: c });
        }
    }
    rows.sort_by_key(|row| row.passes);
    if let Some(twice) = rows.windows(2).find(|w| w[0].passes == w[1].passes) {
        return Err((at, format!("{} passes are there twice; give one series", twice[0].passes)));
    }
    if rows.is_empty() {
        return Err((at, "no row with passes above 0".into()));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_whatever_the_order_of_its_columns() {
        let rows = parse("site,cover,passes\na,70.4,75\na,100,0\nb,86.3 %,25\n").expect("rows");
        assert_eq!(rows, [Measured { passes: 25, cover: 86.3 }, Measured { passes: 75, cover: 70.4 }]);
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
            (3, "`cover` is `x`, must be a number from 0 to 200".into())
        );
        assert_eq!(problem("passes,cover\n25,NaN\n").0, 2);
        assert_eq!(problem("passes,cover\n1e9,5\n").0, 2);
        assert!(problem("passes,cover\n25,1\n25,2\n").1.contains("twice"));
        assert_eq!(problem("").0, 1);
    }
}
