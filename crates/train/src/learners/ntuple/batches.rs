//! Batch learning on the processor: games that are played together, one move of each at a time.

use afterstate_core::{Rng, Step};
use afterstate_games::spec::Spec;
use afterstate_learn::{Batch, BatchGame, BatchLearner, Coherence};
use afterstate_values::Network;
use serde::{Deserialize, Serialize};

use super::{Phase, UpdateRule};
use crate::budget::Span;
use crate::learners::{GameResult, LearnerError, RoundContext, Training};

/// The games of a batch: slot i plays every n-th game, as on a GPU.
pub(super) struct Batches<G: Spec> {
    learner: BatchLearner,
    /// None before the first round.
    games: Vec<BatchGame<G>>,
    count: u32,
}

/// A game in progress, in a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedGame {
    number: u64,
    rng: [u8; 32],
    state: String,
    after: Option<String>,
    score: f64,
    moves: u64,
}

/// What a round learns, and how.
pub(super) struct BatchRound<'a, G: Spec> {
    pub(super) training: &'a Training<'a, G>,
    pub(super) network: &'a Network<G>,
    pub(super) coherence: Option<&'a Coherence>,
    pub(super) phase: &'a Phase,
    pub(super) span: Span,
    /// No batch begins at this position of the budget or later.
    pub(super) end: f64,
    pub(super) context: &'a RoundContext<'a>,
}

impl<G: Spec> Batches<G> {
    /// Bytes of memory for a game and its selected move.
    pub(super) fn game_bytes() -> u64 {
        let selected = size_of::<(Option<Step<G::After>>, f64)>() + 64;
        (size_of::<BatchGame<G>>() + selected) as u64
    }

    /// So many games for a network with so many weights.
    pub(super) fn new(count: u32, weights: usize) -> Batches<G> {
        Batches { learner: BatchLearner::new(weights), games: Vec::new(), count }
    }

    /// Plays and learns until the round is over.
    pub(super) fn play(&mut self, round: &BatchRound<G>) -> Vec<GameResult> {
        let BatchRound { training, phase, span, context, .. } = *round;
        let begin = |number| BatchGame::new(training.game, number, training.rng(number));
        let (count, mut results) = (u64::from(self.count), Vec::new());
        if self.games.is_empty() {
            let first = context.position().episodes;
            self.games = (first..first + count).map(begin).collect();
        }
        loop {
            let position = context.position().in_unit_of(context.budget());
            if context.is_over() || position >= round.end {
                return results;
            }
            let last = phase.final_rate.unwrap_or(phase.rate);
            let batch = Batch {
                game: training.game,
                network: round.network,
                rate: span.interpolate(phase.rate, last, position),
                coherence: round.coherence.filter(|_| phase.method == UpdateRule::Tc),
                objective: phase.objective(),
                threads: training.threads,
            };
            let before = results.len();
            self.learner.step(&batch, &mut self.games, |number, ended| {
                let played = (ended.score, ended.moves);
                let own = context.ended(0);
                results.push(GameResult::new(training.game, own, played, &ended.last));
                begin(number + count)
            });
            context.count((self.games.len() + before - results.len()) as u64);
        }
    }

    /// The games for a checkpoint.
    pub(super) fn save(&self, game: &G) -> Vec<SavedGame> {
        let saved = |own: &BatchGame<G>| SavedGame {
            number: own.number,
            rng: own.rng.to_bytes(),
            state: game.state_text(&own.state),
            after: own.after.map(|after| game.after_text(&after)),
            score: own.score,
            moves: own.moves,
        };
        self.games.iter().map(saved).collect()
    }

    /// Resumes the games of a checkpoint, if there are as many.
    pub(super) fn restore(&mut self, game: &G, saved: &[SavedGame]) -> Result<(), LearnerError> {
        if saved.len() != self.count as usize {
            return Ok(());
        }
        let restored = |saved: &SavedGame| {
            let after = saved.after.as_ref().map(|text| game.parse_after(text)).transpose()?;
            Ok(BatchGame {
                number: saved.number,
                rng: Rng::from_bytes(saved.rng),
                state: game.parse_state(&saved.state)?,
                after,
                score: saved.score,
                moves: saved.moves,
            })
        };
        self.games = saved.iter().map(restored).collect::<Result<_, LearnerError>>()?;
        Ok(())
    }
}
