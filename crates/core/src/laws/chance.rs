//! The laws of chance: probabilities sum to one, and samplers follow them (chi-squared test).

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use crate::{Game, Rng};

/// The significance level in standard deviations: about one false alarm in three million.
const MAX_DEVIATIONS: f64 = 5.0;

/// The smallest expected count of a bin of the chi-squared test; rarer outcomes share one bin.
const MIN_EXPECTED: f64 = 10.0;

pub(super) fn sum_to_one<G: Game>(game: &G, after: &G::After) {
    let mut probabilities = HashMap::new();
    game.for_each_chance(after, |state, probability| {
        assert!(probability > 0.0, "{state:?} has probability {probability}");
        assert!(probabilities.insert(state, probability).is_none(), "{state:?} occurs twice");
    });
    let sum: f64 = probabilities.values().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the probabilities after {after:?} sum to {sum}");
}

pub(super) fn sample_agrees<G: Game>(game: &G, after: &G::After, rng: &mut Rng) {
    let mut probabilities = HashMap::new();
    game.for_each_chance(after, |state, probability| {
        probabilities.insert(state, probability);
    });
    agrees(&probabilities, || game.sample(after, rng));
}

pub(super) fn start_agrees<G: Game>(game: &G, seed: u64) {
    let mut probabilities = HashMap::new();
    game.for_each_start(|state, probability| {
        assert!(probabilities.insert(state, probability).is_none(), "{state:?} starts twice");
    });
    let sum: f64 = probabilities.values().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the probabilities of the start sum to {sum}");
    let mut rng = Rng::stream(seed, 1);
    agrees(&probabilities, || game.start(&mut rng));
}

fn agrees<S: Copy + Eq + Hash + Debug>(
    probabilities: &HashMap<S, f64>,
    mut draw: impl FnMut() -> S,
) {
    let draws = 2_000 + 20 * probabilities.len();
    let mut counts: HashMap<S, f64> = HashMap::new();
    for _ in 0..draws {
        let state = draw();
        assert!(probabilities.contains_key(&state), "{state:?} was drawn with probability 0");
        *counts.entry(state).or_default() += 1.0;
    }
    let (mut chi2, mut bins) = (0.0, 0.0);
    let (mut rare_count, mut rare_expected) = (0.0, 0.0);
    for (state, probability) in probabilities {
        let count = counts.get(state).copied().unwrap_or(0.0);
        let expected = probability * draws as f64;
        if expected < MIN_EXPECTED {
            rare_count += count;
            rare_expected += expected;
        } else {
            chi2 += (count - expected).powi(2) / expected;
            bins += 1.0;
        }
    }
    if rare_expected >= MIN_EXPECTED {
        chi2 += (rare_count - rare_expected).powi(2) / rare_expected;
        bins += 1.0;
    }
    if bins > 1.0 {
        let z = deviations(chi2, bins - 1.0);
        assert!(z < MAX_DEVIATIONS, "samples are {z:.1} standard deviations off: {counts:?}");
    }
}

/// The standard normal deviate of a chi-squared value (Wilson & Hilferty 1931).
fn deviations(chi2: f64, freedom: f64) -> f64 {
    let variance = 2.0 / (9.0 * freedom);
    ((chi2 / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
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
        let probability: HashMap<u32, f64> = (0..6).map(|face| (face, 1.0 / 6.0)).collect();
        let mut rng = Rng::stream(5, 0);
        agrees(&probability, || if rng.below(12) == 0 { 5 } else { rng.below(6) as u32 });
    }
}
