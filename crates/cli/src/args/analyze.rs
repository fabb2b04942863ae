//! The arguments of `analyze`, and the syntax of searches.

use afterstate_agents::Agent;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use clap::Args;

use super::{game, suggest, threads};

#[derive(Args)]
#[command(
    after_help = "SEARCH is greedy, expectimax:DEPTH (the expectation over chance outcomes) \
    or minimax:DEPTH (the worst chance outcome). DEPTH is a number of plies, a time such as 50ms, \
    or hand: as many plies as pieces are known. 1 ply evaluates the afterstate of every move, as \
    greedy does; 2 plies add every chance outcome and the best reply. Options follow after commas: \
    beam=N searches only the N best moves of a state, probability=P prunes lines that are less \
    likely than P, downgrade=TILE halves the tiles of 2048 on boards that have TILE, within=TIME \
    limits the time of a depth, as in expectimax:4,within=500ms.\n\n\
    A board is text, as `afterstate games` shows it, or JSON: [[2,0,4,0],...], or \
    {\"pieces\":\"T\",\"board\":[\"#..#\",...]}. With --serve-stdin every input line is a board, \
    its rows separated by | or as JSON, and every answer is one line: with --json an object with \
    the best move first in \"moves\", or {\"error\":...}."
)]
pub(crate) struct Analyze {
    /// The agent whose values are used: one of `afterstate agents`, an agent file or a run folder
    #[arg(default_value = "builtin", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) agent: Agent,

    /// The game and its rules [default: those of a trained agent; 2048 for the built-in one]
    #[arg(long, value_parser = game)]
    pub(crate) game: Option<GameSpec>,

    /// The file of the board, in rows or on one line (- for standard input)
    #[arg(long, value_name = "FILE", default_value = "-", conflicts_with = "serve_stdin")]
    pub(crate) board: String,

    /// Read boards from standard input, one per line, and answer each with one line
    #[arg(long)]
    pub(crate) serve_stdin: bool,

    /// The search
    #[arg(long, default_value_t = Search::expectimax(2), value_name = "SEARCH")]
    pub(crate) search: Search,

    /// Threads of the search
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = threads)]
    pub(crate) threads: usize,
}
