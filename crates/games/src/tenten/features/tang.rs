//! The 21 features of Tang's study of 1010! (2019, table 1).
//!
//! All are features of the afterstate, except numbers 12 and 19, which depend on the move. *Holes*
//! are blank cells; consecutive ones form a run. Where the table is ambiguous: numbers 1 and 3, the
//! "average consecutive holes", are means over holes of the length of their run, and 0 without
//! holes; a mean over runs is an equally literal reading, but only this one reproduces the rounds
//! that the study reports at its gamma of 0.8, and its published weights play as long with it
//! (`tang-table3`); numbers 7 and 8 count placements of the horizontal and the vertical line of
//! five (the table calls both horizontal); numbers 10, 11 and 17 are areas of blank cells; number
//! 12 is the distance of the piece's bounding box from the nearest side of the board; parts are
//! connected along sides; number 20 is the probability that the next piece fits.

use crate::RewardMixture;
use afterstate_core::Features;
use afterstate_core::policy::Choice;

use super::regions::Cellwise;
use crate::tenten::{State, TenTen};

/// The names of the features in the order of the table.
const NAMES: [&str; 21] = [
    "mean run of holes across",
    "longest run of holes across",
    "mean run of holes down",
    "longest run of holes down",
    "full cells",
    "blank cells",
    "moves of 1x5",
    "moves of 5x1",
    "moves of 3x3",
    "largest blank square",
    "largest blank rectangle",
    "distance from the edge",
    "blank rows",
    "blank columns",
    "blank parts",
    "full parts",
    "largest blank part",
    "largest full part",
    "reward",
    "survival",
    "one",
];

/// The 21 features, with the reward function of number 19.
#[derive(Clone, Copy, Debug)]
pub struct Tang {
    reward: RewardMixture,
}

impl Tang {
    /// The features with a reward function as number 19.
    pub fn new(reward: RewardMixture) -> Tang {
        Tang { reward }
    }
}

impl Features<TenTen> for Tang {
    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).into()
    }

    fn describe(&self, game: &TenTen, state: &State, choice: &Choice<TenTen>, out: &mut [f32]) {
        let (mv, step) = *choice;
        let (board, full) = (step.after.board, step.after.board.bits());
        let cells = Cellwise::new(&game.grid);
        let blank = cells.others(full);
        let (across, down) = (cells.across(blank), cells.down(blank));
        let (square, rectangle) = cells.largest(blank);
        let (blank_parts, blank_part) = cells.parts(blank);
        let (full_parts, full_part) = cells.parts(full);
        let (row, column) = (usize::from(mv.at) / game.width(), usize::from(mv.at) % game.width());
        let shape = game.shape_of(mv.piece);
        let below = game.height() - shape.height() - row;
        let right = game.width() - shape.width() - column;
        let from_edge = row.min(column).min(below).min(right);
        let fits = game.fits(board);
        let reward =
            self.reward.of_move(game, state, choice) + self.reward.moves * fits.moves as f32;
        let boxes = |width, height| cells.boxes(blank, width, height) as f32;
        out.copy_from_slice(&[
            across.mean(),
            across.longest as f32,
            down.mean(),
            down.longest as f32,
            board.count() as f32,
            game.cells() as f32 - board.count() as f32,
            boxes(5, 1),
            boxes(1, 5),
            boxes(3, 3),
            square as f32,
            rectangle as f32,
            from_edge as f32,
            cells.whole_rows(blank) as f32,
            cells.whole_columns(blank) as f32,
            blank_parts as f32,
            full_parts as f32,
            blank_part as f32,
            full_part as f32,
            reward,
            fits.survival as f32,
            1.0,
        ]);
    }
}
