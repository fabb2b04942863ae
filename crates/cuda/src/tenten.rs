//! `TenTenNetwork`: the kernels of 1010! for some rules and the tuples of a network.

use std::fmt::Write;

use afterstate_core::Symmetry as _;
use afterstate_games::tenten::{Board, Scoring, TenTen};
use afterstate_games::{Cells as _, Tuples};

use crate::layout::TenTenGame;
use crate::source::{BLOCK, PLACE, RANDOM, STAGES, WARP};

const TENTEN: &str = include_str!("../kernels/tenten.h");
const TRAIN: &str = include_str!("../kernels/train_tenten.cu");
const EVALUATE: &str = include_str!("../kernels/evaluate_tenten.cu");

/// Blocks on a multiprocessor: so many registers are left for the five of 2,640 games on 132.
const BLOCKS: u32 = 5;

/// Sums of errors of a weight of a crowded tuple: one with so few weights that all games share them.
const COPIES: u64 = 8;
const CROWDED: u64 = 1 << 10;

/// The distance between two rows of a board in bits.
const STRIDE: usize = 16;

/// The lanes of a placement, one per symmetry.
const MAX_SYMMETRIES: usize = 8;

/// A network of 1010! whose kernels are wanted.
#[derive(Clone, Debug)]
pub struct TenTenNetwork {
    pub(crate) tuples: Tuples,
    settings: String,
    /// The tables of the rules, as `Tables` in `tenten.h` reads them.
    pub(crate) tables: Vec<u32>,
    pub(crate) game_bytes: usize,
    /// The number of sums of errors.
    pub(crate) errors: u64,
}

/// Why there are no kernels for some rules or tuples of 1010!.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnsupportedTenTen {
    /// A hand of several pieces.
    #[error("--device cuda plays 1010! with one piece at a time, not hand={0}: use --device cpu")]
    Hand(u8),
    /// Tuples of other rules.
    #[error("the tuples are those of another board")]
    Tuples,
}

impl TenTenNetwork {
    /// The kernels of some rules and tuples.
    pub fn new(game: &TenTen, tuples: &Tuples) -> Result<TenTenNetwork, UnsupportedTenTen> {
        if game.hand() != 1 {
            return Err(UnsupportedTenTen::Hand(game.hand()));
        }
        let fits = tuples.values() == 2
            && tuples.active_features() == tuples.cells().len() * game.symmetries()
            && tuples.cells().iter().flatten().all(|&cell| cell < game.cell_count());
        if !fits || game.symmetries() > MAX_SYMMETRIES {
            return Err(UnsupportedTenTen::Tuples);
        }
        let cells_at = cells_at_depths(game);
        let (errors, layout) = errors_layout(tuples);
        let (settings, tables) =
            (settings(game, tuples, &cells_at, (errors, &layout)), tables(game, &cells_at));
        let stages = tuples.stages().len() as u64 + 1;
        let game_bytes = TenTenGame::bytes(game.height());
        Ok(TenTenNetwork {
            tuples: tuples.clone(),
            settings,
            tables,
            game_bytes,
            errors: stages * errors,
        })
    }

    /// The bytes of the weights.
    pub fn weight_bytes(&self) -> u64 {
        4 * self.tuples.weights()
    }

    /// The tables of the rules as the kernels have them.
    pub fn tables(&self) -> &[u32] {
        &self.tables
    }

    /// The bytes of a game in progress.
    pub fn game_bytes(&self) -> usize {
        self.game_bytes
    }

    /// How many pairs of numbers the sums of errors are.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The source of the kernels that learn: `play_batch` and `learn_batch`.
    pub fn training_source(&self, coherent: bool) -> String {
        let own = format!(
            "#define COHERENT {}\n#define COPIES {COPIES}u\n#define BLOCKS {BLOCKS}\n\
             #define GAME_BYTES {}\n",
            u8::from(coherent),
            self.game_bytes,
        );
        [WARP, RANDOM, &self.settings, &own, STAGES, TENTEN, TRAIN].join("\n")
    }

    /// The source of the kernel that plays: `evaluate`.
    pub fn evaluation_source(&self) -> String {
        [WARP, RANDOM, &self.settings, STAGES, TENTEN, EVALUATE].join("\n")
    }
}

/// The bit of a cell on a board with two rows per word.
fn bit(game: &TenTen, cell: usize) -> usize {
    STRIDE * (cell / game.width()) + cell % game.width()
}

/// The words of a board with these cells.
fn words(game: &TenTen, cells: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut words = vec![0; game.height().div_ceil(2)];
    for bit in cells.map(|cell| bit(game, cell)) {
        words[bit / 32] |= 1 << (bit % 32);
    }
    words
}

fn cells_of(bits: u128) -> impl Iterator<Item = usize> {
    (0..128).filter(move |&cell| bits >> cell & 1 == 1)
}

/// The cells of a piece in the top-left corner of the board.
fn piece_cells(game: &TenTen, piece: u8) -> Vec<usize> {
    let cell = |&(row, column): &(usize, usize)| row * game.width() + column;
    game.shape_of(piece).cells().iter().map(cell).collect()
}

fn pieces(game: &TenTen) -> std::ops::Range<u8> {
    0..game.pieces().len() as u8
}

/// For each word, the largest number of cells that a piece in the corner has in it.
fn cells_at_depths(game: &TenTen) -> Vec<usize> {
    let mut most = vec![0; game.height().div_ceil(2)];
    for piece in pieces(game) {
        for (word, most) in words(game, piece_cells(game, piece).into_iter()).iter().zip(&mut most)
        {
            *most = (*most).max(word.count_ones() as usize);
        }
    }
    most
}

/// The sums of errors of a stage, and for each tuple what is added to the index of a weight and how
/// far its copies are apart.
fn errors_layout(tuples: &Tuples) -> (u64, Vec<(u64, u64)>) {
    let (mut all, mut layout) = (0, Vec::new());
    for (cells, begin) in tuples.cells().iter().zip(tuples.offsets()) {
        let weights = 1u64 << cells.len();
        let (copies, step) = if weights <= CROWDED { (COPIES, weights) } else { (1, 0) };
        layout.push((all - begin, step));
        all += copies * weights;
    }
    (all, layout)
}

/// The number of each symmetry in the numbering of `images_of`: transposed (4), upside down (2),
/// mirrored (1).
fn dihedral(game: &TenTen) -> u32 {
    let (width, height) = (game.width(), game.height());
    let image = |number: usize, cell: usize| {
        let (mut row, mut column) = (cell / width, cell % width);
        if number & 4 != 0 {
            (row, column) = (column, row);
        }
        row = if number & 2 != 0 { height - 1 - row } else { row };
        column = if number & 1 != 0 { width - 1 - column } else { column };
        row * width + column
    };
    let numbers = if width == height { 8 } else { 4 };
    let number_of = |k: usize| {
        let same = |&number: &usize| {
            (0..game.cells())
                .all(|cell| image(number, cell) == game.apply_symmetry_to_cell(k, cell))
        };
        (0..numbers).find(same).unwrap_or(0) as u32
    };
    (0..game.symmetries()).fold(0, |all, k| all | number_of(k) << (4 * k))
}

/// The tables of the rules: `Tables` in `tenten.h`.
fn tables(game: &TenTen, cells_at: &[usize]) -> Vec<u32> {
    let mut table = Vec::new();
    let corners: Vec<u128> = pieces(game).map(|piece| game.origins(Board::EMPTY, piece)).collect();
    let width = game.height().div_ceil(2).next_multiple_of(4);
    for piece in pieces(game) {
        let own = piece_cells(game, piece);
        for place in 0..game.cells() {
            for k in 0..MAX_SYMMETRIES {
                let legal = corners[usize::from(piece)] >> place & 1 == 1;
                let cells = own.iter().filter(|_| legal && k < game.symmetries());
                let image = cells.map(|cell| game.apply_symmetry_to_cell(k, cell + place));
                let mut mask = words(game, image);
                mask.resize(width, 0);
                table.extend(mask);
            }
        }
    }
    for (depth, &count) in cells_at.iter().enumerate() {
        for entry in 0..count {
            table.extend(pieces(game).map(|piece| {
                let bits = piece_cells(game, piece).into_iter().map(|cell| bit(game, cell));
                let shift = bits.filter(|bit| bit / 32 == depth).nth(entry);
                shift.map_or(0, |bit| 1 << 31 | (bit % 32) as u32)
            }));
        }
    }
    let corners: Vec<_> = corners.iter().map(|&bits| words(game, cells_of(bits))).collect();
    for word in 0..game.height().div_ceil(2) {
        table.extend(corners.iter().map(|corners| corners[word]));
    }
    table.extend(game.pieces().iter().map(|piece| piece.weight));
    table.extend(game.pieces().iter().map(|piece| piece.shape.cells().len() as u32));
    let slots = (0..).zip(game.pieces());
    table.extend(slots.flat_map(|(i, piece)| std::iter::repeat_n(i, piece.weight as usize)));
    table
}

/// The constants of the rules and the functions of the tuples.
fn settings(
    game: &TenTen,
    tuples: &Tuples,
    cells_at: &[usize],
    (errors, layout): (u64, &[(u64, u64)]),
) -> String {
    let slots: u32 = game.pieces().iter().map(|piece| piece.weight).sum();
    let bonus = match game.scoring() {
        Scoring::Real => "5 * lines * (lines + 1)",
        Scoring::Square => "10 * lines * lines",
    };
    // A network of one stage may have 2^32 weights, and never asks for those of a stage.
    let staged = |number: u64| if tuples.stages().is_empty() { 0 } else { number };
    let mut text = format!(
        "#define BLOCK {BLOCK}\n#define WIDTH {}\n#define HEIGHT {}\n#define PIECES {}\n\
         #define SLOTS {slots}u\n#define SHIFTS {}\n\
         #define SYMMETRIES {}\n#define DIHEDRAL {:#x}u\n#define TUPLES {}\n#define STAGES {}\n\
         #define STAGE_WEIGHTS {}u\n#define STAGE_ERRORS {}u\n\
         FUNCTION u32 points(u32 cells, u32 lines) {{ return cells + {bonus}; }}\n",
        game.width(),
        game.height(),
        game.pieces().len(),
        cells_at.iter().sum::<usize>(),
        game.symmetries(),
        dihedral(game),
        tuples.cells().len(),
        tuples.stages().len() + 1,
        staged(tuples.stage_weights()),
        staged(errors),
    );
    let begins: String = tuples.stages().iter().map(|begin| format!("{begin}u, ")).collect();
    // One entry more, for an array is never empty.
    let _ = writeln!(text, "CONSTANT u32 STAGE_BEGINS[] = {{{begins}0u}};");
    text += "struct TupleLayout {\n    u32 errors, step;\n};\n";
    text += "CONSTANT TupleLayout TUPLE_LAYOUT[] = {\n";
    for (begin, step) in layout {
        let _ = writeln!(text, "    {{{begin}u, {step}u}},");
    }
    text += "};\nstruct Board;\ntemplate <int DEPTH> FUNCTION void block(u32, const Board &, Board &);\n";
    text += "FUNCTION void blocked_by(const u32 *shifts, const Board &board, Board &blocked) {\n";
    let depths = (0..).zip(cells_at).flat_map(|(depth, &count)| std::iter::repeat_n(depth, count));
    for (entry, depth) in depths.enumerate() {
        let _ = writeln!(text, "    block<{depth}>(shifts[{entry} * PIECES], board, blocked);");
    }
    text += "}\nFUNCTION void tuple_indices(const u32 *rows, u32 offset, u32 *indices) {\n";
    text += "    u32 digits;\n";
    let layout = tuples.offsets().into_iter().zip(tuples.permutations());
    for (number, (tuple, (begin, permutation))) in tuples.cells().iter().zip(layout).enumerate() {
        let _ = writeln!(text, "    digits = {};", digits(game, tuple));
        let mut index = "digits".to_owned();
        if permutation.middle != 0 {
            let (salt, middle, low) = (permutation.salt, permutation.middle, permutation.low);
            index = format!("place(digits, {salt:#x}u, {middle:#x}u, {low:#x}u)");
        }
        let _ = writeln!(text, "    indices[{number}] = {index} + {begin}u + offset;");
    }
    PLACE.to_owned() + &text + "}\n"
}

/// The cells of a tuple as the digits of a number: each run of neighbours is shifted at once.
fn digits(game: &TenTen, tuple: &[usize]) -> String {
    let mut runs: Vec<(usize, isize, u64)> = Vec::new();
    for (digit, &cell) in tuple.iter().enumerate() {
        let bit = bit(game, cell);
        let (word, shift, mask) = (bit / 32, (bit % 32) as isize - digit as isize, 1u64 << digit);
        match runs.last_mut() {
            Some((same_word, same, digits)) if (*same_word, *same) == (word, shift) => {
                *digits |= mask;
            }
            _ => runs.push((word, shift, mask)),
        }
    }
    let term = |&(word, shift, mask): &(usize, isize, u64)| {
        let (arrow, by) = if shift < 0 { ("<<", -shift) } else { (">>", shift) };
        format!("(rows[{word}] {arrow} {by} & {mask:#x}u)")
    };
    let terms: Vec<String> = runs.iter().map(term).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" | ") }
}
