//! The weights of one tuple as few bytes: most weights are zero, and those that matter little have
//! few bits.
//!
//! A weight has a level: 0 if it is zero, otherwise the weight is a multiple of a step that is the
//! smaller the higher the level. Levels, sizes and signs are coded in the context of the weights
//! around them, in the order of the indices, where these are boards that differ in one cell.

use afterstate_games::IndexPermutation;

use super::rans::{Coder, Damaged, Decoder, Encoder};
use crate::{Memory, MemoryError};

/// The highest level: its step is 1, and that of each level below is four times as large.
pub(super) const LEVELS: u32 = 8;

/// Weights are coded in blocks of this many indices; a block of zeros is one symbol.
pub(super) const BLOCK: usize = 16;

/// How far back the blocks lie that the contexts look at: one less in each of four hexadecimal
/// digits above the lowest.
const BACK: [usize; 4] = [1, 16, 256, 4096];

/// Blocks of zeros before the first, so that every block has others before it.
const BEFORE: usize = BACK[3];

/// Contexts of a block: which of those before it have weights.
const OF_BLOCKS: usize = 0;
/// Contexts of a level: how many of four neighbours are not zero, and the sum of their levels.
const OF_LEVELS: usize = OF_BLOCKS + 16;
const SUMS: usize = 4 * LEVELS as usize + 1;
/// Contexts of the number of bits of a weight: its level and the bits of the largest neighbour.
const OF_SIZES: usize = OF_LEVELS + 5 * SUMS;
const SIZES: usize = 17;
/// Contexts of a sign: the sum of the signs of three neighbours.
const OF_SIGNS: usize = OF_SIZES + (LEVELS as usize + 1) * SIZES;
const CONTEXTS: usize = OF_SIGNS + 7;

/// The step of a level, in units of the scale.
pub(super) fn shift(level: u8) -> u32 {
    2 * (LEVELS - u32::from(level).min(LEVELS))
}

/// The levels of the weights of a tuple, by index.
pub(super) struct Levels(Memory);

impl Levels {
    /// All zero.
    pub(super) fn new(weights: usize) -> Result<Levels, MemoryError> {
        let blocks = BEFORE + weights.div_ceil(BLOCK);
        Memory::zeroed((blocks * BLOCK) as u64).map(Levels)
    }

    /// The levels of each block, and before them [`BEFORE`] blocks of zeros.
    fn padded(&mut self) -> &mut [[u8; BLOCK]] {
        self.0.bytes_mut().as_chunks_mut().0
    }

    /// The levels of each block.
    pub(super) fn blocks(&mut self) -> &mut [[u8; BLOCK]] {
        &mut self.padded()[BEFORE..]
    }
}

/// Codes 16-bit weights, in the order of memory, with their levels. Every weight is a multiple of
/// the step of its level.
pub(super) fn encode(
    permutation: IndexPermutation,
    weights: &mut [u8],
    levels: &mut Levels,
) -> Vec<u8> {
    let mut encoder = Encoder::new(CONTEXTS);
    walk(&mut encoder, permutation, weights, levels);
    encoder.finish()
}

/// Why weights cannot be decoded.
#[derive(Debug)]
pub(crate) enum DecodeError {
    /// The bytes are not coded weights.
    Damaged,
    /// There is no memory for the levels.
    Memory(MemoryError),
}

impl From<Damaged> for DecodeError {
    fn from(Damaged: Damaged) -> DecodeError {
        DecodeError::Damaged
    }
}

/// Decodes weights into memory that is zero.
pub(crate) fn decode(
    bytes: &[u8],
    permutation: IndexPermutation,
    weights: &mut [u8],
) -> Result<(), DecodeError> {
    let mut decoder = Decoder::new(bytes, CONTEXTS)?;
    let mut levels = Levels::new(weights.len() / 2).map_err(DecodeError::Memory)?;
    walk(&mut decoder, permutation, weights, &mut levels);
    Ok(decoder.finish()?)
}

/// Codes all weights and levels: an encoder finds them in their places, a decoder writes them there.
fn walk(
    coder: &mut impl Coder,
    permutation: IndexPermutation,
    weights: &mut [u8],
    levels: &mut Levels,
) {
    let (weights, levels) = (weights.as_chunks_mut::<2>().0, levels.padded());
    let count = weights.len();
    let place = |block: usize| permutation.place((BLOCK * block) as u32) as usize;
    let row = |weights: &[[u8; 2]], block: usize| {
        let mut row = [0i16; BLOCK];
        let own = &weights[place(block)..];
        row.iter_mut().zip(own).for_each(|(weight, &bytes)| *weight = i16::from_le_bytes(bytes));
        row
    };
    for block in 0..count.div_ceil(BLOCK) {
        let at = BEFORE + block;
        let before = BACK.map(|back| levels[at - back]);
        let own = levels[at];
        let is_some = |levels: &[u8; BLOCK]| *levels != [0; BLOCK];
        let context = (0..4).fold(0, |bits, i| bits | usize::from(is_some(&before[i])) << i);
        if coder.symbol(OF_BLOCKS + context, is_some(&own).into()) == 0 {
            continue;
        }
        let above = |back| if block >= back { row(weights, block - back) } else { [0; BLOCK] };
        let (above, further) = (above(BACK[0]), above(BACK[1]));
        let width = BLOCK.min(count - BLOCK * block);
        let (mut new, mut values) = ([0u8; BLOCK], row(weights, block));
        let mut contexts = [0u16; BLOCK];
        for (k, context) in contexts.iter_mut().enumerate() {
            let near = [before[0][k], before[1][k], before[2][k]].map(u16::from);
            *context = near.iter().map(|&level| level + SUMS as u16 * u16::from(level > 0)).sum();
        }
        let (mut left, mut left_value) = (0, 0);
        for k in 0..width {
            let near = left + SUMS * usize::from(left > 0);
            let context = OF_LEVELS + usize::from(contexts[k]) + near;
            let level = coder.symbol(context, own[k].into()).min(LEVELS as usize);
            (left, new[k]) = (level, level as u8);
            if level == 0 {
                (left_value, values[k]) = (0, 0);
                continue;
            }
            let near = [left_value, above[k], further[k]];
            values[k] = code_weight(coder, level as u8, near, values[k]);
            left_value = values[k];
        }
        levels[at] = new;
        let places = &mut weights[place(block)..][..width];
        places.iter_mut().zip(values).for_each(|(to, value)| *to = value.to_le_bytes());
    }
}

/// Codes a weight that is not zero: its number of bits in steps of its level, its sign and the bits
/// below the highest one.
#[inline]
fn code_weight(coder: &mut impl Coder, level: u8, near: [i16; 3], known: i16) -> i16 {
    let shift = shift(level);
    let steps = u32::from(known.unsigned_abs()) >> shift;
    let largest = near.iter().fold(0, |bits, weight| bits | weight.unsigned_abs());
    let context = OF_SIZES + SIZES * usize::from(level) + (16 - largest.leading_zeros()) as usize;
    let size = coder.symbol(context, (31 - steps.max(1).leading_zeros()) as usize) as u32;
    let signs: i16 = near.iter().map(|weight| weight.signum()).sum();
    let sign = coder.symbol(OF_SIGNS + (signs + 3) as usize, usize::from(known < 0));
    let steps = 1 << size | coder.bits(size, steps & ((1 << size) - 1));
    let magnitude = (steps << shift).min(i16::MAX as u32) as i16;
    if sign == 0 { magnitude } else { -magnitude }
}
