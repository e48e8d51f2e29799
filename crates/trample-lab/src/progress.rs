//! How far a command is: a bar where there is a terminal, else a line every few seconds.

use crate::Failure;
use crate::print::{err, escaped};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Seconds between lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(5);

/// A command under way.
pub struct Progress {
    bar: ProgressBar,
    name: String,
    told: Mutex<Instant>,
}

impl Progress {
    /// Something called `name` that has `total` parts, drawn by a template of indicatif without its prefix.
    pub fn new(name: &str, total: u64, template: &str) -> Result<Self, Failure> {
        let bar = ProgressBar::new(total);
        bar.set_style(ProgressStyle::with_template(&format!("{{prefix}} {template}"))?.progress_chars("=> "));
        let name = escaped(name).into_owned();
        bar.set_prefix(name.clone());
        Ok(Self { bar, name, told: Mutex::new(Instant::now()) })
    }

    /// So many parts are done, of which `words` say more.
    pub fn set(&self, done: u64, words: impl Into<String>) {
        self.bar.set_position(done);
        self.bar.set_message(escaped(&words.into()).into_owned());
        self.tell();
    }

    /// One more part is done.
    pub fn inc(&self) {
        self.bar.inc(1);
        self.tell();
    }

    /// Says more about what is being done.
    pub fn say(&self, words: impl Into<String>) {
        self.bar.set_message(escaped(&words.into()).into_owned());
    }

    fn tell(&self) {
        let Ok(mut told) = self.told.lock() else { return };
        if !self.bar.is_hidden() || told.elapsed() < EVERY {
            return;
        }
        *told = Instant::now();
        let share = 100.0 * self.bar.position() as f64 / self.bar.length().unwrap_or(0).max(1) as f64;
        let words = self.bar.message();
        let words = words.trim_end_matches([',', ' ']);
        let colon = if words.is_empty() { "" } else { ": " };
        err(format_args!("{} {share:.0} %{colon}{words}\n", self.name));
    }

    /// All is done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
