//! The mirror of Tetris: left and right exchanged, S for Z and L for J.

use std::cmp::Ordering;

use afterstate_core::Symmetry;

use super::form::Form;
use super::{After, Board, Placement, State, Tetris};
use crate::pieces::Piece;

/// What the mirror makes of each piece.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    /// The mirror image of each piece, and of each of its orientations.
    images: Vec<(u8, Vec<u8>)>,
}

impl Mirror {
    /// The mirror of a set of pieces, if every piece has its image in it with the same odds.
    pub(super) fn new(pieces: &[Piece], forms: &[Form]) -> Option<Mirror> {
        let image_of = |p: usize| {
            let first = forms[p].orientations[0].shape.mirrored();
            let same = |q: &usize| {
                let shapes = forms[*q].orientations.iter().map(|o| &o.shape);
                pieces[*q].weight == pieces[p].weight && shapes.clone().any(|s| *s == first)
            };
            let image = (0..pieces.len()).find(same)?;
            let turned = forms[p].orientations.iter().map(|orientation| {
                let mirrored = orientation.shape.mirrored();
                let found = forms[image].orientations.iter().position(|o| o.shape == mirrored);
                found.map(|o| o as u8)
            });
            Some((image as u8, turned.collect::<Option<Vec<u8>>>()?))
        };
        let images: Vec<(u8, Vec<u8>)> = (0..pieces.len()).map(image_of).collect::<Option<_>>()?;
        // Two pieces of one shape share an image, and the mirror could not be undone.
        let undone = |p: usize| usize::from(images[usize::from(images[p].0)].0) == p;
        (0..pieces.len()).all(undone).then_some(Mirror { images })
    }

    fn piece(&self, piece: u8) -> u8 {
        self.images[usize::from(piece)].0
    }
}

impl Tetris {
    /// The mirror image of a piece and of one of its orientations; itself where there is no mirror.
    #[inline]
    pub(super) fn mirrored(&self, piece: u8, orientation: u8) -> (u8, u8) {
        match &self.mirror {
            Some(mirror) => {
                let (image, turned) = &mirror.images[usize::from(piece)];
                (*image, turned[usize::from(orientation)])
            }
            None => (piece, orientation),
        }
    }

    fn mirror_board(&self, board: &Board) -> Board {
        let mut mirrored = *board;
        mirrored.columns[..self.setup().width].reverse();
        mirrored
    }
}

impl Symmetry for Tetris {
    fn symmetries(&self) -> usize {
        if self.mirror.is_some() { 2 } else { 1 }
    }

    fn inverse(&self, k: usize) -> usize {
        k
    }

    fn apply_symmetry_to_state(&self, k: usize, state: &State) -> State {
        match &self.mirror {
            Some(mirror) if k == 1 => State {
                board: self.mirror_board(&state.board),
                piece: mirror.piece(state.piece),
                next: state.next.map(|piece| mirror.piece(piece)),
            },
            _ => *state,
        }
    }

    fn apply_symmetry_to_after(&self, k: usize, after: &After) -> After {
        match &self.mirror {
            Some(mirror) if k == 1 => After {
                board: self.mirror_board(&after.board),
                next: after.next.map(|piece| mirror.piece(piece)),
            },
            _ => *after,
        }
    }

    /// The board whose columns are the smaller ones, read from the left; of a board that is its own
    /// mirror image, the one with the smaller next piece.
    fn canonical(&self, after: &After) -> After {
        let columns = &after.board.columns[..self.setup().width];
        match columns.iter().rev().cmp(columns.iter()) {
            Ordering::Less => self.apply_symmetry_to_after(1, after),
            Ordering::Greater => *after,
            Ordering::Equal => {
                let turned = self.apply_symmetry_to_after(1, after);
                if turned.next < after.next { turned } else { *after }
            }
        }
    }

    fn apply_symmetry_to_move(&self, k: usize, state: &State, mv: Placement) -> Placement {
        match &self.mirror {
            Some(mirror) if k == 1 => {
                let orientation = usize::from(mv.orientation);
                let covered = self.form(state.piece).orientations[orientation].width;
                let (_, turned) = &mirror.images[usize::from(state.piece)];
                let column = self.setup().width - usize::from(mv.column) - covered;
                Placement { orientation: turned[orientation], column: column as u8 }
            }
            _ => mv,
        }
    }
}
