//! Drawing of 1010!: the board, the hand, and the cells that a placement fills and clears.

use afterstate_core::policy::Choice;

use super::rules::{State, TenTen};
use crate::picture::{Figure, Kind, Mark, Motion, Picture, Scene, UNKNOWN};

impl TenTen {
    fn figure(&self, number: u8) -> Figure {
        Figure {
            name: TenTen::pieces(self)[usize::from(number)].name.clone(),
            number,
            turns: vec![self.shape_of(number).clone()],
        }
    }
}

impl Picture for TenTen {
    fn scene(&self, state: &State) -> Scene {
        let cell = |cell| if state.board.get(cell) { UNKNOWN } else { 0 };
        Scene {
            kind: Kind::Blocks,
            width: self.width(),
            height: self.height(),
            cells: (0..self.cells()).map(cell).collect(),
            hand: state.hand.pieces().map(|number| self.figure(number)).collect(),
            next: None,
        }
    }

    fn pieces(&self) -> Vec<Figure> {
        (0..TenTen::pieces(self).len()).map(|number| self.figure(number as u8)).collect()
    }

    fn mark(&self, state: &State, choice: &Choice<TenTen>) -> Mark {
        let (piece, at) = (choice.0.piece, usize::from(choice.0.at));
        let (row, column) = (at / self.width(), at % self.width());
        let covers = self.covers(piece, at);
        let filled = covers.iter().fold(state.board.bits(), |bits, cell| bits | 1 << cell);
        let after = choice.1.after.board.bits();
        Mark {
            slide: None,
            piece: state.hand.pieces().position(|other| other == piece),
            turn: 0,
            row: row as i32,
            column,
            covers,
            clears: cells(filled & !after, self.cells()),
        }
    }

    fn motion(&self, _: &State, choice: &Choice<TenTen>) -> Vec<Motion> {
        let stays = cells(choice.1.after.board.bits(), self.cells());
        stays.into_iter().map(|cell| Motion { from: cell, to: cell }).collect()
    }
}

impl TenTen {
    fn covers(&self, piece: u8, at: usize) -> Vec<usize> {
        let cells = self.shape_of(piece).cells().iter();
        cells.map(|(row, column)| at + row * self.width() + column).collect()
    }
}

fn cells(bits: u128, count: usize) -> Vec<usize> {
    (0..count).filter(|cell| bits >> cell & 1 != 0).collect()
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Game, Rng};

    use super::*;
    use crate::laws::for_each_random_move;
    use crate::spec::parse_rules;

    #[test]
    fn marks_fill_and_clear_the_cells_of_the_rules() {
        for rules in ["1010", "1010:5x4,hand=1,pieces=7"] {
            let game: TenTen = parse_rules(rules).unwrap();
            for_each_random_move(&game, Rng::stream(5, 0), 2_000, |state, _| {
                game.for_each_move(state, |mv, step| {
                    let mark = game.mark(state, &(mv, step));
                    let mut made = game.scene(state).cells;
                    for cell in mark.covers {
                        assert_eq!(std::mem::replace(&mut made[cell], UNKNOWN), 0, "{rules}");
                    }
                    for cell in mark.clears {
                        assert_eq!(std::mem::replace(&mut made[cell], 0), UNKNOWN, "{rules}");
                    }
                    let after = State { board: step.after.board, ..*state };
                    assert_eq!(made, game.scene(&after).cells, "{rules}");
                    assert_eq!(game.scene(state).hand[mark.piece.unwrap()].number, mv.piece);
                });
            });
        }
    }
}
