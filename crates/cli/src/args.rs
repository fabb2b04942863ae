//! The command line: every command, flag and help text.

mod advise;
mod exchange;
mod play;
mod serve;
mod values;

use std::path::PathBuf;

use afterstate_games::RewardMixture;
use afterstate_games::spec::GameSpec;
use afterstate_lab::{Agent, Plan};
use afterstate_search::Search;
use clap::{Args, Parser, Subcommand};

pub(crate) use advise::Advise;
pub(crate) use exchange::{Learner, Player};
pub(crate) use play::{Play, Record};
pub(crate) use serve::Serve;
pub(crate) use values::{called, read_text};
use values::{game, seconds, threads};

/// Learns, searches, solves and shows stochastic puzzle games: 2048, Tetris and 1010!
#[derive(Parser)]
#[command(name = "afterstate", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "GAME is a game with its rules, such as 2048:3x3 or tetris:10x20; \
    `afterstate games` lists them all.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print JSON, one object a line, for other programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play a game by hand in the terminal, with hints, or watch an agent play it
    Play(Play),
    /// Open the page in a browser: play, watch, train, look inside, read the results
    Serve(Serve),
    /// Film a game: an animated GIF, and a replay that can be played again and verified
    Record(Record),
    /// Train an agent by a recipe, or go on with a run
    Train(Train),
    /// Follow a training while it runs: curve, speed, time left
    Top(Top),
    /// List runs and compare them
    Runs(Runs),
    /// Draw the curves of runs, or results beside what was published: in the terminal, SVG or PNG
    Plot(Plot),
    /// List the recipes that come with the program
    Recipes,
    /// List the agents that there are: built in, published weights, in agents/ and in runs/
    Agents,
    /// Make a trained agent smaller: 16-bit weights, and what that loses
    Shrink(Shrink),
    /// Play many games with an agent and report the mean score with its interval
    Eval(Eval),
    /// Say what every move of a board is worth, the best first, and why
    Advise(Advise),
    /// List the games with all options of their rules
    Games,
    /// Find the exact optimum of a small game, and save the agent that plays it
    Solve(Solve),
    /// Count all move and chance sequences to a depth, to compare rules with other programs
    Perft(Perft),
    /// Measure speeds, on one core unless a name says otherwise
    Bench(Bench),
    /// Mean score and length of random play: a fingerprint by which wrong rules are found
    RandomPlay(RandomPlay),
    /// Play Tetris by 22 weights and write the boards for `learner`, a row each
    Player(Player),
    /// Make the next 22 weights of the games that `player` wrote, by lambda-policy iteration
    Learner(Learner),
    /// Measure published tables and figures again; without a name, list them
    Reproduce(Reproduce),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args)]
pub(crate) struct Train {
    /// A recipe: one of `afterstate recipes`, or a TOML file
    #[arg(required_unless_present = "resume")]
    pub(crate) recipe: Option<String>,

    /// Go on with a run that was stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["recipe", "set", "seconds", "moves", "episodes", "seed", "out"])]
    pub(crate) resume: Option<PathBuf>,

    /// Change a setting of the recipe, such as phase.0.rate=0.05. The learning rate is the total:
    /// it is divided by the number of looked-up weights
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// How the games of the training look ahead, such as expectimax:2 [default: the recipe's, or
    /// greedy]
    #[arg(long, value_name = "SEARCH", conflicts_with = "resume")]
    pub(crate) search: Option<Search>,

    /// Train for so many seconds
    #[arg(long, value_name = "S", group = "budget")]
    pub(crate) seconds: Option<f64>,

    /// Train for so many moves
    #[arg(long, value_name = "N", group = "budget")]
    pub(crate) moves: Option<u64>,

    /// Train for so many games
    #[arg(long, value_name = "N", group = "budget")]
    pub(crate) episodes: Option<u64>,

    /// Threads to train on [default: one a core]. With one thread the same seed gives the same
    /// bytes
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// The seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,

    /// The folder of the run [default: a new one in runs/]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Games to play with the trained agent, each cut off after 50,000 moves; 0 for none
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub(crate) eval_games: u64,
}

#[derive(Args)]
pub(crate) struct Runs {
    /// The runs [default: all in runs/]
    pub(crate) runs: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Top {
    /// The runs [default: the one in runs/ that was written last]
    pub(crate) runs: Vec<PathBuf>,

    /// Say how they stand once and end, as is done without a terminal
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Args)]
pub(crate) struct Plot {
    /// The runs, or results such as results/chen-table1.json
    #[arg(required = true)]
    pub(crate) runs: Vec<PathBuf>,

    /// What stands on the x axis
    #[arg(long, value_enum, default_value_t = XAxis::Episodes)]
    pub(crate) against: XAxis,

    /// Draw another figure than the score, such as best or iteration, where a learner has it
    #[arg(long, value_name = "FIGURE")]
    pub(crate) of: Option<String>,

    /// Draw to this file, .svg or .png, instead of the terminal; reach rates go beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum XAxis {
    Episodes,
    Moves,
    Seconds,
}

#[derive(Args)]
pub(crate) struct Shrink {
    /// The agent's file or run
    pub(crate) agent: Agent,

    /// The file to write
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct Eval {
    /// Who plays: one of `afterstate agents`, weights such as linear:dt=-2.18,2.42,... (with
    /// linear:reward+SET= the reward counts, too), an agent's file or a run's folder
    #[arg(required_unless_present = "replay")]
    pub(crate) agent: Option<Agent>,

    /// The game and its rules, such as 2048, tetris:10x20 or 1010:4x4,pieces=7; a trained agent
    /// knows its own
    #[arg(long, visible_alias = "rules", value_parser = game)]
    pub(crate) game: Option<GameSpec>,

    /// Verify a replay move by move and say what it came to, instead of playing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "game", "search"])]
    pub(crate) replay: Option<PathBuf>,

    /// How the agent looks ahead: greedy, expectimax:3 (plies), expectimax:50ms, expectimax:hand,
    /// minimax:2; `afterstate advise --help` says more
    #[arg(long, default_value_t = Search::GREEDY, value_name = "SEARCH")]
    pub(crate) search: Search,

    /// How many games to play
    #[arg(long, default_value_t = 1_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) games: u64,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Common {
    /// The seed; the same seed gives the same result on any number of threads
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    /// Threads to play on [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Cut games off after so many moves
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<u64>,
}

impl Common {
    /// So many games with these settings.
    pub(crate) fn plan(&self, games: u64) -> Plan {
        Plan { games, seed: self.seed, threads: self.threads, max_moves: self.moves }
    }
}

#[derive(Args)]
pub(crate) struct Solve {
    /// The game and its rules, such as 1010:4x4,pieces=7 or 2048:2x2 (at once), 1010:5x5,pieces=7
    /// or 2048:3x3 (minutes)
    #[arg(value_parser = game)]
    pub(crate) game: GameSpec,

    /// What to gather: score, step (1 a move), lines (their square), moves (of the next state), sums
    /// such as 2*lines+moves, or r1, r2, r3 of Tang's study [default: to live as long as possible;
    /// score where the game only moves forward or has a limit]
    #[arg(long, value_name = "REWARD")]
    pub(crate) reward: Option<RewardMixture>,

    /// How much a reward is worth a move later
    #[arg(long, default_value_t = 1.0, value_name = "G")]
    pub(crate) gamma: f64,

    /// Threads to solve on [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Where the solved agent goes [default: solved/GAME.safetensors]
    #[arg(long, value_name = "FILE", conflicts_with = "no_save")]
    pub(crate) out: Option<PathBuf>,

    /// Save no agent
    #[arg(long)]
    pub(crate) no_save: bool,
}

#[derive(Args)]
pub(crate) struct Perft {
    /// The game and its rules
    #[arg(value_parser = game)]
    pub(crate) game: GameSpec,

    /// How many moves deep to count
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) depth: u32,

    /// Count from the state drawn in this file (- for standard input) instead of a starting state;
    /// `afterstate games` shows how states are drawn
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<String>,

    /// The seed of the starting state
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct Bench {
    /// Only benchmarks whose name contains this
    #[arg(default_value = "")]
    pub(crate) filter: String,

    /// About how long to measure each benchmark
    #[arg(long, default_value_t = 1.0, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: f64,

    /// The seed of the games that are timed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    /// Play fixed games and print one number that changes only when behaviour changes
    #[arg(long, conflicts_with_all = ["filter", "seconds", "seed"])]
    pub(crate) fingerprint: bool,

    /// Start the page's server on loopback and measure how many requests a second it answers
    #[arg(long, conflicts_with_all = ["filter", "seed", "fingerprint"])]
    pub(crate) serve: bool,
}

#[derive(Args)]
pub(crate) struct RandomPlay {
    /// The games [default: all that `afterstate games` names]
    #[arg(value_parser = game)]
    pub(crate) games: Vec<GameSpec>,

    /// How many games of each to play
    #[arg(long = "games", default_value_t = 10_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pub(crate) count: u64,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Reproduce {
    /// The experiments [default: none, which lists them]
    pub(crate) experiments: Vec<String>,

    /// Measure all of them
    #[arg(long, conflicts_with = "experiments")]
    pub(crate) all: bool,

    /// Train for as many games as the source, for minutes to hours; what is stopped goes on with
    /// the same command. Without it, for one game in fifty
    #[arg(long)]
    pub(crate) full: bool,

    /// Threads to train and play on [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// The seed of the trainings
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    /// Where the reports go: JSON, Markdown and SVG
    #[arg(long, default_value = "results", value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Where the trainings go, which experiments share
    #[arg(long, default_value = "runs/reproduce", value_name = "DIR")]
    pub(crate) runs: PathBuf,
}
