//! S and Z in turn: the pieces that end every game in some widths, whatever the player does (section
//! 2.2 of the thesis).

use std::collections::BTreeSet;

use afterstate_core::{Game, Index};
use afterstate_games::tetris::{State, Tetris};

use super::forever::{count, solve};
use super::well;
use crate::experiment::Experiment;
use crate::experiment::{Measured, Measurement, Quantity, Results};
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

pub(super) const IN_TURN: Quantity = Quantity::Named("pieces in turn that end every game");
pub(super) const SAFE: Quantity = Quantity::Named("boards that can be played for ever");

/// Wells with their rules, the first two of a width 2 (2 n + 1).
pub(super) const WELLS: [(&str, &str); 4] =
    [("6x3", "tetris:6x3"), ("6x4", "tetris:6x4"), ("4x6", "tetris:4x6"), ("5x5", "tetris:5x5")];

/// S and Z lie flat or stand.
const PIECES: &str = ",pieces=S:.##/##.+Z:##./.##";

pub(super) const STATEMENTS: &[Statement] = &[Statement {
    says: "it is possible to generate a sequence of tetrominoes that will guarantee the eventual \
        termination of any game of Tetris played in a well of width 2(2n+1) [...] by sending \
        alternating Z and S pieces",
    holds: |figures| Some(WELLS[..2].iter().all(|(well, _)| figures.of(well, IN_TURN).is_some())),
}];

pub(super) fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut measured = Vec::new();
    for (case, rules) in WELLS {
        cache.observer.begin(case)?;
        cache.check_stopped()?;
        // For tests, one well as small as any.
        let rules = cache.scale.pick([WELLS[0].1, rules, rules]);
        let game = well(&format!("{rules}{PIECES}"))?;
        let solved = solve(&game)?;
        measured.push(Measurement::training(case, SAFE, count(solved.safe as f64)));
        if solved.safe == 0 {
            let pieces = in_turn(&game, 200)?;
            measured
                .extend(pieces.map(|pieces| Measurement::training(case, IN_TURN, count(pieces))));
        }
    }
    Ok(Results { rows: experiment.rows(&measured), ..Results::default() })
}

/// How many pieces, the two in turn, leave no board; `None` if so many are not enough.
fn in_turn(game: &Tetris, most: u32) -> Result<Option<u32>, Error> {
    let mut boards = BTreeSet::from([0]);
    for number in 0..most {
        let piece = (number % 2) as u8;
        let mut next = BTreeSet::new();
        for after in boards.iter().filter_map(|&board| game.after_at(board)) {
            let state = State { board: after.board, piece, next: None };
            game.for_each_move(&state, |_, step| next.extend(game.index_of(&step.after)));
        }
        if next.is_empty() {
            return Ok(Some(number + 1));
        }
        boards = next;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_columns_are_filled_in_turn_and_four_are_not() {
        let game = well(&format!("{}{PIECES}", WELLS[0].1)).unwrap();
        let pieces = in_turn(&game, 200).unwrap().unwrap();
        // An adversary who sees the board is at least as fast.
        assert!(u32::from(solve(&game).unwrap().needed_at_start().unwrap()) <= pieces);
        assert_eq!(in_turn(&game, pieces - 1).unwrap(), None);
        let game = well(&format!("tetris:4x4{PIECES}")).unwrap();
        assert_eq!(in_turn(&game, 60).unwrap(), None);
    }
}
