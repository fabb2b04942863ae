//! The rules syntax of Tetris.

use crate::{Aggregation, AggregationSpec};
use afterstate_core::text::parse_number;
use afterstate_core::{Features, TextError};

use super::contour::ContourTable;
use super::sets::SETS;
use super::{After, Board, Overflow, Setup, State, Tetris, features};
use crate::pieces::{MAX_TOTAL_WEIGHT, Piece, pieces_text};
use crate::spec::{Choices, OptionHelp, Spec, SpecError};

/// The names of the overflow rules.
const OVERFLOWS: [(&str, Overflow); 3] =
    [("lose", Overflow::Lose), ("clear", Overflow::ClearFirst), ("push", Overflow::Push)];

impl Spec for Tetris {
    const NAME: &'static str = "tetris";

    const SUMMARY: &'static str = "Drop the piece in any orientation at any column; full rows clear; chance selects the next.";

    const OPTIONS: &'static [OptionHelp] = &[
        OptionHelp {
            usage: "WIDTHxHEIGHT",
            default: "10x20",
            help: "4 to 16 columns, 2 to 32 rows",
        },
        OptionHelp {
            usage: "pieces=SET",
            default: "standard",
            help: "standard (seven), melax (five small ones), pieces drawn as T:###/.#.*2+I:#### \
                   with weights after *, or @FILE",
        },
        OptionHelp {
            usage: "weights=N/N/...",
            default: "all equal",
            help: "how often each piece of the set comes",
        },
        OptionHelp {
            usage: "overflow=RULE",
            default: "lose",
            help: "a piece above the top: lose (before rows clear), clear (rows clear first), or \
                   push (never lost, the lowest rows are pushed out and counted)",
        },
        OptionHelp {
            usage: "next",
            default: "off",
            help: "the next piece is known (two-piece play)",
        },
        OptionHelp { usage: "limit=N", default: "none", help: "truncate a game after N pieces" },
        OptionHelp {
            usage: "melax",
            default: "off",
            help: "Melax's endless well: 6x2, pieces=melax, overflow=push, limit=10000",
        },
    ];

    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("tetris:10x20", "the standard game of the literature, simplified rule"),
        ("tetris:10x10", "the half-height well in which controllers are compared"),
        ("tetris:10x20,next", "two-piece play"),
        (
            "tetris:10x10,overflow=clear",
            "rows clear before the overflow check, which changes results a lot",
        ),
        ("tetris:4x20,pieces=melax", "Carr's narrow well with the reduced pieces"),
        ("tetris:5x20,pieces=melax", "Carr's well of width five"),
        ("tetris:10x20,pieces=melax", "the full well with the reduced pieces"),
        ("tetris:6x2,melax", "Melax's endless well, scored by the rows pushed out"),
    ];

    const FEATURE_SETS: &'static [(&'static str, &'static str)] = features::SETS;

    fn features(&self, name: &str) -> Option<Box<dyn Features<Tetris>>> {
        features::named(self, name)
    }

    #[inline]
    fn write_board(&self, after: &After, cells: &mut [u8]) {
        let (width, columns) = (self.setup().width, after.board.columns());
        let height = cells.len() / width;
        let (empty, rows) = cells.split_at_mut(width * (height - after.board.height().min(height)));
        empty.fill(0);
        for (row, cells) in rows.chunks_exact_mut(width).rev().enumerate() {
            for (cell, column) in cells.iter_mut().zip(columns) {
                *cell = (column >> row) as u8 & 1;
            }
        }
    }

    fn read_board(&self, cells: &[u8]) -> Option<After> {
        let (width, mut board) = (self.setup().width, Board::default());
        for (row, cells) in cells.chunks_exact(width).rev().enumerate() {
            for (column, _) in cells.iter().enumerate().filter(|(_, cell)| **cell != 0) {
                board = board.with(row, column);
            }
        }
        cells.iter().all(|&cell| cell < 2).then_some(After { board, next: None })
    }

    fn piece_slots(&self) -> usize {
        1 + usize::from(self.setup().preview)
    }

    fn piece_kinds(&self) -> usize {
        self.setup().pieces.len()
    }

    #[inline]
    fn write_pieces(&self, state: &State, pieces: &mut [u8]) {
        let mut shown =
            [Some(state.piece), state.next].into_iter().flatten().map(|piece| piece + 1);
        pieces.fill_with(|| shown.next().unwrap_or(0));
    }

    fn ends_by_chance(&self) -> bool {
        self.setup().overflow != Overflow::Push
    }

    fn aggregation(&self, spec: &AggregationSpec) -> Result<Box<dyn Aggregation<Tetris>>, String> {
        Ok(Box::new(ContourTable::new(self, spec)?))
    }

    fn from_choices(choices: &mut Choices) -> Result<Tetris, SpecError> {
        let base = if choices.flag("melax") { Setup::melax() } else { Setup::sized(10, 20) };
        let (width, height) = choices.size((base.width, base.height));
        let mut pieces = choices.pieces(&SETS)?.unwrap_or(base.pieces);
        let expected = format!("whole numbers from 1 to {MAX_TOTAL_WEIGHT} divided by /");
        let weights = choices.value("weights", None, &expected, parse_weights)?;
        if let Some(weights) = weights {
            set_weights(&mut pieces, &weights).map_err(|error| choices.error("weights", error))?;
        }
        let overflow = |text: &str| OVERFLOWS.iter().find(|(word, _)| *word == text).map(|o| o.1);
        let overflow = choices.value("overflow", base.overflow, "lose, clear or push", overflow)?;
        let limit = |text: &str| parse_number(text).map(Some);
        let limit = choices.value("limit", base.limit, "a whole number of pieces", limit)?;
        let preview = choices.flag("next");
        let setup = Setup { width, height, pieces, overflow, preview, limit };
        Ok(Tetris::new(setup)?)
    }

    fn choices(&self) -> String {
        let setup = self.setup();
        let mut text = format!("{}x{}", setup.width, setup.height);
        let melax = Setup { width: setup.width, height: setup.height, ..Setup::melax() };
        if *setup == (Setup { preview: setup.preview, ..melax }) {
            text += ",melax";
        } else {
            text += &pieces_choice(&setup.pieces);
            let word = OVERFLOWS.iter().find(|(_, rule)| *rule == setup.overflow);
            if let Some((word, _)) = word.filter(|(_, rule)| *rule != Overflow::Lose) {
                text += &format!(",overflow={word}");
            }
            if let Some(limit) = setup.limit {
                text += &format!(",limit={limit}");
            }
        }
        if setup.preview {
            text += ",next";
        }
        text
    }
}

fn parse_weights(text: &str) -> Option<Option<Vec<u32>>> {
    let weight =
        |text: &str| parse_number(text.trim()).filter(|n| (1..=MAX_TOTAL_WEIGHT).contains(n));
    text.split('/').map(weight).collect::<Option<Vec<u32>>>().map(Some)
}

fn set_weights(pieces: &mut [Piece], weights: &[u32]) -> Result<(), TextError> {
    if weights.len() != pieces.len() {
        return Err(TextError::new(format!("{} weights", weights.len()), pieces.len()));
    }
    for (piece, &weight) in pieces.iter_mut().zip(weights) {
        piece.weight = weight;
    }
    Ok(())
}

/// The options of a set: its name unless it is the default, and weights if they differ from it.
fn pieces_choice(pieces: &[Piece]) -> String {
    let alike = |a: &Piece, b: &Piece| a.name == b.name && a.shape == b.shape;
    for (number, (name, make)) in SETS.iter().enumerate() {
        let set = make();
        if set.len() != pieces.len() || !set.iter().zip(pieces).all(|(a, b)| alike(a, b)) {
            continue;
        }
        let mut text = if number == 0 { String::new() } else { format!(",pieces={name}") };
        if set != pieces {
            let weights = pieces.iter().map(|piece| piece.weight.to_string());
            text += &format!(",weights={}", weights.collect::<Vec<_>>().join("/"));
        }
        return text;
    }
    format!(",pieces={}", pieces_text(pieces))
}
