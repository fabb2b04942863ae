//! The command line: commands, flags and help texts.

mod analyze;
mod eval;
mod exchange;
mod help;
mod play;
#[cfg(feature = "serve")]
mod serve;
mod suggest;
mod train;
mod values;

use std::path::PathBuf;

use afterstate_agents::Agent;
use afterstate_core::Device;
use afterstate_games::RewardMixture;
use afterstate_games::spec::GameSpec;
use clap::{Args, Parser, Subcommand};

pub(crate) use analyze::Analyze;
use eval::Common;
pub(crate) use eval::{Compare, Eval};
pub(crate) use exchange::{Learner, Player};
pub(crate) use help::parse;
pub(crate) use play::{Play, Record};
#[cfg(feature = "serve")]
pub(crate) use serve::Serve;
pub(crate) use train::{Plot, Runs, Top, Train, XAxis};
pub(crate) use values::{display_name, read_text};
use values::{game, seconds, seed, size, threads};

/// Learn, search, solve and play stochastic puzzle games: 2048, Tetris and 1010!
#[derive(Parser)]
#[command(name = "afterstate", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "GAME is a game with its rules, such as 2048:3x3 or tetris:10x20; \
    `afterstate games` lists them all.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print JSON for other programs, one object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play a game in the terminal, by hand with hints or by an agent
    Play(Play),
    /// Serve the page for a browser: play, watch, train, explain, results
    #[cfg(feature = "serve")]
    Serve(Serve),
    /// Record a game as an animated GIF, a picture or a replay
    Record(Record),
    /// Train an agent by a recipe, or resume a run
    Train(Train),
    /// Follow runs during training: curve, speed, time left
    Top(Top),
    /// List runs with the disk they take, compare them, or delete them
    Runs(Runs),
    /// Plot learning curves of runs, or results beside published values
    Plot(Plot),
    /// List the recipes that come with the program
    Recipes,
    /// List the agents, or tell what trained one
    Agents(Agents),
    /// Quantize a trained agent to 16-bit weights or to a file of a given size, and report the error
    #[command(alias = "shrink")]
    Quantize(Quantize),
    /// Evaluate an agent: the mean score of many games with its interval
    Eval(Eval),
    /// Compare two agents on the same games, with interval and p-value
    Compare(Compare),
    /// Analyze a board: the value of every move, and the reasons
    #[command(alias = "advise")]
    Analyze(Analyze),
    /// List the games and the options of their rules
    Games,
    /// Solve a small game exactly, and save the optimal agent
    Solve(Solve),
    /// Count sequences of moves and chance outcomes, to compare rules
    Perft(Perft),
    /// Measure speeds, on one core unless a name says otherwise
    Bench(Bench),
    /// Verify that a GPU plays and learns as the processor does
    VerifyDevice(VerifyDevice),
    /// Measure random play, to find wrong rules
    RandomPlay(RandomPlay),
    /// Play Tetris by 22 weights, and write its boards for `learner`, one per row
    Player(Player),
    /// Learn the next 22 weights from the games of `player`, by lambda-policy iteration
    Learner(Learner),
    /// Reproduce published tables and figures; without a name, list them
    Reproduce(Reproduce),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// The address of the cluster that the command is to use.
    pub(crate) fn cluster(&self) -> Option<&str> {
        match self {
            Command::Train(Train { cluster, .. })
            | Command::Eval(Eval { cluster, .. })
            | Command::Reproduce(Reproduce { cluster, .. }) => cluster.as_deref(),
            _ => None,
        }
    }
}

#[derive(Args)]
pub(crate) struct Agents {
    /// Tell what this agent is, what trained it and how strong it is
    #[arg(value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) agent: Option<Agent>,

    /// Print the recipe that trained it, for `afterstate train`
    #[arg(long, requires = "agent")]
    pub(crate) recipe: bool,
}

#[derive(Args)]
pub(crate) struct VerifyDevice {
    /// The device: cuda, or cuda:1 for the second GPU
    #[arg(default_value_t = Device::Cuda(0), value_name = "DEVICE")]
    pub(crate) device: Device,
}

#[derive(Args)]
pub(crate) struct Quantize {
    /// An agent file or a run folder
    pub(crate) agent: Agent,

    /// The file to write
    pub(crate) out: PathBuf,

    /// Keep as much as fits into a file of this size, such as 16MiB: the agent plays games, and the
    /// weights that it uses most are kept, with the most precision
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_size: Option<u64>,

    /// Games to play to find the weights that are used most
    #[arg(long, default_value_t = 5_000, value_name = "N", requires = "max_size",
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) games: u64,

    /// The seed of these games, other ones than those of `eval`
    #[arg(long, default_value_t = 2, value_name = "N", requires = "max_size", value_parser = seed)]
    pub(crate) seed: u64,

    /// Threads to play and code on [default: one per core]
    #[arg(long, value_name = "N", requires = "max_size", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Args)]
pub(crate) struct Solve {
    /// The game and its rules, such as 1010:4x4,pieces=7 or 2048:2x2 (less than a second),
    /// 1010:5x5,pieces=7 or 2048:3x3 (minutes)
    #[arg(value_parser = game)]
    pub(crate) game: GameSpec,

    /// The reward to maximise: score, step (1 per move), lines (squared), moves (legal in the next
    /// state), sums such as 2*lines+moves, or r1, r2, r3 of Tang's study [default: maximise the
    /// length of the game; score if no state can recur or the rules limit the moves]
    #[arg(long, value_name = "REWARD")]
    pub(crate) reward: Option<RewardMixture>,

    /// The discount factor
    #[arg(long, default_value_t = 1.0, value_name = "G")]
    pub(crate) gamma: f64,

    /// Stop after so many plain sweeps, whether values have converged or not [default: until they
    /// have, with extrapolation]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sweeps: Option<u64>,

    /// Threads to solve on [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// The file of the optimal agent [default: solved/GAME.safetensors]
    #[arg(long, value_name = "FILE", conflicts_with = "no_save")]
    pub(crate) out: Option<PathBuf>,

    /// Do not save the agent
    #[arg(long)]
    pub(crate) no_save: bool,

    /// Take the solution from this file, which solve has saved, instead of solving again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reward", "gamma", "sweeps", "out"])]
    pub(crate) from: Option<PathBuf>,

    /// Compare an agent with the solution, on the positions of its own games: the regret of its moves
    /// and the error of its values; may be given several times
    #[arg(long, value_name = "AGENT", value_parser = suggest::agent(), hide_possible_values = true)]
    pub(crate) compare: Vec<Agent>,

    /// Games that each agent plays to be compared
    #[arg(long, default_value_t = 1000, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) games: u64,

    /// The seed of these games
    #[arg(long, default_value_t = 1, value_name = "S", value_parser = seed)]
    pub(crate) seed: u64,

    /// Truncate these games after so many moves
    #[arg(long, default_value_t = 10_000, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_moves: u64,
}

#[derive(Args)]
pub(crate) struct Perft {
    /// The game and its rules
    #[arg(value_parser = game)]
    pub(crate) game: GameSpec,

    /// The number of moves in a sequence
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) depth: u32,

    /// Count from the state in this file (- for standard input) and not from a starting state;
    /// `afterstate games` shows how states are written
    #[arg(long, value_name = "FILE")]
    pub(crate) board: Option<String>,

    /// The seed of the starting state
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = seed)]
    pub(crate) seed: u64,
}

#[derive(Args)]
pub(crate) struct Bench {
    /// Run only benchmarks whose name contains this
    #[arg(default_value = "")]
    pub(crate) filter: String,

    /// The approximate time for each benchmark
    #[arg(long, default_value_t = 1.0, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: f64,

    /// The seed of the measured games
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = seed)]
    pub(crate) seed: u64,

    /// Play fixed games and print a hash that changes only if behaviour changes
    #[arg(long, conflicts_with_all = ["filter", "seconds", "seed"])]
    pub(crate) fingerprint: bool,

    /// Start the server of the page on loopback and measure requests per second
    #[cfg(feature = "serve")]
    #[arg(long, conflicts_with_all = ["filter", "seed", "fingerprint"])]
    pub(crate) serve: bool,
}

#[derive(Args)]
pub(crate) struct RandomPlay {
    /// The games [default: all examples of `afterstate games`]
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
    /// The experiments [default: list them]
    #[arg(value_parser = suggest::experiment(), hide_possible_values = true)]
    pub(crate) experiments: Vec<String>,

    /// Run all experiments
    #[arg(long, conflicts_with = "experiments")]
    pub(crate) all: bool,

    /// List the experiments and how long their full forms take
    #[arg(long, conflicts_with_all = ["experiments", "all"])]
    pub(crate) list: bool,

    /// Measure nothing: write the pages, figures and the index of the folder of reports anew from
    /// their JSON
    #[arg(long, conflicts_with_all = ["experiments", "all", "list"])]
    pub(crate) pages: bool,

    /// Train for as many games as the source, for minutes to hours; the same command resumes it.
    /// Without this flag, training has a fiftieth of the games
    #[arg(long)]
    pub(crate) full: bool,

    /// Threads to train and play on [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,

    /// Where agents play: cpu, or cuda for an NVIDIA GPU, which the controllers of Tetris
    /// (tetris-bcts-10x20 and the like) can be measured on in seconds
    #[arg(long, default_value_t, value_name = "DEVICE")]
    pub(crate) device: Device,

    /// Play the games of trainings and of agents on a Ray cluster, as far as they can be shared out:
    /// HOST:PORT of its head, auto on one of its nodes, or local; see docs/cluster.md
    #[arg(long, value_name = "ADDRESS", conflicts_with = "device")]
    pub(crate) cluster: Option<String>,

    /// The seed of the trainings
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = seed)]
    pub(crate) seed: u64,

    /// The folder of the reports: JSON, Markdown and SVG
    #[arg(long, default_value = "results", value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// The folder of the runs, which experiments share
    #[arg(long, default_value = "runs/reproduce", value_name = "DIR")]
    pub(crate) runs: PathBuf,
}
