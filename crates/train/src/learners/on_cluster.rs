//! `RemotePool`: games by weighted features on a cluster. They are those of a `WorkerPool` of one
//! thread, and are counted in the same order, so that a run learns the same on any number of
//! machines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use afterstate_agents::agent::features;
use afterstate_core::cluster::{Cluster, Job, Shards, Work, WorkError, connected};
use afterstate_core::{Features, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::lambda_pi::Trajectory;
use afterstate_learn::resumable_game::WeightedFeatures;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::worker_pool::{EpisodeJob, Finished, Record, WorkerPool};
use super::{GameResult, LearnerError, RoundContext};
use crate::Position;
use crate::recipe::Budget;

/// The kind of these jobs.
pub(super) const GAMES: &str = "games";

/// How long answers are waited for between two looks at the clock.
pub(super) const WAIT: Duration = Duration::from_millis(50);

/// A worker answered something else than it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("a worker of the cluster answered {0} results instead of {1}")]
pub(super) struct OtherAnswer(pub(super) usize, pub(super) usize);

/// How games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GameSettings {
    /// The set of features, and the weight of the reward.
    pub(super) features: String,
    pub(super) reward: f32,
    /// Game i draws from the stream (seed, i).
    pub(super) seed: u64,
    /// A game is truncated when it reaches this score.
    pub(super) max_score: Option<f64>,
    /// A game is truncated after this many moves.
    pub(super) max_moves: u64,
    /// Whether moves are recorded.
    pub(super) moves: bool,
}

/// Some games: which weights play which numbers.
#[derive(Serialize, Deserialize)]
struct GamesTask {
    weights: BTreeMap<usize, Vec<f32>>,
    games: Vec<(usize, u64)>,
}

/// A game as a worker answers: score, moves, largest tile, whether it was truncated, its record.
type Answered<R> = (f64, u64, Option<u64>, bool, R);

/// The games that a cluster plays for a learner.
pub(super) struct RemotePool {
    cluster: Arc<dyn Cluster>,
    batch: Option<Batch>,
}

/// Games that were handed out together.
struct Batch {
    /// What they belong to, such as an iteration.
    key: u64,
    /// The jobs that are not over.
    left: Vec<usize>,
    shards: Shards,
}

/// The games to play: what the learner knows of the jobs.
pub(super) struct Games<'a> {
    /// What they belong to, such as an iteration.
    pub(super) key: u64,
    /// The rules and the settings.
    pub(super) rules: String,
    pub(super) settings: &'a GameSettings,
    /// All weights that play.
    pub(super) weights: &'a [Vec<f32>],
    /// Which of them plays a job, and the number of its game.
    pub(super) game: &'a dyn Fn(usize) -> (usize, u64),
    /// Whether games are numbered and counted as they finish.
    pub(super) count: bool,
}

impl RemotePool {
    /// The games of the cluster of this process.
    pub(super) fn new() -> Result<RemotePool, LearnerError> {
        Ok(RemotePool { cluster: connected()?, batch: None })
    }

    /// Plays jobs until the round is over or none is left; returns the finished games in the order
    /// of the jobs. Later ones that are over already are returned by the next round.
    pub(super) fn play<R: DeserializeOwned>(
        &mut self,
        context: &RoundContext,
        games: &Games,
        numbers: &[usize],
    ) -> Result<Vec<Finished<R>>, LearnerError> {
        let numbers = &numbers[..numbers.len().min(context.games_left())];
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let goes_on = |batch: &Batch| batch.key == games.key && numbers.starts_with(&batch.left);
        let mut batch = match self.batch.take().filter(goes_on) {
            Some(batch) => batch,
            None => Batch {
                key: games.key,
                left: numbers.to_vec(),
                shards: Shards::new(&*self.cluster, &games.job()?, numbers.len())?,
            },
        };
        let first = batch.shards.items() - batch.left.len();
        let jobs = batch.left.clone();
        let task = |items: Range<usize>| games.task(&jobs[items.start - first..items.end - first]);
        let mut finished = Vec::new();
        let mut spent = false;
        while !batch.shards.is_done() && !context.is_over() && !spent {
            for part in batch.shards.advance(&*self.cluster, WAIT, &task)? {
                let answers: Vec<Answered<R>> = serde_json::from_slice(&part.bytes)?;
                if answers.len() != part.items.len() {
                    return Err(OtherAnswer(answers.len(), part.items.len()).into());
                }
                for (job, answer) in batch.left.drain(..answers.len()).zip(answers) {
                    spent |= games.count && context.games_left() == 0;
                    if !spent {
                        finished.push(games.finished(context, job, answer));
                    }
                }
            }
        }
        self.batch = (!batch.left.is_empty()).then_some(batch);
        Ok(finished)
    }
}

impl Games<'_> {
    fn job(&self) -> Result<Job, LearnerError> {
        let (kind, rules) = (GAMES.to_owned(), self.rules.clone());
        let settings = serde_json::to_string(self.settings)?;
        Ok(Job { kind, rules, settings, ..Job::default() })
    }

    /// Some jobs as text. Weights are finite numbers, which JSON can write.
    fn task(&self, jobs: &[usize]) -> String {
        let games: Vec<(usize, u64)> = jobs.iter().map(|&job| (self.game)(job)).collect();
        let weights = games.iter().map(|&(player, _)| (player, self.weights[player].clone()));
        let task = GamesTask { weights: weights.collect(), games };
        serde_json::to_string(&task).unwrap_or_default()
    }

    fn finished<R>(&self, context: &RoundContext, job: usize, answer: Answered<R>) -> Finished<R> {
        let (score, moves, reached, truncated, record) = answer;
        let number = if self.count { context.ended(moves) } else { 0 };
        let result = GameResult { number, score, moves, reached, fresh: true };
        Finished { job, result, truncated, record }
    }
}

/// Games as a worker has prepared them.
struct Prepared<G: Spec> {
    game: G,
    features: Box<dyn Features<G>>,
    settings: GameSettings,
}

/// Prepares games.
pub(super) fn prepare<G: Spec>(game: &G, job: &Job) -> Result<Box<dyn Work>, WorkError> {
    let settings: GameSettings = serde_json::from_str(&job.settings)?;
    let features = features(game, &settings.features)?;
    Ok(Box::new(Prepared { game: game.clone(), features, settings }))
}

impl<G: Spec> Prepared<G> {
    /// Plays games in the order of their jobs.
    fn play<R: Record + Serialize>(
        &self,
        task: &GamesTask,
        record: impl Fn() -> R + Sync,
    ) -> Result<Vec<u8>, WorkError> {
        let GameSettings { reward, seed, max_score, max_moves, .. } = self.settings;
        let job = |number: usize| {
            let (player, game) = task.games[number];
            let (features, weights) = (&*self.features, &*task.weights[&player]);
            EpisodeJob {
                game: &self.game,
                policy: WeightedFeatures { features, reward, weights },
                rng: Rng::stream(seed, game),
                max_score: max_score.unwrap_or(f64::INFINITY),
                max_moves,
            }
        };
        let budget = Budget { episodes: Some(u64::MAX), moves: None, seconds: None };
        let never = AtomicBool::new(false);
        let context =
            RoundContext::new(budget, Position::default(), Duration::MAX, &never, &|| false);
        let numbers: Vec<usize> = (0..task.games.len()).collect();
        let finished = WorkerPool::new(1).play(&context, &numbers, false, &job, &record);
        let answers: Vec<Answered<R>> = finished
            .into_iter()
            .map(|Finished { result, truncated, record, .. }| {
                (result.score, result.moves, result.reached, truncated, record)
            })
            .collect();
        Ok(serde_json::to_vec(&answers)?)
    }
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let task: GamesTask = serde_json::from_str(task)?;
        let columns = self.features.names().len();
        let known = |&(player, _): &(usize, u64)| {
            task.weights.get(&player).is_some_and(|weights| weights.len() == columns)
        };
        if !task.games.iter().all(known) {
            return Err(format!("games without {columns} weights").into());
        }
        match self.settings.moves {
            true => self.play(&task, || Trajectory::new(columns)),
            false => self.play(&task, || ()),
        }
    }
}
