//! `Evaluator`: the value function of a search, and evaluators that need no other crate.

mod afterstate_fn;
mod erased;
mod linear;

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::features::EachOutcome;
use afterstate_core::policy::Choice;

pub use afterstate_fn::AfterstateFn;
pub use erased::ErasedEvaluator;
pub use linear::LinearEvaluator;

/// The value of a move without search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveValue {
    /// Immediate reward plus value of the afterstate.
    pub value: f32,
    /// The immediate reward alone: what the move adds to the value of a line that continues after
    /// it.
    pub immediate_reward: f32,
}

/// What is done with every move and its value.
pub type EachMove<'a, G> = &'a mut dyn FnMut(Choice<G>, MoveValue);

/// A value function as one thread uses it. Each thread has its own clone with its own buffers and
/// caches; the weights are shared.
pub trait Evaluator<G: Game>: Send {
    /// Every legal move of a state, in order, with its value.
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>);

    /// The value of the best move of a state; `None` in a terminal state. The seam for value
    /// functions that evaluate all moves at once.
    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        let mut best = None;
        self.evaluate_moves(game, state, &mut |_, MoveValue { value, .. }| {
            if best.is_none_or(|largest| value > largest) {
                best = Some(value);
            }
        });
        best
    }

    /// The value of the best move of a state, or of any move whose value is at least `enough`.
    #[inline]
    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        let _ = enough;
        self.best(game, state)
    }

    /// Calls `outcome` with chance outcomes of an afterstate, by their numbers in the order of
    /// [`Game::try_chance`], and the value of the best move of each, until it breaks; `false`, and
    /// no call, if that is not faster than [`Evaluator::best_until`] for each.
    #[inline]
    fn best_in_order(
        &mut self,
        game: &G,
        after: &G::After,
        order: &[usize],
        outcome: EachOutcome<G>,
    ) -> bool {
        let _ = (game, after, order, outcome);
        false
    }

    /// The immediate reward of one move.
    #[inline]
    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let _ = (game, state);
        choice.1.reward
    }

    /// The value of a terminal state.
    #[inline]
    fn terminal_value(&self) -> f32 {
        0.0
    }

    /// The expectation over the chance outcomes after a move of the value of the best reply, and
    /// the number of states evaluated. The seam for value functions that evaluate all replies to
    /// all outcomes at once; [`reference_expected_value`] is the reference implementation.
    #[inline]
    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        reference_expected_value(self, game, after)
    }

    /// Adds [`Evaluator::expected_value`] of each of some afterstates to a list, and returns the
    /// number of states evaluated.
    #[inline]
    fn expected_values(&mut self, game: &G, afters: &[G::After], values: &mut Vec<f32>) -> u64 {
        let mut states = 0;
        values.extend(afters.iter().map(|after| {
            let (value, evaluated) = self.expected_value(game, after);
            states += evaluated;
            value
        }));
        states
    }

    /// Whether [`Evaluator::expected_values`] is faster than one afterstate after the other.
    fn evaluates_batches(&self) -> bool {
        false
    }

    /// Lower and upper bound of the value of every state that is searched that many plies deep,
    /// where they are known. Expectimax then cuts moves that cannot become the best.
    fn bounds(&self, plies: u32) -> Option<(f32, f32)> {
        let _ = plies;
        None
    }

    /// Clears cached values, because the weights have changed.
    fn clear_cache(&mut self) {}
}

/// Reference implementation of [`Evaluator::expected_value`]: one chance outcome after the other.
pub fn reference_expected_value<G: Game, E: Evaluator<G> + ?Sized>(
    evaluator: &mut E,
    game: &G,
    after: &G::After,
) -> (f32, u64) {
    let (mut mean, mut states) = (0.0, 0);
    let _ = game.try_next_turn(after, |state, probability| {
        states += 1;
        let value = evaluator.best(game, &state).unwrap_or(evaluator.terminal_value());
        mean += probability as f32 * value;
        ControlFlow::<()>::Continue(())
    });
    (mean, states)
}
