//! The command `trample`: runs scenes of feet on natural ground and shows what they leave.

// `println!` and its like that escape what a terminal would obey.
#[macro_use]
extern crate trample_lab;

mod animals;
mod check;
mod clips;
mod export;
mod folder;
mod gltf;
mod maps;
mod measure;
mod motion;
mod output;
mod play;
mod presets;
mod provenance;
mod replay;
mod report;
mod run;
mod season;
mod sequence;
mod series;
mod serve;
mod shell;
mod shots;
mod stamp;
mod sweep;
mod unit;
mod walk;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::IsTerminal;
use std::process::ExitCode;
use trample_lab::{Bench, Calibrate, Failure, Reproduce, Torture};

/// Simulate feet on natural ground: deformable snow, sand, mud and soil under moving soles, bit-for-bit reproducible.
#[derive(Parser)]
#[command(name = "trample", version = provenance::VERSION)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The commands. Each is a struct of options with its help and examples, and a `run` that returns whether it succeeded.
macro_rules! commands {
    ($($name:ident($options:ty),)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($name($options),)*
        }

        impl Command {
            fn run(&self) -> Result<bool, Failure> {
                match self {
                    $(Self::$name(options) => options.run(),)*
                }
            }
        }
    };
}

commands! {
    Run(run::Run),
    Export(export::Export),
    Stamp(stamp::Stamp),
    Season(season::Season),
    Measure(measure::Measure),
    Compare(measure::Compare),
    Sweep(sweep::Sweep),
    Unit(unit::Unit),
    Presets(presets::Presets),
    Scenes(presets::Scenes),
    Check(check::Check),
    Bench(Bench),
    Torture(Torture),
    Calibrate(Calibrate),
    Motion(motion::Motion),
    Walk(walk::Walk),
    Reproduce(Reproduce),
    Play(play::Play),
    Render(play::Render),
    Replay(replay::Replay),
    Doctor(shell::Doctor),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// The arguments as clap reads them, with the examples of all commands below their list.
fn arguments() -> clap::Command {
    let command = Arguments::command();
    let examples: Vec<String> = command
        .get_subcommands()
        .filter_map(|c| c.get_after_help())
        .flat_map(|help| help.to_string().lines().map(String::from).collect::<Vec<_>>())
        .filter(|line| line.starts_with("  trample"))
        .collect();
    command.after_help(format!("Examples:\n{}", examples.join("\n")))
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        eprintln!("error: this should not have happened: {info}");
    }));
    let read = arguments().try_get_matches().and_then(|found| Arguments::from_arg_matches(&found));
    let given = match read {
        Ok(given) => given,
        // Help and versions go where results go, and fail as they do where nothing can be written.
        Err(told) if !told.use_stderr() => {
            if std::io::stdout().is_terminal() {
                told.exit();
            }
            print!("{}", told.render());
            return ExitCode::SUCCESS;
        }
        Err(problem) => problem.exit(),
    };
    match given.command.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_has_help_and_the_list_shows_their_examples() {
        let mut command = super::arguments();
        command.clone().debug_assert();
        for one in command.get_subcommands() {
            assert!(one.get_about().is_some(), "{}", one.get_name());
        }
        let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().into()).collect();
        let help = command.render_help().to_string();
        for name in names {
            assert!(help.contains(&format!("\n  trample {name} ")), "{name}: {help}");
        }
    }
}
