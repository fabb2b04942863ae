//! The arguments of `play` and `record`.

use std::path::PathBuf;

use afterstate_agents::Agent;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use clap::Args;

use super::{game, seed, suggest};

#[derive(Args)]
#[command(
    after_help = "Without a terminal, with --plain or with --json the game is plain text: moves \
    are read from standard input, one per line."
)]
pub(crate) struct Play {
    /// The game and its rules, such as 2048, tetris:10x20 or 1010:10x10,hand=3
    #[arg(value_parser = game, required_unless_present = "replay")]
    pub(crate) game: Option<GameSpec>,

    /// Let an agent play: one of `afterstate agents`, weights such as linear:dt=-2.18,2.42,..., an
    /// agent file or a run folder [default: you play]
    #[arg(long, value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) agent: Option<Agent>,

    /// Play by hand, and show the value of every move by --agent, or by builtin
    #[arg(long)]
    pub(crate) hints: bool,

    /// Show a recorded game, after verifying it move by move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "seed", "moves"])]
    pub(crate) replay: Option<PathBuf>,

    /// Write the game to a file when it ends, for --replay
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) replay_out: Option<PathBuf>,

    /// The seed of the game [default: a new one, which is shown]
    #[arg(long, value_parser = seed)]
    pub(crate) seed: Option<u64>,

    /// The search of the agent: greedy, expectimax:3 (plies), expectimax:50ms, expectimax:hand,
    /// minimax:2; see `afterstate analyze --help`
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// Stop after this many moves; plain text only
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<u64>,

    /// Milliseconds between the moves of an agent, 0 for full speed [default: 120 in a terminal,
    /// else 0]
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,

    /// Use plain text, as without a terminal
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Args)]
pub(crate) struct Record {
    /// The game and its rules, such as 2048, tetris:10x20 or 1010:10x10,hand=3
    #[arg(value_parser = game, required_unless_present = "replay")]
    pub(crate) game: Option<GameSpec>,

    /// The agent: one of `afterstate agents`, an agent file or a run folder
    #[arg(long, default_value = "builtin", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) agent: Agent,

    /// The search of the agent, such as expectimax:2
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// The seed of the game
    #[arg(long, default_value_t = 1, value_parser = seed)]
    pub(crate) seed: u64,

    /// The number of moves to play
    #[arg(long, default_value_t = 200, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) moves: u64,

    /// Animate a recorded game, after verifying it move by move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "agent", "search", "seed", "moves"])]
    pub(crate) replay: Option<PathBuf>,

    /// The file to write: a .gif of the game, or an .svg or .png of its last position
    #[arg(long, value_name = "FILE", required_unless_present = "replay_out")]
    pub(crate) out: Option<PathBuf>,

    /// The replay to write, for `play`, `eval`, `record` and the page
    #[arg(long, value_name = "FILE")]
    pub(crate) replay_out: Option<PathBuf>,

    /// The maximum number of frames; longer games skip moves evenly
    #[arg(long, default_value_t = 400, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) frames: u64,

    /// Milliseconds between two moves
    #[arg(long, default_value_t = 120, value_name = "MS",
          value_parser = clap::value_parser!(u64).range(20..=60_000))]
    pub(crate) delay: u64,

    /// Pixels per cell [default: depends on the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(8..=200))]
    pub(crate) cell: Option<u32>,
}
