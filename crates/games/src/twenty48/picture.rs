//! Drawing of 2048: tiles that slide and merge.

use super::{Board, Slide, Twenty48};
use crate::picture::{Kind, Mark, Motion, Picture, Scene};
use afterstate_core::policy::Choice;

impl Picture for Twenty48 {
    fn scene(&self, state: &Board) -> Scene {
        let (width, height) = (self.width(), self.height());
        let cells = (0..width * height).map(|cell| state.power(cell / width, cell % width));
        let (cells, kind) = (cells.collect(), Kind::Tiles);
        Scene { kind, width, height, cells, hand: Vec::new(), next: None }
    }

    fn mark(&self, _: &Board, choice: &Choice<Twenty48>) -> Mark {
        let (covers, clears) = (Vec::new(), Vec::new());
        Mark { slide: Some(choice.0), piece: None, turn: 0, row: 0, column: 0, covers, clears }
    }

    fn motion(&self, state: &Board, choice: &Choice<Twenty48>) -> Vec<Motion> {
        let mut motions = Vec::new();
        for line in lines(self.width(), self.height(), choice.0) {
            // The power of the last tile at rest, unless it has merged.
            let (mut free, mut resting) = (0, None);
            for &from in &line {
                let power = state.power(from / self.width(), from % self.width());
                if power == 0 {
                    continue;
                }
                if resting == Some(power) {
                    motions.push(Motion { from, to: line[free - 1] });
                    resting = None;
                } else {
                    motions.push(Motion { from, to: line[free] });
                    free += 1;
                    resting = Some(power);
                }
            }
        }
        motions
    }
}

/// The cells of every row or column, starting at the side that the tiles slide towards.
fn lines(width: usize, height: usize, slide: Slide) -> Vec<Vec<usize>> {
    let row = |row: usize| (0..width).map(move |column| row * width + column);
    let column = |column: usize| (0..height).map(move |row| row * width + column);
    match slide {
        Slide::Left => (0..height).map(|r| row(r).collect()).collect(),
        Slide::Right => (0..height).map(|r| row(r).rev().collect()).collect(),
        Slide::Up => (0..width).map(|c| column(c).collect()).collect(),
        Slide::Down => (0..width).map(|c| column(c).rev().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Game, Rng};

    use super::*;
    use crate::laws::for_each_random_move;

    /// Moving every tile by its motion gives the afterstate.
    #[test]
    fn motions_lead_to_the_afterstate() {
        for (width, height) in [(4, 4), (3, 2), (2, 4)] {
            let game = Twenty48::new(width, height, 0.1).unwrap();
            for_each_random_move(&game, Rng::stream(5, 0), 20_000, |state, _| {
                game.for_each_move(state, |mv, step| {
                    let mut made = vec![Vec::new(); width * height];
                    for Motion { from, to } in game.motion(state, &(mv, step)) {
                        made[to].push(state.power(from / width, from % width));
                    }
                    for (cell, made) in made.iter().enumerate() {
                        let expected = step.after.power(cell / width, cell % width);
                        match made[..] {
                            [] => assert_eq!(expected, 0),
                            [one] => assert_eq!(expected, one),
                            [one, other] => assert_eq!((expected, one), (one + 1, other)),
                            _ => panic!("three tiles in one"),
                        }
                    }
                });
            });
        }
    }
}
