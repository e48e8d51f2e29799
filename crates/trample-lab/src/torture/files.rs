//! Files that are damaged: readers refuse them or read something usable, and never panic.

use super::{Part, Until};
use crate::Failure;
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use trample::internal::of_bytes;
use trample::scene::library;
use trample::{Recording, World};
use trample_files::raster::{self, Limits};
use trample_files::{RunFile, Source, memory};

/// A height map of a few posts.
const GRID: &str =
    "ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n0 1 2 3\n1 2 3 4\n2 3 4 5\n";

/// Damages one file after another until the time is over.
pub(super) fn damaged(until: Until<'_>) -> Result<Part, Failure> {
    let scene = library::by_name("plate").ok_or("a library scene")?;
    let fresh = World::new(&scene)?;
    let mut world = fresh.clone();
    let mut recording = Recording::default();
    for _ in 0..6 {
        world.step(scene.dt());
        recording.push(world.digest());
    }
    let source = Source::of_scene(&scene)?;
    let run = RunFile::new(source.clone(), Vec::new(), recording, &world, Vec::new());
    let (run_bytes, text) = (run.to_bytes(), source.text.clone());
    let (mut inputs, mut accepted, mut false_states) = (0u64, 0u64, 0u64);
    let mut broken = Vec::new();
    // A panic is counted here and need not be told twice.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    while !until.is_over() && broken.len() < 10 {
        for kind in 0..4 {
            let number = inputs;
            inputs += 1;
            let result = catch_unwind(AssertUnwindSafe(|| match kind {
                0 => {
                    let changed = String::from_utf8_lossy(&changed(text.as_bytes(), number)).into_owned();
                    Source { text: changed, ..source.clone() }.scene().is_ok()
                }
                1 => {
                    let path = Path::new("memory:torture.asc");
                    memory::put(path, changed(GRID.as_bytes(), number)).is_ok()
                        && raster::read_height_map(path, &Limits::default()).is_ok()
                }
                2 => RunFile::from_bytes(&changed(&run_bytes, number)).is_ok(),
                // A state with right checksums around it that is not the one that was saved.
                _ => {
                    let forged = RunFile { snapshot: changed(&run.snapshot, number), ..run.clone() };
                    let mut world = fresh.clone();
                    let taken = forged.snapshot != run.snapshot && forged.restore(&mut world).is_ok();
                    taken && world.hash() != run.state
                }
            }));
            match result {
                Ok(taken) if kind == 3 => false_states += u64::from(taken),
                Ok(taken) => accepted += u64::from(taken),
                Err(_) => broken.push(format!("input {number} of kind {kind} made a reader panic")),
            }
        }
    }
    std::panic::set_hook(hook);
    memory::remove(Path::new("memory:torture.asc"));
    if false_states > 0 {
        broken.push(format!("{false_states} false states were taken for true"));
    }
    let figures = json!({ "inputs": inputs, "still_readable": accepted, "false_states_taken": false_states });
    Ok(Part { figures, broken })
}

/// The bytes with a few of them changed, cut, doubled or replaced; the same for the same number.
fn changed(bytes: &[u8], number: u64) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let random = |k: u64| of_bytes(&[number.to_le_bytes(), k.to_le_bytes()].concat());
    for k in 0..1 + random(0) % 4 {
        if out.is_empty() {
            break;
        }
        let at = (random(4 * k + 1) % out.len() as u64) as usize;
        match random(4 * k + 2) % 5 {
            0 => out[at] ^= 1 << (random(4 * k + 3) % 8),
            1 => out[at] = random(4 * k + 3) as u8,
            2 => out.truncate(at),
            3 => {
                let end = (at + 1 + (random(4 * k + 3) % 16) as usize).min(out.len());
                let piece = out[at..end].to_vec();
                out.splice(at..at, piece);
            }
            _ => {
                let end = (at + 1 + (random(4 * k + 3) % 8) as usize).min(out.len());
                out.drain(at..end);
            }
        }
    }
    out
}
