//! `Program`: the source of the kernels for one network.

use std::fmt::Write;

use afterstate_games::twenty48::Twenty48;
use afterstate_games::{Cells, Tuples};

use crate::expectimax::Expectimax;
use crate::layout::{Game, PLAYING_BYTES};

/// The sums of tiles at which games of a carousel may start.
pub const CAROUSEL: [u64; 6] = [2_048, 4_096, 8_192, 16_384, 24_576, 32_768];

/// The threads of a block: four warps.
pub(crate) const BLOCK: u32 = 128;

/// The distance between the rows of a board in cells, whatever its width.
const STRIDE: usize = 4;

pub(crate) const WARP: &str = include_str!("../kernels/warp.h");
pub(crate) const RANDOM: &str = include_str!("../kernels/random.h");
const TWENTY48: &str = include_str!("../kernels/twenty48.h");
pub(crate) const STAGES: &str = include_str!("../kernels/stages.h");
const NTUPLE: &str = include_str!("../kernels/ntuple.h");
const TRAIN: &str = include_str!("../kernels/train.cu");
const TEAM: &str = include_str!("../kernels/team.h");
const REPLIES: &str = include_str!("../kernels/replies.h");
const SEARCH: &str = include_str!("../kernels/search.h");
const EVALUATE: &str = include_str!("../kernels/evaluate.cu");

/// A network whose kernels are wanted: the rules and the tuples.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) tuples: Tuples,
    /// The probability of a 4.
    four: f64,
    settings: String,
    /// The rows of a board, slid towards their first cell.
    pub(crate) rows: Vec<u32>,
}

/// Why there are no kernels for a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// Tuples of other games.
    #[error("the tuples are those of another board")]
    Board,
}

impl Network {
    /// A network of 2048.
    pub fn new(game: &Twenty48, tuples: &Tuples) -> Result<Network, Unsupported> {
        let symmetries = tuples.active_features() / tuples.cells().len();
        if !matches!(symmetries, 4 | 8)
            || tuples.cells().iter().flatten().any(|&c| c >= game.cell_count())
        {
            return Err(Unsupported::Board);
        }
        let settings = settings(game, tuples, symmetries);
        Ok(Network { tuples: tuples.clone(), four: game.four(), settings, rows: game.rows() })
    }

    /// The bytes of the weights.
    pub fn weight_bytes(&self) -> u64 {
        4 * self.tuples.weights()
    }
}

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Learns; adaptive rates (TC) or not (TD), and the afterstates that an error changes.
    Train {
        /// Whether rates adapt.
        coherent: bool,
        /// The length of the trace.
        trace: usize,
    },
    /// Plays by a search.
    Evaluate(Expectimax),
}

impl Program {
    /// The source of the program for a network.
    pub fn source(self, network: &Network) -> String {
        let mut parts = vec![WARP, RANDOM, &network.settings];
        let own;
        match self {
            Program::Train { coherent, trace } => {
                let coherent = u8::from(coherent);
                let size = Game::bytes(trace);
                own = format!(
                    "#define COHERENT {coherent}\n#define TRACE {trace}\n#define GAME_BYTES {size}\n"
                );
                parts.extend([&own, TWENTY48, STAGES, NTUPLE, TRAIN]);
            }
            Program::Evaluate(search) => {
                own = format!(
                    "#define PLAYING_BYTES {PLAYING_BYTES}\n{}",
                    search.settings(network.four)
                );
                parts.extend([&own, TEAM, TWENTY48, STAGES, NTUPLE]);
                if !search.is_greedy() {
                    parts.extend([REPLIES, SEARCH]);
                }
                parts.push(EVALUATE);
            }
        }
        parts.join("\n")
    }

    /// The name of its function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Program::Train { .. } => "train",
            Program::Evaluate(_) => "evaluate",
        }
    }
}

/// The constants of the rules and the functions of the tuples.
fn settings(game: &Twenty48, tuples: &Tuples, symmetries: usize) -> String {
    let (width, height) = (game.width(), game.height());
    let area = (0..game.cell_count()).fold(0u64, |area, cell| area | 1 << (4 * nibble(game, cell)));
    // A uniform number has 53 bits; a product with a power of two is exact.
    let four = (game.four() * (1u64 << 53) as f64).ceil();
    let mut text = format!(
        "#define BLOCK {BLOCK}\n#define WIDTH {width}\n#define HEIGHT {height}\n\
         #define AREA {area:#x}ull\n#define SYMMETRIES {symmetries}\n#define FOUR {four:.0}ull\n\
         #define VALUES {}\n#define LARGEST {}\n#define TUPLES {}\n\
         #define STAGES {}\n#define STAGE_WEIGHTS {}u\n#define CAROUSEL {}\n",
        tuples.values(),
        game.cell_values() - 1,
        tuples.cells().len(),
        tuples.stages().len() + 1,
        // A network of one stage has up to 2^32 weights, and never asks.
        if tuples.stages().is_empty() { 0 } else { tuples.stage_weights() },
        CAROUSEL.len(),
    );
    let list = |numbers: &[u64]| numbers.iter().map(|n| format!("{n}u, ")).collect::<String>();
    let _ = writeln!(text, "CONSTANT u32 CAROUSEL_BEGINS[] = {{{}}};", list(&CAROUSEL));
    // One entry more, for an array is never empty.
    let _ = writeln!(text, "CONSTANT u32 STAGE_BEGINS[] = {{{}0u}};", list(tuples.stages()));
    text += "struct TupleLayout {\n    u32 begin, salt, middle, low;\n};\n";
    text += "CONSTANT TupleLayout TUPLE_LAYOUT[] = {\n";
    let layout = || tuples.offsets().into_iter().zip(tuples.permutations());
    for (begin, permutation) in layout() {
        let (salt, middle, low) = (permutation.salt, permutation.middle, permutation.low);
        let _ = writeln!(text, "    {{{begin}u, {salt:#x}u, {middle:#x}u, {low:#x}u}},");
    }
    text += "};\n";
    text += "FUNCTION void tuple_indices(u64 board, u32 offset, u32 *indices) {\n    u64 digits;\n";
    if tuples.values() < 16 {
        text += FROM_DIGITS;
    }
    for (number, (tuple, (begin, permutation))) in tuples.cells().iter().zip(layout()).enumerate() {
        let _ = writeln!(text, "    digits = {};", digits(game, tuple));
        if tuples.values() < 16 {
            text += "    digits = from_digits(digits);\n";
        }
        let mut index = "u32(digits)".to_owned();
        if permutation.middle != 0 {
            let (salt, middle, low) = (permutation.salt, permutation.middle, permutation.low);
            index = format!("place(u32(digits), {salt:#x}u, {middle:#x}u, {low:#x}u)");
        }
        let _ = writeln!(text, "    indices[{number}] = {index} + {begin}u + offset;");
    }
    text += "}\n";
    PLACE.to_owned() + &text
}

/// `IndexPermutation::place`, with the constants of its tuple.
pub(crate) const PLACE: &str = "\
FUNCTION u32 place(u32 index, u32 salt, u32 middle, u32 low) {
    u32 mixed = index ^ (((index >> 16) * 0x6d35u + salt) & middle);
    return mixed ^ (mixed >> 6 & low);
}
";

/// The digits of a board with fewer than sixteen values per cell as a number.
const FROM_DIGITS: &str = "\
    auto from_digits = [](u64 digits) {
        u64 number = 0;
        for (int shift = 60; shift >= 0; shift -= 4) number = number * VALUES + (digits >> shift & 15);
        return number;
    };
";

/// The nibble of a cell.
fn nibble(game: &Twenty48, cell: usize) -> usize {
    STRIDE * (cell / game.width()) + cell % game.width()
}

/// The cells of a tuple as the digits of a number: each run of neighbours is shifted at once.
fn digits(game: &Twenty48, tuple: &[usize]) -> String {
    let mut runs: Vec<(usize, u64)> = Vec::new();
    for (digit, &cell) in tuple.iter().enumerate() {
        let (shift, mask) = (4 * (nibble(game, cell) - digit), 15u64 << (4 * digit));
        match runs.last_mut() {
            Some((same, digits)) if *same == shift => *digits |= mask,
            _ => runs.push((shift, mask)),
        }
    }
    let term = |&(shift, mask): &(usize, u64)| format!("(board >> {shift} & {mask:#x}ull)");
    let terms: Vec<String> = runs.iter().map(term).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" | ") }
}
