//! Operations of one 256-bit register (AVX2), half of the sixteen lanes.

#![allow(unsafe_code, reason = "intrinsics that need detected CPU features")]

use std::arch::x86_64::*;

/// Calls AVX2 intrinsics.
macro_rules! simd {
    ($call:expr) => {
        // SAFETY: only `avx2.rs` calls these functions, with a `Pair` or a `Token` in scope, and one
        // exists only where the CPU features were detected.
        unsafe { $call }
    };
}

/// The population count of each lane: of each nibble by a table, then summed.
#[inline(always)]
pub(super) fn count_ones(numbers: __m256i) -> __m256i {
    simd!({
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let low = _mm256_set1_epi8(15);
        let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(numbers, low));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(numbers), low);
        let bytes = _mm256_add_epi8(lower, _mm256_shuffle_epi8(table, upper));
        let words = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
        _mm256_madd_epi16(words, _mm256_set1_epi16(1))
    })
}

/// The bits of each lane in reverse: its bytes, and the nibbles of each by a table.
#[inline(always)]
pub(super) fn reverse_bits(numbers: __m256i) -> __m256i {
    simd!({
        let order = _mm_setr_epi32(0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f);
        let table = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
        let table = _mm256_broadcastsi128_si256(table);
        let bytes = _mm256_shuffle_epi8(numbers, _mm256_broadcastsi128_si256(order));
        let low = _mm256_set1_epi8(15);
        let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, low));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low);
        _mm256_or_si256(_mm256_slli_epi16::<4>(lower), _mm256_shuffle_epi8(table, upper))
    })
}

/// One above the highest bit of each lane: sets all bits below it and counts them.
#[inline(always)]
pub(super) fn reach(numbers: __m256i) -> __m256i {
    simd!({
        let mut all = numbers;
        all = _mm256_or_si256(all, _mm256_srli_epi32::<1>(all));
        all = _mm256_or_si256(all, _mm256_srli_epi32::<2>(all));
        all = _mm256_or_si256(all, _mm256_srli_epi32::<4>(all));
        all = _mm256_or_si256(all, _mm256_srli_epi32::<8>(all));
        all = _mm256_or_si256(all, _mm256_srli_epi32::<16>(all));
        count_ones(all)
    })
}

/// The mask of the eight lanes whose highest bit is set.
#[inline(always)]
pub(super) fn bits(lanes: __m256i) -> u16 {
    simd!(_mm256_movemask_ps(_mm256_castsi256_ps(lanes))) as u16
}

/// `sum + weight * (factor * own)`, rounded after each step.
#[inline(always)]
pub(super) fn add_weighted(own: __m256i, sum: __m256, weight: __m256, factor: f32) -> __m256 {
    simd!({
        let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(own), _mm256_set1_ps(factor));
        _mm256_add_ps(sum, _mm256_mul_ps(weight, scaled))
    })
}

/// The largest value of two registers in all lanes, by a tree reduction.
#[inline(always)]
pub(super) fn largest(one: __m256, other: __m256) -> __m256 {
    simd!({
        let mut max = _mm256_max_ps(one, other);
        max = _mm256_max_ps(max, _mm256_permute2f128_ps::<1>(max, max));
        max = _mm256_max_ps(max, _mm256_permute_ps::<0b01_00_11_10>(max));
        _mm256_max_ps(max, _mm256_permute_ps::<0b10_11_00_01>(max))
    })
}

/// The lanes of the low eight bits of a mask, all bits set.
#[inline(always)]
pub(super) fn lanes_of(mask: u16) -> __m256 {
    simd!({
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), lanes);
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lanes))
    })
}

/// `Simd::keep_larger` of eight lanes, by the low eight bits of the mask.
#[inline(always)]
pub(super) fn keep_larger(
    best: &mut __m256,
    numbers: &mut __m256i,
    new: __m256,
    own: __m256i,
    valid: u16,
) {
    simd!({
        let better = _mm256_and_ps(lanes_of(valid), _mm256_cmp_ps::<_CMP_GT_OQ>(new, *best));
        *best = _mm256_blendv_ps(*best, new, better);
        *numbers = _mm256_blendv_epi8(*numbers, own, _mm256_castps_si256(better));
    });
}
