//! A round of training: threads that play and learn until the round is over.

use afterstate_core::threads::scoped;
use afterstate_core::{EpisodeLimit, Rng};
use afterstate_games::Cells;
use afterstate_games::spec::Spec;
use afterstate_learn::{
    Coherence, EpisodeResult, RecordTc, Records, StateLearner, Tc, Td, TdLearner, Update,
};
use afterstate_search::{Search, Searcher};
use afterstate_values::model::ValuesOf;
use afterstate_values::values::TrainableValues;
use afterstate_values::{Network, NetworkEvaluator};

use super::{Order, Phase, Starts, UpdateRule, Variant};
use crate::budget::Span;
use crate::learners::{GameResult, RoundContext, Training};

/// The states of earlier games of a thread from which its later games may start.
#[derive(Clone, Debug)]
pub(super) struct StartPool<S> {
    pub(super) states: Vec<S>,
    pub(super) turn: usize,
}

impl<S> Default for StartPool<S> {
    fn default() -> StartPool<S> {
        StartPool { states: Vec::new(), turn: 0 }
    }
}

/// Sums of tiles, or numbers of full cells, at which later stages of a game begin.
const STAGES: [u64; 6] = [2_048, 4_096, 8_192, 16_384, 24_576, 32_768];

/// A network with more bytes than this exceeds the L2 cache: two games take turns to hide the
/// latency of memory.
const LARGE: usize = 4 << 20;

/// Whether a network exceeds the L2 cache.
pub(super) fn is_large<G: Cells>(network: &Network<G>) -> bool {
    network.memory().len() > LARGE
}

/// Games that take turns belong to a group, and the clock is checked between groups only: a run
/// that is stopped and resumed has the same groups.
const GROUP: usize = 16;

/// Games are truncated after this many moves, more than any game of 2048 on 4x4 has: some games never
/// end, and what a game keeps for learning is bounded so.
pub(super) const MAX_MOVES: u64 = 1 << 17;

/// The state that all threads of a round share.
pub(super) struct Workers<'a, G: Cells> {
    pub(super) training: &'a Training<'a, G>,
    pub(super) network: &'a Network<G>,
    pub(super) coherence: Option<&'a Coherence>,
    /// Weights and sums, where they are learned in records.
    pub(super) records: Option<&'a Records>,
    pub(super) phase: Phase,
    pub(super) search: Search,
    pub(super) span: Span,
    /// No game begins at this position of the budget or later.
    pub(super) end: f64,
    pub(super) context: &'a RoundContext<'a>,
}

impl<G: Spec> Workers<'_, G> {
    /// Plays on one thread for each pool until the round or the phase is over.
    pub(super) fn play(&self, pools: &mut [StartPool<G::State>]) -> Vec<GameResult> {
        scoped(pools.iter_mut(), |pool| self.work(pool)).into_iter().flatten().collect()
    }

    /// The learning rate at a position of the budget.
    fn rate(&self, position: f64) -> f32 {
        let Phase { rate, final_rate, .. } = self.phase;
        self.span.interpolate(rate, final_rate.unwrap_or(rate), position)
    }

    /// Plays and learns on one thread, with the update rule of the phase.
    fn work(&self, pool: &mut StartPool<G::State>) -> Vec<GameResult> {
        let rate = self.phase.rate;
        if let Some(records) = self.records {
            let values = records.values(self.network);
            return self.learn(
                TdLearner::new(
                    self.training.game,
                    &values,
                    RecordTc { rate, records },
                    self.phase.lambda,
                ),
                pool,
            );
        }
        match (self.phase.method, self.coherence) {
            (UpdateRule::Tc, Some(coherence)) => self.work_with(Tc { rate, coherence }, pool),
            _ => self.work_with(Td { rate }, pool),
        }
    }

    fn work_with<U: Update>(&self, update: U, pool: &mut StartPool<G::State>) -> Vec<GameResult> {
        let due = || self.context.is_due();
        let limit = EpisodeLimit::of(self.training.game).up_to(MAX_MOVES).or_when(&due);
        match self.phase.values {
            ValuesOf::Afterstates => {
                let mut learner =
                    TdLearner::new(self.training.game, self.network, update, self.phase.lambda)
                        .with_limit(limit);
                if !self.search.is_greedy() {
                    let searcher = Searcher::new(NetworkEvaluator::new(self.network), self.search);
                    learner = learner.with_policy(Box::new(searcher.for_changing_values()));
                }
                self.learn(learner, pool)
            }
            ValuesOf::States => {
                let mut learner =
                    StateLearner::new(self.training.game, self.network, update).with_limit(limit);
                if self.phase.variant == Variant::Chen2022 {
                    learner = learner.as_printed();
                }
                self.games(pool, |start, rate, rng, observe| {
                    *learner.update.rate_mut() = rate;
                    learner.episode(start, rng, observe)
                })
            }
        }
    }

    /// Learns values of afterstates.
    fn learn<U: Update, V: TrainableValues<G>>(
        &self,
        mut learner: TdLearner<G, U, V>,
        pool: &mut StartPool<G::State>,
    ) -> Vec<GameResult> {
        if self.phase.order == Order::Backward {
            learner = learner.backwards();
        }
        if is_large(self.network) && self.phase.starts == Starts::Fresh {
            return self.groups(&mut learner);
        }
        self.games(pool, |start, rate, rng, observe| {
            *learner.update.rate_mut() = rate;
            learner.episode(start, rng, observe)
        })
    }

    /// Plays games in groups, two at a time.
    fn groups<U: Update, V: TrainableValues<G>>(
        &self,
        learner: &mut TdLearner<G, U, V>,
    ) -> Vec<GameResult> {
        let mut results = Vec::new();
        loop {
            let before = results.len();
            let mut left = if self.context.is_over() { 0 } else { GROUP };
            let next = |update: &mut U| {
                left = left.checked_sub(1).filter(|_| !self.context.is_due())?;
                let (number, position) = self.context.claim_game_before(self.end)?;
                *update.rate_mut() = self.rate(position);
                let mut rng = self.training.rng(number);
                Some((number, self.training.game.start(&mut rng), rng))
            };
            learner.episodes(2, next, |number, played| {
                self.context.count(played.moves);
                let EpisodeResult { score, moves, last } = played;
                let result = GameResult::new(self.training.game, number, (score, moves), &last);
                results.push(result.unless_due(self.context));
            });
            if results.len() == before {
                return results;
            }
        }
    }

    /// Plays one game after the other.
    fn games(
        &self,
        pool: &mut StartPool<G::State>,
        mut episode: impl FnMut(
            G::State,
            f32,
            &mut Rng,
            &mut dyn FnMut(&G::State),
        ) -> EpisodeResult<G::State>,
    ) -> Vec<GameResult> {
        let mut results = Vec::new();
        let mut visited = Vec::new();
        while let Some((number, position)) = self.context.next_game_before(self.end) {
            let mut rng = self.training.rng(number);
            let rate = self.rate(position);
            let start = pool.next(self.phase.starts);
            let fresh = start.is_none();
            let start = start.unwrap_or_else(|| self.training.game.start(&mut rng));
            visited.clear();
            let keep = self.phase.starts != Starts::Fresh;
            let played = episode(start, rate, &mut rng, &mut |state| {
                if keep {
                    visited.push(*state);
                }
            });
            pool.collect(self.training.game, self.phase.starts, &visited);
            self.context.count(played.moves);
            let EpisodeResult { score, moves, last } = played;
            let result = GameResult::new(self.training.game, number, (score, moves), &last);
            results.push(GameResult { fresh, ..result }.unless_due(self.context));
        }
        results
    }
}

impl<S: Copy> StartPool<S> {
    /// The state at which the next game starts; `None` for a starting state of the rules.
    fn next(&mut self, starts: Starts) -> Option<S> {
        self.turn += 1;
        match starts {
            Starts::Fresh => None,
            Starts::Restart if self.turn.is_multiple_of(2) => self.states.first().copied(),
            Starts::Restart => None,
            Starts::Carousel => {
                let index = self.turn % (self.states.len() + 1);
                index.checked_sub(1).map(|index| self.states[index])
            }
        }
    }

    /// Collects the states of a game from which later games may start.
    fn collect<G: Cells<State = S>>(&mut self, game: &G, starts: Starts, visited: &[S]) {
        match starts {
            Starts::Fresh => {}
            Starts::Restart => {
                self.states.clear();
                self.states.extend(visited.get(visited.len() / 2));
            }
            Starts::Carousel => {
                for (number, stage) in STAGES.iter().enumerate() {
                    let reached = |state: &&S| game.progress(&game.board_of(state)) >= *stage;
                    let began = visited.first().is_some_and(|state| reached(&state));
                    let Some(&state) = visited.iter().find(reached).filter(|_| !began) else {
                        continue;
                    };
                    match self.states.get_mut(number) {
                        Some(kept) => *kept = state,
                        None => self.states.push(state),
                    }
                }
            }
        }
    }
}
