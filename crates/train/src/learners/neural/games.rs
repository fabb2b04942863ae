//! `Games`: many games that a network plays at once, and the transitions that it learns from.

use std::sync::Mutex;

use afterstate_core::policy::Choice;
use afterstate_core::{Rng, Step};
use afterstate_games::spec::Spec;
use afterstate_values::neural::BoardReader;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::learners::{GameResult, LearnerError};

/// Games that one thread takes at a time.
const CHUNK: usize = 64;

/// A game in progress.
pub(super) struct Slot<G: Spec> {
    number: u64,
    rng: Rng,
    state: G::State,
    /// The afterstate of the last move.
    after: Option<G::After>,
    score: f64,
    moves: u64,
    choices: Vec<Choice<G>>,
}

/// What followed an afterstate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// A move with this reward, to an afterstate with this value.
    Move { reward: f32, value: f32 },
    /// No move: the game ended.
    End,
}

/// An afterstate and what followed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transition<A> {
    pub(super) after: A,
    pub(super) next: Next,
}

/// What one move of each game gives.
pub(super) struct Moved<A> {
    /// For each game the transition, if it had an afterstate.
    pub(super) transitions: Vec<Option<Transition<A>>>,
    /// Moves played.
    pub(super) moves: u64,
}

/// A game in progress, in a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedSlot {
    number: u64,
    rng: [u8; 32],
    state: String,
    after: Option<String>,
    score: f64,
    moves: u64,
}

/// Games that are played at once, each with its own stream of the seed.
pub(super) struct Games<G: Spec> {
    pub(super) slots: Vec<Slot<G>>,
    /// The number of the next game.
    next: u64,
    seed: u64,
    /// Games are truncated after so many moves.
    limit: u64,
    cells: Vec<u8>,
}

/// How moves are selected, besides by their value.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    /// The probability of a random move.
    pub(super) epsilon: f32,
    /// The factor of the outputs of the network.
    pub(super) scale: f32,
}

impl<G: Spec> Games<G> {
    /// A copy, without the moves of the games.
    pub(super) fn copy(&self) -> Games<G> {
        let slots = self.slots.iter().map(|slot| Slot {
            number: slot.number,
            rng: slot.rng.clone(),
            state: slot.state,
            after: slot.after,
            score: slot.score,
            moves: slot.moves,
            choices: Vec::new(),
        });
        let Games { next, seed, limit, .. } = *self;
        Games { slots: slots.collect(), next, seed, limit, cells: Vec::new() }
    }

    /// So many games at their start.
    pub(super) fn new(game: &G, count: usize, seed: u64, limit: u64) -> Games<G> {
        let mut games = Games { slots: Vec::new(), next: 0, seed, limit, cells: Vec::new() };
        for _ in 0..count {
            let slot = games.begin(game);
            games.slots.push(slot);
        }
        games
    }

    fn begin(&mut self, game: &G) -> Slot<G> {
        let number = self.next;
        self.next += 1;
        let mut rng = Rng::stream(self.seed, number);
        let state = game.start(&mut rng);
        Slot { number, rng, state, after: None, score: 0.0, moves: 0, choices: Vec::new() }
    }

    /// The afterstates of all moves of all games as boards that a network reads.
    pub(super) fn boards(&mut self, game: &G, reader: &BoardReader) -> &[u8] {
        let parts: Vec<Vec<u8>> = self
            .slots
            .par_chunks_mut(CHUNK)
            .map(|slots| {
                let mut cells = Vec::new();
                for slot in slots {
                    slot.choices.clear();
                    game.for_each_move(&slot.state, |mv, step| slot.choices.push((mv, step)));
                    for (_, step) in &slot.choices {
                        reader.read(game, &step.after, &mut cells);
                    }
                }
                cells
            })
            .collect();
        self.cells.clear();
        parts.iter().for_each(|part| self.cells.extend_from_slice(part));
        &self.cells
    }

    /// Makes the best move of each game by the outputs for [`Games::boards`], of which an afterstate
    /// has several. `ended` gets each game that has ended.
    pub(super) fn play(
        &mut self,
        game: &G,
        outputs: &[f32],
        boards: usize,
        selection: Selection,
        mut ended: impl FnMut(GameResult),
    ) -> Moved<G::After> {
        let counts = self
            .slots
            .chunks(CHUNK)
            .map(|slots| slots.iter().map(|slot| slot.choices.len() * boards).sum::<usize>());
        let mut parts = Vec::new();
        let mut rest = outputs;
        for count in counts {
            let (own, others) = rest.split_at(count);
            parts.push(own);
            rest = others;
        }
        let limit = self.limit;
        let over = Mutex::new(Vec::new());
        let transitions: Vec<Vec<Option<Transition<G::After>>>> = self
            .slots
            .par_chunks_mut(CHUNK)
            .zip(parts)
            .enumerate()
            .map(|(chunk, (slots, mut outputs))| {
                let mut transitions = Vec::with_capacity(slots.len());
                for (i, slot) in slots.iter_mut().enumerate() {
                    let (own, others) = outputs.split_at(slot.choices.len() * boards);
                    outputs = others;
                    let (transition, ends) = slot.play(game, own, boards, selection);
                    if ends || slot.moves >= limit {
                        over.lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner)
                            .push(chunk * CHUNK + i);
                    }
                    transitions.push(transition);
                }
                transitions
            })
            .collect();
        let mut over = over.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        over.sort_unstable();
        let mut moves = self.slots.len() as u64;
        for slot in over {
            let next = self.begin(game);
            let old = std::mem::replace(&mut self.slots[slot], next);
            moves -= u64::from(old.choices.is_empty());
            let played = (old.score, old.moves);
            ended(GameResult::new(game, old.number, played, &old.state));
        }
        Moved { transitions: transitions.into_iter().flatten().collect(), moves }
    }

    /// The games for a checkpoint, and the number of the next.
    pub(super) fn save(&self, game: &G) -> (u64, Vec<SavedSlot>) {
        let saved = |slot: &Slot<G>| SavedSlot {
            number: slot.number,
            rng: slot.rng.to_bytes(),
            state: game.state_text(&slot.state),
            after: slot.after.map(|after| game.after_text(&after)),
            score: slot.score,
            moves: slot.moves,
        };
        (self.next, self.slots.iter().map(saved).collect())
    }

    /// Resumes the games of a checkpoint, if there are as many.
    pub(super) fn restore(
        &mut self,
        game: &G,
        next: u64,
        saved: &[SavedSlot],
    ) -> Result<(), LearnerError> {
        self.next = next.max(self.slots.len() as u64);
        if saved.len() != self.slots.len() {
            return Ok(());
        }
        for (slot, saved) in self.slots.iter_mut().zip(saved) {
            let after = saved.after.as_ref().map(|text| game.parse_after(text)).transpose()?;
            *slot = Slot {
                number: saved.number,
                rng: Rng::from_bytes(saved.rng),
                state: game.parse_state(&saved.state)?,
                after,
                score: saved.score,
                moves: saved.moves,
                choices: Vec::new(),
            };
        }
        Ok(())
    }
}

impl<G: Spec> Slot<G> {
    /// Makes a move; whether the game has ended.
    fn play(
        &mut self,
        game: &G,
        outputs: &[f32],
        boards: usize,
        selection: Selection,
    ) -> (Option<Transition<G::After>>, bool) {
        let Selection { epsilon, scale } = selection;
        let values = outputs.chunks_exact(boards);
        let values = values.map(|own| scale * (own.iter().sum::<f32>() / boards as f32));
        let mut best: Option<(usize, f32, f32)> = None;
        for (i, value) in values.enumerate() {
            let total = self.choices[i].1.reward + value;
            if best.is_none_or(|(_, max, _)| total > max) {
                best = Some((i, total, value));
            }
        }
        let Some((mut chosen, _, value)) = best else {
            let ended = self.after.map(|after| Transition { after, next: Next::End });
            return (ended, true);
        };
        // The value of a random move says nothing about the board before it, whose successor stays
        // the best one.
        let transition = self.after.map(|after| Transition {
            after,
            next: Next::Move { reward: self.choices[chosen].1.reward, value },
        });
        if epsilon > 0.0 && self.rng.unit() < f64::from(epsilon) {
            chosen = self.rng.below(self.choices.len());
        }
        let Step { after, reward } = self.choices[chosen].1;
        self.score += f64::from(reward);
        self.moves += 1;
        self.state = game.sample(&after, &mut self.rng);
        self.after = Some(after);
        (transition, false)
    }
}
