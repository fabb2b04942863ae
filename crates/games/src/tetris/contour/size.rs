//! `Size`: how many states there are, also where no number could hold it.

use std::fmt;

/// A number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A base and its power, such as 2^200.
    Power(u64, u32),
    /// A number.
    Count(u64),
}

impl Size {
    /// The number, if 64 bits hold it.
    pub fn count(self) -> Option<u64> {
        match self {
            Size::Power(base, power) => base.checked_pow(power),
            Size::Count(count) => Some(count),
        }
    }

    /// The power of two that it is about.
    pub fn log2(self) -> f64 {
        match self {
            Size::Power(base, power) => f64::from(power) * (base as f64).log2(),
            Size::Count(count) => (count as f64).log2(),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Power(base, power) => write!(f, "{base}^{power}"),
            Size::Count(count) => write!(f, "{count}"),
        }
    }
}
