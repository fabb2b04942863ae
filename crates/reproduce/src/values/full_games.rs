//! Value functions on the full games, which are not solved: strength after the same time of training, on the
//! processor or on a GPU, beside the agents of the program.

use std::sync::atomic::AtomicBool;

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::{Agent, Evaluation, EvaluationSettings, LoadedAgent, machine};
use afterstate_core::Device;
use afterstate_engine::Engine;
use afterstate_search::Search;
use afterstate_train::recipes;
use afterstate_train::{Budget, Recipe};
use afterstate_values::file::AgentFile;
use serde::{Deserialize, Serialize};

use super::point::{mebibytes, shown};
use super::processor_time::ProcessorTime;
use super::training::train;
use super::{LINEAR, NEURAL, NTUPLES, short};
use crate::cache::Cost;
use crate::experiment::{Experiment, Measured, Quantity, Results};
use crate::files::write_json;
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// Seconds of each training: of one processor, or of a GPU.
const SECONDS: u64 = 30;

/// What a game is measured by.
pub(super) const STRENGTH: Quantity = Quantity::Decimal("mean strength");

/// A full game.
#[derive(Debug)]
struct FullGame {
    title: &'static str,
    rules: &'static str,
    /// What its strength counts.
    unit: &'static str,
    /// Whether that is moves, and not the score.
    by_moves: bool,
    /// Games that are played, and after how many moves they are truncated.
    play: (u64, u64),
    learners: &'static [Learner],
}

/// A value function of a full game: one that is trained, or an agent of the program.
#[derive(Debug)]
struct Learner {
    case: &'static str,
    kind: &'static str,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    /// By a recipe of the program with other settings, of which a processor makes so many moves in a second, and
    /// by one for a GPU, where that is another.
    Recipe { own: Recipes, on_gpu: Recipes, speed: u64 },
    /// An agent that was trained before.
    Agent(&'static str),
}

/// A recipe of the program and its other settings.
type Recipes = (&'static str, &'static [&'static str]);

const fn recipe(
    case: &'static str,
    kind: &'static str,
    name: &'static str,
    settings: &'static [&'static str],
    speed: u64,
) -> Learner {
    let own = (name, settings);
    Learner { case, kind, how: How::Recipe { own, on_gpu: own, speed } }
}

impl Learner {
    /// The same with another recipe on a GPU.
    const fn on_gpu(self, on_gpu: Recipes) -> Learner {
        match self.how {
            How::Recipe { own, speed, .. } => {
                Learner { how: How::Recipe { own, on_gpu, speed }, ..self }
            }
            How::Agent(_) => self,
        }
    }
}

const fn agent(case: &'static str, kind: &'static str, name: &'static str) -> Learner {
    Learner { case, kind, how: How::Agent(name) }
}

/// The layers of networks that learn on a GPU.
const CONVOLUTIONS_OF_2048: &str =
    "neural.layers=[\"conv 2x2 256\", \"conv 2x2 256\", \"dense 256\"]";
const CONVOLUTIONS: &str = "neural.layers=[\"conv 3x3 32\", \"conv 3x3 64\", \"dense 128\"]";

pub(super) const CASES: [&str; 12] = [
    "2048, linear: tiles of cells",
    "2048, n-tuples",
    "2048, neural",
    "2048, the agent of the program",
    "1010!, linear: 21 features by LSPI",
    "1010!, n-tuples",
    "1010!, neural",
    "1010!, the agent of the program",
    "Tetris, linear: nine features by CMA-ES",
    "Tetris, n-tuples",
    "Tetris, neural",
    "Tetris, the agent of the program",
];

const GAMES: [FullGame; 3] = [
    FullGame {
        title: "2048",
        rules: "2048:4x4",
        unit: "points",
        by_moves: false,
        play: (300, 1_000_000),
        learners: &[
            recipe(
                CASES[0],
                LINEAR,
                "2048-td",
                &["network.tuples=[\"0\",\"1\",\"5\"]", "phase.0.rate=0.01"],
                5_000_000,
            ),
            recipe(CASES[1], NTUPLES, "2048-small", &[], 2_100_000).on_gpu(("2048-cuda", &[])),
            recipe(CASES[2], NEURAL, "2048-neural", &[], 97_000)
                .on_gpu(("2048-neural", &[CONVOLUTIONS_OF_2048, "neural.games=4096"])),
            agent(CASES[3], NTUPLES, "2048"),
        ],
    },
    FullGame {
        title: "1010! 10x10, one piece at a time",
        rules: "1010:10x10,pieces=19",
        unit: "rounds",
        by_moves: true,
        play: (300, 100_000),
        learners: &[
            recipe(CASES[4], LINEAR, "1010-lspi", &[], 43_000),
            recipe(CASES[5], NTUPLES, "1010", &[], 58_000).on_gpu(("1010-record", &[])),
            recipe(CASES[6], NEURAL, "1010-neural", &[], 8_000)
                .on_gpu(("1010-neural", &[CONVOLUTIONS, "neural.games=2048"])),
            agent(CASES[7], NTUPLES, "1010"),
        ],
    },
    FullGame {
        title: "Tetris 10x10",
        rules: "tetris:10x10",
        unit: "lines",
        by_moves: false,
        play: (300, 1_000_000),
        learners: &[
            recipe(CASES[8], LINEAR, "tetris-cmaes", &[], 5_000_000),
            recipe(CASES[9], NTUPLES, "tetris", &["game=tetris:10x10"], 38_000),
            recipe(CASES[10], NEURAL, "tetris-neural", &[], 14_000)
                .on_gpu(("tetris-neural", &[CONVOLUTIONS, "neural.games=2048"])),
            agent(CASES[11], LINEAR, "tetris-10x10"),
        ],
    },
];

/// A value function on a full game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamePoint {
    /// The game in words.
    pub game: String,
    /// What strength counts.
    pub unit: String,
    /// Its name.
    pub case: String,
    /// The kind of value function.
    pub kind: String,
    /// Numbers that were learned.
    pub parameters: u64,
    /// Their bytes in the file of the agent.
    pub bytes: u64,
    /// Moves of the training, if it was trained here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Seconds of the training, of one processor or of a GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The GPU that trained it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The mean of its greedy games.
    pub strength: Value,
    /// Microseconds of one processor for a move of greedy play.
    pub microseconds: f64,
}

impl GamePoint {
    /// Its name, without that of the game.
    pub(super) fn name(&self) -> &str {
        self.case.split_once(", ").map_or(&self.case, |parts| parts.1)
    }
}

pub(super) fn measured(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let threads = cache.threads;
    if cache.device == Device::Cpu {
        cache.threads = 1;
    }
    let results = measure(experiment, cache);
    cache.threads = threads;
    results
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (mut games, mut costs) = (Vec::new(), Vec::new());
    for game in &GAMES {
        for learner in game.learners {
            let point = one(experiment, game, learner, cache)?;
            costs.extend(point.seconds.map(|seconds| Cost {
                training: learner.case.to_owned(),
                episodes: 0,
                moves: point.moves.unwrap_or_default(),
                seconds,
                threads: cache.threads,
                machine: match &point.gpu {
                    Some(gpu) => format!("{gpu}; {}", machine()),
                    None => machine(),
                },
            }));
            games.push(point);
        }
    }
    let strength = |case: &str| games.iter().find(|point| point.case == case);
    let rows = experiment
        .rows_by(|published| (None, strength(published.case).map(|point| point.strength)));
    let notes = vec![
        "Strength is points of 2048, rounds of 1010! and lines of Tetris, in greedy games; games of 1010! \
         and Tetris that are truncated count for the mean to the end. Trained by one seed."
            .to_owned(),
    ];
    Ok(Results { rows, costs, notes, games, ..Results::default() })
}

/// Trains and measures a value function, or reads what was measured before.
fn one(
    experiment: &Experiment,
    game: &FullGame,
    learner: &Learner,
    cache: &mut TrainingCache,
) -> Result<GamePoint, Error> {
    cache.check_stopped()?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = learner.case.chars().map(plain).collect();
    let name = format!("{}/{name}", experiment.name);
    let path = cache.path(&format!("{name}.json"));
    if let Some(found) = cache.saved(&path)? {
        return Ok(found);
    }
    let (agent, trained) = match learner.how {
        How::Agent(name) => (name.parse::<Agent>()?, None),
        How::Recipe { own, on_gpu, speed } => {
            let recipe = if matches!(cache.device, Device::Cuda(_)) { on_gpu } else { own };
            let text = text(recipe, speed, cache)?;
            let (run, seconds) = train(cache, &name, &text)?;
            (Agent::File(run.folder.agent()), Some((run.finished.cost.moves, seconds)))
        }
    };
    let engine = afterstate_engine::open(&game.rules.parse()?);
    let loaded = engine.load(&agent)?;
    let file = match &agent {
        Agent::File(file) => AgentFile::open(&**file)?,
        Agent::Embedded(agent) => AgentFile::open(agent.source())?,
        other => return Err(Error::Table(format!("{other} is no agent with values"))),
    };
    let gpu = file.info.trained.as_ref().and_then(|trained| trained.gpu.clone());
    let (parameters, bytes) = file.sizes();
    let (played, microseconds) = play(game, &*engine, &loaded, learner.kind, cache)?;
    let point = GamePoint {
        game: game.title.to_owned(),
        unit: game.unit.to_owned(),
        case: learner.case.to_owned(),
        kind: learner.kind.to_owned(),
        parameters,
        bytes,
        moves: trained.map(|trained| trained.0),
        seconds: trained.map(|trained| trained.1),
        gpu,
        strength: strength(game, &played),
        microseconds,
    };
    write_json(&path, &point)?;
    Ok(point)
}

/// The recipe with the budget of the experiment.
fn text((name, settings): Recipes, speed: u64, cache: &TrainingCache) -> Result<String, Error> {
    let seconds = cache.scale.pick([0, 2, SECONDS]);
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    let (_, text) = recipes::find(name).map_err(|error| Error::Table(error.to_string()))?;
    let mut recipe = Recipe::parse(&text, &settings)?;
    recipe.seed = cache.seed;
    recipe.budget = match cache.device {
        Device::Cuda(_) => Budget { seconds: Some(seconds.max(1) as f64), ..Budget::default() },
        // The training of a test is as short as those that play hundreds of games at once can be.
        _ => Budget { moves: Some((speed * seconds).max(2_000)), ..Budget::default() },
    };
    Ok(recipe.text()?)
}

/// The greedy games of an agent, and the microseconds of a move of one processor.
fn play(
    game: &FullGame,
    engine: &dyn Engine,
    agent: &LoadedAgent,
    kind: &str,
    cache: &mut TrainingCache,
) -> Result<(Evaluation, f64), Error> {
    let (games, max_moves) = game.play;
    let (games, max_moves) = cache.scale.pick([(2, 200), (30, max_moves), (games, max_moves)]);
    let settings = EvaluationSettings {
        games,
        seed: evaluation_seed(cache.seed),
        threads: Some(1),
        max_moves: Some(max_moves),
        device: Device::Cpu,
    };
    cache.observer.begin(&format!("{}: {games} games", agent.name()))?;
    let stop = AtomicBool::new(false);
    let play = |settings: &EvaluationSettings| {
        engine.evaluate_loaded(agent, &Search::GREEDY, settings, &stop)
    };
    // Long games of large neural networks take hours of one processor: a GPU plays them, and the processor so many
    // moves of some.
    let on_gpu = kind == NEURAL && matches!(cache.device, Device::Cuda(_));
    let here = match on_gpu {
        true => EvaluationSettings { games: games.min(20), max_moves: Some(500), ..settings },
        false => settings,
    };
    let clock = ProcessorTime::start();
    let played = play(&here)?;
    let microseconds = 1e6 * clock.seconds() / played.moves.max(1) as f64;
    if !on_gpu {
        return Ok((played, microseconds));
    }
    let there =
        EvaluationSettings { threads: Some(cache.threads), device: cache.device, ..settings };
    Ok((play(&there)?, microseconds))
}

fn strength(game: &FullGame, played: &Evaluation) -> Value {
    let (summary, to_the_end) = match game.by_moves {
        true => (&played.length, played.moves_to_the_end),
        false => (&played.score, played.to_the_end),
    };
    let own = Value::within(summary.mean, summary.ci95);
    let whole = to_the_end.filter(|_| played.truncated > 0).and_then(Value::exposure);
    whole.unwrap_or(own)
}

/// The points of a game of some reports as a table.
pub(super) fn table(points: &[&GamePoint]) -> String {
    let unit = points.first().map_or("", |point| &*point.unit);
    let mut page = format!(
        "| value function | trained on | parameters | MiB | moves of training | s of training | {unit} | µs a \
         move |\n|---|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for point in points {
        let whole = |moves: u64| afterstate_core::numbers::whole(moves as f64);
        let on = match (&point.gpu, point.seconds) {
            (Some(gpu), _) => gpu,
            (None, Some(_)) => "one processor",
            (None, None) => "a GPU",
        };
        page += &format!(
            "| {} | {on} | {} | {} | {} | {} | {} | {} |\n",
            point.name(),
            whole(point.parameters),
            mebibytes(point.bytes),
            point.moves.map_or(String::new(), whole),
            point.seconds.map_or(String::new(), short),
            shown(point.strength),
            short(point.microseconds),
        );
    }
    page
}
