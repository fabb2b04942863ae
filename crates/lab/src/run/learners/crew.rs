//! Threads that play games by weighted_sum features; a game that is under way when a round ends is
//! gone on with in the next.

use std::sync::atomic::{AtomicUsize, Ordering};

use afterstate_core::Rng;
use afterstate_games::spec::Spec;
use afterstate_learn::play::{Play, WeightedFeatures};

use crate::run::training::{GameResult, RoundContext};

/// Moves between two looks at the clock.
const MOVES: u64 = 2_048;

/// One game to play.
pub(super) struct EpisodeJob<'a, G: Spec> {
    pub(super) game: &'a G,
    pub(super) weighing: WeightedFeatures<'a, G>,
    pub(super) rng: Rng,
    pub(super) max_score: f64,
}

/// The threads, each with the number of its job and the game itself.
pub(super) struct WorkerPool<G: Spec>(Vec<Option<(usize, Play<G>)>>);

impl<G: Spec> WorkerPool<G> {
    pub(super) fn new(threads: usize) -> WorkerPool<G> {
        WorkerPool((0..threads).map(|_| None).collect())
    }

    /// Plays jobs until the turn is over or all are played; returns those that ended, each with the
    /// number of its job. `job` gives a job by its number; those under way are not in `waiting`.
    pub(super) fn play<'a>(
        &mut self,
        turn: &RoundContext,
        waiting: &[usize],
        job: &(impl Fn(usize) -> EpisodeJob<'a, G> + Sync),
    ) -> Vec<(usize, GameResult)> {
        let next = AtomicUsize::new(0);
        let work = |place: &mut Option<(usize, Play<G>)>| {
            let mut ended = Vec::new();
            while let Some((number, mut play)) = place.take().or_else(|| {
                let number = *waiting.get(next.fetch_add(1, Ordering::Relaxed))?;
                let begins = turn.may_begin();
                begins.then(|| (number, Play::new(job(number).game, job(number).rng)))
            }) {
                let EpisodeJob { game, weighing, max_score, .. } = job(number);
                while !play.advance(game, &weighing, MOVES, max_score) {
                    if turn.over() {
                        *place = Some((number, play));
                        return ended;
                    }
                }
                let (score, moves) = (play.score.min(max_score), play.moves);
                let reached = game.reached(play.state());
                let result =
                    GameResult { number: turn.ended(moves), score, moves, reached, fresh: true };
                ended.push((number, result));
            }
            ended
        };
        if let [place] = &mut self.0[..] {
            return work(place);
        }
        std::thread::scope(|scope| {
            let work = &work;
            let spawn = |place| scope.spawn(move || work(place));
            let threads: Vec<_> = self.0.iter_mut().map(spawn).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    /// The numbers of the jobs under way.
    pub(super) fn under_way(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flatten().map(|(number, _)| *number)
    }
}
