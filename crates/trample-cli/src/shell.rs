//! `trample completions`, `trample man` and `trample doctor`: how the command sits in a system.

use crate::{Failure, play, provenance};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print a shell completion script
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample completions bash > ~/.local/share/bash-completion/completions/trample")]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    /// Prints them.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut crate::arguments(), "trample", &mut text);
        std::io::stdout().write_all(&text)?;
        Ok(true)
    }
}

/// Print the manual page, or write the pages of all commands into a folder
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample man | man -l -                   read it
  trample man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Folder for the pages of all commands
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    /// Prints or writes them.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let Some(folder) = &self.out else {
            let mut page = Vec::new();
            clap_mangen::Man::new(crate::arguments()).render(&mut page)?;
            std::io::stdout().write_all(&page)?;
            return Ok(true);
        };
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        clap_mangen::generate_to(crate::arguments(), folder)?;
        println!("the manual pages are in {}", folder.display());
        Ok(true)
    }
}

/// List which optional parts (simulator, Vulkan, page, Python) are installed, and how to get the others
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample doctor                           check for the simulator and its graphics driver")]
pub(crate) struct Doctor {}

/// Something that may be there: what it is, where it was found, and what to do where it was not.
struct Finding {
    what: &'static str,
    found: Option<String>,
    cure: &'static str,
}

impl Doctor {
    /// Says it; all is well where the command itself works, which it does.
    #[expect(clippy::unused_self, reason = "a command is a struct with a `run`")]
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        println!("trample {}", provenance::VERSION);
        for Finding { what, found, cure } in findings() {
            match found {
                Some(where_) => println!("  ok       {what}: {where_}"),
                None => println!("  missing  {what}: {cure}"),
            }
        }
        Ok(true)
    }
}

fn findings() -> Vec<Finding> {
    let shown = |path: PathBuf| path.display().to_string();
    let cores = std::thread::available_parallelism().map(|n| format!("{n} (--threads {n} uses them)"));
    let page = Path::new("target/web/index.html");
    vec![
        Finding { what: "processor cores", found: cores.ok(), cure: "--threads N says how many to use" },
        Finding {
            what: "trample-play, the simulator",
            found: play::find().map(shown),
            cure: "in a checkout of trample: cargo build --release -p trample-play; `trample play --build` builds it there",
        },
        Finding {
            what: "Vulkan loader, for the simulator",
            found: library("libvulkan.so.1").map(shown),
            cure: "on Debian and Ubuntu: apt-get install libvulkan1",
        },
        Finding {
            what: "Vulkan driver",
            found: drivers(),
            cure: "install that of your graphics card, or mesa-vulkan-drivers, which also draws without one, slowly",
        },
        Finding {
            what: "the simulator's page",
            found: page.is_file().then(|| "target/web; `trample play --web` serves it".into()),
            cure: "in a checkout of trample: cargo xtask web, then `trample play --web`",
        },
        Finding {
            what: "the Python package",
            found: python(),
            cure: "in a checkout of trample: pip install ./crates/trample-py",
        },
    ]
}

/// A shared library where Linux looks for them.
fn library(name: &str) -> Option<PathBuf> {
    let own = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/lib64",
        "/usr/local/lib",
    ];
    std::env::split_paths(&own).chain(usual.map(PathBuf::from)).map(|f| f.join(name)).find(|p| p.exists())
}

/// The drivers that Vulkan's loader finds.
fn drivers() -> Option<String> {
    let own = std::env::var_os("VK_ICD_FILENAMES").or_else(|| std::env::var_os("VK_DRIVER_FILES"));
    if let Some(own) = own {
        return std::env::split_paths(&own).find(|p| p.is_file()).map(|p| p.display().to_string());
    }
    let names: Vec<String> =
        ["/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"]
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flat_map(|entries| entries.filter_map(Result::ok))
            .filter_map(|entry| {
                Some(Path::new(&entry.file_name()).file_stem()?.to_string_lossy().into_owned())
            })
            .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The version of the package that `python3` has.
fn python() -> Option<String> {
    let asked = "import importlib.metadata as m; print(m.version('trample'))";
    let output = std::process::Command::new("python3").args(["-c", asked]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
