//! The features that a new tile changes in AVX-512: one 32-bit lane per feature that reads its cell.

use std::arch::x86_64::*;

use crate::IndexPermutation;
use crate::outcomes::{Outcome, OutcomeIndices, PLACES};
use afterstate_core::processor::has_avx512;

use super::outcomes::{Feature, Reader};
use super::wide::line;

/// The largest number of cells of a tuple, whose digits have four bits each.
const MAX_CELLS: usize = 8;

/// The 32-bit lanes of a vector.
const LANES: usize = 16;

/// The features by the nibble that they read. A value proves that the CPU has these instructions.
#[derive(Clone, Debug)]
pub(super) struct WideOutcomes {
    groups: Vec<Group>,
    /// For each nibble its first group, the group behind its last, and how many features read it.
    places: [(usize, usize, u32); PLACES],
}

/// Sixteen features that read a nibble.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Group {
    /// The bit offset of the nibble of each digit, in two halves of eight features.
    begins: [[[u8; MAX_CELLS]; LANES / 2]; 2],
    /// The masks of the digits: the low nibble of every byte that is a digit.
    digits: [[u64; LANES / 2]; 2],
    /// A one in the digit of the nibble that they share.
    one: [u32; LANES],
    /// The fields of [`IndexPermutation`] and the offset.
    salt: [u32; LANES],
    middle: [u32; LANES],
    low: [u32; LANES],
    offset: [u32; LANES],
}

impl WideOutcomes {
    /// `None` if the CPU lacks the instructions, a tuple has too many cells or digits are no nibbles.
    pub(super) fn new(
        features: &[Feature],
        readers: &[Vec<Reader>; PLACES],
        values: u32,
    ) -> Option<WideOutcomes> {
        let fits = features.iter().all(|feature| feature.nibbles.len() <= MAX_CELLS);
        if !has_avx512() || values != 16 || !fits {
            return None;
        }
        let (mut groups, mut places) = (Vec::new(), [(0, 0, 0); PLACES]);
        for (place, own) in places.iter_mut().zip(readers) {
            let first = groups.len();
            groups.extend(own.chunks(LANES).map(|own| Group::new(features, own)));
            *place = (first, groups.len(), own.len() as u32);
        }
        Some(WideOutcomes { groups, places })
    }

    /// Adds the outcomes at a place of an afterstate, new tiles of some powers, in their order.
    #[inline(always)]
    pub(super) fn add(
        &self,
        (after, place): (u32, u32),
        tiles: u64,
        powers: &(impl Iterator<Item = u64> + Clone),
        list: &mut OutcomeIndices,
    ) {
        let (first, end, count) = self.places[place as usize % PLACES];
        let groups = &self.groups[first..end];
        let room = LANES * groups.len();
        let first = list.changed.len();
        let mut kinds = 0;
        for _ in powers.clone() {
            let begin = (first + kinds * room) as u32;
            list.outcomes.push(Outcome { after, place, begin, end: begin + count });
            kinds += 1;
        }
        list.changed.reserve(kinds * room);
        let to = list.changed.as_mut_ptr().wrapping_add(first);
        for (number, group) in groups.iter().enumerate() {
            // SAFETY: `new` has detected these CPU features, and there is room for all groups of all
            // tiles.
            #[allow(unsafe_code)]
            unsafe {
                let before = group.without_tile(tiles);
                for (kind, power) in powers.clone().enumerate() {
                    let to = to.add(kind * room + LANES * number);
                    _mm512_storeu_si512(to.cast(), group.with_tile(before, power as u32));
                }
            }
        }
        // SAFETY: so many have been written.
        #[allow(unsafe_code)]
        unsafe {
            list.changed.set_len(first + kinds * room);
        }
    }
}

impl Group {
    fn new(features: &[Feature], readers: &[Reader]) -> Group {
        let mut group = Group::default();
        for (lane, &Reader { feature, digit }) in readers.iter().enumerate() {
            let Feature { nibbles, offset, permutation } = &features[feature];
            let (half, part) = (lane / 8, lane % 8);
            for (begin, &nibble) in group.begins[half][part].iter_mut().zip(nibbles) {
                *begin = 4 * nibble as u8;
            }
            group.digits[half][part] = (0..nibbles.len()).fold(0, |all, d| all | 15 << (8 * d));
            group.one[lane] = 1 << (4 * digit);
            group.salt[lane] = permutation.salt.into();
            group.middle[lane] = permutation.middle.into();
            group.low[lane] = permutation.low.into();
            group.offset[lane] = *offset;
        }
        group
    }

    /// The digits of the indices on a board, before their permutation.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn without_tile(&self, tiles: u64) -> __m512i {
        let board = _mm512_set1_epi64(tiles as i64);
        let twos = _mm512_set1_epi16(16 << 8 | 1);
        let fours = _mm512_set1_epi32(256 << 16 | 1);
        let combined = |half: usize| {
            let nibbles = _mm512_multishift_epi64_epi8(line(&self.begins[half]), board);
            let nibbles = _mm512_and_si512(nibbles, line(&self.digits[half]));
            _mm512_madd_epi16(_mm512_maddubs_epi16(nibbles, twos), fours)
        };
        let packed = _mm512_packus_epi32(combined(0), combined(1));
        _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), packed)
    }

    /// The indices with a new tile.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn with_tile(&self, before: __m512i, power: u32) -> __m512i {
        // The nibble is empty, so that the new tile only sets bits.
        let tile = _mm512_mullo_epi32(line(&self.one), _mm512_set1_epi32(power as i32));
        let index = _mm512_or_si512(before, tile);
        // `IndexPermutation::place`.
        let factor = _mm512_set1_epi32(i32::from(IndexPermutation::FACTOR));
        let high = _mm512_mullo_epi16(_mm512_srli_epi32::<16>(index), factor);
        let high = _mm512_add_epi16(high, line(&self.salt));
        let mixed = _mm512_xor_si512(index, _mm512_and_si512(high, line(&self.middle)));
        let moved = _mm512_srli_epi32::<{ IndexPermutation::SHIFT }>(mixed);
        let placed = _mm512_xor_si512(mixed, _mm512_and_si512(moved, line(&self.low)));
        _mm512_add_epi32(placed, line(&self.offset))
    }
}
