//! One round of training: threads that play and learn until the round is over.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterstate_core::{Cells, Rng};
use afterstate_games::spec::Spec;
use afterstate_learn::{Coherence, Learner, Played, Rate, StateLearner, Tc, Td, Update};
use afterstate_search::{NetworkJudge, Search, Searcher};
use afterstate_values::Network;
use serde::{Deserialize, Serialize};

use super::budget::{Position, Span};
use crate::recipe::{Budget, Method, Order, Phase, Starts, Valued};

/// What one game of training came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Result {
    /// The number of the game.
    pub(super) number: u64,
    /// The sum of its rewards.
    pub(super) score: f64,
    /// Its moves.
    pub(super) moves: u64,
    /// What it reached, where the game has tiles.
    pub(super) reached: Option<u64>,
    /// Whether it started at the beginning.
    pub(super) fresh: bool,
}

/// Where the games of one thread may start, besides the beginning: states that earlier games of
/// the thread came to.
#[derive(Clone, Debug)]
pub(super) struct Pool<S> {
    pub(super) states: Vec<S>,
    pub(super) turn: usize,
}

impl<S> Default for Pool<S> {
    fn default() -> Pool<S> {
        Pool { states: Vec::new(), turn: 0 }
    }
}

/// Tile sums, or numbers of full cells, at which a game is at a later stage.
const STAGES: [u64; 6] = [2_048, 4_096, 8_192, 16_384, 24_576, 32_768];

/// What all threads of a round share.
pub(super) struct Round<'a, G: Cells> {
    pub(super) game: &'a G,
    pub(super) network: &'a Network<G>,
    pub(super) coherence: Option<&'a Coherence>,
    pub(super) phase: Phase,
    pub(super) search: Search,
    pub(super) span: Span,
    pub(super) budget: Budget,
    pub(super) seed: u64,
    pub(super) stop: &'a AtomicBool,
    /// How long the round lasts.
    pub(super) length: Duration,
    pub(super) clock: Instant,
    pub(super) seconds_before: f64,
    pub(super) episodes: AtomicU64,
    pub(super) moves: AtomicU64,
}

impl<G: Spec> Round<'_, G> {
    /// Plays on one thread for each pool until the round or the phase is over.
    pub(super) fn play(&self, pools: &mut [Pool<G::State>]) -> Vec<Result> {
        if let [pool] = pools {
            return self.work(pool);
        }
        std::thread::scope(|scope| {
            let work = |pool| scope.spawn(move || self.work(pool));
            let threads: Vec<_> = pools.iter_mut().map(work).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    /// One thread's part. This is the only place that tells the learners apart.
    fn work(&self, pool: &mut Pool<G::State>) -> Vec<Result> {
        let rate = self.phase.rate;
        match (self.phase.method, self.coherence) {
            (Method::Tc, Some(coherence)) => self.work_with(Tc { rate, coherence }, pool),
            _ => self.work_with(Td { rate }, pool),
        }
    }

    fn work_with<U: Update + Rate>(&self, update: U, pool: &mut Pool<G::State>) -> Vec<Result> {
        match self.phase.values {
            Valued::Afterstates => {
                let mut learner = Learner::new(self.game, self.network, update, self.phase.lambda);
                if !self.search.is_greedy() {
                    let searcher = Searcher::new(NetworkJudge::new(self.network), self.search);
                    learner = learner.played_by(Box::new(searcher.forgetful()));
                }
                self.games(pool, |start, rate, rng, watch| {
                    learner.update_mut().set_rate(rate);
                    match self.phase.order {
                        Order::Forward => learner.episode(start, rng, watch),
                        Order::Backward => learner.episode_backwards(start, rng, watch),
                    }
                })
            }
            Valued::States => {
                let mut learner = StateLearner::new(self.game, self.network, update);
                self.games(pool, |start, rate, rng, watch| {
                    learner.update_mut().set_rate(rate);
                    learner.episode(start, rng, watch)
                })
            }
        }
    }

    fn games(
        &self,
        pool: &mut Pool<G::State>,
        mut episode: impl FnMut(G::State, f32, &mut Rng, &mut dyn FnMut(&G::State)) -> Played<G::State>,
    ) -> Vec<Result> {
        let mut results = Vec::new();
        let mut met = Vec::new();
        while let Some((number, position)) = self.next_game() {
            let mut rng = Rng::stream(self.seed, number);
            let rate = self.span.rate(&self.phase, position);
            let start = pool.next(self.phase.starts);
            let fresh = start.is_none();
            let start = start.unwrap_or_else(|| self.game.start(&mut rng));
            met.clear();
            let keep = self.phase.starts != Starts::Fresh;
            let played = episode(start, rate, &mut rng, &mut |state| {
                if keep {
                    met.push(*state);
                }
            });
            pool.learn(self.game, self.phase.starts, &met);
            self.moves.fetch_add(played.moves, Ordering::Relaxed);
            let reached = self.game.reached(&played.last);
            let Played { score, moves, .. } = played;
            results.push(Result { number, score, moves, reached, fresh });
        }
        results
    }

    /// The number of the next game, and where in the budget it begins, unless the round is over.
    fn next_game(&self) -> Option<(u64, f64)> {
        let elapsed = self.clock.elapsed();
        if self.stop.load(Ordering::Relaxed) || elapsed >= self.length {
            return None;
        }
        let position = Position {
            episodes: self.episodes.load(Ordering::Relaxed),
            moves: self.moves.load(Ordering::Relaxed),
            seconds: self.seconds_before + elapsed.as_secs_f64(),
        };
        let begin = position.in_unit_of(&self.budget);
        if begin >= self.span.end {
            return None;
        }
        let number = self.episodes.fetch_add(1, Ordering::Relaxed);
        if self.budget.episodes.is_some() && number as f64 >= self.span.end {
            self.episodes.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some((number, begin))
    }
}

impl<S: Copy> Pool<S> {
    /// Where the next game starts, unless at the beginning.
    fn next(&mut self, starts: Starts) -> Option<S> {
        self.turn += 1;
        match starts {
            Starts::Fresh => None,
            Starts::Restart if self.turn.is_multiple_of(2) => self.states.first().copied(),
            Starts::Restart => None,
            Starts::Carousel => {
                let place = self.turn % (self.states.len() + 1);
                place.checked_sub(1).map(|place| self.states[place])
            }
        }
    }

    /// Keeps what later games may start from.
    fn learn<G: Cells<State = S>>(&mut self, game: &G, starts: Starts, met: &[S]) {
        match starts {
            Starts::Fresh => {}
            Starts::Restart => {
                self.states.clear();
                self.states.extend(met.get(met.len() / 2));
            }
            Starts::Carousel => {
                for (number, stage) in STAGES.iter().enumerate() {
                    let there = |state: &&S| game.progress(&game.board_of(state)) >= *stage;
                    let began = met.first().is_some_and(|state| there(&state));
                    let Some(&state) = met.iter().find(there).filter(|_| !began) else { continue };
                    match self.states.get_mut(number) {
                        Some(kept) => *kept = state,
                        None => self.states.push(state),
                    }
                }
            }
        }
    }
}
