//! Evaluation: many games of one agent; the result does not depend on the number of threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use afterstate_core::cluster::{ClusterError, ClusterStatus};
use afterstate_core::policy::Choice;
use afterstate_core::{Device, Ending, Episode, Policy, Rng, threads};
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::{Model, PlaysGames};
use serde::{Deserialize, Serialize};

use crate::on_cluster;
use crate::on_device::{self, OnDeviceError};
use crate::statistics::{Exposure, Rate, exposure, exposure_truncated, reach_rates};
use crate::{Agent, AgentError, LoadedAgent, NotSearchable, OtherRules, Summary};

/// So many games take longer than copying a large network into huge pages.
const MANY_GAMES: u64 = 1_000;

/// The most games of an evaluation, whose results take some gigabytes.
pub const MAX_GAMES: u64 = 100_000_000;

/// How many games to play, from which seed, on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationSettings {
    /// Games to play, at least one.
    pub games: u64,
    /// Game number i draws from the stream (seed, i).
    pub seed: u64,
    /// Threads to play on; `None` for as many as the machine has cores.
    pub threads: Option<usize>,
    /// Games are truncated after this many moves, or earlier by the move limit of the rules.
    pub max_moves: Option<u64>,
    /// Where the games are played.
    pub device: Device,
}

/// A thousand games with seed 1, to their ends, on all cores.
impl Default for EvaluationSettings {
    fn default() -> EvaluationSettings {
        let device = Device::Cpu;
        EvaluationSettings { games: 1_000, seed: 1, threads: None, max_moves: None, device }
    }
}

impl EvaluationSettings {
    /// Refuses more games than there is memory for, wherever they are played.
    fn check(&self) -> Result<(), EvaluateError> {
        if self.games > MAX_GAMES { Err(EvaluateError::TooManyGames(self.games)) } else { Ok(()) }
    }
}

/// The results of many games.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// The score of each game, in the order of their numbers.
    pub scores: Vec<f64>,
    /// The scores of the games.
    pub score: Summary,
    /// The lengths of the games, in moves.
    pub length: Summary,
    /// The share of games that reached each tile or more, where the game has tiles.
    pub reach: BTreeMap<u64, Rate>,
    /// All moves of all games.
    pub moves: u64,
    /// Games that were truncated at a limit on moves. The score so far is counted.
    pub truncated: u64,
    /// The expected score of a game without truncation, under a constant hazard rate: the sum of
    /// the scores over the number of ends.
    pub to_the_end: Option<Exposure>,
    /// Its length in moves, likewise.
    pub moves_to_the_end: Option<Exposure>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The energy that a GPU used in that time, where it counts it.
    pub joules: Option<f64>,
    /// The GPU that played; `None` if the processor did.
    pub gpu: Option<String>,
}

/// What an evaluation has played so far.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EvaluationProgress {
    /// Games that are over.
    pub games: u64,
    /// The moves of all games, those in progress too.
    pub moves: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// The cluster that plays, if one does.
    pub cluster: Option<ClusterStatus>,
}

/// The games could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// So many results have no room.
    #[error("{0} games are too many: at most {MAX_GAMES} can be evaluated at once")]
    TooManyGames(u64),
    /// There is nothing to average.
    #[error("0 games cannot be evaluated: play at least 1")]
    NoGames,
    /// The agent cannot play.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent has no values that a search could use.
    #[error(transparent)]
    NotSearchable(#[from] NotSearchable),
    /// The agent was loaded for other rules.
    #[error(transparent)]
    OtherRules(#[from] OtherRules),
    /// The device cannot play them.
    #[error(transparent)]
    Device(#[from] OnDeviceError),
    /// The cluster cannot play them.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A worker of the cluster answered something else.
    #[error("a worker of the cluster did not answer with games: {0}")]
    Answer(String),
    /// A cluster can only be told agents by name, weights or file.
    #[error("{0} has no name or file that a cluster could be told: save it as an agent file")]
    NoFile(String),
    /// It was stopped before all games were over.
    #[error("the evaluation was stopped")]
    Stopped,
}

/// The seed of evaluations that follow a training with some seed: never its own games.
pub fn evaluation_seed(training_seed: u64) -> u64 {
    training_seed ^ 0x5eed
}

/// Plays games with an agent that searches.
///
/// ```
/// use afterstate_agents::{Agent, EvaluationSettings, evaluate};
/// use afterstate_games::twenty48::Twenty48;
/// use afterstate_search::Search;
///
/// let settings = EvaluationSettings { games: 100, ..EvaluationSettings::default() };
/// let games = evaluate(&Twenty48::standard(), &Agent::Greedy, &Search::GREEDY, &settings)?;
/// let (low, high) = games.score.ci95.ok_or("too few games")?;
/// println!("{:.0} points ({low:.0} to {high:.0}, 95%)", games.score.mean);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate<G: Spec>(
    game: &G,
    agent: &Agent,
    search: &Search,
    settings: &EvaluationSettings,
) -> Result<Evaluation, EvaluateError> {
    evaluate_observed(game, agent, search, settings, &AtomicBool::new(false), &mut |_| {})
}

/// As [`evaluate`], until `stop` is set; a GPU tells of its progress a few times a second.
pub fn evaluate_observed<G: Spec>(
    game: &G,
    agent: &Agent,
    search: &Search,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(EvaluationProgress),
) -> Result<Evaluation, EvaluateError> {
    settings.check()?;
    if settings.device == Device::Cluster {
        return on_cluster::evaluate(game, agent, search, settings, stop, observe);
    }
    let mut model = agent.load(game)?;
    if settings.games >= MANY_GAMES && settings.device == Device::Cpu {
        model.prepare_for_many_games();
    }
    play(game, (agent, &*model), search, settings, stop, observe)
}

/// The same with an agent that is loaded already.
pub fn evaluate_loaded<G: Spec>(
    game: &G,
    agent: &LoadedAgent,
    search: &Search,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
) -> Result<Evaluation, EvaluateError> {
    settings.check()?;
    let model = agent.model(game)?;
    if settings.device == Device::Cluster {
        let named = agent.name().parse().map_err(|_| EvaluateError::NoFile(agent.name().into()))?;
        return on_cluster::evaluate(game, &named, search, settings, stop, &mut |_| {});
    }
    play(game, (&agent.name(), model), search, settings, stop, &mut |_| {})
}

/// Plays games by a model of an agent, given by its name.
fn play<G: Spec>(
    game: &G,
    (agent, model): (&impl ToString, &dyn Model<G>),
    search: &Search,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(EvaluationProgress),
) -> Result<Evaluation, EvaluateError> {
    if let Device::Cuda(number) = settings.device {
        return on_device::evaluate(game, model, search, settings, number, observe);
    }
    if !search.is_greedy() && model.evaluator().is_none() {
        return Err(NotSearchable::new(agent, search).into());
    }
    let clock = Instant::now();
    let games = play_range(game, model, search, 0, settings, stop);
    if stop.load(Ordering::Relaxed) {
        return Err(EvaluateError::Stopped);
    }
    summarise(game, &games, clock.elapsed().as_secs_f64())
}

/// Plays games from a number on.
pub(crate) fn play_range<G: Spec>(
    game: &G,
    model: &dyn Model<G>,
    search: &Search,
    first: u64,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
) -> Vec<PlayedGame> {
    match model.plays_games() {
        Some(player) if search.is_greedy() => play_in_turn(game, player, first, settings, stop),
        _ => {
            let policy = || Stoppable { policy: model.searching(search), stop };
            play_policy(game, policy, first, settings)
        }
    }
}

/// A policy whose games end when a flag is set.
#[derive(Clone, Copy, Debug)]
pub struct Stoppable<'a, P> {
    /// Who plays until then.
    pub policy: P,
    /// The flag.
    pub stop: &'a AtomicBool,
}

impl<G: Spec, P: Policy<G>> Policy<G> for Stoppable<'_, P> {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        if self.stop.load(Ordering::Relaxed) { None } else { self.policy.choose(game, state, rng) }
    }
}

/// Plays games by a network, several in turn on each thread.
fn play_in_turn<G: Spec>(
    game: &G,
    player: &dyn PlaysGames<G>,
    first: u64,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
) -> Vec<PlayedGame> {
    let max_moves = settings.max_moves.unwrap_or(u64::MAX);
    let threads = settings.threads.unwrap_or_else(threads::cores);
    let claimed = AtomicU64::new(0);
    let work = |_| {
        let mut own = Vec::new();
        let mut next = || {
            let number = claimed.fetch_add(1, Ordering::Relaxed);
            let goes_on = number < settings.games && !stop.load(Ordering::Relaxed);
            goes_on.then(|| (number, Rng::stream(settings.seed, first + number)))
        };
        let mut ended = |number, episode| own.push((number, PlayedGame::new(game, &episode)));
        player.play_games(game, max_moves, &mut next, &mut ended);
        own
    };
    let mut games: Vec<_> = threads::scoped(0..threads, work).into_iter().flatten().collect();
    games.sort_unstable_by_key(|(number, _)| *number);
    games.into_iter().map(|(_, game)| game).collect()
}

/// Plays games; every thread has a policy of its own.
pub fn evaluate_policy<G: Spec, P: Policy<G>>(
    game: &G,
    policy: impl Fn() -> P + Sync + Send,
    settings: &EvaluationSettings,
) -> Result<Evaluation, EvaluateError> {
    let clock = Instant::now();
    let games = play_policy(game, policy, 0, settings);
    summarise(game, &games, clock.elapsed().as_secs_f64())
}

/// Plays games by a policy, from a number on.
fn play_policy<G: Spec, P: Policy<G>>(
    game: &G,
    policy: impl Fn() -> P + Sync + Send,
    first: u64,
    settings: &EvaluationSettings,
) -> Vec<PlayedGame> {
    let max_moves = settings.max_moves.unwrap_or(u64::MAX);
    let play = |policy: &mut P, number| {
        let mut rng = Rng::stream(settings.seed, first + number as u64);
        Episode::play_up_to(max_moves, game, policy, &mut rng)
    };
    let threads = settings.threads.unwrap_or_else(threads::cores);
    let episodes = threads::map_with(threads, settings.games as usize, policy, play);
    episodes.iter().map(|episode| PlayedGame::new(game, episode)).collect()
}

/// A game that has been played, on whatever device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Shortest", into = "Shortest")]
pub struct PlayedGame {
    /// The sum of its rewards.
    pub score: f64,
    /// Its length.
    pub moves: u64,
    /// The largest tile, in games with tiles.
    pub reached: Option<u64>,
    /// Whether it was ended by a limit on moves.
    pub truncated: bool,
}

/// A game as workers of a cluster write it.
type Shortest = (f64, u64, Option<u64>, bool);

impl From<Shortest> for PlayedGame {
    fn from((score, moves, reached, truncated): Shortest) -> PlayedGame {
        PlayedGame { score, moves, reached, truncated }
    }
}

impl From<PlayedGame> for Shortest {
    fn from(game: PlayedGame) -> Shortest {
        (game.score, game.moves, game.reached, game.truncated)
    }
}

impl PlayedGame {
    fn new<G: Spec>(game: &G, episode: &Episode<G::State>) -> PlayedGame {
        PlayedGame {
            score: episode.score,
            moves: episode.moves,
            reached: game.reached(&episode.last),
            truncated: episode.ending == Ending::Truncated,
        }
    }
}

/// The statistics of some games.
pub fn summarise<G: Spec>(
    game: &G,
    games: &[PlayedGame],
    seconds: f64,
) -> Result<Evaluation, EvaluateError> {
    let scores: Vec<f64> = games.iter().map(|game| game.score).collect();
    let lengths: Vec<f64> = games.iter().map(|game| game.moves as f64).collect();
    let tiles: Vec<u64> = games.iter().filter_map(|game| game.reached).collect();
    let truncated = games.iter().filter(|game| game.truncated).count() as u64;
    let ends = games.len() as u64 - truncated;
    let to_the_end = |values: &[f64]| {
        let exposure = if truncated > 0 { exposure_truncated } else { exposure };
        game.ends_by_chance().then(|| exposure(values.iter().sum(), ends))
    };
    Ok(Evaluation {
        score: Summary::of_games(&scores).ok_or(EvaluateError::NoGames)?,
        length: Summary::of_games(&lengths).ok_or(EvaluateError::NoGames)?,
        reach: reach_rates(&tiles),
        moves: games.iter().map(|game| game.moves).sum(),
        truncated,
        to_the_end: to_the_end(&scores),
        moves_to_the_end: to_the_end(&lengths),
        seconds,
        joules: None,
        gpu: None,
        scores,
    })
}
