//! One file per command.

mod agents;
mod analyze;
mod bench;
#[cfg(feature = "serve")]
mod bench_serve;
mod compare;
mod completions;
mod eval;
mod games;
mod learner;
mod perft;
mod play;
mod player;
mod plot;
mod quantize;
mod random_play;
mod recipes;
mod record;
mod regret;
mod replay;
mod reproduce;
mod runs;
#[cfg(feature = "serve")]
mod serve;
mod solve;
mod top;
mod train;
mod verify_device;

use crate::args::{Cli, Command};
use crate::output::Output;

/// Runs the command that the command line names.
pub(crate) fn run(cli: &Cli, out: &mut Output) -> anyhow::Result<()> {
    match &cli.command {
        Command::Play(args) => play::run(args, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, out),
        Command::Record(args) => record::run(args, out),
        Command::Top(args) => top::run(args, out),
        Command::Train(args) => train::run(args, out),
        Command::Runs(args) => runs::run(args, out),
        Command::Plot(args) => plot::run(args, out),
        Command::Agents(args) => agents::run(args, out),
        Command::Recipes => recipes::run(out),
        Command::Quantize(args) => quantize::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::Eval(args) => eval::run(args, out),
        Command::Compare(args) => compare::run(args, out),
        Command::Analyze(args) => analyze::run(args, out),
        Command::Games => games::run(out),
        Command::Perft(args) => perft::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::VerifyDevice(args) => verify_device::run(args, out),
        Command::RandomPlay(args) => random_play::run(args, out),
        Command::Player(args) => player::run(args, out),
        Command::Learner(args) => learner::run(args, out),
        Command::Reproduce(args) => reproduce::run(args, out),
        Command::Completions { shell } => completions::run(*shell, out),
    }
}
