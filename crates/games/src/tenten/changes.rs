//! `Changes`: the features that each placement changes, if it clears no line.

use afterstate_core::{Game, Symmetry};

use super::{Board, TenTen};
use crate::{Cells, Change, Tuples};

/// The changes of every placement on a board of one size.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// Where the changes of each action end.
    ends: Vec<u32>,
}

impl Changes {
    /// `None` if the numbers of the features or the bits of their indices exceed a [`Change`].
    pub(super) fn new(game: &TenTen, tuples: &Tuples) -> Option<Changes> {
        let count = tuples.cells().len();
        let fits = |bits: &Vec<usize>| bits.len() <= u16::BITS as usize;
        if tuples.active_features() > 1 << u8::BITS || !tuples.cells().iter().all(fits) {
            return None;
        }
        // The features of each cell, with its bit in their indices. Symmetry by symmetry: a sum over
        // the changes then adds to another tuple each time, without waiting for the last addition.
        let mut of_cell = vec![Vec::new(); game.cells()];
        for k in 0..game.symmetries() {
            for (tuple, cells) in tuples.cells().iter().enumerate() {
                for (bit, &cell) in cells.iter().enumerate() {
                    let cell = game.apply_symmetry_to_cell(k, cell);
                    of_cell[cell].push((k * count + tuple, 1u32 << bit));
                }
            }
        }
        let permutations = tuples.permutations();
        let (mut changes, mut ends) = (Vec::new(), Vec::new());
        for action in 0..game.actions() {
            let mv = game.action(action);
            if game.origins(Board::EMPTY, mv.piece) >> mv.at & 1 == 1 {
                let mut digits = vec![0; tuples.active_features()];
                let at = usize::from(mv.at);
                for (row, column) in game.shape_of(mv.piece).cells() {
                    for &(number, bit) in &of_cell[at + row * game.width() + column] {
                        digits[number] |= bit;
                    }
                }
                for (number, digits) in digits.into_iter().enumerate().filter(|row| row.1 != 0) {
                    let (k, tuple) = (number / count, number % count);
                    // Permutations of up to 16 bits are linear: other bits do not matter.
                    let flip = permutations[tuple].place(digits) ^ permutations[tuple].place(0);
                    let feature = (tuple * game.symmetries() + k) as u8;
                    changes.push(Change { feature, tuple: tuple as u8, flip: flip as u16 });
                }
            }
            ends.push(changes.len() as u32);
        }
        Some(Changes { changes, ends })
    }

    /// The changes of an action.
    #[inline]
    pub(super) fn of(&self, action: usize) -> Option<&[Change]> {
        let begin = if action == 0 { 0 } else { self.ends[action - 1] };
        self.changes.get(begin as usize..*self.ends.get(action)? as usize)
    }
}
