//! Chance as an adversary: the boards from which a game can last for ever whatever chance deals, and
//! how many outcomes an adversary needs to end it from the others.
//!
//! The safe boards are the largest set in which every chance outcome has a move that stays in it. A
//! sweep removes every board with an outcome whose moves all lead to boards removed before, until
//! none is left to remove; the number of the sweep is the number of outcomes that the adversary
//! needs. Two bytes per board are enough, where [`survive`](super::survive) needs a table of numbers.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU16, Ordering};

use afterstate_core::{Index, Symmetry};
use rayon::prelude::*;

use super::direct::canonical;

/// The mark of an index that is no board.
const GAP: u16 = u16::MAX;

/// Indices per task.
const CHUNK: usize = 4096;

/// The number of outcomes that an adversary needs, for every board of a game.
pub struct Adversary<'a, G> {
    game: &'a G,
    /// By index: 0 where play can last for ever.
    needed: Vec<AtomicU16>,
    /// The boards, all symmetric images counted.
    pub boards: u64,
    /// Those from which play can last for ever.
    pub safe: u64,
    /// The most outcomes that an adversary needs from any other board.
    pub longest: u16,
}

/// Chance outcomes, fixed in advance, that end every game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FatalSequence {
    /// The number of each outcome in the order of the rules; in Tetris that of the piece.
    pub outcomes: Vec<usize>,
    /// Whether all shorter sequences were tried.
    pub shortest: bool,
}

impl<'a, G: Index + Symmetry> Adversary<'a, G> {
    /// Solves a game, or `None` if its afterstates have no indices of 32 bits.
    pub fn new(game: &'a G) -> Option<Adversary<'a, G>> {
        let len = game.index_len().filter(|&len| len <= 1 << 32)? as usize;
        let mark = |index| AtomicU16::new(if game.after_at(index).is_some() { 0 } else { GAP });
        let needed: Vec<AtomicU16> = (0..len as u64).into_par_iter().map(mark).collect();
        let boards = needed.par_iter().filter(|mark| load(mark) == 0).count() as u64;
        let mut solved = Adversary { game, needed, boards, safe: boards, longest: 0 };
        for sweep in 1..GAP {
            let removed = solved.sweep(sweep);
            if removed == 0 {
                break;
            }
            (solved.safe, solved.longest) = (solved.safe - removed, sweep);
        }
        Some(solved)
    }

    /// Removes the boards that an adversary ends in so many outcomes, and counts them. A mark of this
    /// sweep is larger than all that count, so that the order of boards does not matter.
    fn sweep(&self, sweep: u16) -> u64 {
        let chunks = self.needed.par_chunks(CHUNK).enumerate();
        let removed = chunks.map(|(number, marks)| {
            let open = (number * CHUNK..).zip(marks).filter(|(_, mark)| load(mark) == 0);
            open.map(|(index, _)| self.remove(index as u64, sweep)).sum::<u64>()
        });
        removed.sum()
    }

    /// Marks a board and its images if this sweep removes it; returns how many that are.
    fn remove(&self, index: u64, sweep: u16) -> u64 {
        let Some(after) = self.game.after_at(index) else { return 0 };
        if canonical(self.game, &after) != Some(index) {
            return 0;
        }
        let ended = self.game.try_chance(&after, |state, _| {
            if self.can_escape(&state, sweep) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if ended.is_continue() {
            return 0;
        }
        let images = (0..self.game.symmetries()).filter(|&k| {
            let image = self.game.index_of(&self.game.apply_symmetry_to_after(k, &after));
            let mark = image.and_then(|image| self.needed.get(image as usize));
            // Symmetric boards are images of themselves and count once.
            mark.is_some_and(|mark| mark.swap(sweep, Ordering::Relaxed) != sweep)
        });
        images.count() as u64
    }

    /// Whether some move leads to a board that is not removed before a sweep.
    fn can_escape(&self, state: &G::State, sweep: u16) -> bool {
        let found = self.game.try_moves(state, |_, step| match self.needed(&step.after) {
            Some(needed) if needed < sweep => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        found.is_break()
    }

    /// The outcomes that an adversary needs after a board; `None` if play can last for ever.
    pub fn needed(&self, after: &G::After) -> Option<u16> {
        let mark = self.game.index_of(after).and_then(|index| self.needed.get(index as usize));
        mark.map(load).filter(|&needed| needed != 0)
    }

    /// The outcomes that an adversary needs from the start, the first one included; `None` if play can
    /// last for ever.
    pub fn needed_at_start(&self) -> Option<u16> {
        let mut least: Option<u16> = None;
        self.game.for_each_start(|state, _| {
            let mut most = Some(0);
            self.game.for_each_move(&state, |_, step| {
                most = most.and_then(|most| Some(self.needed(&step.after)?.max(most)));
            });
            if let Some(most) = most {
                least = Some(least.map_or(most + 1, |least| least.min(most + 1)));
            }
        });
        least
    }

    /// A sequence of at most so many outcomes that ends every game from a board, even one whose player
    /// knows it in advance. A beam search over the sets of boards that play can reach: sequences
    /// beyond the width are dropped, those first whose boards an adversary needs longest for.
    pub fn fatal_sequence(
        &self,
        from: &G::After,
        most: usize,
        width: usize,
    ) -> Option<FatalSequence> {
        let mut outcomes = 0;
        self.game.for_each_chance(from, |_, _| outcomes += 1);
        let mut beam = vec![(vec![canonical(self.game, from)?], Vec::new())];
        let mut shortest = true;
        for _ in 0..most {
            let longer = |(boards, sequence): &(Vec<u64>, Vec<usize>), outcome: usize| {
                let sequence = [&sequence[..], &[outcome]].concat();
                (self.reached(boards, outcome), sequence)
            };
            let mut all: Vec<(Vec<u64>, Vec<usize>)> = beam
                .par_iter()
                .flat_map_iter(|one| (0..outcomes).map(move |outcome| longer(one, outcome)))
                .collect();
            if let Some((_, outcomes)) = all.iter_mut().find(|(boards, _)| boards.is_empty()) {
                return Some(FatalSequence { outcomes: std::mem::take(outcomes), shortest });
            }
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all.dedup_by(|a, b| a.0 == b.0);
            all.sort_by(|a, b| self.distance(&a.0).total_cmp(&self.distance(&b.0)));
            shortest &= all.len() <= width;
            all.truncate(width);
            beam = all;
        }
        None
    }

    /// The boards, one of each orbit, that play can reach from some by one outcome.
    fn reached(&self, boards: &[u64], outcome: usize) -> Vec<u64> {
        let mut reached = Vec::new();
        for after in boards.iter().filter_map(|&board| self.game.after_at(board)) {
            let mut number = 0;
            self.game.for_each_chance(&after, |state, _| {
                if number == outcome {
                    self.game.for_each_move(&state, |_, step| {
                        reached.extend(canonical(self.game, &step.after));
                    });
                }
                number += 1;
            });
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }

    /// How far a set of boards is from its end: boards that need longer count a multiple.
    fn distance(&self, boards: &[u64]) -> f64 {
        let needed = |&board: &u64| match load(&self.needed[board as usize]) {
            0 => f64::INFINITY,
            needed => 3.0f64.powi(i32::from(needed)),
        };
        boards.iter().map(needed).sum()
    }
}

fn load(mark: &AtomicU16) -> u16 {
    mark.load(Ordering::Relaxed)
}
