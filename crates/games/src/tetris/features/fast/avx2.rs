//! `Simd` in two 256-bit registers (AVX2).

#![allow(unsafe_code, reason = "intrinsics that need detected CPU features")]

use std::arch::x86_64::*;

use super::super::super::Placement;
use super::super::super::board::MAX_COLUMNS;
use super::halves::{
    add_weighted, bits, count_ones, keep_larger, lanes_of, largest, reach, reverse_bits,
};
use super::height_counts::HeightSet;
use super::placements::Query;
use super::simd::{Simd, token};
use super::{evaluate, height_values};

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
        add: _mm256_add_epi32, sub: _mm256_sub_epi32, mul: _mm256_mullo_epi32,
        max: _mm256_max_epi32, min: _mm256_min_epi32,
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
    fn load_where(lanes: u16, token: Token, numbers: &[f32]) -> Floats {
        let mut all = [-0.0; MAX_COLUMNS];
        for (lane, (to, &number)) in all.iter_mut().zip(numbers).enumerate() {
            if lanes >> lane & 1 != 0 {
                *to = number;
            }
        }
        Pair::load_floats(token, &all)
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
    fn times(self, weight: Floats) -> Floats {
        Floats(
            simd!(_mm256_mul_ps(weight.0, _mm256_cvtepi32_ps(self.0))),
            simd!(_mm256_mul_ps(weight.1, _mm256_cvtepi32_ps(self.1))),
        )
    }
    #[inline(always)]
    fn add_where(lanes: u16, sum: Floats, number: f32) -> Floats {
        simd!({
            let (number, none) = (_mm256_set1_ps(number), _mm256_set1_ps(-0.0));
            let first = _mm256_blendv_ps(none, number, lanes_of(lanes));
            let second = _mm256_blendv_ps(none, number, lanes_of(lanes >> 8));
            Floats(_mm256_add_ps(sum.0, first), _mm256_add_ps(sum.1, second))
        })
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
    fn replace(lanes: u16, values: Floats, number: f32) -> Floats {
        simd!({
            let (number, second) = (_mm256_set1_ps(number), lanes_of(lanes >> 8));
            Floats(
                _mm256_blendv_ps(values.0, number, lanes_of(lanes)),
                _mm256_blendv_ps(values.1, number, second),
            )
        })
    }
    #[inline(always)]
    fn max_where(lanes: u16, best: Floats, new: Floats) -> Floats {
        simd!({
            let (first, second) = (lanes_of(lanes), lanes_of(lanes >> 8));
            Floats(
                _mm256_blendv_ps(best.0, _mm256_max_ps(best.0, new.0), first),
                _mm256_blendv_ps(best.1, _mm256_max_ps(best.1, new.1), second),
            )
        })
    }
    #[inline(always)]
    fn largest(values: Floats) -> f32 {
        simd!(_mm256_cvtss_f32(largest(values.0, values.1)))
    }
    #[inline(always)]
    fn first_largest(values: Floats, numbers: Pair) -> (u32, f32) {
        simd!({
            let max = largest(values.0, values.1);
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
    #[inline(always)]
    fn settled_by_heights(
        token: Token,
        query: &Query<HeightSet>,
        piece: u8,
        mv: Placement,
    ) -> Option<f32> {
        simd!(settled_by_heights(token, query, piece, mv))
    }
}

/// Not inlined: rarely called and long.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn settled(token: Token, query: &Query, piece: u8, mv: Placement) -> Option<f32> {
    evaluate::settled::<Pair>(token, query, piece, mv)
}

/// Not inlined, as above.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn settled_by_heights(
    token: Token,
    query: &Query<HeightSet>,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    height_values::settled::<Pair>(token, query, piece, mv)
}
