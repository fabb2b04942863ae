//! The n-th set bit of a word, without a loop (Vigna 2008, "Broadword implementation of
//! rank/select queries").

/// One in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of every byte.
const TOPS: u64 = 0x8080_8080_8080_8080;
/// Bit i of byte i.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;

/// The position of the set bit with `n` set bits below it, or `n` less the number of set bits.
#[inline]
pub(super) fn nth_bit(bits: u128, n: usize) -> Result<u32, usize> {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let in_low = low.count_ones() as usize;
    let in_both = in_low + high.count_ones() as usize;
    if n >= in_both {
        return Err(n - in_both);
    }
    let (word, n, base) = if n < in_low { (low, n, 0) } else { (high, n - in_low, 64) };
    Ok(base + nth_bit_of_word(word, n as u64))
}

/// `n` must be below the number of set bits.
#[inline]
fn nth_bit_of_word(word: u64, n: u64) -> u32 {
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i becomes the sum of bytes 0 to i.
    let counts = bytes.wrapping_mul(ONES);
    let shift = 8 * bytes_at_most(counts, n);
    let n = n - ((counts << 8) >> shift & 0xff);
    // Spreads the bits of the byte to one per byte and sums them in the same way.
    let spread_bits = ((word >> shift) & 0xff).wrapping_mul(ONES) & DIAGONAL;
    let set = ((spread_bits | TOPS).wrapping_sub(ONES) | spread_bits) & TOPS;
    let counts = (set >> 7).wrapping_mul(ONES);
    (shift + bytes_at_most(counts, n)) as u32
}

/// The number of bytes of `counts` that are at most `n`; all of them and `n` are below 128.
#[inline]
fn bytes_at_most(counts: u64, n: u64) -> u64 {
    let at_most = ((n.wrapping_mul(ONES) | TOPS) - counts) & TOPS;
    (at_most >> 7).wrapping_mul(ONES) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_core::Rng;

    /// All set bits of a word, and numbers beyond them.
    fn compare(bits: u128) {
        let (mut left, mut n) = (bits, 0);
        while left != 0 {
            assert_eq!(nth_bit(bits, n), Ok(left.trailing_zeros()), "bit {n} of {bits:#x}");
            left &= left - 1;
            n += 1;
        }
        assert_eq!(nth_bit(bits, n), Err(0), "{bits:#x}");
        assert_eq!(nth_bit(bits, n + 3), Err(3), "{bits:#x}");
    }

    #[test]
    fn agrees_with_iterating_the_bits_of_a_million_words() {
        let mut rng = Rng::stream(1, 0);
        for round in 0..1_000_000 {
            let mut word = || match rng.below(4) {
                0 => u128::from(rng.bits()) << 64 | u128::from(rng.bits()),
                1 => 1 << rng.below(128) | 1 << rng.below(128),
                2 => u128::MAX >> rng.below(128),
                _ => u128::MAX << rng.below(128),
            };
            compare(match round % 3 {
                0 => word(),
                1 => word() & word(),
                _ => word() | word(),
            });
        }
    }

    /// Every 16 bits, in each quarter of both halves.
    #[test]
    fn agrees_on_every_short_word() {
        for bits in 0..1u128 << 16 {
            for shift in (0..128).step_by(16) {
                compare(bits << shift);
            }
        }
        compare(u128::MAX);
    }
}
