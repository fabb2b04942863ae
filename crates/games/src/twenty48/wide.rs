//! Feature lookup of two tuples at once in AVX-512: one 64-bit lane per symmetry, one byte per
//! cell.

use std::arch::x86_64::*;

use crate::{Cells, IndexPermutation, Tuples};
use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;
use afterstate_core::processor::has_avx512;

use super::Twenty48;
use super::board::STRIDE;

/// The largest number of cells of a tuple.
const MAX_CELLS: usize = 8;

/// The tuples of a network, compiled for [`WideTuples::indices`]. A value proves that the CPU has
/// these instructions.
#[derive(Clone, Debug)]
pub(super) struct WideTuples {
    /// With an odd number of tuples, the last pair has one tuple.
    pairs: Vec<WidePair>,
    symmetries: usize,
    /// The number of values of a digit.
    values: u32,
    /// Whether all moves can be looked up at once.
    of_four: bool,
}

/// The cells and weights of two tuples.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct WidePair {
    /// The bit offset of the nibble of each cell, by tuple, symmetry and digit.
    begins: [[[u8; MAX_CELLS]; 8]; 2],
    /// The fields of [`IndexPermutation`] and the offset: eight lanes of the first tuple, then
    /// eight of the second.
    salt: [u32; 16],
    middle: [u32; 16],
    low: [u32; 16],
    offset: [u32; 16],
    /// The mask of the digits of each tuple: the low nibble of every byte that is a digit.
    digits: [u64; 2],
}

impl WideTuples {
    /// `None` if the CPU lacks the instructions or a tuple has too many cells.
    pub(super) fn new(game: &Twenty48, tuples: &Tuples) -> Option<WideTuples> {
        if !has_avx512() || tuples.cells().iter().any(|cells| cells.len() > MAX_CELLS) {
            return None;
        }
        let mut pairs = vec![WidePair::default(); tuples.cells().len().div_ceil(2)];
        let layout = tuples.offsets().into_iter().zip(tuples.permutations());
        for (number, (cells, (offset, permutation))) in
            tuples.cells().iter().zip(layout).enumerate()
        {
            let (pair, half) = (&mut pairs[number / 2], number % 2);
            for (k, begins) in pair.begins[half].iter_mut().enumerate().take(game.symmetries()) {
                for (begin, &cell) in begins.iter_mut().zip(cells) {
                    let place = game.apply_symmetry_to_cell(k, cell);
                    let nibble = STRIDE * (place / game.width()) + place % game.width();
                    *begin = 4 * nibble as u8;
                }
            }
            pair.digits[half] = (0..cells.len()).fold(0, |all, digit| all | 15 << (8 * digit));
            let lanes = 8 * half..8 * half + 8;
            pair.salt[lanes.clone()].fill(permutation.salt.into());
            pair.middle[lanes.clone()].fill(permutation.middle.into());
            pair.low[lanes.clone()].fill(permutation.low.into());
            pair.offset[lanes].fill(offset as u32);
        }
        let (symmetries, values) = (game.symmetries(), tuples.values());
        let of_four = symmetries == 8
            && values == 16
            && tuples.cells().len().is_multiple_of(2)
            && game.cell_values() == 16;
        Some(WideTuples { pairs, symmetries, values, of_four })
    }

    /// The feature indices of a board, tuple by tuple.
    #[inline]
    pub(super) fn indices(&self, board: u64, out: &mut [u32]) {
        // SAFETY: `new` has detected these CPU features.
        #[allow(unsafe_code)]
        unsafe {
            match (self.values, self.symmetries) {
                (16, 8) => self.gather::<true, 8>(board, out),
                (16, _) => self.gather::<true, 4>(board, out),
                (_, 8) => self.gather::<false, 8>(board, out),
                (_, _) => self.gather::<false, 4>(board, out),
            }
        }
    }

    /// `Cells::indices_of_moves` for an even number of tuples of sixteen values; `false` for others,
    /// and for tiles that are larger than a nibble.
    #[inline(always)]
    pub(super) fn indices_of_moves(
        &self,
        moves: &[Choice<Twenty48>],
        active_features: usize,
        out: &mut Vec<u32>,
    ) -> bool {
        if !self.of_four || moves.len() > 4 || 16 * self.pairs.len() != active_features {
            return false;
        }
        if out.len() < 4 * active_features {
            out.resize(4 * active_features, 0);
        }
        // Those of a move that does not exist are computed, too: it takes less time than a branch.
        let mut boards = [0; 4];
        for (board, (_, step)) in boards.iter_mut().zip(moves) {
            let Some(tiles) = step.after.nibbles() else { return false };
            *board = tiles;
        }
        // SAFETY: `new` has detected these CPU features.
        #[allow(unsafe_code)]
        unsafe {
            self.gather_four(boards, out);
        }
        true
    }

    /// The indices of four boards; `out` has room for them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn gather_four(&self, boards: [u64; 4], out: &mut [u32]) {
        let each = 16 * self.pairs.len();
        let indices = &mut out[..4 * each];
        let boards = boards.map(|board| _mm512_set1_epi64(board as i64));
        let twos = _mm512_set1_epi16(16 << 8 | 1);
        let fours = _mm512_set1_epi32(256 << 16 | 1);
        let factor = _mm512_set1_epi32(i32::from(IndexPermutation::FACTOR));
        let order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
        for (number, pair) in self.pairs.iter().enumerate() {
            let begins = [line(&pair.begins[0]), line(&pair.begins[1])];
            let digits = pair.digits.map(|digits| _mm512_set1_epi64(digits as i64));
            let (salt, middle) = (line(&pair.salt), line(&pair.middle));
            let (low, offset) = (line(&pair.low), line(&pair.offset));
            for (i, &board) in boards.iter().enumerate() {
                let combined = |half: usize| {
                    let nibbles = _mm512_multishift_epi64_epi8(begins[half], board);
                    let nibbles = _mm512_and_si512(nibbles, digits[half]);
                    _mm512_madd_epi16(_mm512_maddubs_epi16(nibbles, twos), fours)
                };
                let packed = _mm512_packus_epi32(combined(0), combined(1));
                let index = _mm512_permutexvar_epi64(order, packed);
                let high = _mm512_mullo_epi16(_mm512_srli_epi32::<16>(index), factor);
                let high = _mm512_add_epi16(high, salt);
                let mixed = _mm512_xor_si512(index, _mm512_and_si512(high, middle));
                let moved = _mm512_srli_epi32::<{ IndexPermutation::SHIFT }>(mixed);
                let placed = _mm512_xor_si512(mixed, _mm512_and_si512(moved, low));
                let placed = _mm512_add_epi32(placed, offset);
                let begin = i * each + 16 * number;
                debug_assert!(begin + 16 <= indices.len());
                // SAFETY: `indices` has 4 * `each` entries, and this is the part of one pair.
                #[allow(unsafe_code)]
                unsafe {
                    _mm512_storeu_si512(indices.as_mut_ptr().add(begin).cast(), placed);
                }
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn gather<const SIXTEEN: bool, const SYMMETRIES: usize>(&self, board: u64, out: &mut [u32]) {
        let board = _mm512_set1_epi64(board as i64);
        // One digit per byte: combines neighbours twice, then the halves.
        let base = if SIXTEEN { 16 } else { self.values as i32 };
        let twos = _mm512_set1_epi16((base << 8 | 1) as i16);
        let fours = _mm512_set1_epi32((base * base) << 16 | 1);
        let eights = _mm512_set1_epi64(i64::from(base).pow(4));
        let factor = _mm512_set1_epi32(i32::from(IndexPermutation::FACTOR));
        for (pair, out) in self.pairs.iter().zip(out.chunks_mut(2 * SYMMETRIES)) {
            let combined = |half: usize| {
                let nibbles = _mm512_multishift_epi64_epi8(line(&pair.begins[half]), board);
                let digits = _mm512_set1_epi64(pair.digits[half] as i64);
                let nibbles = _mm512_and_si512(nibbles, digits);
                _mm512_madd_epi16(_mm512_maddubs_epi16(nibbles, twos), fours)
            };
            let index = if SIXTEEN {
                // The halves have sixteen bits each: packing combines them, alternating two lanes
                // of the first tuple and two of the second.
                let packed = _mm512_packus_epi32(combined(0), combined(1));
                _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), packed)
            } else {
                let whole = |halves| {
                    let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(halves), eights);
                    _mm512_cvtepi64_epi32(_mm512_add_epi64(halves, high))
                };
                let first = _mm512_castsi256_si512(whole(combined(0)));
                _mm512_inserti64x4::<1>(first, whole(combined(1)))
            };
            // `IndexPermutation::place`.
            let high = _mm512_mullo_epi16(_mm512_srli_epi32::<16>(index), factor);
            let high = _mm512_add_epi16(high, line(&pair.salt));
            let mixed = _mm512_xor_si512(index, _mm512_and_si512(high, line(&pair.middle)));
            let moved = _mm512_srli_epi32::<{ IndexPermutation::SHIFT }>(mixed);
            let placed = _mm512_xor_si512(mixed, _mm512_and_si512(moved, line(&pair.low)));
            let indices = _mm512_add_epi32(placed, line(&pair.offset));
            let first = _mm512_castsi512_si256(indices);
            let second = _mm512_extracti64x4_epi64::<1>(indices);
            let to = out.as_mut_ptr();
            // SAFETY: the stores are unaligned and stay within `out`, whose length is matched.
            #[allow(unsafe_code)]
            unsafe {
                match (SYMMETRIES, out.len()) {
                    (8, 16) => _mm512_storeu_si512(to.cast(), indices),
                    (8, 8) => _mm256_storeu_si256(to.cast(), first),
                    (4, 8) => {
                        _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(first));
                        _mm_storeu_si128(to.add(4).cast(), _mm256_castsi256_si128(second));
                    }
                    (4, 4) => _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(first)),
                    _ => unreachable!("a tuple has one index per symmetry"),
                }
            }
        }
    }
}

/// Loads 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn line<T>(bytes: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) }
    // SAFETY: the load is unaligned and as long as `T`.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_si512(std::ptr::from_ref(bytes).cast())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// The stores of vectors end where the indices of an odd or an even number of tuples end.
    #[test]
    fn indices_are_written_within_the_room_for_them() {
        let tuples = [vec![0, 1, 2, 3], vec![1, 2, 4, 5, 7], vec![0, 1, 5]];
        for (width, count) in [(3, 2), (3, 3), (4, 1), (4, 2)] {
            let game = Twenty48::new(width, 3, 0.1).unwrap();
            let tuples = Tuples::with_values(&game, &tuples[..count], 16).unwrap();
            let Some(wide) = WideTuples::new(&game, &tuples) else { return };
            let length = tuples.active_features();
            let mut room = vec![u32::MAX; length + 64];
            wide.indices(0x0123_4567_89ab_cdef, &mut room[..length]);
            assert!(room[..length].iter().all(|&index| index < u32::MAX));
            assert!(room[length..].iter().all(|&index| index == u32::MAX));
            let short = &mut room[..length - 1];
            assert!(catch_unwind(AssertUnwindSafe(|| wide.indices(0, short))).is_err());
        }
    }
}
