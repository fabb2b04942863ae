//! The arguments of `train` and of the commands that show runs.

use std::path::PathBuf;

use afterstate_core::Device;
use afterstate_search::Search;
use afterstate_train::run::EVALUATION_GAMES;
use clap::Args;

use super::values::seed_of_recipe;
use super::{size, suggest, threads};

#[derive(Args)]
pub(crate) struct Train {
    /// A recipe: one of `afterstate recipes`, or a TOML file
    #[arg(required_unless_present = "resume", value_parser = suggest::recipe(), hide_possible_values = true)]
    pub(crate) recipe: Option<String>,

    /// Resume a run that was stopped, or a finished one whose budget was raised in its recipe.toml
    #[arg(long, value_name = "RUN", conflicts_with_all = ["recipe", "set", "seconds", "moves", "episodes", "seed", "out"])]
    pub(crate) resume: Option<PathBuf>,

    /// Change a setting of the recipe, such as phase.0.rate=0.05. The learning rate is divided by
    /// the number of active features
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Search used to select moves during training, such as expectimax:2 [default: the recipe's,
    /// or greedy]
    #[arg(long, value_name = "SEARCH", conflicts_with = "resume")]
    pub(crate) search: Option<Search>,

    /// Train for this many seconds
    #[arg(long, value_name = "S", group = "budget")]
    pub(crate) seconds: Option<f64>,

    /// Train for this many moves
    #[arg(long, value_name = "N", group = "budget")]
    pub(crate) moves: Option<u64>,

    /// Train for this many games
    #[arg(long, value_name = "N", group = "budget")]
    pub(crate) episodes: Option<u64>,

    /// Threads to train on [default: one per core]. With one thread, the same seed gives the same
    /// agent to the byte
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Where to train: cpu, or cuda for an NVIDIA GPU (cuda:1 for the second one)
    #[arg(long, default_value_t, value_name = "DEVICE")]
    pub(crate) device: Device,

    /// Play the games of the training on a Ray cluster: HOST:PORT of its head, auto on one of its
    /// nodes, or local; see docs/cluster.md. The agent is that of one thread, to the byte, but for
    /// n-tuple networks, whose learners exchange weights
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["device", "threads"])]
    pub(crate) cluster: Option<String>,

    /// The seed of the training
    #[arg(long, value_name = "N", value_parser = seed_of_recipe)]
    pub(crate) seed: Option<u64>,

    /// The folder of the run [default: a new folder in runs/]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Games to evaluate the trained agent with, each truncated after 50,000 moves; 0 for none
    #[arg(long, default_value_t = EVALUATION_GAMES, value_name = "N",
          value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    pub(crate) eval_games: u64,

    /// Keep the checkpoint when the training is finished, so that it can be trained longer. Without
    /// this flag a finished run keeps only checkpoints up to 64 MiB; a stopped run always keeps its
    /// checkpoint
    #[arg(long)]
    pub(crate) keep_checkpoint: bool,
}

#[derive(Args)]
pub(crate) struct Runs {
    /// The runs [default: all in runs/]
    pub(crate) runs: Vec<PathBuf>,

    /// Delete these runs, their agents included, after asking. A run that is being trained is not
    /// deleted, nor are files that belong to no run
    #[arg(long, requires = "runs")]
    pub(crate) delete: bool,

    /// Delete without asking
    #[arg(long, requires = "delete")]
    pub(crate) yes: bool,

    /// Write one run to this folder in pieces of bounded size, to send it to another machine
    #[arg(long, value_name = "FOLDER", requires = "runs", conflicts_with = "delete")]
    pub(crate) pack: Option<PathBuf>,

    /// The largest size of a piece, 2MiB or more
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size)]
    pub(crate) piece_size: u64,

    /// Make a run, a new folder, from the pieces in this folder
    #[arg(long, value_name = "FOLDER", requires = "runs", conflicts_with_all = ["delete", "pack"])]
    pub(crate) unpack: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Top {
    /// The runs [default: the most recent one in runs/]
    pub(crate) runs: Vec<PathBuf>,

    /// Print the progress once and exit, as without a terminal
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Args)]
pub(crate) struct Plot {
    /// The runs, or results such as results/chen-table1.json
    #[arg(required = true)]
    pub(crate) runs: Vec<PathBuf>,

    /// The x axis
    #[arg(long, value_enum, default_value_t = XAxis::Episodes)]
    pub(crate) against: XAxis,

    /// Plot another metric than the score, such as best or iteration, if the learner has it
    #[arg(long, value_name = "METRIC")]
    pub(crate) of: Option<String>,

    /// Write to this file, .svg or .png, and not to the terminal; reach rates go beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum XAxis {
    Episodes,
    Moves,
    Seconds,
}
