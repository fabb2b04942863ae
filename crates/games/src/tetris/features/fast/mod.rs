//! The fast evaluator of the DT features: every placement of a piece at once.
//!
//! One lane a leftmost column (`lanes.rs`). A board is surveyed once (`survey.rs`); then only the
//! columns that a placement touches are counted again (`weigh.rs`), all its columns at once. Rows
//! that clear change the whole board: those few placements are settled apart. `scalar.rs` does the
//! same one placement at a time, where there are no such registers. Sums are rounded
//! in the order of `weighted_sum`, so that every version and the slow twin give the same bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
mod scalar;
mod survey;
#[cfg(test)]
mod tests;
mod weigh;

use afterstate_core::policy::Choice;

use super::super::Tetris;
pub(super) use weigh::{Found, Question, Scale};

/// Which instructions the evaluator uses.
#[derive(Clone, Copy, Debug)]
pub struct Speed(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Counting(Counts),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::On),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::On),
}

impl Speed {
    /// The fastest that this processor has.
    pub fn fastest() -> Speed {
        Speed::avx512().or_else(Speed::avx2).unwrap_or(Speed::scalar())
    }

    /// One placement at a time, with instructions that count bits where there are any.
    pub fn scalar() -> Speed {
        #[cfg(target_arch = "x86_64")]
        if let Some(found) = Counts::found() {
            return Speed(Kind::Counting(found));
        }
        Speed::plain()
    }

    /// One placement at a time, with instructions that every processor has.
    pub fn plain() -> Speed {
        Speed(Kind::Scalar)
    }

    /// Registers of 256 bits, if this processor has them.
    pub fn avx2() -> Option<Speed> {
        #[cfg(target_arch = "x86_64")]
        return avx2::On::found().map(|on| Speed(Kind::Avx2(on)));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Registers of 512 bits, if this processor has them.
    pub fn avx512() -> Option<Speed> {
        #[cfg(target_arch = "x86_64")]
        return avx512::On::found().map(|on| Speed(Kind::Avx512(on)));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

/// Answers a question: the best placement of a state's piece, and of those numbered after it as far
/// as there is room.
#[inline]
pub(super) fn best(speed: Speed, question: Question, found: &mut [Found]) {
    match speed.0 {
        Kind::Scalar => scalar::best(question, found),
        // SAFETY: there is a `Counts` only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Counting(_) => unsafe { best_counting(question, found) },
        // SAFETY: there is an `On` only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Avx2(on) => unsafe { best_avx2(on, question, found) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Avx512(on) => unsafe { best_avx512(on, question, found) },
    }
}

/// The best placement of a state's piece as a step, and what it is worth. All at one go: what goes
/// from function to function by way of memory is waited for.
#[inline]
pub(super) fn choose(speed: Speed, question: Question) -> Option<(Choice<Tetris>, f32)> {
    match speed.0 {
        Kind::Scalar => chosen(question, |found| scalar::best(question, found)),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Counting(_) => unsafe { choose_counting(question) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Avx2(on) => unsafe { choose_avx2(on, question) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        Kind::Avx512(on) => unsafe { choose_avx512(on, question) },
    }
}

#[inline(always)]
fn chosen(question: Question, best: impl FnOnce(&mut [Found])) -> Option<(Choice<Tetris>, f32)> {
    let mut found = [None];
    best(&mut found);
    let (mv, value) = found[0]?;
    let step = question.game.step_of(question.state, mv)?;
    Some(((mv, step), value))
}

/// Shows that the processor counts bits.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
struct Counts(());

#[cfg(target_arch = "x86_64")]
impl Counts {
    fn found() -> Option<Counts> {
        let all = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        all.then_some(Counts(()))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn best_counting(question: Question, found: &mut [Found]) {
    scalar::best(question, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn best_avx2(on: avx2::On, question: Question, found: &mut [Found]) {
    weigh::best::<avx2::Pair>(on, question, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,bmi2,lzcnt,popcnt")]
fn best_avx512(on: avx512::On, question: Question, found: &mut [Found]) {
    weigh::best::<avx512::Wide>(on, question, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn choose_counting(question: Question) -> Option<(Choice<Tetris>, f32)> {
    chosen(question, |found| scalar::best(question, found))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn choose_avx2(on: avx2::On, question: Question) -> Option<(Choice<Tetris>, f32)> {
    chosen(question, |found| weigh::best::<avx2::Pair>(on, question, found))
}

/// Processors with AVX-512 have AVX2, too.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vpopcntdq,bmi2,lzcnt,popcnt")]
fn choose_avx512(on: avx512::On, question: Question) -> Option<(Choice<Tetris>, f32)> {
    chosen(question, |found| weigh::best::<avx512::Wide>(on, question, found))
}
