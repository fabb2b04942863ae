//! `Simd` in one 512-bit register (AVX-512).

#![allow(unsafe_code, reason = "intrinsics that need detected CPU features")]

use std::arch::x86_64::*;

use super::super::super::Placement;
use super::super::super::board::MAX_COLUMNS;
use super::height_counts::HeightSet;
use super::placements::Query;
use super::simd::{Simd, token};
use super::{evaluate, height_values};

/// Sixteen 32-bit lanes in a register.
#[derive(Clone, Copy)]
pub(super) struct Wide(__m512i);

token!(Token: "avx512f", "avx2", "avx512cd", "avx512vpopcntdq", "avx512bw", "gfni", "bmi2", "lzcnt", "popcnt");

/// Calls AVX-512 intrinsics.
macro_rules! simd {
    ($call:expr) => {
        // SAFETY: a `Wide` or a `Token` is in scope, and one exists only where AVX-512 F, BW, CD and
        // VPOPCNTDQ and GFNI were detected. Loads and stores are of whole arrays.
        unsafe { $call }
    };
}

/// Operations of two vectors that are one intrinsic each.
macro_rules! lanewise {
    ($($name:ident: $intrinsic:ident,)*) => {
        $(#[inline(always)]
        fn $name(self, other: Wide) -> Wide {
            Wide(simd!($intrinsic(self.0, other.0)))
        })*
    };
}

impl Simd for Wide {
    type Token = Token;
    type Floats = __m512;

    lanewise! {
        and: _mm512_and_si512, or: _mm512_or_si512, xor: _mm512_xor_si512,
        add: _mm512_add_epi32, sub: _mm512_sub_epi32, mul: _mm512_mullo_epi32,
        max: _mm512_max_epi32, min: _mm512_min_epi32,
        shl_each: _mm512_sllv_epi32, shr_each: _mm512_srlv_epi32,
    }

    #[inline(always)]
    fn splat(_: Token, number: u32) -> Wide {
        Wide(simd!(_mm512_set1_epi32(number as i32)))
    }
    #[inline(always)]
    fn load(_: Token, numbers: &[u32; MAX_COLUMNS]) -> Wide {
        Wide(simd!(_mm512_loadu_si512(numbers.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self) -> [u32; MAX_COLUMNS] {
        let mut numbers = [0u32; MAX_COLUMNS];
        simd!(_mm512_storeu_si512(numbers.as_mut_ptr().cast(), self.0));
        numbers
    }
    #[inline(always)]
    fn without(self, other: Wide) -> Wide {
        Wide(simd!(_mm512_andnot_si512(other.0, self.0)))
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Wide {
        Wide(simd!(_mm512_slli_epi32::<N>(self.0)))
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Wide {
        Wide(simd!(_mm512_srli_epi32::<N>(self.0)))
    }
    #[inline(always)]
    fn count_ones(self) -> Wide {
        Wide(simd!(_mm512_popcnt_epi32(self.0)))
    }
    #[inline(always)]
    fn reverse_bits(self) -> Wide {
        // The bytes of each lane in reverse, then the bits of each byte.
        Wide(simd!({
            let order = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
            let reversed = _mm512_shuffle_epi8(self.0, order);
            let matrix = _mm512_set1_epi64(0x8040_2010_0804_0201u64 as i64);
            _mm512_gf2p8affine_epi64_epi8::<0>(reversed, matrix)
        }))
    }
    #[inline(always)]
    fn reach(self) -> Wide {
        Wide(simd!(_mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(self.0))))
    }
    #[inline(always)]
    fn any(self) -> bool {
        simd!(_mm512_test_epi32_mask(self.0, self.0)) != 0
    }
    #[inline(always)]
    fn at_most(self, other: Wide) -> u16 {
        simd!(_mm512_cmple_epi32_mask(self.0, other.0))
    }
    #[inline(always)]
    fn differs(self, other: Wide) -> u16 {
        simd!(_mm512_cmpneq_epi32_mask(self.0, other.0))
    }
    #[inline(always)]
    fn down<const N: usize>(self, fill: Wide) -> Wide {
        let (own, fill) = (self.0, fill.0);
        Wide(simd!(match N {
            0 => own,
            1 => _mm512_alignr_epi32::<1>(fill, own),
            2 => _mm512_alignr_epi32::<2>(fill, own),
            3 => _mm512_alignr_epi32::<3>(fill, own),
            4 => _mm512_alignr_epi32::<4>(fill, own),
            5 => _mm512_alignr_epi32::<5>(fill, own),
            6 => _mm512_alignr_epi32::<6>(fill, own),
            8 => _mm512_alignr_epi32::<8>(fill, own),
            _ => unreachable!("lanes move down by 0 to 6 or by 8"),
        }))
    }
    #[inline(always)]
    fn up<const N: usize>(self, fill: Wide) -> Wide {
        let (own, fill) = (self.0, fill.0);
        Wide(simd!(match N {
            1 => _mm512_alignr_epi32::<15>(own, fill),
            2 => _mm512_alignr_epi32::<14>(own, fill),
            4 => _mm512_alignr_epi32::<12>(own, fill),
            8 => _mm512_alignr_epi32::<8>(own, fill),
            _ => unreachable!("lanes move up by 1, 2, 4 or 8"),
        }))
    }
    #[inline(always)]
    fn last(self) -> Wide {
        Wide(simd!(_mm512_permutexvar_epi32(_mm512_set1_epi32(15), self.0)))
    }
    #[inline(always)]
    fn float(_: Token, number: f32) -> __m512 {
        simd!(_mm512_set1_ps(number))
    }
    #[inline(always)]
    fn load_floats(_: Token, numbers: &[f32; MAX_COLUMNS]) -> __m512 {
        simd!(_mm512_loadu_ps(numbers.as_ptr()))
    }
    #[inline(always)]
    fn load_where(lanes: u16, _: Token, numbers: &[f32]) -> __m512 {
        // Only lanes below the length of the slice are read.
        simd!({
            let within = ((1u32 << numbers.len().min(MAX_COLUMNS)) - 1) as u16;
            _mm512_mask_loadu_ps(_mm512_set1_ps(-0.0), lanes & within, numbers.as_ptr())
        })
    }
    #[inline(always)]
    fn store_floats(floats: __m512) -> [f32; MAX_COLUMNS] {
        let mut numbers = [0.0; MAX_COLUMNS];
        simd!(_mm512_storeu_ps(numbers.as_mut_ptr(), floats));
        numbers
    }
    #[inline(always)]
    fn add_weighted(self, sum: __m512, weight: __m512) -> __m512 {
        simd!(_mm512_add_ps(sum, _mm512_mul_ps(weight, _mm512_cvtepi32_ps(self.0))))
    }
    #[inline(always)]
    fn add_weighted_half(self, sum: __m512, weight: __m512) -> __m512 {
        let half = simd!(_mm512_mul_ps(_mm512_cvtepi32_ps(self.0), _mm512_set1_ps(0.5)));
        simd!(_mm512_add_ps(sum, _mm512_mul_ps(weight, half)))
    }
    #[inline(always)]
    fn times(self, weight: __m512) -> __m512 {
        simd!(_mm512_mul_ps(weight, _mm512_cvtepi32_ps(self.0)))
    }
    #[inline(always)]
    fn add_where(lanes: u16, sum: __m512, number: f32) -> __m512 {
        simd!(_mm512_mask_add_ps(sum, lanes, sum, _mm512_set1_ps(number)))
    }
    #[inline(always)]
    fn plus(sum: __m512, other: __m512) -> __m512 {
        simd!(_mm512_add_ps(sum, other))
    }
    #[inline(always)]
    fn keep_larger(best: &mut __m512, numbers: &mut Wide, new: __m512, own: Wide, valid: u16) {
        simd!({
            let better = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(valid, new, *best);
            *best = _mm512_mask_mov_ps(*best, better, new);
            numbers.0 = _mm512_mask_mov_epi32(numbers.0, better, own.0);
        });
    }
    #[inline(always)]
    fn first(self) -> u32 {
        simd!(_mm512_cvtsi512_si32(self.0)) as u32
    }
    #[inline(always)]
    fn replace(lanes: u16, values: __m512, number: f32) -> __m512 {
        simd!(_mm512_mask_mov_ps(values, lanes, _mm512_set1_ps(number)))
    }
    #[inline(always)]
    fn max_where(lanes: u16, best: __m512, new: __m512) -> __m512 {
        simd!(_mm512_mask_max_ps(best, lanes, best, new))
    }
    #[inline(always)]
    fn largest(values: __m512) -> f32 {
        simd!(_mm512_reduce_max_ps(values))
    }
    #[inline(always)]
    fn first_largest(values: __m512, numbers: Wide) -> (u32, f32) {
        simd!({
            let max = _mm512_set1_ps(_mm512_reduce_max_ps(values));
            let mut lane = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(values, max);
            if lane & lane.wrapping_sub(1) != 0 {
                let number = _mm512_mask_reduce_min_epu32(lane, numbers.0);
                lane &= _mm512_cmpeq_epi32_mask(numbers.0, _mm512_set1_epi32(number as i32));
            }
            // 0.0 equals -0.0, so the value is read from the lane.
            let value = _mm512_cvtss_f32(_mm512_maskz_compress_ps(lane, values));
            (Wide(_mm512_maskz_compress_epi32(lane, numbers.0)).first(), value)
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
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn settled(token: Token, query: &Query, piece: u8, mv: Placement) -> Option<f32> {
    evaluate::settled::<Wide>(token, query, piece, mv)
}

/// Not inlined, as above.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn settled_by_heights(
    token: Token,
    query: &Query<HeightSet>,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    height_values::settled::<Wide>(token, query, piece, mv)
}
