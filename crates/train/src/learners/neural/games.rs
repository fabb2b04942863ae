//! `Games`: many games that a network plays at once, and the transitions that it learns from.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Rng, Step};
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
pub(super) struct Transition<A, S> {
    pub(super) after: A,
    /// The state that chance made of it.
    pub(super) state: S,
    pub(super) next: Next,
}

/// A transition of a game.
pub(super) type TransitionOf<G> = Transition<<G as Game>::After, <G as Game>::State>;

/// What one move of each game gives.
pub(super) struct Moved<G: Game> {
    /// For each game the transition, if it had an afterstate.
    pub(super) transitions: Vec<Option<TransitionOf<G>>>,
    /// The games that ended.
    pub(super) ended: Vec<GameResult>,
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

/// Games that are played at once, each with its own stream of the seed. Where one ends, the next one begins.
pub(super) struct Games<G: Spec> {
    pub(super) slots: Vec<Slot<G>>,
    /// The distance between the numbers of games that follow one another: all games that are played at once.
    stride: u64,
    seed: u64,
    /// Games are truncated after so many moves.
    limit: u64,
    /// The afterstates of all moves of all games as boards that a network reads, in parts.
    pub(super) boards: Vec<Vec<u8>>,
}

/// All moves of the state of a game, with the outputs of the network for their afterstates.
pub(super) struct StateMoves<'a, G: Game> {
    pub(super) choices: &'a [Choice<G>],
    /// Several for each afterstate, if it has several boards.
    outputs: &'a [f32],
    boards: usize,
}

impl<G: Game> StateMoves<'_, G> {
    /// The values of the afterstates.
    pub(super) fn values(&self, scale: f32) -> impl Iterator<Item = f32> {
        let outputs = self.outputs.chunks_exact(self.boards);
        outputs.map(move |own| scale * (own.iter().sum::<f32>() / own.len() as f32))
    }
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
        let Games { stride, seed, limit, .. } = *self;
        Games { slots: slots.collect(), stride, seed, limit, boards: Vec::new() }
    }

    /// So many games at their start, one group of several: their numbers begin with `first`.
    pub(super) fn new(
        game: &G,
        count: usize,
        (first, stride): (usize, usize),
        seed: u64,
        limit: u64,
    ) -> Games<G> {
        let numbers = first as u64..(first + count) as u64;
        let slots = numbers.map(|number| Slot::begin(game, seed, number)).collect();
        Games { slots, stride: stride as u64, seed, limit, boards: Vec::new() }
    }

    /// Reads the boards of all games.
    pub(super) fn read(&mut self, game: &G, reader: &BoardReader) {
        self.boards.resize(self.slots.len().div_ceil(CHUNK), Vec::new());
        let chunks = self.slots.par_chunks_mut(CHUNK).zip(&mut self.boards);
        chunks.for_each(|(slots, cells)| {
            cells.clear();
            slots.iter_mut().for_each(|slot| slot.read(game, reader, cells));
        });
    }

    /// The moves of all games by the outputs for the boards that were read last, of which an afterstate has
    /// several, in parts.
    fn moves<'a>(&'a self, (outputs, boards): (&'a [f32], usize)) -> Vec<Vec<StateMoves<'a, G>>> {
        let mut rest = outputs;
        let parts = self.slots.chunks(CHUNK).map(|slots| {
            let moves = slots.iter().map(|slot| {
                let (outputs, others) = rest.split_at(slot.choices.len() * boards);
                rest = others;
                StateMoves { choices: &slot.choices, outputs, boards }
            });
            moves.collect()
        });
        parts.collect()
    }

    /// What a function makes of the moves of some games at a time, on all threads.
    pub(super) fn map<T: Send>(
        &self,
        outputs: (&[f32], usize),
        each: impl Fn(&[StateMoves<G>]) -> T + Sync,
    ) -> Vec<T> {
        self.moves(outputs).par_iter().map(|part| each(part)).collect()
    }

    /// Makes the best move of each game by the outputs for the boards that were read last, of which an
    /// afterstate has several, and reads the next ones.
    pub(super) fn play(
        &mut self,
        game: &G,
        reader: &BoardReader,
        outputs: &[f32],
        selection: Selection,
    ) -> Moved<G> {
        let (boards, count) = (reader.boards(), self.slots.len());
        let mut rest = outputs;
        let parts = self.slots.chunks(CHUNK).map(|slots| {
            let count = slots.iter().map(|slot| slot.choices.len() * boards).sum();
            let (own, others) = rest.split_at(count);
            rest = others;
            own
        });
        let parts: Vec<&[f32]> = parts.collect();
        let Games { stride, seed, limit, .. } = *self;
        let chunks = self.slots.par_chunks_mut(CHUNK).zip(parts).zip(&mut self.boards);
        let played = chunks.map(|((slots, mut outputs), cells)| {
            cells.clear();
            let mut moved: Moved<G> = Moved {
                transitions: Vec::with_capacity(slots.len()),
                ended: Vec::new(),
                moves: slots.len() as u64,
            };
            for slot in slots {
                let (own, others) = outputs.split_at(slot.choices.len() * boards);
                outputs = others;
                let (transition, ends) = slot.play(game, own, boards, selection);
                moved.transitions.push(transition);
                if ends || slot.moves >= limit {
                    moved.moves -= u64::from(ends);
                    let played = (slot.score, slot.moves);
                    moved.ended.push(GameResult::new(game, slot.number, played, &slot.state));
                    *slot = Slot::begin(game, seed, slot.number + stride);
                }
                slot.read(game, reader, cells);
            }
            moved
        });
        let mut all = Moved { transitions: Vec::with_capacity(count), ended: Vec::new(), moves: 0 };
        for moved in played.collect::<Vec<_>>() {
            all.transitions.extend(moved.transitions);
            all.ended.extend(moved.ended);
            all.moves += moved.moves;
        }
        all
    }

    /// The games for a checkpoint.
    pub(super) fn save(&self, game: &G) -> Vec<SavedSlot> {
        let saved = |slot: &Slot<G>| SavedSlot {
            number: slot.number,
            rng: slot.rng.to_bytes(),
            state: game.state_text(&slot.state),
            after: slot.after.map(|after| game.after_text(&after)),
            score: slot.score,
            moves: slot.moves,
        };
        self.slots.iter().map(saved).collect()
    }

    /// Resumes the games of a checkpoint, if there are as many.
    pub(super) fn restore(&mut self, game: &G, saved: &[SavedSlot]) -> Result<(), LearnerError> {
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
    /// A game at its start.
    fn begin(game: &G, seed: u64, number: u64) -> Slot<G> {
        let mut rng = Rng::stream(seed, number);
        let state = game.start(&mut rng);
        Slot { number, rng, state, after: None, score: 0.0, moves: 0, choices: Vec::new() }
    }

    /// Lists the moves, and appends their afterstates as boards that a network reads.
    fn read(&mut self, game: &G, reader: &BoardReader, cells: &mut Vec<u8>) {
        self.choices.clear();
        game.for_each_move(&self.state, |mv, step| self.choices.push((mv, step)));
        for (_, step) in &self.choices {
            reader.read(game, &step.after, cells);
        }
    }

    /// Makes a move; whether the game has ended.
    fn play(
        &mut self,
        game: &G,
        outputs: &[f32],
        boards: usize,
        selection: Selection,
    ) -> (Option<TransitionOf<G>>, bool) {
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
            let state = self.state;
            let ended = self.after.map(|after| Transition { after, state, next: Next::End });
            return (ended, true);
        };
        // The value of a random move says nothing about the board before it, whose successor stays
        // the best one.
        let transition = self.after.map(|after| Transition {
            after,
            state: self.state,
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
