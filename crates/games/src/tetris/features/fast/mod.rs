//! SIMD evaluation of the DT features: all placements of a piece at once.
//!
//! One lane per leftmost column (`simd.rs`). The counts of a board are computed once
//! (`board_counts.rs`); then only the columns that a placement touches are counted again
//! (`evaluate.rs`). Placements that clear rows change the whole board and are evaluated one by one.
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
mod scalar;
#[cfg_attr(
    not(all(target_arch = "x86_64", not(portable))),
    allow(dead_code, reason = "only AVX uses all of it")
)]
mod simd;
#[cfg(test)]
mod tests;

use afterstate_core::policy::Choice;

use super::super::Tetris;
pub(super) use evaluate::{BestPlacement, Coefficients, Query};

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

/// Writes the best placements of the state's piece and of the pieces numbered after it, as many as
/// `found` has elements.
#[inline]
pub(super) fn best(instructions: InstructionSet, query: Query, found: &mut [BestPlacement]) {
    match instructions.0 {
        Kind::Scalar => scalar::best(query, found),
        // SAFETY: a `BitCounts` exists only if these CPU features were detected.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Counting(_) => unsafe { best_counting(query, found) },
        // SAFETY: a `Token` exists only if these CPU features were detected.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx2(token) => unsafe { best_avx2(token, query, found) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx512(token) => unsafe { best_avx512(token, query, found) },
    }
}

/// The best placement of the state's piece with its step and value. One inlined function per
/// instruction set: passing the result through memory would stall on the store.
#[inline]
pub(super) fn choose(instructions: InstructionSet, query: Query) -> Option<(Choice<Tetris>, f32)> {
    match instructions.0 {
        Kind::Scalar => chosen(query, |found| scalar::best(query, found)),
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
fn chosen(query: Query, best: impl FnOnce(&mut [BestPlacement])) -> Option<(Choice<Tetris>, f32)> {
    let mut found = [None];
    best(&mut found);
    let (mv, value) = found[0]?;
    let step = query.game.step_of(query.state, mv)?;
    Some(((mv, step), value))
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
simd::token!(BitCounts: "bmi1", "bmi2", "lzcnt", "popcnt");

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn best_counting(query: Query, found: &mut [BestPlacement]) {
    scalar::best(query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn best_avx2(token: avx2::Token, query: Query, found: &mut [BestPlacement]) {
    evaluate::best::<avx2::Pair>(token, query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn best_avx512(token: avx512::Token, query: Query, found: &mut [BestPlacement]) {
    evaluate::best::<avx512::Wide>(token, query, found);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn choose_counting(query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, |found| scalar::best(query, found))
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn choose_avx2(token: avx2::Token, query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, |found| evaluate::best::<avx2::Pair>(token, query, found))
}

/// CPUs with AVX-512 also have AVX2.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn choose_avx512(token: avx512::Token, query: Query) -> Option<(Choice<Tetris>, f32)> {
    chosen(query, |found| evaluate::best::<avx512::Wide>(token, query, found))
}
