//! `Evaluator`: what a search asks of a value function, and how the known ones answer.

mod after;
mod bounded;
mod linear;

use afterstate_core::Game;
use afterstate_core::policy::Choice;

pub use after::AfterstateFn;
pub use bounded::Bounded;
pub use linear::LinearEvaluator;

/// What a move is worth at first sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveValue {
    /// What it earns and what its afterstate promises.
    pub value: f32,
    /// What it counts when a search goes on behind it: what it earns, without the promise.
    pub immediate_reward: f32,
}

/// A value function at work for one thread: a thread has its own, with memory of its own, and
/// copies share what they evaluator by.
pub trait Evaluator<G: Game>: Clone + Send {
    /// Every move of a state, in order, with what it is worth.
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        offer: impl FnMut(Choice<G>, MoveValue),
    );

    /// What the best move of a state is worth, or `None` if the game is over. The seam for value
    /// functions that weigh all moves at once.
    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        let mut best = None;
        self.evaluate_moves(game, state, |_, worth| {
            if best.is_none_or(|most| worth.value > most) {
                best = Some(worth.value);
            }
        });
        best
    }

    /// What the best move of a state is worth, or any move that is worth `enough` or more.
    #[inline]
    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        let _ = enough;
        self.best(game, state)
    }

    /// The immediate_reward worth of one move alone.
    #[inline]
    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let _ = (game, state);
        choice.1.reward
    }

    /// What a state without a move is worth.
    #[inline]
    fn terminal_value(&self) -> f32 {
        0.0
    }

    /// The mean over all that chance may deal after a move of what the best reply is worth, and
    /// how many states were looked at. The seam for value functions that weigh all moves of all
    /// deals at once.
    #[inline]
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        expected_value_each(self, game, after)
    }

    /// Between which values every state lies when it is searched so many plies deep, where that is
    /// known. An expectimax then cuts off moves that cannot become the best.
    fn bounds(&self, plies: u32) -> Option<(f32, f32)> {
        let _ = plies;
        None
    }

    /// Forgets what it remembers of values, which have changed since.
    fn forget(&mut self) {}
}

/// The mean of the best replies, one deal after the other: the slow twin of every
/// [`Evaluator::expect`].
pub fn expected_value_each<G: Game, J: Evaluator<G>>(
    evaluator: &mut J,
    game: &G,
    after: &G::After,
) -> (f32, u64) {
    let (mut mean, mut states) = (0.0, 0);
    let _ = game.try_next_turn(after, |state, odds| {
        states += 1;
        mean += odds as f32 * evaluator.best(game, &state).unwrap_or(evaluator.terminal_value());
        std::ops::ControlFlow::<()>::Continue(())
    });
    (mean, states)
}
