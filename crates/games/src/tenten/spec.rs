//! The rules syntax of 1010!.

use crate::TransitionModels;
use afterstate_core::text::parse_number;
use afterstate_core::{Features, Index};

use super::{
    After, BitTransitionModel, Board, Hand, MAX_HAND, Scoring, State, TenTen, features, sets,
};
use crate::pieces::{Piece, pieces_text};
use crate::spec::{Choices, OptionHelp, Spec, SpecError};

/// The names of the scoring rules.
const SCORINGS: [(&str, Scoring); 2] = [("real", Scoring::Real), ("square", Scoring::Square)];

impl Spec for TenTen {
    const NAME: &'static str = "1010";

    const SUMMARY: &'static str = "Place pieces without turning them; full rows and columns clear at once; chance selects new ones.";

    const OPTIONS: &'static [OptionHelp] = &[
        OptionHelp { usage: "WIDTHxHEIGHT", default: "10x10", help: "3x3 to 10x10 cells" },
        OptionHelp {
            usage: "pieces=SET",
            default: "19, or 7",
            help: "3, 7, 19 (the real game), 18 (those without the 3x3), pieces drawn as \
                   a:##/#.*2+b:### with weights after *, or @FILE; 7 where 1x5 does not fit",
        },
        OptionHelp {
            usage: "hand=N",
            default: "1",
            help: "pieces dealt at once, 1 to 3; the real game deals 3, to be placed in any order",
        },
        OptionHelp {
            usage: "score=RULE",
            default: "real",
            help: "for n lines cleared at once: real (cells + 5n(n+1)) or square (cells + 10n^2)",
        },
    ];

    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("1010:10x10,pieces=19,hand=3", "the real game"),
        ("1010:10x10,pieces=19", "one piece at a time, as Tang's study plays it"),
        ("1010:10x10,pieces=18", "the same without the 3x3 piece"),
        ("1010:5x5,pieces=7", "25 million boards, which Tang's study calls too many to solve"),
        ("1010:4x4,pieces=7", "Tang's game 4: 41,503 boards"),
        ("1010:4x4,pieces=3", "Tang's game 3, in which optimal play never ends"),
        ("1010:3x3,pieces=7", "Tang's game 2: 265 boards"),
        ("1010:3x3,pieces=3", "Tang's game 1, in which optimal play never ends"),
        ("1010:4x4,pieces=7,score=square", "the score that most of Tang's figures fit"),
    ];

    const FEATURE_SETS: &'static [(&'static str, &'static str)] = features::SETS;

    fn features(&self, name: &str) -> Option<Box<dyn Features<TenTen>>> {
        features::named(name)
    }

    /// A game ends when a dealt piece does not fit, at a nearly constant hazard rate.
    fn ends_by_chance(&self) -> bool {
        true
    }

    /// For a hand of several pieces: the rules with one piece at a time.
    fn served_by(&self) -> Option<String> {
        let pieces = self.pieces().to_vec();
        let one = TenTen::new(self.width(), self.height(), pieces, 1, self.scoring());
        one.ok().filter(|_| self.hand() > 1).map(|rules| rules.spec())
    }

    #[inline]
    fn write_board(&self, after: &After, cells: &mut [u8]) {
        for (cells, bits) in cells.chunks_mut(8).zip(after.board.bits().to_le_bytes()) {
            // Every byte has one bit of its own, which the addition carries to its top.
            let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let full = (each + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
            cells.copy_from_slice(&full.to_le_bytes()[..cells.len()]);
        }
    }

    fn read_board(&self, cells: &[u8]) -> Option<After> {
        let bits = cells.iter().rev().fold(0, |bits, &cell| bits << 1 | u128::from(cell != 0));
        let after = After { board: Board::new(bits), hand: Hand::EMPTY };
        cells.iter().all(|&cell| cell < 2).then_some(after)
    }

    fn piece_slots(&self) -> usize {
        usize::from(self.hand())
    }

    fn piece_kinds(&self) -> usize {
        self.pieces().len()
    }

    #[inline]
    fn write_pieces(&self, state: &State, pieces: &mut [u8]) {
        let mut hand = state.hand.pieces().map(|piece| piece + 1);
        pieces.fill_with(|| hand.next().unwrap_or(0));
    }

    fn has_transition_model(&self) -> bool {
        self.index_len().is_some()
    }

    fn transition_model(&self) -> Option<Box<dyn TransitionModels>> {
        BitTransitionModel::of(self).map(|model| Box::new(model) as Box<dyn TransitionModels>)
    }

    fn from_choices(choices: &mut Choices) -> Result<TenTen, SpecError> {
        let (width, height) = choices.size((10, 10));
        let pieces = choices.pieces(&sets::SETS)?;
        let fitting = if width.min(height) < 5 { "7" } else { "19" };
        let pieces = pieces.or_else(|| sets::named(fitting)).unwrap_or_default();
        let hand = |text: &str| parse_number(text).filter(|n| (1..=MAX_HAND).contains(n));
        let hand = choices.value("hand", 1, "1, 2 or 3", hand)?;
        let scoring = |text: &str| SCORINGS.iter().find(|(word, _)| *word == text).map(|s| s.1);
        let scoring = choices.value("score", Scoring::Real, "real or square", scoring)?;
        Ok(TenTen::new(width, height, pieces, hand as u8, scoring)?)
    }

    fn choices(&self) -> String {
        let mut text = format!("{}x{}", self.width(), self.height());
        text += &format!(",pieces={}", set_name(self.pieces()));
        if self.hand() != 1 {
            text += &format!(",hand={}", self.hand());
        }
        let word = SCORINGS.iter().find(|(_, scoring)| *scoring == self.scoring());
        if let Some((word, _)) = word.filter(|(_, scoring)| *scoring != Scoring::Real) {
            text += &format!(",score={word}");
        }
        text
    }
}

/// The name of a built-in set, or the pieces drawn.
fn set_name(pieces: &[Piece]) -> String {
    let named = sets::SETS.iter().find(|(_, make)| make() == pieces);
    named.map_or_else(|| pieces_text(pieces), |(name, _)| (*name).to_owned())
}
