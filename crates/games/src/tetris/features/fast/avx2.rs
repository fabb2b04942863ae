//! `Simd` in two 256-bit registers (AVX2).

#![allow(unsafe_code, reason = "intrinsics that need detected CPU features")]

use std::arch::x86_64::*;

use super::super::super::Placement;
use super::super::super::board::MAX_COLUMNS;
use super::evaluate::{self, Query};
use super::simd::{Simd, token};

/// Sixteen 32-bit lanes in two registers.
#[derive(Clone, Copy)]
pub(super) struct Pair(__m256i, __m256i);

/// Sixteen `f32` lanes in two registers.
#[derive(Clone, Copy)]
pub(super) struct Floats(__m256, __m256);

token!(Token: "avx2", "bmi2", "lzcnt", "popcnt");

/// Calls AVX2 intrinsics.
macro_rules! simd {
    ($call:expr) => {
        // SAFETY: a `Pair` or a `Token` is in scope, and one exists only where the CPU features
        // were detected. Loads and stores are of whole halves of an array.
        unsafe { $call }
    };
}

/// Calls one intrinsic for both registers.
macro_rules! both {
    ($call:ident, $own:expr $(, $other:expr)?) => {
        Pair(simd!($call($own.0 $(, $other.0)?)), simd!($call($own.1 $(, $other.1)?)))
    };
}

/// The population count of each lane: of each nibble by a table, then summed.
#[inline(always)]
fn count_ones(numbers: __m256i) -> __m256i {
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
fn reverse_bits(numbers: __m256i) -> __m256i {
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
fn reach(numbers: __m256i) -> __m256i {
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
fn bits(lanes: __m256i) -> u16 {
    simd!(_mm256_movemask_ps(_mm256_castsi256_ps(lanes))) as u16
}

/// `sum + weight * (factor * own)`, rounded after each step.
#[inline(always)]
fn add_weighted(own: __m256i, sum: __m256, weight: __m256, factor: f32) -> __m256 {
    simd!({
        let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(own), _mm256_set1_ps(factor));
        _mm256_add_ps(sum, _mm256_mul_ps(weight, scaled))
    })
}

/// `Simd::keep_larger` of eight lanes, by the low eight bits of the mask.
#[inline(always)]
fn keep_larger(best: &mut __m256, numbers: &mut __m256i, new: __m256, own: __m256i, valid: u16) {
    simd!({
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(valid)), lanes);
        let valid = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lanes));
        let better = _mm256_and_ps(valid, _mm256_cmp_ps::<_CMP_GT_OQ>(new, *best));
        *best = _mm256_blendv_ps(*best, new, better);
        *numbers = _mm256_blendv_epi8(*numbers, own, _mm256_castps_si256(better));
    });
}

/// Shifts two consecutive registers by some bytes; `$middle` holds their inner halves.
macro_rules! align {
    ($first:expr, $second:expr, $middle:expr, $bytes:literal) => {
        _mm256_alignr_epi8::<$bytes>($middle, $first)
    };
}

/// Operations of two vectors that are one intrinsic each.
macro_rules! lanewise {
    ($($name:ident: $intrinsic:ident,)*) => {
        $(#[inline(always)]
        fn $name(self, other: Pair) -> Pair {
            both!($intrinsic, self, other)
        })*
    };
}

impl Simd for Pair {
    type Token = Token;
    type Floats = Floats;

    lanewise! {
        and: _mm256_and_si256, or: _mm256_or_si256, xor: _mm256_xor_si256,
        add: _mm256_add_epi32, sub: _mm256_sub_epi32, max: _mm256_max_epi32,
        shl_each: _mm256_sllv_epi32, shr_each: _mm256_srlv_epi32,
    }

    #[inline(always)]
    fn splat(_: Token, number: u32) -> Pair {
        let half = simd!(_mm256_set1_epi32(number as i32));
        Pair(half, half)
    }
    #[inline(always)]
    fn load(_: Token, numbers: &[u32; MAX_COLUMNS]) -> Pair {
        let (first, second) = numbers.split_at(8);
        let first = simd!(_mm256_loadu_si256(first.as_ptr().cast()));
        Pair(first, simd!(_mm256_loadu_si256(second.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self) -> [u32; MAX_COLUMNS] {
        let mut numbers = [0u32; MAX_COLUMNS];
        let (first, second) = numbers.split_at_mut(8);
        simd!(_mm256_storeu_si256(first.as_mut_ptr().cast(), self.0));
        simd!(_mm256_storeu_si256(second.as_mut_ptr().cast(), self.1));
        numbers
    }
    #[inline(always)]
    fn without(self, other: Pair) -> Pair {
        both!(_mm256_andnot_si256, other, self)
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Pair {
        let by = simd!(_mm_cvtsi32_si128(N as i32));
        Pair(simd!(_mm256_sll_epi32(self.0, by)), simd!(_mm256_sll_epi32(self.1, by)))
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Pair {
        let by = simd!(_mm_cvtsi32_si128(N as i32));
        Pair(simd!(_mm256_srl_epi32(self.0, by)), simd!(_mm256_srl_epi32(self.1, by)))
    }
    #[inline(always)]
    fn count_ones(self) -> Pair {
        Pair(count_ones(self.0), count_ones(self.1))
    }
    #[inline(always)]
    fn reverse_bits(self) -> Pair {
        Pair(reverse_bits(self.0), reverse_bits(self.1))
    }
    #[inline(always)]
    fn reach(self) -> Pair {
        Pair(reach(self.0), reach(self.1))
    }
    #[inline(always)]
    fn any(self) -> bool {
        let all = simd!(_mm256_or_si256(self.0, self.1));
        simd!(_mm256_testz_si256(all, all)) == 0
    }
    #[inline(always)]
    fn at_most(self, other: Pair) -> u16 {
        let larger = both!(_mm256_cmpgt_epi32, self, other);
        !(bits(larger.0) | bits(larger.1) << 8)
    }
    #[inline(always)]
    fn differs(self, other: Pair) -> u16 {
        let same = both!(_mm256_cmpeq_epi32, self, other);
        !(bits(same.0) | bits(same.1) << 8)
    }
    #[inline(always)]
    fn down<const N: usize>(self, fill: Pair) -> Pair {
        let (a, b, c) = (self.0, self.1, fill.0);
        simd!({
            // The inner halves of a and b, and of b and the fill.
            let ab = _mm256_permute2x128_si256::<0x21>(a, b);
            let bc = _mm256_permute2x128_si256::<0x21>(b, c);
            match N {
                0 => self,
                1 => Pair(align!(a, b, ab, 4), align!(b, c, bc, 4)),
                2 => Pair(align!(a, b, ab, 8), align!(b, c, bc, 8)),
                3 => Pair(align!(a, b, ab, 12), align!(b, c, bc, 12)),
                4 => Pair(ab, bc),
                5 => Pair(align!(ab, bc, b, 4), align!(bc, c, c, 4)),
                6 => Pair(align!(ab, bc, b, 8), align!(bc, c, c, 8)),
                8 => Pair(b, c),
                _ => unreachable!("lanes move down by 0 to 6 or by 8"),
            }
        })
    }
    #[inline(always)]
    fn up<const N: usize>(self, fill: Pair) -> Pair {
        let (a, b, c) = (fill.0, self.0, self.1);
        simd!({
            let ab = _mm256_permute2x128_si256::<0x21>(a, b);
            let bc = _mm256_permute2x128_si256::<0x21>(b, c);
            match N {
                1 => Pair(align!(ab, bc, b, 12), align!(bc, c, c, 12)),
                2 => Pair(align!(ab, bc, b, 8), align!(bc, c, c, 8)),
                4 => Pair(ab, bc),
                8 => Pair(a, b),
                _ => unreachable!("lanes move up by 1, 2, 4 or 8"),
            }
        })
    }
    #[inline(always)]
    fn last(self) -> Pair {
        let last = simd!(_mm256_permutevar8x32_epi32(self.1, _mm256_set1_epi32(7)));
        Pair(last, last)
    }
    #[inline(always)]
    fn float(_: Token, number: f32) -> Floats {
        let half = simd!(_mm256_set1_ps(number));
        Floats(half, half)
    }
    #[inline(always)]
    fn load_floats(_: Token, numbers: &[f32; MAX_COLUMNS]) -> Floats {
        let (first, second) = numbers.split_at(8);
        Floats(simd!(_mm256_loadu_ps(first.as_ptr())), simd!(_mm256_loadu_ps(second.as_ptr())))
    }
    #[inline(always)]
    fn store_floats(floats: Floats) -> [f32; MAX_COLUMNS] {
        let mut numbers = [0.0; MAX_COLUMNS];
        let (first, second) = numbers.split_at_mut(8);
        simd!(_mm256_storeu_ps(first.as_mut_ptr(), floats.0));
        simd!(_mm256_storeu_ps(second.as_mut_ptr(), floats.1));
        numbers
    }
    #[inline(always)]
    fn add_weighted(self, sum: Floats, weight: Floats) -> Floats {
        Floats(
            add_weighted(self.0, sum.0, weight.0, 1.0),
            add_weighted(self.1, sum.1, weight.1, 1.0),
        )
    }
    #[inline(always)]
    fn add_weighted_half(self, sum: Floats, weight: Floats) -> Floats {
        Floats(
            add_weighted(self.0, sum.0, weight.0, 0.5),
            add_weighted(self.1, sum.1, weight.1, 0.5),
        )
    }
    #[inline(always)]
    fn plus(sum: Floats, other: Floats) -> Floats {
        Floats(simd!(_mm256_add_ps(sum.0, other.0)), simd!(_mm256_add_ps(sum.1, other.1)))
    }
    #[inline(always)]
    fn keep_larger(best: &mut Floats, numbers: &mut Pair, new: Floats, own: Pair, valid: u16) {
        keep_larger(&mut best.0, &mut numbers.0, new.0, own.0, valid);
        keep_larger(&mut best.1, &mut numbers.1, new.1, own.1, valid >> 8);
    }
    #[inline(always)]
    fn first(self) -> u32 {
        simd!(_mm256_cvtsi256_si32(self.0)) as u32
    }
    #[inline(always)]
    fn first_largest(values: Floats, numbers: Pair) -> (u32, f32) {
        simd!({
            // A tree reduction that leaves the maximum in all lanes.
            let mut max = _mm256_max_ps(values.0, values.1);
            max = _mm256_max_ps(max, _mm256_permute2f128_ps::<1>(max, max));
            max = _mm256_max_ps(max, _mm256_permute_ps::<0b01_00_11_10>(max));
            max = _mm256_max_ps(max, _mm256_permute_ps::<0b10_11_00_01>(max));
            let (first, second) = (
                _mm256_cmp_ps::<_CMP_EQ_OQ>(values.0, max),
                _mm256_cmp_ps::<_CMP_EQ_OQ>(values.1, max),
            );
            let mut lanes = _mm256_movemask_ps(first) | _mm256_movemask_ps(second) << 8;
            let (values, numbers) = (Pair::store_floats(values), numbers.store());
            let mut first = (u32::MAX, f32::NEG_INFINITY);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if numbers[lane] < first.0 {
                    first = (numbers[lane], values[lane]);
                }
            }
            first
        })
    }
    #[inline(always)]
    fn settled(token: Token, query: &Query, piece: u8, mv: Placement) -> Option<f32> {
        simd!(settled(token, query, piece, mv))
    }
}

/// Not inlined: rarely called and long.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn settled(token: Token, query: &Query, piece: u8, mv: Placement) -> Option<f32> {
    evaluate::settled::<Pair>(token, query, piece, mv)
}
