//! How far something is that takes a while: a bar in a terminal, a line every few seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(3);
/// Time between two pictures of the bar.
const BARS: Duration = Duration::from_millis(100);
/// Letters of the bar.
const WIDE: usize = 30;

/// A count that goes up to its end.
pub(super) struct Progress {
    what: &'static str,
    terminal: bool,
    began: Instant,
    told: Instant,
    line: bool,
}

impl Progress {
    /// Of so many of something.
    pub(super) fn of(what: &'static str) -> Self {
        let now = Instant::now();
        Self { what, terminal: std::io::stderr().is_terminal(), began: now, told: now, line: false }
    }

    /// So many are done of all.
    pub(super) fn tell(&mut self, done: f64, all: f64) {
        let every = if self.terminal { BARS } else { LINES };
        if self.told.elapsed() < every {
            return;
        }
        self.told = Instant::now();
        let text = words(self.what, done, all, self.began.elapsed().as_secs_f64());
        if self.terminal {
            eprint!("\r\x1b[K{} {text}", bar(done / all.max(1e-9)));
            let _ = std::io::stderr().flush();
            self.line = true;
        } else {
            eprintln!("{text}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.line {
            eprint!("\r\x1b[K");
        }
    }
}

fn bar(share: f64) -> String {
    let full = ((share.clamp(0.0, 1.0) * WIDE as f64) as usize).min(WIDE);
    format!("[{}{}]", "#".repeat(full), ".".repeat(WIDE - full))
}

fn words(what: &str, done: f64, all: f64, seconds: f64) -> String {
    let left = if done > 0.0 {
        format!(", {:.0} s left", seconds * (all - done).max(0.0) / done)
    } else {
        String::new()
    };
    format!("{done:.0} of {all:.0} {what}{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_and_words_say_what_is_left() {
        assert_eq!(bar(0.0), format!("[{}]", ".".repeat(WIDE)));
        assert_eq!(bar(2.0), format!("[{}]", "#".repeat(WIDE)));
        assert_eq!(words("pictures", 5.0, 20.0, 10.0), "5 of 20 pictures, 30 s left");
        assert_eq!(words("pictures", 0.0, 20.0, 10.0), "0 of 20 pictures");
    }
}
