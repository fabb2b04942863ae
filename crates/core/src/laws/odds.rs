//! The laws of chance: odds sum to one, and samplers follow them (by chi-squared).

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

use crate::{Game, Rng};

/// Standard deviations at which a sampler is called wrong: about one false alarm in three million.
const TOO_FAR: f64 = 5.0;

/// The smallest expected count of a cell of the chi-squared test; rarer outcomes share one cell.
const SMALLEST_CELL: f64 = 10.0;

pub(super) fn sum_to_one<G: Game>(game: &G, after: &G::After) {
    let mut odds_of = HashMap::new();
    game.for_each_chance(after, |state, odds| {
        assert!(odds > 0.0, "{state:?} is dealt with odds {odds}");
        assert!(odds_of.insert(state, odds).is_none(), "{state:?} is dealt twice");
    });
    let sum: f64 = odds_of.values().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the odds after {after:?} sum to {sum}");
}

pub(super) fn sample_agrees<G: Game>(game: &G, after: &G::After, rng: &mut Rng) {
    let mut odds_of = HashMap::new();
    game.for_each_chance(after, |state, odds| {
        odds_of.insert(state, odds);
    });
    agrees(&odds_of, || game.sample(after, rng));
}

pub(super) fn start_agrees<G: Game>(game: &G, seed: u64) {
    let mut odds_of = HashMap::new();
    let _ = game.try_start(|state, odds| {
        assert!(odds_of.insert(state, odds).is_none(), "{state:?} starts twice");
        ControlFlow::<()>::Continue(())
    });
    let sum: f64 = odds_of.values().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the odds of the start sum to {sum}");
    let mut rng = Rng::stream(seed, 1);
    agrees(&odds_of, || game.start(&mut rng));
}

fn agrees<S: Copy + Eq + Hash + Debug>(odds_of: &HashMap<S, f64>, mut draw: impl FnMut() -> S) {
    let draws = 2_000 + 20 * odds_of.len();
    let mut seen: HashMap<S, f64> = HashMap::new();
    for _ in 0..draws {
        let state = draw();
        assert!(odds_of.contains_key(&state), "{state:?} was drawn and has no odds");
        *seen.entry(state).or_default() += 1.0;
    }
    let (mut chi2, mut cells) = (0.0, 0.0);
    let (mut rare_seen, mut rare_expected) = (0.0, 0.0);
    for (state, odds) in odds_of {
        let count = seen.get(state).copied().unwrap_or(0.0);
        let expected = odds * draws as f64;
        if expected < SMALLEST_CELL {
            rare_seen += count;
            rare_expected += expected;
        } else {
            chi2 += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rare_expected >= SMALLEST_CELL {
        chi2 += (rare_seen - rare_expected).powi(2) / rare_expected;
        cells += 1.0;
    }
    if cells > 1.0 {
        let far = deviations(chi2, cells - 1.0);
        assert!(far < TOO_FAR, "sampled odds are {far:.1} standard deviations off: {seen:?}");
    }
}

/// How many standard deviations a chi-squared value lies above its middle (Wilson & Hilferty 1931).
fn deviations(chi2: f64, freedom: f64) -> f64 {
    let spread = 2.0 / (9.0 * freedom);
    ((chi2 / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_match_tables_of_chi_squared() {
        // Upper 0.1% points: 18.467 at 4 degrees of freedom, 149.449 at 100.
        assert!((deviations(18.467, 4.0) - 3.09).abs() < 0.05);
        assert!((deviations(149.449, 100.0) - 3.09).abs() < 0.01);
    }

    #[test]
    #[should_panic(expected = "standard deviations off")]
    fn a_loaded_die_is_found() {
        let odds: HashMap<u32, f64> = (0..6).map(|face| (face, 1.0 / 6.0)).collect();
        let mut rng = Rng::stream(5, 0);
        agrees(&odds, || if rng.below(12) == 0 { 5 } else { rng.below(6) as u32 });
    }
}
