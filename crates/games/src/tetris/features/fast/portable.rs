//! `Lanes` as plain arrays, for every processor.

use super::super::super::board::MOST_COLUMNS;
use super::lanes::Lanes;

/// Sixteen numbers.
#[derive(Clone, Copy)]
pub(super) struct Array([u32; MOST_COLUMNS]);

impl Array {
    #[inline(always)]
    fn with(self, other: Array, of: impl Fn(u32, u32) -> u32) -> Array {
        let mut numbers = self.0;
        for (number, other) in numbers.iter_mut().zip(other.0) {
            *number = of(*number, other);
        }
        Array(numbers)
    }

    #[inline(always)]
    fn mask(self, other: Array, is: impl Fn(u32, u32) -> bool) -> u16 {
        let pairs = self.0.into_iter().zip(other.0).enumerate();
        pairs.fold(0, |bits, (lane, (own, other))| bits | u16::from(is(own, other)) << lane)
    }
}

/// Sixteen floats.
type Floats = [f32; MOST_COLUMNS];

impl Lanes for Array {
    type On = ();
    type Floats = Floats;

    #[inline(always)]
    fn splat((): (), number: u32) -> Array {
        Array([number; MOST_COLUMNS])
    }
    #[inline(always)]
    fn load((): (), numbers: &[u32; MOST_COLUMNS]) -> Array {
        Array(*numbers)
    }
    #[inline(always)]
    fn store(self) -> [u32; MOST_COLUMNS] {
        self.0
    }
    #[inline(always)]
    fn and(self, other: Array) -> Array {
        self.with(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Array) -> Array {
        self.with(other, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, other: Array) -> Array {
        self.with(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn without(self, other: Array) -> Array {
        self.with(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn add(self, other: Array) -> Array {
        self.with(other, u32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Array) -> Array {
        self.with(other, u32::wrapping_sub)
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Array {
        Array(self.0.map(|number| number << N))
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Array {
        Array(self.0.map(|number| number >> N))
    }
    // Long enough to be called: the code of all placements would be huge.
    #[inline(never)]
    fn shl_each(self, by: Array) -> Array {
        self.with(by, |number, by| if by < 32 { number << by } else { 0 })
    }
    #[inline(always)]
    fn max(self, other: Array) -> Array {
        self.with(other, |a, b| (a as i32).max(b as i32) as u32)
    }
    #[inline(never)]
    fn count_ones(self) -> Array {
        Array(self.0.map(u32::count_ones))
    }
    #[inline(never)]
    fn reach(self) -> Array {
        Array(self.0.map(|number| u32::BITS - number.leading_zeros()))
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, number| all | number) != 0
    }
    #[inline(always)]
    fn at_most(self, other: Array) -> u16 {
        self.mask(other, |a, b| a as i32 <= b as i32)
    }
    #[inline(always)]
    fn differs(self, other: Array) -> u16 {
        self.mask(other, |a, b| a != b)
    }
    #[inline(always)]
    fn down<const N: usize>(self, fill: Array) -> Array {
        let mut numbers = fill.0;
        numbers[..MOST_COLUMNS - N].copy_from_slice(&self.0[N..]);
        Array(numbers)
    }
    #[inline(always)]
    fn up<const N: usize>(self, fill: Array) -> Array {
        let mut numbers = fill.0;
        numbers[N..].copy_from_slice(&self.0[..MOST_COLUMNS - N]);
        Array(numbers)
    }
    #[inline(always)]
    fn last(self) -> Array {
        Array([self.0[MOST_COLUMNS - 1]; MOST_COLUMNS])
    }
    #[inline(always)]
    fn float((): (), number: f32) -> Floats {
        [number; MOST_COLUMNS]
    }
    #[inline(always)]
    fn load_floats((): (), numbers: &Floats) -> Floats {
        *numbers
    }
    #[inline(always)]
    fn store_floats(floats: Floats) -> Floats {
        floats
    }
    #[inline(always)]
    fn weigh(self, mut sum: Floats, weight: Floats) -> Floats {
        for (i, sum) in sum.iter_mut().enumerate() {
            *sum += weight[i] * self.0[i] as i32 as f32;
        }
        sum
    }
    #[inline(always)]
    fn weigh_half(self, mut sum: Floats, weight: Floats) -> Floats {
        for (i, sum) in sum.iter_mut().enumerate() {
            *sum += weight[i] * (self.0[i] as i32 as f32 * 0.5);
        }
        sum
    }
    #[inline(always)]
    fn plus(mut sum: Floats, other: Floats) -> Floats {
        for (sum, other) in sum.iter_mut().zip(other) {
            *sum += other;
        }
        sum
    }
    #[inline(always)]
    fn keep_larger(best: &mut Floats, numbers: &mut Array, new: Floats, own: Array, valid: u16) {
        for i in 0..MOST_COLUMNS {
            let better = valid >> i & 1 != 0 && new[i] > best[i];
            best[i] = if better { new[i] } else { best[i] };
            numbers.0[i] = if better { own.0[i] } else { numbers.0[i] };
        }
    }
}
