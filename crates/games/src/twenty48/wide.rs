//! All lookups of a tuple at once in AVX-512: one lane a symmetry, one byte a cell.

use std::arch::x86_64::*;

use afterstate_core::{Cells, Spread, Symmetry, Tuples};

use super::Twenty48;
use super::board::STRIDE;

/// A tuple has at most this many cells.
const LONGEST: usize = 8;

/// The tuples of a network, made ready for [`WideTuples::numbers`]. There are none on a processor
/// without the instructions.
#[derive(Clone, Debug)]
pub(super) struct WideTuples {
    tuples: Vec<WideTuple>,
    symmetries: usize,
    /// How many values a digit has.
    values: u32,
}

/// Where one tuple finds its cells.
#[derive(Clone, Debug)]
struct WideTuple {
    /// For each symmetry and each digit the bit at which the nibble of its cell begins.
    begins: [[u8; LONGEST]; 8],
    /// The low nibble of every byte that is a digit.
    digits: u64,
    offset: u32,
    spread: Spread,
}

impl WideTuples {
    /// `None` if the processor or the tuples are not made for it.
    pub(super) fn new(game: &Twenty48, tuples: &Tuples) -> Option<WideTuples> {
        let able = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi");
        if !able || tuples.cells().iter().any(|cells| cells.len() > LONGEST) {
            return None;
        }
        let wide = |(cells, (offset, spread)): (&Vec<usize>, (u64, Spread))| {
            let mut begins = [[0; LONGEST]; 8];
            for (k, begins) in begins.iter_mut().enumerate().take(game.symmetries()) {
                for (begin, &cell) in begins.iter_mut().zip(cells) {
                    let place = game.turn_cell(k, cell);
                    let nibble = STRIDE * (place / game.width()) + place % game.width();
                    *begin = 4 * nibble as u8;
                }
            }
            let digits =
                cells.iter().enumerate().fold(0, |all, (digit, _)| all | 15 << (8 * digit));
            WideTuple { begins, digits, offset: offset as u32, spread }
        };
        let values = tuples.values();
        let placed = tuples.offsets().into_iter().zip(tuples.spreads());
        let tuples = tuples.cells().iter().zip(placed).map(wide).collect();
        Some(WideTuples { tuples, symmetries: game.symmetries(), values })
    }

    /// The numbers of the weights of a board, tuple after tuple.
    #[inline]
    pub(super) fn numbers(&self, board: u64, out: &mut [u32]) {
        // SAFETY: `new` has asked the processor.
        #[allow(unsafe_code)]
        unsafe {
            if self.symmetries == 8 {
                self.gather::<8>(board, out);
            } else {
                self.gather::<4>(board, out);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn gather<const SYMMETRIES: usize>(&self, board: u64, out: &mut [u32]) {
        let (out, _) = out.as_chunks_mut::<SYMMETRIES>();
        let board = _mm512_set1_epi64(board as i64);
        // A byte holds one digit; neighbours are joined twice, then the halves.
        let base = self.values as i32;
        let pairs = _mm512_set1_epi16((base << 8 | 1) as i16);
        let fours = _mm512_set1_epi32((base * base) << 16 | 1);
        let eights = _mm512_set1_epi64(i64::from(base).pow(4));
        for (tuple, out) in self.tuples.iter().zip(out) {
            // SAFETY: the array is 64 bytes long, and the load needs no alignment.
            #[allow(unsafe_code)]
            let begins = unsafe { _mm512_loadu_si512(tuple.begins.as_ptr().cast()) };
            let nibbles = _mm512_multishift_epi64_epi8(begins, board);
            let nibbles = _mm512_and_si512(nibbles, _mm512_set1_epi64(tuple.digits as i64));
            let joined = _mm512_madd_epi16(_mm512_maddubs_epi16(nibbles, pairs), fours);
            let joined = if base == 16 {
                _mm512_or_si512(joined, _mm512_srli_epi64::<16>(joined))
            } else {
                let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(joined), eights);
                _mm512_add_epi64(joined, high)
            };
            let numbers = place(tuple.spread, _mm512_cvtepi64_epi32(joined));
            let numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(tuple.offset as i32));
            // SAFETY: `out` has four or eight numbers, and the stores need no alignment.
            #[allow(unsafe_code)]
            unsafe {
                if SYMMETRIES == 8 {
                    _mm256_storeu_si256(out.as_mut_ptr().cast(), numbers);
                } else {
                    _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(numbers));
                }
            }
        }
    }
}

/// [`Spread::place`] of eight indices.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn place(spread: Spread, index: __m256i) -> __m256i {
    let low_half = |bits: u16| _mm256_set1_epi32(i32::from(bits));
    let high = _mm256_mullo_epi16(_mm256_srli_epi32::<16>(index), low_half(Spread::FACTOR));
    let high = _mm256_add_epi16(high, low_half(spread.salt));
    let mixed = _mm256_xor_si256(index, _mm256_and_si256(high, low_half(spread.middle)));
    let moved = _mm256_srli_epi32::<{ Spread::SHIFT as i32 }>(mixed);
    _mm256_xor_si256(mixed, _mm256_and_si256(moved, low_half(spread.low)))
}
