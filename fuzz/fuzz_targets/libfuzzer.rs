//! One target under libFuzzer, named by the environment variable `TARGET`; see `fuzz/README.md`.
#![no_main]

use std::sync::LazyLock;
use trample_fuzz::{Target, by_name};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_else(|_| "scene".into());
    by_name(&name).expect("TARGET names a target")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.run)(data));
