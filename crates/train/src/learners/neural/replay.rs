//! `Replay`: afterstates of the last moves, with the states that chance made of them, to learn from again
//! (Lin 1992).
//!
//! What is kept does not depend on how the games were played: the best move from a state is found anew, by the
//! values of now, whenever it is learned from.

use afterstate_core::Rng;
use afterstate_core::policy::Choice;
use afterstate_games::spec::Spec;
use afterstate_values::neural::BoardReader;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::games::{Next, TransitionOf};
use super::returns::Objective;
use crate::learners::LearnerError;

/// Afterstates that one thread takes at a time.
const CHUNK: usize = 64;

/// The last afterstates, and what chance made of them.
pub(super) struct Replay<G: Spec> {
    kept: Vec<(G::After, G::State)>,
    capacity: usize,
    /// Where the next one is put.
    next: usize,
}

/// Afterstates to learn from, with all moves that follow them.
pub(super) struct Drawn<G: Spec> {
    pub(super) afters: Vec<G::After>,
    moves: Vec<Vec<Choice<G>>>,
}

/// What is kept, in a checkpoint.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedReplay {
    kept: Vec<(String, String)>,
    next: usize,
}

impl<G: Spec> Replay<G> {
    /// Room for so many afterstates.
    pub(super) fn new(capacity: usize) -> Replay<G> {
        Replay { kept: Vec::new(), capacity, next: 0 }
    }

    /// Keeps afterstates; the oldest ones give way.
    pub(super) fn extend(&mut self, transitions: impl Iterator<Item = TransitionOf<G>>) {
        for transition in transitions {
            let own = (transition.after, transition.state);
            match self.kept.get_mut(self.next) {
                Some(old) => *old = own,
                None => self.kept.push(own),
            }
            self.next = (self.next + 1) % self.capacity;
        }
    }

    /// Whether nothing is kept yet.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Draws some at random, and all moves of their states.
    pub(super) fn draw(&self, game: &G, count: usize, rng: &mut Rng) -> Drawn<G> {
        let drawn: Vec<_> = (0..count).map(|_| self.kept[rng.below(self.kept.len())]).collect();
        let moves = drawn.par_chunks(CHUNK).flat_map_iter(|part| {
            part.iter().map(|(_, state)| {
                let mut moves = Vec::new();
                game.for_each_move(state, |mv, step| moves.push((mv, step)));
                moves
            })
        });
        Drawn { moves: moves.collect(), afters: drawn.iter().map(|own| own.0).collect() }
    }

    /// What is kept, for a checkpoint.
    pub(super) fn save(&self, game: &G) -> SavedReplay {
        let text = |(after, state): &(G::After, G::State)| {
            (game.after_text(after), game.state_text(state))
        };
        SavedReplay { kept: self.kept.iter().map(text).collect(), next: self.next }
    }

    /// Takes what a checkpoint has.
    pub(super) fn restore(&mut self, game: &G, saved: &SavedReplay) -> Result<(), LearnerError> {
        self.kept.clear();
        for (after, state) in saved.kept.iter().take(self.capacity) {
            self.kept.push((game.parse_after(after)?, game.parse_state(state)?));
        }
        self.next = saved.next % self.capacity.max(1);
        Ok(())
    }
}

impl<G: Spec> Drawn<G> {
    /// The afterstates of all moves as boards that a network reads.
    pub(super) fn boards(&self, game: &G, reader: &BoardReader) -> Vec<Vec<u8>> {
        let parts = self.moves.par_chunks(CHUNK).map(|part| {
            let mut cells = Vec::new();
            for (_, step) in part.iter().flatten() {
                reader.read(game, &step.after, &mut cells);
            }
            cells
        });
        parts.collect()
    }

    /// The targets by the outputs for [`Drawn::boards`], of which an afterstate has several.
    pub(super) fn targets(
        &self,
        outputs: &[f32],
        boards: usize,
        scale: f32,
        objective: Objective,
    ) -> Vec<f32> {
        let mut outputs = outputs.chunks_exact(boards);
        let targets = self.moves.iter().map(|moves| {
            let mut best: Option<(f32, Next)> = None;
            for ((_, step), own) in moves.iter().zip(&mut outputs) {
                let value = scale * (own.iter().sum::<f32>() / boards as f32);
                if best.is_none_or(|(total, _)| step.reward + value > total) {
                    best = Some((step.reward + value, Next::Move { reward: step.reward, value }));
                }
            }
            objective.target(best.map_or(Next::End, |(_, next)| next))
        });
        targets.collect()
    }
}
