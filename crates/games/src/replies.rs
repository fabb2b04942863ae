//! `Replies`: the moves after every chance outcome of an afterstate, as one list for a search.

use std::ops::ControlFlow;

use afterstate_core::Game;

/// A move after a chance outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// Its reward.
    pub reward: f32,
    /// The index of its afterstate among [`Replies::afters`], or [`Reply::ILLEGAL`].
    pub after: u32,
}

impl Reply {
    /// No afterstate: a game may list illegal moves, so that every outcome has as many.
    pub const ILLEGAL: u32 = u32::MAX;
}

/// All moves after all chance outcomes of some afterstates. A search evaluates the afterstates that
/// they lead to together.
#[derive(Clone, Debug, PartialEq)]
pub struct Replies<A> {
    /// The afterstates that the moves lead to. One to which several moves lead may be listed once.
    pub afters: Vec<A>,
    /// The moves of one outcome after the other, in the order of the rules.
    pub moves: Vec<Reply>,
    /// For each outcome the end of its moves and its probability.
    pub outcomes: Vec<(u32, f32)>,
}

impl<A> Replies<A> {
    /// An empty list.
    pub const fn new() -> Replies<A> {
        Replies { afters: Vec::new(), moves: Vec::new(), outcomes: Vec::new() }
    }

    /// Removes everything; the memory is kept.
    pub fn clear(&mut self) {
        self.afters.clear();
        self.moves.clear();
        self.outcomes.clear();
    }

    /// Reference implementation of [`Cells::add_replies`](crate::Cells::add_replies): one afterstate
    /// per move.
    pub fn add<G: Game<After = A>>(&mut self, game: &G, after: &A) {
        let _ = game.try_next_turn(after, |state, probability| {
            game.for_each_move(&state, |_, step| {
                self.moves.push(Reply { reward: step.reward, after: self.afters.len() as u32 });
                self.afters.push(step.after);
            });
            self.outcomes.push((self.moves.len() as u32, probability as f32));
            ControlFlow::<()>::Continue(())
        });
    }
}

impl<A> Default for Replies<A> {
    fn default() -> Replies<A> {
        Replies::new()
    }
}
