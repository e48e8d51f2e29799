//! Drives the fuzz targets on stable Rust: takes files of the corpus, damages them, and reads them, for some seconds.
//!
//! ```text
//! cargo run -p trample-fuzz -- --seconds 5              each target for five seconds
//! cargo run -p trample-fuzz -- --target tif --seed 7    one of them, with other damage
//! cargo run -p trample-fuzz -- --target tif FILE...     reads files as they are, such as one that failed
//! ```
//!
//! An input that makes a target panic is left in the folder `fuzz/failures`, and the program ends with 1.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use trample_fuzz::{TARGETS, Target, by_name};

/// A reader that takes longer than this for a file of a few kilobytes is at fault too. Generous: machines are shared.
const LONGEST: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    match asked() {
        Ok(asked) => asked.run(),
        Err(problem) => {
            eprintln!(
                "error: {problem}; usage: trample-fuzz [--seconds N] [--seed N] [--target NAME] [FILE...]"
            );
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for.
struct Asked {
    seconds: f64,
    seed: u64,
    targets: Vec<Target>,
    files: Vec<PathBuf>,
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked { seconds: 5.0, seed: 1, targets: TARGETS.to_vec(), files: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<f64>().map_err(|_| format!("`{text}` is no number"));
        match word.as_str() {
            "--seconds" => asked.seconds = number(value()?)?,
            "--seed" => asked.seed = number(value()?)? as u64,
            "--target" => {
                let name = value()?;
                asked.targets = vec![by_name(&name).ok_or(format!("no target `{name}`"))?];
            }
            _ if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
            _ => asked.files.push(word.into()),
        }
    }
    if !asked.files.is_empty() && asked.targets.len() > 1 {
        return Err("files need a --target".into());
    }
    Ok(asked)
}

impl Asked {
    fn run(&self) -> ExitCode {
        let mut failures = 0;
        for target in &self.targets {
            let seeds = if self.files.is_empty() { corpus(target.name) } else { read_all(&self.files) };
            if seeds.is_empty() {
                eprintln!("error: {}: no file in the corpus", target.name);
                failures += 1;
                continue;
            }
            failures += self.drive(target, &seeds);
        }
        if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Reads every seed as it is, then damaged ones until the time is over. Returns how many failed; stops at the first few.
    fn drive(&self, target: &Target, seeds: &[Vec<u8>]) -> u32 {
        let (mut runs, mut failures, mut slowest) = (0_u64, 0, Duration::ZERO);
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        let mut random = Random(self.seed ^ 0x9E37_79B9_7F4A_7C15);
        while failures < 3 {
            let input = match usize::try_from(runs).ok().and_then(|n| seeds.get(n)) {
                Some(seed) => seed.clone(),
                None if self.files.is_empty() && Instant::now() < end => damaged(seeds, &mut random),
                None => break,
            };
            let start = Instant::now();
            let fine = catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_ok();
            let took = start.elapsed();
            (runs, slowest) = (runs + 1, slowest.max(took));
            if !fine || took > LONGEST {
                failures += 1;
                eprintln!("{}: failed after {took:.1?}, kept as {}", target.name, keep(target, &input));
            }
        }
        println!("{:10} {runs:7} inputs, {failures} failed, the slowest took {slowest:.1?}", target.name);
        failures
    }
}

/// The committed files of a target, by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    read_all(&files)
}

fn read_all(files: &[PathBuf]) -> Vec<Vec<u8>> {
    files.iter().filter_map(|file| std::fs::read(file).ok()).collect()
}

/// Writes an input down and says where.
fn keep(target: &Target, input: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("failures");
    let file = folder.join(format!("{}-{:016x}", target.name, trample::internal::of_bytes(input)));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input)) {
        Ok(()) => file.display().to_string(),
        Err(error) => format!("nothing: {error}"),
    }
}

/// A generator of numbers (SplitMix64): the same damage for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if there is none.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Words that have a way of breaking readers of text.
const WORDS: [&str; 20] = [
    "0",
    "-1",
    "1",
    "1e9",
    "-1e300",
    "1e-300",
    "nan",
    "inf",
    "-inf",
    "99999999999",
    "0.0001",
    "",
    "\"\"",
    "[]",
    "{}",
    "true",
    "\n",
    "18446744073709551615",
    "[[1, 1], [2, 1]]",
    "\u{feff}é",
];
/// Numbers that have a way of breaking readers of bytes.
const NUMBERS: [u64; 12] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7f80_0000, u64::MAX];

/// A file of the corpus with one to six things done to it.
fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(32)).min(bytes.len());
        match random.below(9) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => {
                let number = NUMBERS[random.below(NUMBERS.len())];
                let (little, big) = (number.to_le_bytes(), number.to_be_bytes());
                let size = [1, 2, 4, 8][random.below(4)];
                let new = if random.below(2) == 0 { &little[..size] } else { &big[8 - size..] };
                let room = size.min(bytes.len() - at);
                bytes[at..at + room].copy_from_slice(&new[..room]);
            }
            // A number in a text, whole.
            3 | 4 => {
                let digit = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'e');
                if let Some(first) = bytes[at..].iter().position(digit).map(|n| at + n) {
                    let last =
                        bytes[first..].iter().position(|b| !digit(b)).map_or(bytes.len(), |n| first + n);
                    bytes.splice(first..last, random.one_of(&WORDS).bytes());
                }
            }
            5 => drop(bytes.drain(at..to)),
            6 => {
                let copy = bytes[at..to].to_vec();
                let place = random.below(bytes.len());
                bytes.splice(place..place, copy);
            }
            7 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let part = &other[from..(from + 64).min(other.len())];
                bytes.splice(at..at, part.iter().copied());
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, random.one_of(&WORDS).bytes())),
        }
    }
    bytes
}
