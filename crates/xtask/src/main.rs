//! Tasks of the project: `cargo xtask web` builds the simulator as a static page, `cargo xtask npm` the package `trample-wasm`.
//!
//! In: a compiler for `wasm32-unknown-unknown`, either the usual one with that target, which is added where rustup can, or Debian's `rustc-web` with its own
//! source of the standard library. Out: `target/web` with a page, a script and a program, or `target/npm/trample-wasm` with what npm
//! publishes. Without such a compiler it says so and ends with 77, which scripts take for skipped.

mod npm;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use wasm_bindgen_cli_support::Bindgen;

/// The target.
const TARGET: &str = "wasm32-unknown-unknown";
/// What a script takes for skipped.
const SKIPPED: u8 = 77;
/// Largest page after compression, bytes: what the project promises.
const LARGEST: u64 = 10_000_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["web"] => web(),
        ["npm"] => npm::npm(""),
        ["npm", "--features", features] => npm::npm(features),
        _ => Err(Problem::Failed("usage: cargo xtask web | npm [--features images,characters]".into())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Problem::Missing(what)) => {
            eprintln!("SKIPPED: {what}");
            ExitCode::from(SKIPPED)
        }
        Err(Problem::Failed(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}

enum Problem {
    /// A tool is not there.
    Missing(String),
    /// Something went wrong.
    Failed(String),
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// How the program is compiled.
enum Compiler {
    /// The usual compiler knows the target.
    Usual,
    /// Another compiler, whose standard library is built along.
    Other(PathBuf),
}

/// The root of the checkout.
fn root() -> PathBuf {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).map_or(own.clone(), Path::to_path_buf)
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_string())
}

/// Whether the usual compiler has the target's library.
fn has_target() -> bool {
    let library = output("rustc", &["--print", "target-libdir", "--target", TARGET]);
    library.is_some_and(|folder| Path::new(&folder).is_dir())
}

fn compiler() -> Result<Compiler, Problem> {
    if has_target() {
        return Ok(Compiler::Usual);
    }
    // The usual way to get it; it says itself what it does, and why it cannot.
    let added = Command::new("rustup").args(["target", "add", TARGET]).status();
    if added.is_ok_and(|status| status.success()) && has_target() {
        return Ok(Compiler::Usual);
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let given = std::env::var_os("TRAMPLE_RUSTC_WEB").map(PathBuf::from);
    let other = given.unwrap_or_else(|| home.join(".cache/rustc-web/rustc"));
    if other.is_file() {
        return Ok(Compiler::Other(other));
    }
    Err(Problem::Missing(format!(
        "no compiler for {TARGET}; `rustup target add {TARGET}` does not bring it; name Debian's rustc-web in TRAMPLE_RUSTC_WEB"
    )))
}

/// The folder of what is built.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Compiles a crate for browsers, as these words say, with flags for the compiler; where the programs of that profile are.
fn compile(profile: &str, words: &[&str], flags: &str) -> Result<PathBuf, Problem> {
    // A folder of its own: what is built for another machine does not throw away what was built for this one.
    let folder = target().join("wasm");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).env("CARGO_TARGET_DIR", &folder);
    cargo.args(["build", "--locked", "--profile", profile, "--target", TARGET]).args(words);
    cargo.env("RUSTFLAGS", format!("-C target-feature=+simd128 {flags}").trim());
    if let Compiler::Other(rustc) = compiler()? {
        let sysroot = output("rustc", &["--print", "sysroot"]).unwrap_or_default();
        let host = output("rustc", &["--print", "host-tuple"]).unwrap_or_default();
        let linker = Path::new(&sysroot).join("lib/rustlib").join(host).join("bin/rust-lld");
        cargo.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        cargo.args(["-Z", "build-std=std,panic_abort"]);
    }
    if !cargo.status()?.success() {
        return Err(Problem::Failed("the program does not compile".into()));
    }
    Ok(folder.join(TARGET).join(profile))
}

/// Makes the bindings of a program. Those of a library for others have types, and know where the program lies.
fn bind(program: &Path, name: &str, library: bool, to: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(to)?;
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(program).web(true).and_then(|b| {
        b.typescript(library).omit_default_module_path(!library);
        b.out_name(name).remove_name_section(true).remove_producers_section(true);
        b.generate(to)
    });
    made.map_err(|e| Problem::Failed(format!("{e:#}")))
}

fn web() -> Result<(), Problem> {
    let words = ["-p", "trample-play", "--no-default-features", "--features", "web"];
    let program = compile("wasm", &words, "")?.join("trample-play.wasm");
    let page = target().join("web");
    bind(&program, "trample-play", false, &page)?;
    let wasm = page.join("trample-play_bg.wasm");
    let size = std::fs::metadata(&wasm)?.len();
    let html = std::fs::read_to_string(root().join("web/index.html"))?;
    std::fs::write(page.join("index.html"), html.replace("@SIZE@", &size.to_string()))?;
    // The browser keeps a build under this name until another one comes.
    let bytes = std::fs::read(&wasm)?;
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    let worker = std::fs::read_to_string(root().join("web/sw.js"))?;
    std::fs::write(page.join("sw.js"), worker.replace("@VERSION@", &format!("{hash:016x}")))?;
    std::fs::copy(root().join("web/still.png"), page.join("still.png"))?;
    println!("{}: {:.1} MB", page.display(), size as f64 / 1e6);
    match packed(&wasm) {
        Some((how, bytes)) => {
            println!("packed with {how}: {:.1} MB", bytes as f64 / 1e6);
            if bytes > LARGEST {
                return Err(Problem::Failed(format!("more than {:.0} MB packed", LARGEST as f64 / 1e6)));
            }
        }
        None => println!("neither brotli nor gzip is here: the packed size was not measured"),
    }
    println!("serve it with: trample play --web --page {}", page.display());
    Ok(())
}

/// How small a file gets, by the best tool that is there.
fn packed(file: &Path) -> Option<(&'static str, u64)> {
    [("brotli", ["-q", "11", "-c"].as_slice()), ("gzip", ["-9", "-c"].as_slice())].into_iter().find_map(
        |(tool, arguments)| {
            let output =
                Command::new(tool).args(arguments).arg(file).output().ok().filter(|o| o.status.success())?;
            Some((tool, output.stdout.len() as u64))
        },
    )
}
