//! The fast evaluator of the DT features: every placement of a piece at once.
//!
//! One lane a leftmost column (`lanes.rs`). A board is surveyed once (`survey.rs`); then only the
//! columns that a placement touches are counted again (`weigh.rs`), all its columns at once. Rows
//! that clear change the whole board: those few placements are settled as in play. Sums are rounded
//! in the order of `weighted`, so that every version and the slow twin give the same bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
mod portable;
mod survey;
#[cfg(test)]
mod tests;
mod weigh;

pub(super) use weigh::{Found, Question, Scale};

/// Which instructions the evaluator uses.
#[derive(Clone, Copy, Debug)]
pub struct Speed(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::On),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::On),
}

impl Speed {
    /// The fastest that this processor has.
    pub fn fastest() -> Speed {
        Speed::avx512().or_else(Speed::avx2).unwrap_or(Speed::portable())
    }

    /// Instructions that every processor has.
    pub fn portable() -> Speed {
        Speed(Kind::Portable)
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
        Kind::Portable => weigh::best::<portable::Array>((), question, found),
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
