//! The flags of `eval` and `compare`.

use std::path::PathBuf;

use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_core::Device;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use clap::Args;

use super::suggest;
use super::values::{game, seed, threads};

#[derive(Args)]
pub(crate) struct Eval {
    /// The agent: one of `afterstate agents`, weights such as linear:dt=-2.18,2.42,... (with
    /// linear:reward+SET= the immediate reward is added), an agent file or a run folder
    #[arg(required_unless_present = "replay", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) agent: Option<Agent>,

    /// The game and its rules, such as 2048, tetris:10x20 or 1010:4x4,pieces=7 [default: those of
    /// a trained agent]
    #[arg(long, visible_alias = "rules", value_parser = game)]
    pub(crate) game: Option<GameSpec>,

    /// Verify a replay move by move and report its score, without playing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "game", "search"])]
    pub(crate) replay: Option<PathBuf>,

    /// The search of the agent: greedy, expectimax:3 (plies), expectimax:50ms, expectimax:hand,
    /// minimax:2; see `afterstate analyze --help`
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// How many games to play
    #[arg(long, default_value_t = 1_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) games: u64,

    /// Write the result into the agent file as its strength, which `afterstate agents FILE` shows
    #[arg(long, conflicts_with = "replay")]
    pub(crate) save: bool,

    /// Where to play: cpu, or cuda for an NVIDIA GPU (n-tuple networks of 2048, greedily or with
    /// expectimax of up to 6 plies, and of 1010! with one piece; weights of Tetris features)
    #[arg(long, default_value_t, value_name = "DEVICE")]
    pub(crate) device: Device,

    /// Play on a Ray cluster: HOST:PORT of its head, auto on one of its nodes, or local; see
    /// docs/cluster.md. The result is the same
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["device", "threads", "replay"])]
    pub(crate) cluster: Option<String>,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Compare {
    /// An agent, as for `afterstate eval`
    #[arg(value_name = "A", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) first: Agent,

    /// Another agent, or the same with another search
    #[arg(value_name = "B", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) second: Agent,

    /// The game and its rules [default: those of a trained agent]
    #[arg(long, visible_alias = "rules", value_parser = game)]
    pub(crate) game: Option<GameSpec>,

    /// The search of both agents
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// The search of B, if it is another one
    #[arg(long, value_name = "SEARCH")]
    pub(crate) second_search: Option<Search>,

    /// How many games each plays
    #[arg(long, default_value_t = 1_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pub(crate) games: u64,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Common {
    /// The seed; the same seed gives the same result on any number of threads
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = seed)]
    pub(crate) seed: u64,

    /// Threads to play on [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Truncate games after this many moves
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<u64>,
}

impl Common {
    /// The settings of an evaluation of some games.
    pub(crate) fn settings(&self, games: u64) -> EvaluationSettings {
        EvaluationSettings {
            games,
            seed: self.seed,
            threads: self.threads,
            max_moves: self.moves,
            device: Device::Cpu,
        }
    }
}
