//! `Simd`: vectors of sixteen 32-bit lanes, one per column of the well.

use super::super::super::Placement;
use super::super::super::board::MAX_COLUMNS;
use super::height_counts::HeightSet;
use super::placements::Query;

/// A vector of sixteen 32-bit integer lanes. Operations are lane-wise; kernels are generic over the
/// registers of an instruction set.
pub(super) trait Simd: Copy {
    /// Proof that the CPU has these registers.
    type Token: Copy;
    /// A vector of sixteen `f32` lanes.
    type Floats: Copy;

    /// Broadcasts a number to all lanes.
    fn splat(token: Self::Token, number: u32) -> Self;
    /// Loads an array.
    fn load(token: Self::Token, numbers: &[u32; MAX_COLUMNS]) -> Self;
    /// Stores to an array.
    fn store(self) -> [u32; MAX_COLUMNS];

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// AND NOT: the bits that are set here and not in the other.
    fn without(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The low half of the product.
    fn mul(self, other: Self) -> Self;
    fn shl<const N: u32>(self) -> Self;
    fn shr<const N: u32>(self) -> Self;
    /// Left shift by a count per lane; zero for counts of 32 and above.
    fn shl_each(self, by: Self) -> Self;
    /// Right shift by a count per lane; zero for counts of 32 and above.
    fn shr_each(self, by: Self) -> Self;
    /// The maximum of signed numbers.
    fn max(self, other: Self) -> Self;
    /// The minimum of signed numbers.
    fn min(self, other: Self) -> Self;
    fn count_ones(self) -> Self;
    /// The bits in reverse.
    fn reverse_bits(self) -> Self;
    /// One above the highest set bit.
    fn reach(self) -> Self;
    /// Whether any bit of any lane is set.
    fn any(self) -> bool;
    /// The mask of the lanes that are at most those of the other, as signed numbers.
    fn at_most(self, other: Self) -> u16;
    /// The mask of the lanes that differ from those of the other.
    fn differs(self, other: Self) -> u16;

    /// Moves lane `i + N` to lane `i` (`N` is 0 to 6, or 8); the last lanes are those of the fill.
    fn down<const N: usize>(self, fill: Self) -> Self;
    /// Moves lane `i` to lane `i + N` (`N` is 1, 2, 4 or 8); the first lanes are those of the fill.
    fn up<const N: usize>(self, fill: Self) -> Self;
    /// The first lane.
    fn first(self) -> u32;
    /// Broadcasts the last lane.
    fn last(self) -> Self;

    /// Broadcasts a float to all lanes.
    fn float(token: Self::Token, number: f32) -> Self::Floats;
    /// Loads an array of floats.
    fn load_floats(token: Self::Token, numbers: &[f32; MAX_COLUMNS]) -> Self::Floats;
    /// Loads up to sixteen floats of a slice in the lanes of a mask; the other lanes are -0.0.
    fn load_where(lanes: u16, token: Self::Token, numbers: &[f32]) -> Self::Floats;
    /// Stores floats to an array.
    fn store_floats(floats: Self::Floats) -> [f32; MAX_COLUMNS];
    /// `sum + weight * self`, rounded after each step; the lanes are signed.
    fn add_weighted(self, sum: Self::Floats, weight: Self::Floats) -> Self::Floats;
    /// `sum + weight * (0.5 * self)`, rounded after each step; the lanes are signed.
    fn add_weighted_half(self, sum: Self::Floats, weight: Self::Floats) -> Self::Floats;
    /// `weight * self`; the lanes are signed.
    fn times(self, weight: Self::Floats) -> Self::Floats;
    /// The sum of floats.
    fn plus(sum: Self::Floats, other: Self::Floats) -> Self::Floats;
    /// The sum with a number in the lanes of a mask; the others are kept.
    fn add_where(lanes: u16, sum: Self::Floats, number: f32) -> Self::Floats;
    /// Replaces `best` and `numbers` by `new` and `own` in the lanes of the mask `valid` in which
    /// `new` is larger.
    fn keep_larger(
        best: &mut Self::Floats,
        numbers: &mut Self,
        new: Self::Floats,
        own: Self,
        valid: u16,
    );

    /// A number in the lanes of a mask; the others are kept.
    fn replace(lanes: u16, values: Self::Floats, number: f32) -> Self::Floats;
    /// The larger one of two values in the lanes of a mask; the others are kept.
    fn max_where(lanes: u16, best: Self::Floats, new: Self::Floats) -> Self::Floats;
    /// The largest value.
    fn largest(values: Self::Floats) -> f32;
    /// The largest value, and the smallest number of those that have it.
    fn first_largest(values: Self::Floats, numbers: Self) -> (u32, f32);

    /// `evaluate::settled`, compiled for this instruction set.
    fn settled(token: Self::Token, query: &Query, piece: u8, mv: Placement) -> Option<f32>;
    /// `height_values::settled`, compiled for this instruction set.
    fn settled_by_heights(
        token: Self::Token,
        query: &Query<HeightSet>,
        piece: u8,
        mv: Placement,
    ) -> Option<f32>;
}

/// A type whose values prove that the CPU has some features.
#[cfg(all(target_arch = "x86_64", not(portable)))]
macro_rules! token {
    ($name:ident: $($feature:tt),*) => {
        /// Proof that the CPU has these features.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name(());

        impl $name {
            /// Detects the CPU features.
            pub(super) fn detect() -> Option<$name> {
                ($(is_x86_feature_detected!($feature))&&*).then_some($name(()))
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
pub(super) use token;
