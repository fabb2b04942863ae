//! Exploration: how a learner chooses among moves whose values it knows.

use afterstate_core::Rng;

/// A way to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Exploration {
    /// The largest value, ties to the first. Explores only what was valued too high at first
    /// (optimistic initial values).
    #[default]
    Greedy,
    /// The largest value, but with these odds any move.
    Epsilon(f32),
    /// Every move by the odds exp(value / temperature).
    Softmax(f32),
}

impl Exploration {
    /// The number of a move, given the value of each; `None` if there is no move.
    #[inline]
    pub fn choose(self, values: &[f32], rng: &mut Rng) -> Option<usize> {
        match self {
            Exploration::Greedy => best(values),
            Exploration::Epsilon(odds) => {
                if !values.is_empty() && rng.unit() < f64::from(odds) {
                    return Some(rng.below(values.len()));
                }
                best(values)
            }
            Exploration::Softmax(temperature) => softmax(values, temperature, rng),
        }
    }
}

/// The first of the largest values.
#[inline]
pub fn best(values: &[f32]) -> Option<usize> {
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for (number, &value) in values.iter().enumerate() {
        // The first move counts even if nothing is known of it.
        if value > most || best.is_none() {
            (best, most) = (Some(number), value);
        }
    }
    best
}

/// Only differences to the largest value count: the powers never overflow, and the largest of
/// them is one, whatever the size of the values.
fn softmax(values: &[f32], temperature: f32, rng: &mut Rng) -> Option<usize> {
    let first = best(values)?;
    let most = values[first];
    let power = |value: f32| f64::from(((value - most) / temperature).exp());
    // A temperature of zero is greedy: a difference of zero by zero has no power.
    if temperature <= 0.0 {
        return Some(first);
    }
    let sum: f64 = values.iter().map(|&value| power(value)).sum();
    let mut left = rng.unit() * sum;
    for (number, &value) in values.iter().enumerate() {
        left -= power(value);
        if left < 0.0 {
            return Some(number);
        }
    }
    Some(first)
}

/// A number that changes by equal ratios from game to game: a temperature that cools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// What it is in the first game.
    pub first: f32,
    /// What it is from the last game on.
    pub last: f32,
    /// Games from the first to the last.
    pub games: u64,
}

impl Schedule {
    /// The same in every game.
    pub fn constant(value: f32) -> Schedule {
        Schedule { first: value, last: value, games: 1 }
    }

    /// What it is in a game, counted from 0.
    pub fn at(&self, game: u64) -> f32 {
        let part = (game as f32 / self.games.max(1) as f32).min(1.0);
        if self.first > 0.0 && self.last > 0.0 {
            return self.first * (self.last / self.first).powf(part);
        }
        self.first + (self.last - self.first) * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of three moves is chosen.
    fn odds(exploration: Exploration, values: &[f32; 3]) -> [f64; 3] {
        let (mut rng, mut counts) = (Rng::stream(1, 0), [0.0; 3]);
        for _ in 0..100_000 {
            counts[exploration.choose(values, &mut rng).unwrap()] += 1e-5;
        }
        counts
    }

    fn close(met: [f64; 3], expected: [f64; 3]) {
        for (a, b) in met.iter().zip(expected) {
            assert!((a - b).abs() < 0.006, "{met:?} {expected:?}");
        }
    }

    #[test]
    fn each_way_has_its_odds() {
        let values = [1.0, 3.0, 3.0];
        close(odds(Exploration::Greedy, &values), [0.0, 1.0, 0.0]);
        close(odds(Exploration::Epsilon(0.3), &values), [0.1, 0.8, 0.1]);
        let low = f64::exp(-1.0);
        let sum = 2.0 + low;
        close(odds(Exploration::Softmax(2.0), &values), [low / sum, 1.0 / sum, 1.0 / sum]);
        assert_eq!(Exploration::Softmax(1.0).choose(&[], &mut Rng::stream(1, 0)), None);
    }

    #[test]
    fn softmax_is_stable_for_values_of_any_size() {
        for size in [1e-30, 1.0, 1e30] {
            for middle in [-1e30, 0.0, 1e30] {
                let values = [middle, middle + size, middle - size];
                for temperature in [0.0, 1e-30, 1.0, 1e30] {
                    let met = odds(Exploration::Softmax(temperature), &values);
                    assert!((met.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{met:?}");
                }
            }
        }
        // Cold: only the best. Hot: all alike.
        let values = [-2e5, -1e5, -3e5];
        close(odds(Exploration::Softmax(1e-3), &values), [0.0, 1.0, 0.0]);
        close(odds(Exploration::Softmax(1e9), &values), [1.0 / 3.0; 3]);
    }

    #[test]
    fn temperatures_cool_by_equal_ratios() {
        let cooling = Schedule { first: 100.0, last: 1.0, games: 10 };
        let close = |game, value: f32| assert!((cooling.at(game) - value).abs() < 1e-3 * value);
        close(0, 100.0);
        close(5, 10.0);
        close(10, 1.0);
        close(1_000, 1.0);
        assert_eq!(Schedule { first: 1.0, last: 0.0, games: 4 }.at(2), 0.5);
    }
}
