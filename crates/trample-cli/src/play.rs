//! `trample play` and `trample render`: the simulator is a program of its own, so that this command needs no graphics. Here it
//! is found and started, or the built page is served.

use crate::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the simulator's program.
const PROGRAM: &str = "trample-play";

/// Open the simulator in a window, or serve its page with --web
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample play walk-mud                    steer the walker yourself")]
pub(crate) struct Play {
    /// Serve the page built by `cargo xtask web` on this machine only, for a browser
    #[arg(long)]
    web: bool,
    /// Port of the page; 0 for any free one
    #[arg(long, default_value_t = 0, requires = "web")]
    port: u16,
    /// Folder of the built page
    #[arg(long, default_value = "target/web", requires = "web")]
    page: PathBuf,
    /// Build the simulator in the checkout around the working folder if it is not there yet; runs cargo there
    #[arg(long)]
    build: bool,
    /// A library scene or a file, then options of trample-play (listed by `trample play -- --help`)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Render 3D pictures and films of a scene without a window
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample render walk-snow --at 3 --camera print --out print.png")]
pub(crate) struct Render {
    /// Build the simulator in the checkout around the working folder if it is not there yet; runs cargo there
    #[arg(long)]
    build: bool,
    /// A library scene or a file, then options: --at SECONDS, --camera NAME, --out FILE.png, --frames N, --turntable, --overlay MAP
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    rest: Vec<OsString>,
}

impl Play {
    /// Opens the simulator, or serves its page.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        if self.web {
            return crate::serve::serve(&self.page, self.port);
        }
        start(&self.rest, self.build)
    }
}

impl Render {
    /// Lets the simulator take pictures without a window.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut arguments = vec![OsString::from("--render")];
        arguments.extend(self.rest.iter().cloned());
        start(&arguments, self.build)
    }
}

fn start(arguments: &[OsString], build: bool) -> Result<bool, Failure> {
    let mut command = match find() {
        Some(program) => Command::new(program),
        None => match checkout().filter(|_| build) {
            Some(root) => {
                eprintln!(
                    "{PROGRAM} is not built yet; building it takes some minutes (cargo build --release -p {PROGRAM})"
                );
                let mut cargo = Command::new("cargo");
                cargo
                    .args(["run", "--release", "--quiet", "-p", PROGRAM, "--manifest-path"])
                    .arg(root.join("Cargo.toml"))
                    .arg("--");
                cargo
            }
            None => {
                return Err(missing().into());
            }
        },
    };
    let status = command.args(arguments).status().map_err(|e| format!("{PROGRAM} cannot be started: {e}"))?;
    Ok(status.success())
}

/// The program beside this one, else on the path. Nothing in the working folder is run: it may be anybody's.
pub(crate) fn find() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside
        .into_iter()
        .chain(
            std::env::split_paths(&path)
                .filter(|folder| folder.is_absolute())
                .map(|folder| folder.join(&name)),
        )
        .find(|p| p.is_file())
}

/// That there is none, and what to do.
pub(crate) fn missing() -> String {
    format!(
        "{PROGRAM} is not beside this program and not on the PATH; in a checkout of trample `trample play --build` builds it: cargo build --release -p {PROGRAM}"
    )
}

/// The checkout around the working folder, if there is one with the simulator in it.
fn checkout() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let holds = |folder: &&Path| folder.join("crates").join(PROGRAM).join("Cargo.toml").is_file();
    here.ancestors().find(holds).map(Path::to_path_buf)
}
