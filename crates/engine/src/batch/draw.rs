//! `draw_legal`: a uniformly random legal action of every game, from the masks of a batch.

use afterstate_core::Rng;

/// Writes a uniformly random one of the legal actions of each game; `legal` has as many elements per
/// game. A game without a legal action gets action 0.
pub fn draw_legal(legal: &[bool], rng: &mut Rng, actions: &mut [i32]) {
    let width = legal.len() / actions.len().max(1);
    if width == 0 {
        return actions.fill(0);
    }
    for (mask, action) in legal.chunks_exact(width).zip(actions) {
        let count: usize = mask.chunks(PART).map(ones).sum();
        *action = nth(mask, rng.below(count.max(1))).unwrap_or(0) as i32;
    }
}

/// Elements that are counted at once: their number fits into a byte, so that the sum is vectorised.
const PART: usize = 128;

/// How many elements of a part are true.
#[inline]
fn ones(part: &[bool]) -> usize {
    if part.len() <= 8 {
        return word(part).count_ones() as usize;
    }
    part.iter().map(|&one| u8::from(one)).sum::<u8>().into()
}

/// At most eight elements, one per byte.
#[inline]
fn word(eight: &[bool]) -> u64 {
    (0..).step_by(8).zip(eight).fold(0, |word, (at, &one)| word | u64::from(one) << at)
}

/// Where the `n`-th true element is, counted from 0.
#[inline]
fn nth(mask: &[bool], mut n: usize) -> Option<usize> {
    const BYTES: u64 = 0x0101_0101_0101_0101;
    for (number, part) in mask.chunks(PART).enumerate() {
        let count = ones(part);
        if n >= count {
            n -= count;
            continue;
        }
        for (eighth, eight) in part.chunks(8).enumerate() {
            let word = word(eight);
            let count = word.count_ones() as usize;
            if n < count {
                // Byte i of the product counts the ones up to byte i. Where at most n of them are
                // there, the high bit survives the subtraction: those bytes are before the sought one.
                let counts = word.wrapping_mul(BYTES);
                let before = (((BYTES << 7) | (n as u64 * BYTES)) - counts) & (BYTES << 7);
                return Some(PART * number + 8 * eighth + before.count_ones() as usize);
            }
            n -= count;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_among_the_legal_actions() {
        let mut rng = Rng::stream(1, 0);
        for width in [1, 4, 31, 33, 40, 300, 1900] {
            let mut legal = vec![false; width];
            (0..width).filter(|n| n % 3 == 0).for_each(|n| legal[n] = true);
            let games = 20_000;
            let mut actions = vec![-1; games];
            draw_legal(&legal.repeat(games), &mut rng, &mut actions);
            let mut seen = vec![0u32; width];
            actions.iter().for_each(|&action| seen[action as usize] += 1);
            let expected = games as f64 / legal.iter().filter(|&&one| one).count() as f64;
            for (action, (&count, &one)) in seen.iter().zip(&legal).enumerate() {
                assert!(one || count == 0, "action {action} of {width} is illegal");
                let off = (f64::from(count) - expected).abs() / expected.sqrt();
                assert!(!one || off < 5.0, "action {action} of {width}: {count}, not {expected}");
            }
        }
    }

    #[test]
    fn draws_are_those_of_a_list_of_the_legal_actions() {
        let mut rng = Rng::stream(2, 0);
        for _ in 0..1_000_000 {
            let width = 1 + rng.below(100);
            let legal: Vec<bool> = (0..width).map(|_| rng.below(3) == 0).collect();
            let list: Vec<usize> = (0..width).filter(|&n| legal[n]).collect();
            let expected = list.get(rng.clone().below(list.len().max(1))).copied().unwrap_or(0);
            let mut actions = [-1];
            draw_legal(&legal, &mut rng, &mut actions);
            assert_eq!(actions[0] as usize, expected, "{legal:?}");
        }
        draw_legal(&[], &mut rng, &mut []);
    }
}
