//! `Tensor`: the numbers of a model where they lie in memory.

use std::sync::atomic::{AtomicI16, AtomicU32};

/// Numbers of one type, borrowed from a model.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Tensor<'a> {
    /// 32-bit floats.
    Floats(&'a [f32]),
    /// 32-bit floats by their bits, as networks and tables have them.
    FloatBits(&'a [AtomicU32]),
    /// 16-bit integers.
    Shorts(&'a [AtomicI16]),
    /// 64-bit integers.
    Longs(&'a [u64]),
}
