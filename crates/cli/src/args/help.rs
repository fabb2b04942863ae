//! The help of the whole program: its commands in groups, by what they are for.

use std::ffi::OsString;
use std::fmt::Write;

use clap::{CommandFactory, FromArgMatches};

use super::Cli;

/// The groups of commands. The commands of a course (`player`, `learner`) are in none: they are
/// found by their own help.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Play", &["play", "serve", "record", "analyze", "games"]),
    ("Train", &["train", "recipes", "top", "runs", "plot", "agents", "quantize"]),
    ("Measure", &["eval", "compare", "bench", "verify-device"]),
    ("Research", &["reproduce", "solve", "perft", "random-play", "completions"]),
];

/// Parses a command line. An error may be a request for help.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches_from(words)?)
}

/// The definition of the command line, with its help in groups.
fn command() -> clap::Command {
    let command = Cli::command().mut_subcommands(|command| command.mut_args(with_numbers));
    let help = grouped(&command);
    let usage = "{about-with-newline}\n{usage-heading} {usage}\n";
    let template = format!("{usage}{help}\nOptions:\n{{options}}{{after-help}}");
    command.help_template(template)
}

/// A flag with a value takes "-1" as that value, which its own sentence refuses: clap would call it an unknown
/// flag and advise `-- -1`.
fn with_numbers(arg: clap::Arg) -> clap::Arg {
    let has_value = arg.get_action().takes_values() && !arg.is_positional();
    arg.allow_negative_numbers(has_value)
}

fn grouped(command: &clap::Command) -> String {
    let mut help = String::new();
    for (group, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = write!(help, "\n{group}:\n");
        for name in names {
            // `serve` is a feature of the build.
            let Some(about) = command.find_subcommand(name).map(clap::Command::get_about) else {
                continue;
            };
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(help, "  {name:<14}{about}");
        }
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_or_hidden() {
        let hidden = ["player", "learner"];
        let listed = GROUPS.iter().flat_map(|group| group.1).chain(&hidden);
        let mut listed: Vec<&str> = listed.copied().collect();
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
