//! Tables of numbers by day, as text: a date and a number in each row, such as counted visitors or rain.

use crate::memory;
use std::path::Path;
use trample::params::Range;
use trample::scene::Date;

/// Largest table that is read, bytes.
const LARGEST: u64 = 4 << 20;

/// The numbers of `days` days from `start` on. Rows of other days are left out; every day needs one.
///
/// # Errors
/// If the file cannot be read, has text for numbers, a day twice or not at all: file, line, and what is allowed.
pub fn read(path: &Path, start: Date, days: usize, range: &Range) -> Result<Vec<f64>, String> {
    let (place, rows) = (path.display(), all(path, range)?);
    (0..days as i64)
        .map(|day| {
            let date = Date(start.0 + day);
            rows.binary_search_by_key(&date, |row| row.0).map(|i| rows[i].1).map_err(|_| {
                let missing = (0..days as i64).filter(|d| rows.binary_search_by_key(&Date(start.0 + d), |r| r.0).is_err());
                format!(
                    "{place}: no row for {date}: {} of the {days} days from {start} are missing, and every day needs one (0 if nobody came)",
                    missing.count()
                )
            })
        })
        .collect()
}

/// All rows of a table, by date.
///
/// # Errors
/// If the file cannot be read, has text for numbers or a day twice: file, line, and what is allowed.
pub fn all(path: &Path, range: &Range) -> Result<Vec<(Date, f64)>, String> {
    let text = memory::read_text(path, LARGEST)?;
    parse(&text, range).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))
}

/// The rows of a table, by date; else the line and what is wrong with it.
fn parse(text: &str, range: &Range) -> Result<Vec<(Date, f64)>, (usize, String)> {
    let mut rows: Vec<(Date, f64)> = Vec::new();
    let lines = text.lines().enumerate().map(|(n, l)| (n + 1, l.trim().trim_start_matches('\u{feff}')));
    for (k, (n, line)) in lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('#')).enumerate() {
        let mut cells = line.split([',', ';', '\t']).map(|c| c.trim().trim_matches('"'));
        let (day, number) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let Some(date) = Date::parse(day.get(..10).unwrap_or(day)) else {
            // The first line may name the columns.
            if k == 0 && number.parse::<f64>().is_err() {
                continue;
            }
            // What has no columns may be of any file, and is not quoted.
            let found = if number.is_empty() {
                "the line has no second column, and its first".into()
            } else {
                format!("`{day}`")
            };
            return Err((n, format!("{found} is not a date, must be as 2026-04-01")));
        };
        let value =
            number.parse::<f64>().ok().filter(|v| range.contains(*v)).ok_or_else(|| {
                (n, format!("`{number}` is not {}, allowed: {}", range.what, range.allowed()))
            })?;
        rows.push((date, value));
        if rows.iter().rev().skip(1).take(1).any(|r| r.0 == date) {
            return Err((n, format!("{date} is there twice")));
        }
    }
    rows.sort_by_key(|row| row.0);
    match rows.windows(2).find(|w| w[0].0 == w[1].0) {
        Some(twice) => Err((1, format!("{} is there twice", twice[0].0))),
        None if rows.is_empty() => Err((1, "no row with a date and a number".into())),
        None => Ok(rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const COUNT: Range = Range::new("count", "1/d", 0.0, 1e6, "a number of people");

    #[test]
    fn rows_are_read_and_errors_name_the_line() {
        let rows = parse("date,count\n2026-04-02,5\n2026-04-01,3\n", &COUNT).expect("good");
        assert_eq!(rows[0], (Date::from_civil(2026, 4, 1), 3.0));
        for (text, line) in [
            ("date,count\n2026-04-01,many\n", 2),
            ("date,count\n2026-04-01,-3\n", 2),
            ("date,count\nsoon,3\n", 2),
            ("date,count\n2026-04-01,3\n2026-04-01,4\n", 3),
            ("", 1),
        ] {
            assert_eq!(parse(text, &COUNT).map_err(|e| e.0), Err(line), "{text}");
        }
    }
}
