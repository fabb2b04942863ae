//! One round of training: threads that play and learn until the round is over.

use afterstate_core::Rng;
use afterstate_games::Cells;
use afterstate_games::spec::Spec;
use afterstate_learn::{Coherence, EpisodeResult, Rate, StateLearner, Tc, Td, TdLearner, Update};
use afterstate_search::{Search, Searcher};
use afterstate_values::Network;
use afterstate_values::NetworkEvaluator;

use crate::recipe::{Order, Phase, Starts, UpdateRule, Valued};
use crate::run::budget::Span;
use crate::run::training::{GameResult, RoundContext};

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

/// A network with more bytes than this is read from beyond the nearest caches: two games in turn
/// hide some of that.
const LARGE: usize = 4 << 20;

/// Games that take turns belong to a group, and the clock is looked at between groups: so the same
/// games take turns whenever a run is stopped and resumed.
const GROUP: usize = 16;

/// What all threads of a round share.
pub(super) struct Workers<'a, G: Cells> {
    pub(super) game: &'a G,
    pub(super) network: &'a Network<G>,
    pub(super) coherence: Option<&'a Coherence>,
    pub(super) phase: Phase,
    pub(super) search: Search,
    pub(super) span: Span,
    pub(super) seed: u64,
    pub(super) turn: &'a RoundContext<'a>,
}

impl<G: Spec> Workers<'_, G> {
    /// Plays on one thread for each pool until the round or the phase is over.
    pub(super) fn play(&self, pools: &mut [Pool<G::State>]) -> Vec<GameResult> {
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

    /// One thread's part. This is the only place that tells the updates apart.
    fn work(&self, pool: &mut Pool<G::State>) -> Vec<GameResult> {
        let rate = self.phase.rate;
        match (self.phase.method, self.coherence) {
            (UpdateRule::Tc, Some(coherence)) => self.work_with(Tc { rate, coherence }, pool),
            _ => self.work_with(Td { rate }, pool),
        }
    }

    fn work_with<U: Update + Rate>(&self, update: U, pool: &mut Pool<G::State>) -> Vec<GameResult> {
        match self.phase.values {
            Valued::Afterstates => {
                let mut learner =
                    TdLearner::new(self.game, self.network, update, self.phase.lambda);
                if !self.search.is_greedy() {
                    let searcher = Searcher::new(NetworkEvaluator::new(self.network), self.search);
                    learner = learner.played_by(Box::new(searcher.forgetful()));
                }
                if self.phase.order == Order::Backward {
                    learner = learner.backwards();
                }
                let large = self.network.memory().len() > LARGE;
                if large && self.phase.starts == Starts::Fresh {
                    return self.groups(&mut learner);
                }
                self.games(pool, |start, rate, rng, watch| {
                    learner.update_mut().set_rate(rate);
                    learner.episode(start, rng, watch)
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

    /// Games in groups, two at a time.
    fn groups<U: Update + Rate>(&self, learner: &mut TdLearner<G, U>) -> Vec<GameResult> {
        let mut results = Vec::new();
        loop {
            let before = results.len();
            let mut left = if self.turn.over() { 0 } else { GROUP };
            let next = |update: &mut U| {
                left = left.checked_sub(1)?;
                let (number, position) = self.turn.claim_game_before(self.span.end)?;
                update.set_rate(self.span.rate(&self.phase, position));
                let mut rng = Rng::stream(self.seed, number);
                Some((number, self.game.start(&mut rng), rng))
            };
            learner.episodes(2, next, |number, played| {
                self.turn.count(played.moves);
                let reached = self.game.reached(&played.last);
                let EpisodeResult { score, moves, .. } = played;
                results.push(GameResult { number, score, moves, reached, fresh: true });
            });
            if results.len() == before {
                return results;
            }
        }
    }

    /// Games one after the other.
    fn games(
        &self,
        pool: &mut Pool<G::State>,
        mut episode: impl FnMut(
            G::State,
            f32,
            &mut Rng,
            &mut dyn FnMut(&G::State),
        ) -> EpisodeResult<G::State>,
    ) -> Vec<GameResult> {
        let mut results = Vec::new();
        let mut met = Vec::new();
        while let Some((number, position)) = self.turn.next_game_before(self.span.end) {
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
            self.turn.count(played.moves);
            let reached = self.game.reached(&played.last);
            let EpisodeResult { score, moves, .. } = played;
            results.push(GameResult { number, score, moves, reached, fresh });
        }
        results
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
