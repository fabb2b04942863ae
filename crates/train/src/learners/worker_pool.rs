//! `WorkerPool`: threads that play games by weighted features. A game that is unfinished when a
//! round ends continues in the next.

use std::sync::atomic::{AtomicUsize, Ordering};

use afterstate_core::Rng;
use afterstate_core::threads::scoped;
use afterstate_games::spec::Spec;
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};

use super::{GameResult, RoundContext};

/// Moves between two checks of the clock.
const MOVES: u64 = 2_048;

/// One game to play.
pub(super) struct EpisodeJob<'a, G: Spec> {
    pub(super) game: &'a G,
    pub(super) policy: WeightedFeatures<'a, G>,
    pub(super) rng: Rng,
    /// The game is truncated when it reaches this score.
    pub(super) max_score: f64,
    /// The game is truncated after this many moves.
    pub(super) max_moves: u64,
}

/// The record of a game besides its score.
pub(super) trait Record: Send {
    /// Whether moves are recorded.
    const MOVES: bool;

    /// Records the features and the reward of a move.
    fn add(&mut self, features: &[f32], reward: f32);
}

impl Record for () {
    const MOVES: bool = false;

    fn add(&mut self, _: &[f32], _: f32) {}
}

/// An unfinished game with the number of its job.
struct Slot<G: Spec, R> {
    job: usize,
    play: ResumableGame<G>,
    record: R,
}

/// A finished game.
pub(super) struct Finished<R> {
    /// The number of its job.
    pub(super) job: usize,
    /// Its result; numbered when it is counted.
    pub(super) result: GameResult,
    /// Whether it was truncated at the move limit.
    pub(super) truncated: bool,
    /// Its record.
    pub(super) record: R,
}

/// The threads, each with the slot of its game.
pub(super) struct WorkerPool<G: Spec, R = ()>(Vec<Option<Slot<G, R>>>);

impl<G: Spec, R: Record> WorkerPool<G, R> {
    pub(super) fn new(threads: usize) -> WorkerPool<G, R> {
        WorkerPool((0..threads).map(|_| None).collect())
    }

    /// Plays jobs until the round is over or none is left; returns the finished games. `numbers`
    /// are those of the jobs to play, unfinished ones or not, `job` describes a job, `record` makes
    /// its record. If `count` is set, games are numbered and counted as they finish.
    pub(super) fn play<'a>(
        &mut self,
        context: &RoundContext,
        numbers: &[usize],
        count: bool,
        job: &(impl Fn(usize) -> EpisodeJob<'a, G> + Sync),
        record: &(impl Fn() -> R + Sync),
    ) -> Vec<Finished<R>> {
        let unfinished: Vec<usize> = self.unfinished().collect();
        let waiting = numbers.iter().copied().filter(|number| !unfinished.contains(number));
        let (waiting, next) = (waiting.collect::<Vec<_>>(), AtomicUsize::new(0));
        let begin = || {
            let number = *waiting.get(next.fetch_add(1, Ordering::Relaxed))?;
            let EpisodeJob { game, rng, .. } = job(number);
            let slot =
                || Slot { job: number, play: ResumableGame::new(game, rng), record: record() };
            context.may_begin().then(slot)
        };
        let work = |slot: &mut Option<Slot<G, R>>| {
            let mut finished = Vec::new();
            let mut out = Vec::new();
            while let Some(mut own) = slot.take().or_else(begin) {
                let EpisodeJob { game, policy, max_score, max_moves, .. } = job(own.job);
                let Slot { play, record, .. } = &mut own;
                let mut ended = false;
                while !ended && play.moves < max_moves {
                    let moves = MOVES.min(max_moves - play.moves);
                    ended = play.advance(game, &policy, moves, max_score, |state, choice| {
                        if R::MOVES {
                            out.resize(policy.weights.len(), 0.0);
                            policy.features.describe(game, state, choice, &mut out);
                            record.add(&out, choice.1.reward);
                        }
                    });
                    if !ended && context.is_over() {
                        break;
                    }
                }
                if !ended && play.moves < max_moves {
                    *slot = Some(own);
                    return finished;
                }
                let (score, moves) = (play.score.min(max_score), play.moves);
                let reached = game.reached(play.state());
                let number = if count { context.ended(moves) } else { 0 };
                let result = GameResult { number, score, moves, reached, fresh: true };
                let Slot { job, record, .. } = own;
                finished.push(Finished { job, result, truncated: !ended, record });
            }
            finished
        };
        scoped(self.0.iter_mut(), work).into_iter().flatten().collect()
    }

    /// The jobs of unfinished games.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flatten().map(|slot| slot.job)
    }
}
