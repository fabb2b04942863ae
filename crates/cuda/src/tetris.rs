//! `LinearTetris`: the kernel that plays Tetris by weighted features, for one well and feature set.

use std::fmt::Write;

use afterstate_games::tetris::{Overflow, Setup, Stamp, Tetris};

use crate::layout::TetrisGame;
use crate::source::{BLOCK, RANDOM, WARP};

const TETRIS: &str = include_str!("../kernels/tetris.h");
const PLAY: &str = include_str!("../kernels/play_tetris.cu");

/// The largest well: the heights of its columns fit in 64 bits, their differences in five.
const MAX_WIDTH: usize = 10;
const MAX_HEIGHT: usize = 28;

/// As in `tetris.h`: the bits of a height, and what is added to it.
const FIELD: usize = 6;
const OFFSET: u32 = 16;

/// The lanes of a warp.
const LANES: usize = 32;

/// Blocks on each multiprocessor, as many as have all their values in registers.
pub(crate) const BLOCKS: u32 = 5;

/// A height that no well has, for lanes without a placement.
const TOO_HIGH: u32 = 64;

/// Tetris by weighted features, whose kernel is wanted: the rules and the feature set.
#[derive(Clone, Debug)]
pub struct LinearTetris {
    settings: String,
    /// The placements of each piece, then the piece of each slot of the distribution.
    pub(crate) stamps: Vec<u32>,
    pub(crate) game_bytes: usize,
    pub(crate) limit: Option<u64>,
    features: usize,
}

/// Why there is no kernel for some Tetris.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedTetris {
    /// A large well.
    #[error(
        "--device cuda plays wells of up to {MAX_WIDTH}x{MAX_HEIGHT}, not {0}x{1}: use --device cpu"
    )]
    Size(usize, usize),
    /// Another rule for the top.
    #[error("--device cuda plays Tetris with overflow=lose only: use --device cpu")]
    Overflow,
    /// A preview.
    #[error("--device cuda plays Tetris without a known next piece only: use --device cpu")]
    Preview,
    /// Other features.
    #[error("--device cuda has the features dt, dt6 and dellacherie, not {0}: use --device cpu")]
    Features(String),
}

impl LinearTetris {
    /// The kernel of some rules and a feature set.
    pub fn new(game: &Tetris, features: &str) -> Result<LinearTetris, UnsupportedTetris> {
        let &Setup { width, height, overflow, preview, limit, ref pieces } = game.setup();
        if width > MAX_WIDTH || height > MAX_HEIGHT {
            return Err(UnsupportedTetris::Size(width, height));
        }
        if overflow != Overflow::Lose {
            return Err(UnsupportedTetris::Overflow);
        }
        if preview {
            return Err(UnsupportedTetris::Preview);
        }
        let (features, from_top) = match features {
            "dt" => (9, 1),
            "dt6" => (9, 0),
            "dellacherie" => (6, 0),
            other => return Err(UnsupportedTetris::Features(other.chars().take(60).collect())),
        };
        let forms = || (0..pieces.len() as u8).map(|piece| game.form(piece));
        let passes_of = || forms().map(|form| form.stamps.len().div_ceil(LANES));
        let passes = passes_of().max().unwrap_or(1);
        let stamps = forms().flat_map(|form| &form.stamps);
        let piece_width = stamps.map(|stamp| stamp.width).max().unwrap_or(1);
        let slots: u32 = pieces.iter().map(|piece| piece.weight).sum();
        let weighted = u8::from(slots as usize != pieces.len());
        let game_bytes = TetrisGame::bytes(width);
        let mut settings = format!(
            "#define BLOCK {BLOCK}\n#define BLOCKS {BLOCKS}\n#define WIDTH {width}\n#define HEIGHT {height}\n\
             #define PIECE_WIDTH {piece_width}\n#define PASSES {passes}\n#define PIECES {}\n\
             #define SLOTS {slots}u\n#define WEIGHTED {weighted}\n#define FEATURES {features}\n\
             #define FROM_TOP {from_top}\n#define GAME_BYTES {game_bytes}\n",
            pieces.len(),
        );
        let list: String = passes_of().map(|passes| format!("{passes}, ")).collect();
        let _ = writeln!(settings, "CONSTANT u32 PASSES_OF[] = {{{list}}};");
        let mut table = Vec::new();
        for form in forms() {
            for pass in 0..passes {
                let stamps = form.stamps.get(pass * LANES..).unwrap_or(&[]);
                write_stamps(&mut table, stamps, width);
            }
        }
        let slots = (0..).zip(pieces).flat_map(|(i, p)| std::iter::repeat_n(i, p.weight as usize));
        table.extend(slots);
        Ok(LinearTetris { settings, stamps: table, game_bytes, limit, features })
    }

    /// The source of the kernel.
    pub fn source(&self) -> String {
        [WARP, RANDOM, &self.settings, TETRIS, PLAY].join("\n")
    }

    /// The placements of each piece as the kernel has them.
    pub fn stamps(&self) -> &[u32] {
        &self.stamps
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The name of the kernel's function.
    pub(crate) const NAME: &str = "play_tetris";
}

/// Writes up to a warp of placements, one per lane: each word of all of them, then the next word.
fn write_stamps(table: &mut Vec<u32>, stamps: &[Stamp], width: usize) {
    let lanes = |word: &dyn Fn(&Stamp) -> u32, none: u32| -> Vec<u32> {
        (0..LANES).map(|lane| stamps.get(lane).map_or(none, word)).collect()
    };
    for column in 0..width {
        table.extend(lanes(&|stamp| stamp.cells[column].reverse_bits(), 0));
    }
    let fields = |stamp: &Stamp, field: &dyn Fn(Option<u32>) -> u32| {
        let bottoms = stamp.bottoms[..stamp.width].iter();
        // A column without a cell never rests on anything.
        let bottoms = bottoms.map(|&bottom| u32::try_from(bottom).ok());
        bottoms.enumerate().fold(0, |all, (j, bottom)| all | field(bottom) << (FIELD * j))
    };
    let rests = |stamp: &Stamp| fields(stamp, &|bottom| bottom.map_or(0, |_| (1 << FIELD) - 1));
    let added = |stamp: &Stamp| fields(stamp, &|bottom| OFFSET - bottom.unwrap_or(0));
    let shape = |stamp: &Stamp| {
        let cells: u32 = stamp.cells.iter().map(|cells| cells.count_ones()).sum();
        let shift = FIELD as u32 * u32::from(stamp.mv.column);
        shift | (stamp.height as u32) << 8 | cells << 16
    };
    table.extend(lanes(&rests, 0));
    table.extend(lanes(&added, 0));
    table.extend(lanes(&shape, TOO_HIGH << 8));
}
