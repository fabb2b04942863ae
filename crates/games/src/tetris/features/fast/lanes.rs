//! `Lanes`: sixteen numbers at once, one a column of the well, in whatever registers there are.

use super::super::super::Placement;
use super::super::super::board::MOST_COLUMNS;
use super::weigh::Question;

/// Sixteen numbers of 32 bits. Whatever is done is done to each; kernels are written once and
/// compiled for each kind of registers.
pub(super) trait Lanes: Copy {
    /// Shows that the processor has these registers: there is one only where that was found out.
    type On: Copy;
    /// Sixteen 32-bit floats.
    type Floats: Copy;

    /// The same number in each lane.
    fn splat(on: Self::On, number: u32) -> Self;
    /// The numbers of an array.
    fn load(on: Self::On, numbers: &[u32; MOST_COLUMNS]) -> Self;
    /// The numbers as an array.
    fn store(self) -> [u32; MOST_COLUMNS];

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// The bits of this that the other has not.
    fn without(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn shl<const N: u32>(self) -> Self;
    fn shr<const N: u32>(self) -> Self;
    /// Shifted up by as much as the other says; nothing is left from 32 on.
    fn shl_each(self, by: Self) -> Self;
    /// The larger of two signed numbers.
    fn max(self, other: Self) -> Self;
    fn count_ones(self) -> Self;
    /// One above the highest bit that is set.
    fn reach(self) -> Self;
    /// Whether any bit of any lane is set.
    fn any(self) -> bool;
    /// The lanes that are at most as large as the other's, as signed numbers; a bit a lane.
    fn at_most(self, other: Self) -> u16;
    /// The lanes that are not those of the other; a bit a lane.
    fn differs(self, other: Self) -> u16;

    /// Every lane gets what is `N` lanes after it (0 to 6, or 8), the last ones the fill.
    fn down<const N: usize>(self, fill: Self) -> Self;
    /// Every lane gets what is `N` lanes before it (1, 2, 4 or 8), the first ones the fill.
    fn up<const N: usize>(self, fill: Self) -> Self;
    /// The number of the first lane.
    fn first(self) -> u32;
    /// The last lane in all lanes.
    fn last(self) -> Self;

    /// The same float in each lane.
    fn float(on: Self::On, number: f32) -> Self::Floats;
    /// The floats of an array.
    fn load_floats(on: Self::On, numbers: &[f32; MOST_COLUMNS]) -> Self::Floats;
    /// The floats as an array.
    fn store_floats(floats: Self::Floats) -> [f32; MOST_COLUMNS];
    /// A sum and a weight times these signed numbers, rounded after each step.
    fn weigh(self, sum: Self::Floats, weight: Self::Floats) -> Self::Floats;
    /// Half of these signed numbers, weighed in the same way.
    fn weigh_half(self, sum: Self::Floats, weight: Self::Floats) -> Self::Floats;
    /// Two floats added.
    fn plus(sum: Self::Floats, other: Self::Floats) -> Self::Floats;
    /// Where the new values are larger than the best so far, and their bit is set, they and their
    /// numbers become the best.
    fn keep_larger(
        best: &mut Self::Floats,
        numbers: &mut Self,
        new: Self::Floats,
        own: Self,
        valid: u16,
    );

    /// The largest value, and the smallest number of those that have it.
    fn first_largest(values: Self::Floats, numbers: Self) -> (u32, f32);

    /// What a placement is worth that is settled apart from the others, as `weigh::settled` says.
    fn settled(on: Self::On, question: &Question, piece: u8, mv: Placement) -> Option<f32>;
}
