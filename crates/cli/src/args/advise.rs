//! The arguments of `advise`, and what a search is.

use afterstate_games::spec::GameSpec;
use afterstate_lab::Agent;
use afterstate_search::Search;
use clap::Args;

use super::{game, threads};

#[derive(Args)]
#[command(after_help = "SEARCH is greedy, expectimax:DEPTH (chance deals by its odds) or \
    minimax:DEPTH (chance deals the worst). DEPTH is a number of plies, a time such as 50ms, or \
    hand: all pieces that are known. 1 ply weighs the moves by what they leave, as greedy does; 2 \
    plies look, after each move, at every deal and the best reply. Options follow after commas: \
    beam=N follows only the N most promising moves of a state, odds=P leaves lines that are less \
    likely than P, downgrade=TILE halves large tiles of 2048 from TILE on, within=TIME ends a depth \
    that takes longer, as in expectimax:4,within=500ms.\n\n\
    With --serve-stdin every line is a board on one line, its rows apart by |, as `afterstate \
    games` shows them; every answer is one line.")]
pub(crate) struct Advise {
    /// Who judges: greedy, an agent's file or a run's folder
    pub(crate) agent: Agent,

    /// The game and its rules; a trained agent knows its own
    #[arg(long, value_parser = game)]
    pub(crate) game: Option<GameSpec>,

    /// The board, drawn or on one line, in a file (- for standard input)
    #[arg(long, value_name = "FILE", default_value = "-", conflicts_with = "serve_stdin")]
    pub(crate) board: String,

    /// Read a board a line from standard input and answer each with a line, until it ends
    #[arg(long)]
    pub(crate) serve_stdin: bool,

    /// How to look ahead
    #[arg(long, default_value_t = Search::expectimax(2), value_name = "SEARCH")]
    pub(crate) search: Search,

    /// Threads that share the moves of a board
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = threads)]
    pub(crate) threads: usize,
}
