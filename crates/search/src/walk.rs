//! `Walk`: one thread's way through the tree, with the memory it keeps from one search to the next.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;

use crate::alpha_beta::Refuter;
use crate::evaluator::MoveValue;
use crate::{Deadline, Evaluator, TranspositionTable};

/// What one thread keeps: its evaluator, and lists for every ply, so that a search allocates nothing.
pub(crate) struct Worker<G: Game, J> {
    pub(crate) evaluator: J,
    pub(crate) moves: Vec<Vec<(Choice<G>, MoveValue)>>,
    pub(crate) deals: Vec<Vec<G::State>>,
    /// For every ply, the deals in the order in which they are tried against a move.
    pub(crate) refuters: Vec<Vec<Refuter>>,
    /// States that were looked at.
    pub(crate) nodes: u64,
}

impl<G: Game, J: Evaluator<G>> Worker<G, J> {
    pub(crate) fn new(evaluator: J) -> Worker<G, J> {
        Worker { evaluator, moves: Vec::new(), deals: Vec::new(), refuters: Vec::new(), nodes: 0 }
    }

    /// Makes lists for so many plies.
    pub(crate) fn prepare(&mut self, plies: u32) {
        let plies = plies as usize + 1;
        if self.moves.len() < plies {
            self.moves.resize_with(plies, Vec::new);
            self.deals.resize_with(plies, Vec::new);
            self.refuters.resize_with(plies, Vec::new);
        }
    }
}

/// What all threads of one search share.
pub(crate) struct Frame<'a, G> {
    pub(crate) game: &'a G,
    pub(crate) table: Option<&'a TranspositionTable>,
    /// Whether symmetric afterstates are searched as one: where they may meet.
    pub(crate) shared: bool,
    pub(crate) deadline: Option<&'a Deadline<'a>>,
    /// How many of the best moves of a state are followed.
    pub(crate) beam: usize,
    /// How unlikely a line may become, in sixteenths of a bit; `None`: as unlikely as it likes.
    pub(crate) unlikely: Option<u32>,
    /// Slack of a cut-off, for what adding numbers rounds off.
    pub(crate) slack: f32,
}

impl<G> Clone for Frame<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Frame<'_, G> {}

/// One thread on its way through the tree.
pub(crate) struct Walk<'a, G: Symmetry, J> {
    pub(crate) frame: Frame<'a, G>,
    pub(crate) worker: &'a mut Worker<G, J>,
}

impl<G: Symmetry, J: Evaluator<G>> Walk<'_, G, J> {
    /// Whether the time is over.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.frame.deadline.is_some_and(Deadline::is_over)
    }

    /// Looks at the clock, where there is one.
    #[inline]
    pub(crate) fn check_time(&self) -> bool {
        self.frame.deadline.is_some_and(Deadline::check)
    }

    /// The moves of a state, the most promising first, no more than the beam takes.
    pub(crate) fn promising(
        &mut self,
        state: &G::State,
        plies: u32,
    ) -> Vec<(Choice<G>, MoveValue)> {
        let mut moves = std::mem::take(&mut self.worker.moves[plies as usize]);
        moves.clear();
        self.worker
            .evaluator
            .evaluate_moves(self.frame.game, state, |choice, worth| moves.push((choice, worth)));
        // A stable sort would take memory of its own: ties are told apart by their place instead.
        sort(&mut moves);
        moves.truncate(self.frame.beam);
        moves
    }

    pub(crate) fn give_back(&mut self, moves: Vec<(Choice<G>, MoveValue)>, plies: u32) {
        self.worker.moves[plies as usize] = moves;
    }
}

/// Insertion sort, best first, ties in their order: lists are short, and nothing is allocated.
fn sort<T>(moves: &mut [(T, MoveValue)]) {
    for end in 1..moves.len() {
        let mut place = end;
        while place > 0 && moves[place - 1].1.value < moves[place].1.value {
            moves.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// What chance may deal after a move, before so many plies.
#[inline]
pub(crate) fn try_deals<G: Game, B>(
    game: &G,
    after: &G::After,
    plies: u32,
    deal: impl FnMut(G::State, f64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if plies <= 1 { game.try_next_turn(after, deal) } else { game.try_chance(after, deal) }
}
