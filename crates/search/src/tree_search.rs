//! `TreeSearch`: one thread's search of the tree, and the buffers it keeps between searches.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;

use crate::alpha_beta::OutcomeHistory;
use crate::evaluator::MoveValue;
use crate::leaves::Leaves;
use crate::{Deadline, ErasedEvaluator, TranspositionTable};

/// What one thread keeps: its evaluator, and buffers for every ply, so that a search does not
/// allocate.
pub(crate) struct Worker<'e, G: Game> {
    pub(crate) evaluator: ErasedEvaluator<'e, G>,
    pub(crate) moves: Vec<Vec<(Choice<G>, MoveValue)>>,
    pub(crate) outcomes: Vec<Vec<G::State>>,
    /// For every ply, the chance outcomes in the order in which alpha-beta searches them.
    pub(crate) histories: Vec<Vec<OutcomeHistory>>,
    /// The numbers of the outcomes of the last ply in that order.
    pub(crate) numbers: Vec<usize>,
    /// The last two plies of expectimax as one batch.
    pub(crate) leaves: Leaves<G>,
    /// States visited.
    pub(crate) nodes: u64,
}

impl<'e, G: Game> Worker<'e, G> {
    pub(crate) fn new(evaluator: ErasedEvaluator<'e, G>) -> Worker<'e, G> {
        let (moves, outcomes, histories) = (Vec::new(), Vec::new(), Vec::new());
        let (numbers, leaves) = (Vec::new(), Leaves::new());
        Worker { evaluator, moves, outcomes, histories, numbers, leaves, nodes: 0 }
    }

    /// Provides buffers for that many plies.
    pub(crate) fn prepare(&mut self, plies: u32) {
        let plies = plies as usize + 1;
        if self.moves.len() < plies {
            self.moves.resize_with(plies, Vec::new);
            self.outcomes.resize_with(plies, Vec::new);
            self.histories.resize_with(plies, Vec::new);
        }
    }
}

/// What all threads of one search share.
pub(crate) struct Context<'a, G> {
    pub(crate) game: &'a G,
    pub(crate) table: Option<&'a TranspositionTable>,
    /// Whether symmetric afterstates are searched as one.
    pub(crate) canonical: bool,
    pub(crate) deadline: Option<&'a Deadline<'a>>,
    /// How many moves of a state are searched, the best ones.
    pub(crate) beam: usize,
    /// The largest surprisal of a line, in sixteenths of a bit; `None`: unlimited.
    pub(crate) max_surprisal: Option<u32>,
    /// Tolerance of a cutoff, for rounding errors of sums.
    pub(crate) tolerance: f32,
}

impl<G> Clone for Context<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Context<'_, G> {}

/// The search of one thread.
pub(crate) struct TreeSearch<'a, 'e, G: Symmetry> {
    pub(crate) context: Context<'a, G>,
    pub(crate) worker: &'a mut Worker<'e, G>,
}

impl<G: Symmetry> TreeSearch<'_, '_, G> {
    /// Whether the deadline has passed.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.context.deadline.is_some_and(Deadline::has_passed)
    }

    /// Reads the clock, if there is a deadline; returns whether it has passed.
    #[inline]
    pub(crate) fn check_time(&self) -> bool {
        self.context.deadline.is_some_and(Deadline::check)
    }

    /// The moves of a state by descending value without search, at most as many as the beam is
    /// wide. The list is a buffer of the ply, to be given back by [`TreeSearch::reuse`].
    pub(crate) fn ordered_moves(
        &mut self,
        state: &G::State,
        plies: u32,
    ) -> Vec<(Choice<G>, MoveValue)> {
        let mut moves = std::mem::take(&mut self.worker.moves[plies as usize]);
        moves.clear();
        let beam = self.context.beam;
        let each = &mut |choice, value| insert(&mut moves, choice, value, beam);
        self.worker.evaluator.evaluate_moves(self.context.game, state, each);
        moves
    }

    pub(crate) fn reuse(&mut self, moves: Vec<(Choice<G>, MoveValue)>, plies: u32) {
        self.worker.moves[plies as usize] = moves;
    }
}

/// Inserts a move into a list by descending value of at most `beam` moves, equal ones in the order
/// of insertion. Lists are short, and the standard library's stable sort allocates.
#[inline]
fn insert<T>(moves: &mut Vec<(T, MoveValue)>, mv: T, value: MoveValue, beam: usize) {
    let is_less = |other: &(T, MoveValue)| other.1.value < value.value;
    if moves.len() >= beam && moves.pop_if(|last| is_less(last)).is_none() {
        return;
    }
    let place = moves.iter().rposition(|other| !is_less(other)).map_or(0, |place| place + 1);
    moves.insert(place, (mv, value));
}

/// The chance outcomes after a move when that many plies follow.
#[inline]
pub(crate) fn try_outcomes<G: Game, B>(
    game: &G,
    after: &G::After,
    plies: u32,
    each: impl FnMut(G::State, f64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if plies <= 1 { game.try_next_turn(after, each) } else { game.try_chance(after, each) }
}
