//! SIMD evaluation of features: all placements of a piece at once.
//!
//! One lane per leftmost column (`simd.rs`, `placements.rs`). The counts of a board are computed once
//! (`board_counts.rs` for the DT features, `height_counts.rs` for the height-based ones); then only
//! the columns that a placement touches are counted again (`evaluate.rs`, `height_values.rs`). Placements that clear rows change the whole board and are evaluated one by one.
//! `scalar.rs` evaluates one placement at a time without SIMD. Sums are rounded in the order of
//! `weighted_sum`, so that all versions and the reference implementation give the same bits.

#[cfg(all(target_arch = "x86_64", not(portable)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(portable)))]
mod avx512;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod board_counts;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod evaluate;
#[cfg(all(target_arch = "x86_64", not(portable)))]
mod halves;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod height_counts;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod height_values;
pub(super) mod heights;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod placements;
mod scalar;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod settle;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod simd;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use afterstate_core::policy::Choice;

use super::super::Tetris;
#[cfg(all(target_arch = "x86_64", not(portable)))]
use board_counts::BoardCounts;
pub(super) use height_counts::HeightSet;
pub(super) use placements::{BestPlacement, Coefficients, PlacementValues, Query};

/// The instruction set of the evaluator.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Scalar,
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    Counting(BitCounts),
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    Avx2(avx2::Token),
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    Avx512(avx512::Token),
}

impl InstructionSet {
    /// The fastest of this CPU.
    pub fn fastest() -> InstructionSet {
        InstructionSet::avx512().or_else(InstructionSet::avx2).unwrap_or(InstructionSet::scalar())
    }

    /// One placement at a time, with bit-counting instructions (BMI, LZCNT, POPCNT) if available.
    pub fn scalar() -> InstructionSet {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if let Some(found) = BitCounts::detect() {
            return InstructionSet(Kind::Counting(found));
        }
        InstructionSet::baseline()
    }

    /// One placement at a time, with the baseline instructions of the target.
    pub fn baseline() -> InstructionSet {
        InstructionSet(Kind::Scalar)
    }

    /// AVX2, if available.
    pub fn avx2() -> Option<InstructionSet> {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        return avx2::Token::detect().map(|token| InstructionSet(Kind::Avx2(token)));
        #[cfg(not(all(target_arch = "x86_64", not(portable))))]
        None
    }

    /// AVX-512, if available.
    pub fn avx512() -> Option<InstructionSet> {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        return avx512::Token::detect().map(|token| InstructionSet(Kind::Avx512(token)));
        #[cfg(not(all(target_arch = "x86_64", not(portable))))]
        None
    }
}

/// Writes the values of the best placements of the state's piece and of the pieces numbered after it,
/// as many as `found` has elements.
#[inline]
pub(super) fn largest(instructions: InstructionSet, query: Query, found: &mut [Option<f32>]) {
    match instructions.0 {
        Kind::Scalar => scalar::largest(query, found),
        // SAFETY: a `BitCounts` exists only if these CPU features were detected.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Counting(_) => unsafe { largest_counting(query, found) },
        // SAFETY: a `Token` exists only if these CPU features were detected.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx2(token) => unsafe { largest_avx2(token, query, found) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx512(token) => unsafe { largest_avx512(token, query, found) },
    }
}

/// What is done with the value of the best placement of a piece.
pub(super) type EachPiece<'a> = &'a mut dyn FnMut(u8, Option<f32>) -> ControlFlow<()>;

/// Calls `each` with pieces and the values of their best placements until it breaks; `false` without
/// vectors.
#[inline]
pub(super) fn in_order(
    instructions: InstructionSet,
    query: Query,
    pieces: &[usize],
    each: EachPiece,
) -> bool {
    match instructions.0 {
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx2(token) => unsafe { in_order_avx2(token, query, pieces, each) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx512(token) => unsafe { in_order_avx512(token, query, pieces, each) },
        _ => {
            let _ = (query, pieces, each);
            return false;
        }
    }
    true
}

/// The best placement of the state's piece with its step and value. One inlined function per
/// instruction set: passing the result through memory would stall on the store.
#[inline]
pub(super) fn choose(instructions: InstructionSet, query: Query) -> Option<(Choice<Tetris>, f32)> {
    match instructions.0 {
        Kind::Scalar => chosen(query, scalar::best(query)),
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Counting(_) => unsafe { choose_counting(query) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx2(token) => unsafe { choose_avx2(token, query) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx512(token) => unsafe { choose_avx512(token, query) },
    }
}

#[inline(always)]
fn chosen(query: Query, best: BestPlacement) -> Option<(Choice<Tetris>, f32)> {
    let (mv, value) = best?;
    let step = query.game.step_of(query.state, mv)?;
    Some(((mv, step), value))
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
simd::token!(BitCounts: "bmi1", "bmi2", "lzcnt", "popcnt");

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn largest_counting(query: Query, found: &mut [Option<f32>]) {
    scalar::largest(query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn largest_avx2(token: avx2::Token, query: Query, found: &mut [Option<f32>]) {
    placements::largest::<avx2::Pair, BoardCounts<_>>(token, query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn largest_avx512(token: avx512::Token, query: Query, found: &mut [Option<f32>]) {
    placements::largest::<avx512::Wide, BoardCounts<_>>(token, query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn choose_counting(query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, scalar::best(query))
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn choose_avx2(token: avx2::Token, query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, placements::best::<avx2::Pair, BoardCounts<_>>(token, query))
}

/// CPUs with AVX-512 also have AVX2.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn choose_avx512(token: avx512::Token, query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, placements::best::<avx512::Wide, BoardCounts<_>>(token, query))
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn in_order_avx2(token: avx2::Token, query: Query, pieces: &[usize], each: EachPiece) {
    placements::in_order::<avx2::Pair, BoardCounts<_>>(token, query, pieces, each);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn in_order_avx512(token: avx512::Token, query: Query, pieces: &[usize], each: EachPiece) {
    placements::in_order::<avx512::Wide, BoardCounts<_>>(token, query, pieces, each);
}
