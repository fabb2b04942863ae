//! `Game`: the rules of a puzzle as a value, and its two half-steps, the player's and chance's.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

use crate::Rng;
use crate::policy::Choice;

/// What a move leaves: the settled board, and what the move earned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<A> {
    /// The board after the move, before chance deals.
    pub after: A,
    /// What the move earned, in the game's own points.
    pub reward: f32,
}

/// The move is not one that the rules allow in that state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that move is not legal in this state")]
pub struct Illegal;

/// The rules of a stochastic puzzle. Sizes, piece sets and odds are fields of the value; states
/// are small and `Copy`.
///
/// Moves and chance outcomes are pushed into a closure, so that a hot loop allocates nothing; the
/// closure may stop the walk by [`ControlFlow::Break`], which is how a search cuts off.
///
/// A state without a move is the end of the game. Chance always deals: the odds of an
/// afterstate's outcomes sum to one.
pub trait Game: Clone + Send + Sync + 'static {
    /// A board on which the player is to move, with what chance has dealt.
    type State: Copy + Eq + Hash + Debug + Send + Sync;
    /// What the player chooses.
    type Move: Copy + Eq + Hash + Debug + Send + Sync;
    /// The board after a move has settled, before chance deals.
    type After: Copy + Eq + Hash + Debug + Send + Sync;

    /// Raised whenever a change makes the same seed play differently; written into every run.
    const VERSION: u32;

    /// What a sum of rewards counts: `"points"`, `"lines"`.
    fn unit(&self) -> &'static str;

    /// Every state that a game may start in, with its probability.
    fn try_start<B>(&self, deal: impl FnMut(Self::State, f64) -> ControlFlow<B>) -> ControlFlow<B>;

    /// A starting state, drawn with the odds of [`Game::try_start`].
    fn start(&self, rng: &mut Rng) -> Self::State;

    /// Every legal move of a state with what it leaves, always in the same order.
    fn try_moves<B>(
        &self,
        state: &Self::State,
        offer: impl FnMut(Self::Move, Step<Self::After>) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Every state that chance may deal after a move, each once, with its probability.
    fn try_chance<B>(
        &self,
        after: &Self::After,
        deal: impl FnMut(Self::State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// As [`Game::try_chance`], for a look at one move only: outcomes that offer the same moves
    /// may be dealt as one state, without what will matter later, with the sum of their odds.
    #[inline]
    fn try_next_turn<B>(
        &self,
        after: &Self::After,
        deal: impl FnMut(Self::State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.try_chance(after, deal)
    }

    /// How many moves the player can make by what is dealt already, at least one: the pieces in
    /// hand, or the piece and the next one.
    fn known_moves(&self, state: &Self::State) -> u32 {
        let _ = state;
        1
    }

    /// One state drawn with the odds of [`Game::try_chance`].
    fn sample(&self, after: &Self::After, rng: &mut Rng) -> Self::State;

    /// What one move leaves, or [`Illegal`] if [`Game::try_moves`] would not offer it.
    fn play(&self, state: &Self::State, mv: Self::Move) -> Result<Step<Self::After>, Illegal>;

    /// How many moves there are over all states of these rules.
    fn actions(&self) -> usize;

    /// The move with a number below [`Game::actions`]; a larger number may panic.
    fn action(&self, number: usize) -> Self::Move;

    /// The number of a move: the inverse of [`Game::action`].
    fn action_number(&self, mv: Self::Move) -> usize;

    /// How many lines a legal move clears, in games that have lines.
    fn lines(&self, state: &Self::State, choice: &Choice<Self>) -> Option<u32> {
        let _ = (state, choice);
        None
    }

    /// After how many moves an episode is cut off. Cut off is not lost: the game could go on.
    fn limit(&self) -> Option<u64> {
        None
    }

    /// A state that is played alike, without values of `beyond` or more, where there is one: what
    /// a network has never met, it cannot judge. By default the state itself.
    fn downgraded(&self, state: &Self::State, beyond: u64) -> Self::State {
        let _ = beyond;
        *state
    }

    /// Every legal move of a state with what it leaves.
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

    /// Every state that chance may deal after a move, with its probability.
    #[inline]
    fn for_each_chance(&self, after: &Self::After, mut deal: impl FnMut(Self::State, f64)) {
        let _ = self.try_chance(after, |state, odds| {
            deal(state, odds);
            ControlFlow::<()>::Continue(())
        });
    }

    /// How many legal moves a state has.
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
