//! The arguments of `play` and `record`.

use std::path::PathBuf;

use afterstate_games::spec::GameSpec;
use afterstate_lab::Agent;
use afterstate_search::Search;
use clap::Args;

use super::game;

#[derive(Args)]
#[command(
    after_help = "Without a terminal, with --plain or --json the game is plain text: moves are \
    read from standard input, a line each."
)]
pub(crate) struct Play {
    /// The game and its rules, such as 2048, tetris:10x20 or 1010:10x10,hand=3
    #[arg(value_parser = game, required_unless_present = "replay")]
    pub(crate) game: Option<GameSpec>,

    /// Let an agent play: one of `afterstate agents`, weights such as linear:dt=-2.18,2.42,..., an
    /// agent's file or a run's folder. Without it, you play
    #[arg(long)]
    pub(crate) agent: Option<Agent>,

    /// You play, and the agent says what every move is worth [its default: builtin]
    #[arg(long)]
    pub(crate) hints: bool,

    /// Show a game that was recorded, after it has been verified move by move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "seed", "moves"])]
    pub(crate) replay: Option<PathBuf>,

    /// Write the game to a file when it ends, to be read back by --replay
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) replay_out: Option<PathBuf>,

    /// The seed of the game; without it a new one is drawn and shown
    #[arg(long)]
    pub(crate) seed: Option<u64>,

    /// How the agent looks ahead: greedy, expectimax:3 (plies), expectimax:50ms, expectimax:hand,
    /// minimax:2; `afterstate advise --help` says more
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// Stop after this many moves; plain text only
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<u64>,

    /// Milliseconds between the moves of an agent, 0 for as fast as it can [default: 120 in a
    /// terminal, else 0]
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,

    /// Plain text, as without a terminal
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Args)]
pub(crate) struct Record {
    /// The game and its rules, such as 2048, tetris:10x20 or 1010:10x10,hand=3
    #[arg(value_parser = game, required_unless_present = "replay")]
    pub(crate) game: Option<GameSpec>,

    /// Who plays: one of `afterstate agents`, an agent's file or a run's folder
    #[arg(long, default_value = "builtin")]
    pub(crate) agent: Agent,

    /// How the agent looks ahead, such as expectimax:2
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// The seed of the game
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// How many moves to play
    #[arg(long, default_value_t = 200, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) moves: u64,

    /// Film a game that was recorded, after it has been verified move by move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "agent", "search", "seed", "moves"])]
    pub(crate) replay: Option<PathBuf>,

    /// The film, an animated .gif; or an .svg or .png of the last position
    #[arg(long, value_name = "FILE", required_unless_present = "replay_out")]
    pub(crate) out: Option<PathBuf>,

    /// The replay, which `play`, `eval`, `record` and the page read back
    #[arg(long, value_name = "FILE")]
    pub(crate) replay_out: Option<PathBuf>,

    /// The most frames of the film; of a longer game, some moves are left out evenly
    #[arg(long, default_value_t = 400, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) frames: u64,

    /// Milliseconds between two moves
    #[arg(long, default_value_t = 120, value_name = "MS",
          value_parser = clap::value_parser!(u64).range(20..=60_000))]
    pub(crate) delay: u64,

    /// Pixels of a cell [default: what suits the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(8..=200))]
    pub(crate) cell: Option<u32>,
}
