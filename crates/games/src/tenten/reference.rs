//! The reference implementation of the 1010! rules: cells in rows of vectors.

use std::collections::BTreeSet;

use afterstate_core::perft::Perft;

use super::{Board, Scoring, TenTen};

/// Rows of cells, the top row first.
pub(super) type Cells = Vec<Vec<bool>>;

/// The rules of 1010!, with pieces as lists of (row, column).
pub(super) struct ReferenceGame {
    pub(super) width: usize,
    pub(super) height: usize,
    shapes: Vec<Vec<(usize, usize)>>,
    hand: usize,
    scoring: Scoring,
}

/// A placement with its afterstate and reward.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) piece: usize,
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) board: Cells,
    pub(super) hand: Vec<usize>,
    pub(super) reward: usize,
}

impl ReferenceGame {
    pub(super) fn new(rules: &TenTen) -> ReferenceGame {
        let shape = |piece: &crate::pieces::Piece| piece.shape.cells().to_vec();
        ReferenceGame {
            width: rules.width(),
            height: rules.height(),
            shapes: rules.pieces().iter().map(shape).collect(),
            hand: usize::from(rules.hand()),
            scoring: rules.scoring(),
        }
    }

    pub(super) fn empty(&self) -> Cells {
        vec![vec![false; self.width]; self.height]
    }

    pub(super) fn fits(&self, board: &Cells, piece: usize, row: usize, column: usize) -> bool {
        self.shapes[piece].iter().all(|&(down, across)| {
            let (row, column) = (row + down, column + across);
            row < self.height && column < self.width && !board[row][column]
        })
    }

    /// Places a piece; returns the number of lines cleared and the points.
    pub(super) fn place(
        &self,
        board: &mut Cells,
        piece: usize,
        row: usize,
        column: usize,
    ) -> (usize, usize) {
        for &(down, across) in &self.shapes[piece] {
            board[row + down][column + across] = true;
        }
        let lines = self.clear(board);
        let bonus = match self.scoring {
            // 10 for the first line, 20 for the second, ...
            Scoring::Real => (1..=lines).map(|n| 10 * n).sum(),
            Scoring::Square => lines * lines * 10,
        };
        (lines, self.shapes[piece].len() + bonus)
    }

    pub(super) fn clear(&self, board: &mut Cells) -> usize {
        let row_is_full = |row: &usize| board[*row].iter().all(|&filled| filled);
        let rows: Vec<usize> = (0..self.height).filter(row_is_full).collect();
        let column_is_full = |column: &usize| board.iter().all(|row| row[*column]);
        let columns: Vec<usize> = (0..self.width).filter(column_is_full).collect();
        for &row in &rows {
            for cell in &mut board[row] {
                *cell = false;
            }
        }
        for &column in &columns {
            for row in board.iter_mut() {
                row[column] = false;
            }
        }
        rows.len() + columns.len()
    }

    /// All legal moves in the order of `Game::try_moves`.
    pub(super) fn moves(&self, board: &Cells, hand: &[usize]) -> Vec<Placed> {
        let mut moves = Vec::new();
        let distinct: BTreeSet<usize> = hand.iter().copied().collect();
        for piece in distinct {
            for row in 0..self.height {
                for column in 0..self.width {
                    if self.fits(board, piece, row, column) {
                        let mut after = board.clone();
                        let (_, reward) = self.place(&mut after, piece, row, column);
                        let mut left = hand.to_vec();
                        left.remove(hand.iter().position(|&other| other == piece).unwrap());
                        moves.push(Placed { piece, row, column, board: after, hand: left, reward });
                    }
                }
            }
        }
        moves
    }

    /// The chance outcomes: the rest of a hand, or all new hands if it is empty.
    fn next_hands(&self, left: &[usize]) -> BTreeSet<Vec<usize>> {
        if !left.is_empty() {
            return BTreeSet::from([left.to_vec()]);
        }
        let mut hands = BTreeSet::from([Vec::new()]);
        for _ in 0..self.hand {
            let mut larger = BTreeSet::new();
            for hand in &hands {
                for piece in 0..self.shapes.len() {
                    let mut hand: Vec<usize> = hand.clone();
                    hand.push(piece);
                    hand.sort_unstable();
                    larger.insert(hand);
                }
            }
            hands = larger;
        }
        hands
    }

    /// The sum of the perft counts over all start states.
    pub(super) fn perft(&self, depth: u32) -> Perft {
        let mut total = Perft::default();
        for hand in self.next_hands(&[]) {
            total += self.perft_from(&self.empty(), &hand, depth);
        }
        total
    }

    pub(super) fn perft_from(&self, board: &Cells, hand: &[usize], depth: u32) -> Perft {
        let mut total = Perft::default();
        let moves = self.moves(board, hand);
        if moves.is_empty() {
            total.dead_ends = 1;
        }
        for placed in moves {
            for next in self.next_hands(&placed.hand) {
                if depth == 1 {
                    total.sequences += 1;
                    total.last_rewards += placed.reward as f64;
                } else {
                    total += self.perft_from(&placed.board, &next, depth - 1);
                }
            }
        }
        total
    }

    pub(super) fn cells_of(&self, board: Board) -> Cells {
        let cell = |row: usize, column: usize| board.get(row * self.width + column);
        let row = |row| (0..self.width).map(|column| cell(row, column)).collect();
        (0..self.height).map(row).collect()
    }
}

/// The bits of some cells.
pub(super) fn bits(board: &Cells) -> u128 {
    let last_first = board.iter().flatten().rev();
    last_first.fold(0, |bits, &filled| bits << 1 | u128::from(filled))
}
