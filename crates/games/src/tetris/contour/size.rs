//! `Size`: a number of states, possibly too large for 64 bits.

use std::fmt;

/// A number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A base and its power, such as 2^200.
    Power(u64, u32),
    /// A count.
    Count(u64),
}

impl Size {
    /// The number, if it fits in 64 bits.
    pub fn count(self) -> Option<u64> {
        match self {
            Size::Power(base, power) => base.checked_pow(power),
            Size::Count(count) => Some(count),
        }
    }

    /// Its base-2 logarithm.
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
