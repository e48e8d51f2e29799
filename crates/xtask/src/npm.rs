//! The package for npm: the program and its bindings from `crates/trample-wasm`, the files beside them from `crates/trample-wasm/npm`.

use crate::{Problem, bind, compile, packed, root, target};
use std::fs;

/// Largest program, bytes, as it is: what the project promises. Features add to it.
const LARGEST: u64 = 1_500_000;

/// Functions are put into their callers more seldom than for size alone (50), which makes the program smaller by some per cent.
const SMALL: &str = "-C llvm-args=-inline-threshold=30";

pub(crate) fn npm(features: &str) -> Result<(), Problem> {
    let program =
        compile("npm", &["-p", "trample-wasm", "--features", features], SMALL)?.join("trample_wasm.wasm");
    let (root, package) = (root(), target().join("npm/trample-wasm"));
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    bind(&program, "trample_wasm", true, &package)?;
    for entry in fs::read_dir(root.join("crates/trample-wasm/npm"))? {
        let entry = entry?;
        let text = fs::read_to_string(entry.path())?;
        fs::write(package.join(entry.file_name()), text.replace("@VERSION@", env!("CARGO_PKG_VERSION")))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), package.join(licence))?;
    }
    // The class can be disposed of, which older libraries of TypeScript do not know unless they are told.
    let types = package.join("trample_wasm.d.ts");
    let text = fs::read_to_string(&types)?;
    fs::write(&types, format!("/// <reference lib=\"esnext.disposable\" />\n{text}"))?;
    let wasm = package.join("trample_wasm_bg.wasm");
    let size = fs::metadata(&wasm)?.len();
    let small = packed(&wasm)
        .map_or("not measured: neither brotli nor gzip is here".into(), |(how, bytes)| {
            format!("{bytes} bytes with {how}")
        });
    println!("{}: {size} bytes, packed {small}", package.display());
    if features.is_empty() && size > LARGEST {
        return Err(Problem::Failed(format!("the program has {size} bytes, allowed: {LARGEST}")));
    }
    Ok(())
}
