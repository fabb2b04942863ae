//! `BoardReader`: afterstates as the cells that a neural network reads, with the symmetries of the
//! game.

use afterstate_games::Cells;
use serde::{Deserialize, Serialize};

use super::BoardShape;

/// How a network uses the symmetries of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SymmetryUse {
    /// It reads one image of a board, the same for all of them: the one whose cells, read row by
    /// row, are the largest in lexicographic order.
    #[default]
    Canonical,
    /// The value is the mean over all images.
    Mean,
    /// It reads the board as it is.
    None,
}

/// Writes the cells of afterstates, a byte for each.
#[derive(Clone, Debug)]
pub struct BoardReader {
    shape: BoardShape,
    symmetry: SymmetryUse,
    /// For each symmetry the cell that comes to each place.
    images: Vec<Vec<u16>>,
}

impl BoardReader {
    /// The boards of a game.
    pub fn new<G: Cells>(game: &G, symmetry: SymmetryUse) -> BoardReader {
        let shape = BoardShape::of(game);
        let image = |k| {
            let cells = 0..shape.cells();
            cells.map(|cell| game.apply_symmetry_to_cell(k, cell) as u16).collect()
        };
        let images = (0..game.symmetries()).map(image).collect();
        BoardReader { shape, symmetry, images }
    }

    /// The shape of the boards.
    pub fn shape(&self) -> BoardShape {
        self.shape
    }

    /// How symmetries are used.
    pub fn symmetry(&self) -> SymmetryUse {
        self.symmetry
    }

    /// A reader of boards as they are, for who finds their largest images by
    /// [`canonical_images`](BoardReader::canonical_images).
    #[must_use]
    pub fn raw(&self) -> BoardReader {
        match self.symmetry {
            SymmetryUse::Canonical => BoardReader { symmetry: SymmetryUse::None, ..self.clone() },
            SymmetryUse::Mean | SymmetryUse::None => self.clone(),
        }
    }

    /// For each image of a board the cell that comes to each place, where the largest one is read.
    pub fn canonical_images(&self) -> &[Vec<u16>] {
        if self.symmetry == SymmetryUse::Canonical { &self.images } else { &[] }
    }

    /// The number of boards that are read for one afterstate.
    pub fn boards(&self) -> usize {
        if self.symmetry == SymmetryUse::Mean { self.images.len() } else { 1 }
    }

    /// Appends the boards of an afterstate.
    pub fn read<G: Cells>(&self, game: &G, after: &G::After, out: &mut Vec<u8>) {
        let begin = self.append(game, after, out);
        match self.symmetry {
            SymmetryUse::None => {}
            SymmetryUse::Canonical => self.canonicalize(&mut out[begin..]),
            SymmetryUse::Mean => {
                for image in &self.images[1..] {
                    out.extend_from_within(begin..begin + self.shape.cells());
                    let last = out.len() - self.shape.cells();
                    let (all, own) = out.split_at_mut(last);
                    let board = &all[begin..begin + self.shape.cells()];
                    for (cell, &from) in own.iter_mut().zip(image) {
                        *cell = board[usize::from(from)];
                    }
                }
            }
        }
    }

    /// Appends one board of an afterstate, to learn from: where values are means over all images,
    /// image `number`, counted in a circle.
    pub fn read_one<G: Cells>(&self, game: &G, after: &G::After, number: usize, out: &mut Vec<u8>) {
        let begin = self.append(game, after, out);
        match self.symmetry {
            SymmetryUse::None => {}
            SymmetryUse::Canonical => self.canonicalize(&mut out[begin..]),
            SymmetryUse::Mean => {
                let board = out[begin..].to_vec();
                let image = &self.images[number % self.images.len()];
                for (cell, &from) in out[begin..].iter_mut().zip(image) {
                    *cell = board[usize::from(from)];
                }
            }
        }
    }

    /// Appends the cells of an afterstate as they are, and returns where they begin.
    fn append<G: Cells>(&self, game: &G, after: &G::After, out: &mut Vec<u8>) -> usize {
        let begin = out.len();
        game.append_cells(after, out);
        begin
    }

    /// Replaces the cells of a board by those of its largest image.
    pub fn canonicalize(&self, board: &mut [u8]) {
        let Some((own, others)) = self.images.split_first() else { return };
        let mut best = own;
        for image in others {
            let cells = |image: &'_ [u16], place: usize| board[usize::from(image[place])];
            let differs = |&place: &usize| cells(image, place) != cells(best, place);
            if let Some(place) = (0..board.len()).find(differs)
                && cells(image, place) > cells(best, place)
            {
                best = image;
            }
        }
        if !std::ptr::eq(best, own) {
            let cells = board.to_vec();
            for (cell, &from) in board.iter_mut().zip(best) {
                *cell = cells[usize::from(from)];
            }
        }
    }
}
