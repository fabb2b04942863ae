//! The reflection of Tetris: flips the well left to right and maps S to Z and L to J.

use std::cmp::Ordering;

use afterstate_core::Symmetry;

use super::form::Form;
use super::{After, Board, Placement, State, Tetris};
use crate::pieces::Piece;

/// The reflection of a piece set.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    /// The mirror image of each piece, and of each of its orientations.
    images: Vec<(u8, Vec<u8>)>,
}

impl Mirror {
    /// The reflection of a set; `None` unless it contains the image of every piece with the same
    /// weight.
    pub(super) fn new(pieces: &[Piece], forms: &[Form]) -> Option<Mirror> {
        let image_of = |p: usize| {
            let first = forms[p].orientations[0].shape.mirrored();
            let same = |q: &usize| {
                let shapes = forms[*q].orientations.iter().map(|o| &o.shape);
                pieces[*q].weight == pieces[p].weight && shapes.clone().any(|s| *s == first)
            };
            let image = (0..pieces.len()).find(same)?;
            let orientations = forms[p].orientations.iter().map(|orientation| {
                let mirrored = orientation.shape.mirrored();
                let found = forms[image].orientations.iter().position(|o| o.shape == mirrored);
                found.map(|o| o as u8)
            });
            Some((image as u8, orientations.collect::<Option<Vec<u8>>>()?))
        };
        let images: Vec<(u8, Vec<u8>)> = (0..pieces.len()).map(image_of).collect::<Option<_>>()?;
        // Two pieces of equal shape would share an image: the map must be an involution.
        let involution = |p: usize| usize::from(images[usize::from(images[p].0)].0) == p;
        (0..pieces.len()).all(involution).then_some(Mirror { images })
    }

    fn piece(&self, piece: u8) -> u8 {
        self.images[usize::from(piece)].0
    }
}

impl Tetris {
    /// The mirror image of a piece and of one of its orientations; the identity without a mirror.
    #[inline]
    pub(super) fn mirrored(&self, piece: u8, orientation: u8) -> (u8, u8) {
        match &self.mirror {
            Some(mirror) => {
                let (image, orientations) = &mirror.images[usize::from(piece)];
                (*image, orientations[usize::from(orientation)])
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

    /// The image with the lexicographically smaller columns; for a symmetric board, the one with
    /// the smaller next piece.
    fn canonical(&self, after: &After) -> After {
        let columns = &after.board.columns[..self.setup().width];
        match columns.iter().rev().cmp(columns.iter()) {
            Ordering::Less => self.apply_symmetry_to_after(1, after),
            Ordering::Greater => *after,
            Ordering::Equal => {
                let image = self.apply_symmetry_to_after(1, after);
                if image.next < after.next { image } else { *after }
            }
        }
    }

    fn apply_symmetry_to_move(&self, k: usize, state: &State, mv: Placement) -> Placement {
        match &self.mirror {
            Some(mirror) if k == 1 => {
                let orientation = usize::from(mv.orientation);
                let covered = self.form(state.piece).orientations[orientation].width;
                let (_, orientations) = &mirror.images[usize::from(state.piece)];
                let column = self.setup().width - usize::from(mv.column) - covered;
                Placement { orientation: orientations[orientation], column: column as u8 }
            }
            _ => mv,
        }
    }
}
