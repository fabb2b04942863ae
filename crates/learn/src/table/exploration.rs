//! Exploration: how a learner selects among moves by their values.

use afterstate_core::Rng;

/// An exploration strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Exploration {
    /// The largest value, ties to the first. Explores only by optimistic initial values.
    #[default]
    Greedy,
    /// Epsilon-greedy: with this probability any move, otherwise the largest value.
    Epsilon(f32),
    /// Every move with a probability proportional to exp(value / temperature).
    Softmax(f32),
    /// Softmax at the temperature that gives the worst move this probability (Carr 2005, section 7.1);
    /// uniform where it is more than one part of the moves.
    WorstMove(f32),
}

impl Exploration {
    /// The index of a move, given the value of each; `None` if there is no move.
    #[inline]
    pub fn choose(self, values: &[f32], rng: &mut Rng) -> Option<usize> {
        match self {
            Exploration::Greedy => argmax(values),
            Exploration::Epsilon(epsilon) => {
                if !values.is_empty() && rng.unit() < f64::from(epsilon) {
                    return Some(rng.below(values.len()));
                }
                argmax(values)
            }
            Exploration::Softmax(temperature) => softmax(values, temperature, rng),
            Exploration::WorstMove(probability) => {
                softmax(values, temperature_of(values, probability), rng)
            }
        }
    }
}

/// The index of the largest value; ties go to the first.
#[inline]
pub fn argmax(values: &[f32]) -> Option<usize> {
    let mut best = None;
    let mut max = f32::NEG_INFINITY;
    for (i, &value) in values.iter().enumerate() {
        // A first value of NaN or negative infinity still selects a move.
        if value > max || best.is_none() {
            (best, max) = (Some(i), value);
        }
    }
    best
}

/// Exponents are differences from the largest value, so that no power overflows and the largest is
/// one.
fn softmax(values: &[f32], temperature: f32, rng: &mut Rng) -> Option<usize> {
    let first = argmax(values)?;
    let max = values[first];
    let power = |value: f32| f64::from(((value - max) / temperature).exp());
    // A temperature of zero is greedy: the quotient would be 0 / 0.
    if temperature <= 0.0 {
        return Some(first);
    }
    let sum: f64 = values.iter().map(|&value| power(value)).sum();
    let mut left = rng.unit() * sum;
    for (i, &value) in values.iter().enumerate() {
        left -= power(value);
        if left < 0.0 {
            return Some(i);
        }
    }
    Some(first)
}

/// The temperature at which softmax selects the smallest value with some probability; infinite if
/// that is not below the uniform one.
///
/// With `b = 1 / temperature` and `d` the differences from the smallest value, it solves
/// `ln sum exp(b d) = -ln probability`. The left side is convex and rises with `b`, so that Newton's
/// method converges from above without a step back.
fn temperature_of(values: &[f32], probability: f32) -> f32 {
    let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let span = f64::from(largest - smallest);
    let target = -f64::from(probability).ln();
    if span <= 0.0 || target <= (values.len() as f64).ln() {
        return f32::INFINITY;
    }
    let mut b = target / span;
    for _ in 0..20 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for &value in values {
            let difference = f64::from(value - smallest);
            let power = (b * difference).exp();
            sum += power;
            slope += difference * power;
        }
        let step = (sum.ln() - target) * sum / slope;
        b -= step;
        if step <= 1e-6 * b {
            break;
        }
    }
    (1.0 / b) as f32
}

/// A parameter that changes geometrically from game to game, such as a temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Its value in the first game.
    pub first: f32,
    /// Its value from the last game on.
    pub last: f32,
    /// Games from the first to the last.
    pub games: u64,
}

impl Schedule {
    /// Its value in a game, counted from 0.
    pub fn at(&self, game: u64) -> f32 {
        let fraction = (game as f32 / self.games.max(1) as f32).min(1.0);
        if self.first > 0.0 && self.last > 0.0 {
            return self.first * (self.last / self.first).powf(fraction);
        }
        self.first + (self.last - self.first) * fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frequency of each of three moves.
    fn frequencies(exploration: Exploration, values: &[f32; 3]) -> [f64; 3] {
        let (mut rng, mut counts) = (Rng::stream(1, 0), [0.0; 3]);
        for _ in 0..100_000 {
            counts[exploration.choose(values, &mut rng).unwrap()] += 1e-5;
        }
        counts
    }

    fn close(found: [f64; 3], expected: [f64; 3]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 0.006, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn every_strategy_has_its_probabilities() {
        let values = [1.0, 3.0, 3.0];
        close(frequencies(Exploration::Greedy, &values), [0.0, 1.0, 0.0]);
        close(frequencies(Exploration::Epsilon(0.3), &values), [0.1, 0.8, 0.1]);
        let low = f64::exp(-1.0);
        let sum = 2.0 + low;
        close(frequencies(Exploration::Softmax(2.0), &values), [low / sum, 1.0 / sum, 1.0 / sum]);
        assert_eq!(Exploration::Softmax(1.0).choose(&[], &mut Rng::stream(1, 0)), None);
    }

    #[test]
    fn softmax_is_stable_for_values_of_any_size() {
        for size in [1e-30, 1.0, 1e30] {
            for middle in [-1e30, 0.0, 1e30] {
                let values = [middle, middle + size, middle - size];
                for temperature in [0.0, 1e-30, 1.0, 1e30] {
                    let found = frequencies(Exploration::Softmax(temperature), &values);
                    assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{found:?}");
                }
            }
        }
        // Cold: only the best. Hot: uniform.
        let values = [-2e5, -1e5, -3e5];
        close(frequencies(Exploration::Softmax(1e-3), &values), [0.0, 1.0, 0.0]);
        close(frequencies(Exploration::Softmax(1e9), &values), [1.0 / 3.0; 3]);
    }

    #[test]
    fn the_worst_move_has_its_probability() {
        for values in [[1.0, 3.0, 3.0], [-150.0, 0.0, -20.0], [-1e4, 1e4, 0.0]] {
            for probability in [0.3, 0.1, 0.01] {
                let temperature = temperature_of(&values, probability);
                let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
                let power = |value: f32| f64::from((value - smallest) / temperature).exp();
                let sum: f64 = values.iter().map(|&value| power(value)).sum();
                assert!((1.0 / sum / f64::from(probability) - 1.0).abs() < 1e-4, "{values:?}");
                let found = frequencies(Exploration::WorstMove(probability), &values);
                let worst = values.iter().position(|&value| value == smallest).unwrap();
                assert!((found[worst] - f64::from(probability)).abs() < 0.006, "{found:?}");
            }
        }
        // Equal values, and more than one part of the moves: uniform.
        close(frequencies(Exploration::WorstMove(0.01), &[2.0; 3]), [1.0 / 3.0; 3]);
        close(frequencies(Exploration::WorstMove(0.5), &[1.0, 2.0, 9.0]), [1.0 / 3.0; 3]);
    }

    #[test]
    fn schedules_are_geometric() {
        let cooling = Schedule { first: 100.0, last: 1.0, games: 10 };
        let close = |game, value: f32| assert!((cooling.at(game) - value).abs() < 1e-3 * value);
        close(0, 100.0);
        close(5, 10.0);
        close(10, 1.0);
        close(1_000, 1.0);
        assert_eq!(Schedule { first: 1.0, last: 0.0, games: 4 }.at(2), 0.5);
    }
}
