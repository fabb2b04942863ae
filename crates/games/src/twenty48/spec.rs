//! The rules syntax of 2048.

use super::{Board, Twenty48};
use crate::Cells;
use crate::spec::{Choices, OptionHelp, Spec, SpecError};

/// The probability of a 4 in the published game.
const FOUR: f64 = 0.1;

impl Spec for Twenty48 {
    const NAME: &'static str = "2048";

    const SUMMARY: &'static str =
        "Slide all tiles; equal neighbours merge and score; chance adds a 2 or a 4.";

    const OPTIONS: &'static [OptionHelp] = &[
        OptionHelp { usage: "WIDTHxHEIGHT", default: "4x4", help: "2x2 to 4x4 cells" },
        OptionHelp {
            usage: "four=P",
            default: "0.1",
            help: "the probability that a new tile is a 4",
        },
    ];

    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("2048:4x4", "the published game"),
        ("2048:4x3", "a smaller board for quick experiments"),
        ("2048:3x3", "no tile beyond 1,024 can be reached"),
        ("2048:2x2", "optimal play averages exactly 66.96415 points"),
    ];

    fn from_choices(choices: &mut Choices) -> Result<Twenty48, SpecError> {
        let (width, height) = choices.size((4, 4));
        let four = choices.value("four", FOUR, "a probability from 0 to 1", parse_probability)?;
        Ok(Twenty48::new(width, height, four)?)
    }

    fn choices(&self) -> String {
        let size = format!("{}x{}", self.width(), self.height());
        if self.four() == FOUR { size } else { format!("{size},four={}", self.four()) }
    }

    /// An empty cell and every tile that can be reached: with n cells the largest is 2^(n + 1).
    fn board_values(&self) -> u32 {
        self.cell_count() as u32 + 2
    }

    #[inline]
    fn write_board(&self, after: &Board, cells: &mut [u8]) {
        if let (Some(nibbles), Ok(cells)) =
            (after.nibbles(), <&mut [u8; 16]>::try_from(&mut *cells))
        {
            *cells = std::array::from_fn(|cell| (nibbles >> (4 * cell)) as u8 & 15);
            return;
        }
        for (row, cells) in cells.chunks_exact_mut(self.width()).enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                *cell = after.power(row, column);
            }
        }
    }

    fn read_board(&self, cells: &[u8]) -> Option<Board> {
        let mut board = Board::default();
        for (row, cells) in cells.chunks_exact(self.width()).enumerate() {
            for (column, &power) in cells.iter().enumerate() {
                board = board.with(row, column, power);
            }
        }
        cells.iter().all(|&power| u32::from(power) < self.board_values()).then_some(board)
    }

    fn reached(&self, last: &Board) -> Option<u64> {
        Some(1 << last.largest())
    }
}

/// Digits and a point only: `parse` also accepts signs, exponents and infinities.
fn parse_probability(text: &str) -> Option<f64> {
    let decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|p| decimal && (0.0..=1.0).contains(p))
}
