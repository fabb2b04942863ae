//! `Game`: the rules of a stochastic puzzle, split into the player's move and the chance outcome.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

use crate::Rng;
use crate::policy::Choice;

/// The result of a move: the afterstate and the immediate reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<A> {
    /// The afterstate: the board after the move, before the chance outcome.
    pub after: A,
    /// The immediate reward, in the game's own points.
    pub reward: f32,
}

/// The move is not legal in that state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that move is not legal in this state")]
pub struct Illegal;

/// The rules of a stochastic puzzle. Sizes, piece sets and probabilities are fields of the value;
/// states are small and `Copy`.
///
/// Moves and chance outcomes are passed to a closure, so that a hot loop does not allocate; the
/// closure stops the iteration by [`ControlFlow::Break`], which a search uses for cutoffs.
///
/// A state without a legal move is terminal. Every afterstate has a chance outcome: the
/// probabilities of its outcomes sum to one.
///
/// ```
/// use afterstate_core::{Game, Rng, Text};
/// use afterstate_games::twenty48::{Slide, Twenty48};
///
/// let game = Twenty48::standard();
/// let state = game.parse_state("2 2 . .|. . . .|. . . .|. . . .")?;
/// let step = game.play(&state, Slide::Left)?;
/// assert_eq!(step.reward, 4.0);
/// assert!(game.after_text(&step.after).starts_with("4 . . ."));
/// // Chance adds a 2 or a 4 on one of 15 empty cells.
/// let mut outcomes = 0;
/// game.for_each_chance(&step.after, |_, _| outcomes += 1);
/// assert_eq!(outcomes, 30);
/// let next = game.sample(&step.after, &mut Rng::stream(1, 0));
/// assert!(game.count_moves(&next) > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Game: Clone + Send + Sync + 'static {
    /// A board with the player to move, including the last chance outcome.
    type State: Copy + Eq + Hash + Debug + Send + Sync;
    /// The player's action.
    type Move: Copy + Eq + Hash + Debug + Send + Sync;
    /// The board after a move, before the chance outcome.
    type After: Copy + Eq + Hash + Debug + Send + Sync;

    /// Incremented by every change after which the same seed plays another game; stored with every
    /// run.
    const VERSION: u32;

    /// The unit of the score: `"points"`, `"lines"`.
    fn unit(&self) -> &'static str;

    /// Every start state with its probability.
    fn try_start<B>(
        &self,
        outcome: impl FnMut(Self::State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// A start state, drawn from the distribution of [`Game::try_start`].
    fn start(&self, rng: &mut Rng) -> Self::State;

    /// Every legal move of a state with its afterstate and reward, always in the same order.
    fn try_moves<B>(
        &self,
        state: &Self::State,
        offer: impl FnMut(Self::Move, Step<Self::After>) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Every chance outcome of an afterstate, each once, with its probability.
    fn try_chance<B>(
        &self,
        after: &Self::After,
        outcome: impl FnMut(Self::State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// As [`Game::try_chance`], for a search of one more move: outcomes with the same legal moves
    /// may be merged into one state, with the sum of their probabilities and without what matters
    /// only later, such as the piece after the next.
    #[inline]
    fn try_next_turn<B>(
        &self,
        after: &Self::After,
        outcome: impl FnMut(Self::State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.try_chance(after, outcome)
    }

    /// How many moves, at least one, depend on no further chance outcome: one per piece in hand, or
    /// per known piece.
    fn known_moves(&self, state: &Self::State) -> u32 {
        let _ = state;
        1
    }

    /// One chance outcome, drawn from the distribution of [`Game::try_chance`].
    fn sample(&self, after: &Self::After, rng: &mut Rng) -> Self::State;

    /// The afterstate and reward of one move, or [`Illegal`] if it is not among
    /// [`Game::try_moves`].
    fn play(&self, state: &Self::State, mv: Self::Move) -> Result<Step<Self::After>, Illegal>;

    /// The size of the action space: the number of moves over all states of these rules.
    fn actions(&self) -> usize;

    /// The move with a number below [`Game::actions`]; may panic on a larger number.
    fn action(&self, number: usize) -> Self::Move;

    /// The number of a move: the inverse of [`Game::action`].
    fn action_number(&self, mv: Self::Move) -> usize;

    /// The number of lines that a legal move clears; `None` in games without lines.
    fn lines(&self, state: &Self::State, choice: &Choice<Self>) -> Option<u32> {
        let _ = (state, choice);
        None
    }

    /// The number of moves after which an episode is truncated; a truncated game is not terminal.
    fn limit(&self) -> Option<u64> {
        None
    }

    /// A state with the same legal moves and merges but without values of `beyond` or more, if
    /// there is one, for networks that were not trained on such values. The default is the state
    /// itself.
    fn downgraded(&self, state: &Self::State, beyond: u64) -> Self::State {
        let _ = beyond;
        *state
    }

    /// Every legal move of a state with its afterstate and reward.
    #[inline]
    fn for_each_move(
        &self,
        state: &Self::State,
        mut offer: impl FnMut(Self::Move, Step<Self::After>),
    ) {
        let _ = self.try_moves(state, |mv, step| {
            offer(mv, step);
            ControlFlow::<()>::Continue(())
        });
    }

    /// Every starting state with its probability.
    fn for_each_start(&self, mut visit: impl FnMut(Self::State, f64)) {
        let _ = self.try_start(|state, probability| {
            visit(state, probability);
            ControlFlow::<()>::Continue(())
        });
    }

    /// Every chance outcome of an afterstate with its probability.
    #[inline]
    fn for_each_chance(&self, after: &Self::After, mut outcome: impl FnMut(Self::State, f64)) {
        let _ = self.try_chance(after, |state, probability| {
            outcome(state, probability);
            ControlFlow::<()>::Continue(())
        });
    }

    /// The argmax over the legal moves of a state, and that maximum. Ties go to the first move;
    /// `None` in a terminal state.
    #[inline]
    fn best_move<V: Copy + PartialOrd>(
        &self,
        state: &Self::State,
        mut value: impl FnMut(&Choice<Self>) -> V,
    ) -> Option<(Choice<Self>, V)> {
        let mut best: Option<(Choice<Self>, V)> = None;
        self.for_each_move(state, |mv, step| {
            let value = value(&(mv, step));
            if best.is_none_or(|(_, max)| value > max) {
                best = Some(((mv, step), value));
            }
        });
        best
    }

    /// The legal moves alone, in the order of [`Game::try_moves`], where their results do not matter.
    #[inline]
    fn for_each_legal(&self, state: &Self::State, mut visit: impl FnMut(Self::Move))
    where
        Self: Sized,
    {
        self.for_each_move(state, |mv, _| visit(mv));
    }

    /// The number of legal moves of a state.
    #[inline]
    fn count_moves(&self, state: &Self::State) -> usize {
        let mut count = 0;
        self.for_each_move(state, |_, _| count += 1);
        count
    }

    /// The legal move with a number below [`Game::count_moves`], in the order of
    /// [`Game::try_moves`].
    #[inline]
    fn nth_move(
        &self,
        state: &Self::State,
        number: usize,
    ) -> Option<(Self::Move, Step<Self::After>)> {
        let mut left = number;
        let found = self.try_moves(state, |mv, step| {
            if left == 0 {
                return ControlFlow::Break((mv, step));
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        found.break_value()
    }
}
