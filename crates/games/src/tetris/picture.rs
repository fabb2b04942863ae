//! Drawing of Tetris: the well, the orientations of the piece, and where a drop rests.

use afterstate_core::policy::Choice;

use super::settle::resting_row;
use super::{MAX_COLUMNS, Placement, State, Tetris};
use crate::picture::{Figure, Kind, Mark, Motion, Picture, Scene, UNKNOWN};

/// A board with a dropped piece, before full rows clear.
struct Dropped {
    /// The bitmap of each column from the floor; bits may be above the top.
    columns: [u64; MAX_COLUMNS],
    /// The bits of the piece only.
    piece: [u64; MAX_COLUMNS],
    /// The full rows.
    full: u64,
    /// The number of rows that are then pushed out at the floor.
    pushed: usize,
}

impl Picture for Tetris {
    fn scene(&self, state: &State) -> Scene {
        let (width, height) = (self.setup().width, self.setup().height);
        let filled = |cell: usize| state.board.get(height - 1 - cell / width, cell % width);
        let cell = |cell| if filled(cell) { UNKNOWN } else { 0 };
        Scene {
            kind: Kind::Well,
            width,
            height,
            cells: (0..width * height).map(cell).collect(),
            hand: vec![self.figure(state.piece)],
            next: state.next.map(|next| self.figure(next)),
        }
    }

    fn pieces(&self) -> Vec<Figure> {
        (0..self.setup().pieces.len()).map(|number| self.figure(number as u8)).collect()
    }

    fn mark(&self, state: &State, choice: &Choice<Tetris>) -> Mark {
        let Placement { orientation, column } = choice.0;
        let (turn, column) = (usize::from(orientation), usize::from(column));
        let mut mark = Mark {
            slide: None,
            piece: Some(0),
            turn,
            row: 0,
            column,
            covers: Vec::new(),
            clears: Vec::new(),
        };
        let Some(dropped) = self.dropped(state, choice.0) else { return mark };
        let top =
            (0..64).rev().find(|&row| dropped.piece.iter().any(|cells| cells >> row & 1 != 0));
        mark.row = self.setup().height as i32 - 1 - top.unwrap_or(0);
        for row in (0..self.setup().height).rev() {
            for column in 0..self.setup().width {
                if dropped.piece[column] >> row & 1 != 0 {
                    mark.covers.push(self.cell_at(row, column));
                }
                if dropped.full >> row & 1 != 0 {
                    mark.clears.push(self.cell_at(row, column));
                }
            }
        }
        mark
    }

    fn motion(&self, state: &State, choice: &Choice<Tetris>) -> Vec<Motion> {
        let Some(dropped) = self.dropped(state, choice.0) else { return Vec::new() };
        let height = self.setup().height;
        let mut motions = Vec::new();
        // Cells above the top have no number, so they have no motion.
        for row in (0..height).rev().filter(|row| dropped.full >> row & 1 == 0) {
            let below = (dropped.full & ((1 << row) - 1)).count_ones() as usize;
            let Some(lower) = row.checked_sub(below + dropped.pushed) else { continue };
            for column in 0..self.setup().width {
                if dropped.columns[column] >> row & 1 != 0 {
                    let (from, to) = (self.cell_at(row, column), self.cell_at(lower, column));
                    motions.push(Motion { from, to });
                }
            }
        }
        motions
    }
}

impl Tetris {
    /// The number of a cell from the top; rows count from the floor.
    fn cell_at(&self, row: usize, column: usize) -> usize {
        (self.setup().height - 1 - row) * self.setup().width + column
    }

    fn figure(&self, number: u8) -> Figure {
        let turns = self.form(number).orientations.iter();
        Figure {
            name: self.setup().pieces[usize::from(number)].name.clone(),
            number,
            turns: turns.map(|orientation| orientation.shape.clone()).collect(),
        }
    }

    fn dropped(&self, state: &State, mv: Placement) -> Option<Dropped> {
        let stamp = self.form(state.piece).stamp(mv)?;
        let floor = resting_row(&state.board, stamp);
        let piece = stamp.cells.map(|cells| u64::from(cells) << floor);
        let mut columns = state.board.columns().map(u64::from);
        columns.iter_mut().zip(&piece).for_each(|(column, own)| *column |= own);
        let width = self.setup().width;
        let full = columns[..width].iter().fold(u64::MAX, |full, column| full & column);
        let all = columns.iter().fold(0, |all, column| all | column);
        let top = (u64::BITS - all.leading_zeros() - full.count_ones()) as usize;
        let pushed = top.saturating_sub(self.setup().height);
        Some(Dropped { columns, piece, full, pushed })
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Game, Rng};

    use super::*;
    use crate::laws::for_each_random_move;
    use crate::spec::parse_rules;

    /// Moving every cell by its motion gives the afterstate, except for cells above the top.
    #[test]
    fn motions_lead_to_the_afterstate() {
        for rules in ["tetris:10x20", "tetris:6x8,overflow=clear,next", "tetris:melax"] {
            let game: Tetris = parse_rules(rules).unwrap();
            for_each_random_move(&game, Rng::stream(5, 0), 3_000, |state, _| {
                game.for_each_move(state, |mv, step| {
                    let choice = (mv, step);
                    let next = State { board: step.after.board, ..*state };
                    let expected = game.scene(&next).cells;
                    let mut made = vec![0; expected.len()];
                    for Motion { to, .. } in game.motion(state, &choice) {
                        made[to] = UNKNOWN;
                    }
                    let mark = game.mark(state, &choice);
                    if mark.row >= 0 {
                        assert_eq!(made, expected, "{rules} {mv:?} {state:?}");
                        let cells = game.form(state.piece).orientations[mark.turn].shape.cells();
                        let width = game.setup().width;
                        let at = |&(r, c): &(usize, usize)| {
                            (mark.row as usize + r) * width + mark.column + c
                        };
                        assert_eq!(mark.covers, cells.iter().map(at).collect::<Vec<_>>());
                    }
                    let lines = game.lines(state, &choice).unwrap() as usize;
                    if mark.row >= 0 {
                        assert_eq!(mark.clears.len(), lines * game.setup().width);
                    }
                });
            });
        }
    }
}
