//! What is under way, told every few seconds, however long one part of it takes.

use crate::Failure;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use trample_lab::Progress;

/// A command under way, whose clock ticks.
pub(crate) struct Ticking {
    now: Arc<Mutex<Now>>,
    stop: Option<Sender<()>>,
    clock: Option<JoinHandle<()>>,
}

struct Now {
    bar: Progress,
    done: u64,
    words: String,
    since: Instant,
}

impl Ticking {
    /// Something called `name` that has `total` parts, drawn by a template of indicatif; `words` are what it does first.
    pub(crate) fn new(name: &str, total: u64, template: &str, words: &str) -> Result<Self, Failure> {
        let bar = Progress::new(name, total, template)?;
        let now = Arc::new(Mutex::new(Now { bar, done: 0, words: words.into(), since: Instant::now() }));
        let (stop, stopped) = mpsc::channel::<()>();
        let told = now.clone();
        let clock = std::thread::spawn(move || {
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let now = told.lock().unwrap_or_else(PoisonError::into_inner);
                now.bar.set(now.done, format!("{} for {} s,", now.words, now.since.elapsed().as_secs()));
            }
        });
        Ok(Self { now, stop: Some(stop), clock: Some(clock) })
    }

    /// So many parts are done; `words` are what is done next.
    pub(crate) fn set(&self, done: u64, words: String) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.bar.set(done, words.clone() + ",");
        (now.done, now.words, now.since) = (done, words, Instant::now());
    }

    /// One more part of `total` is done, of any number that are done at once.
    pub(crate) fn inc(&self, what: &str) {
        let done = self.now.lock().unwrap_or_else(PoisonError::into_inner).done + 1;
        self.set(done, format!("{done} {what}"));
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(clock) = self.clock.take() {
            let _ = clock.join();
        }
        self.now.lock().unwrap_or_else(PoisonError::into_inner).bar.finish();
    }
}
