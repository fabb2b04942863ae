//! The study's measurements repeated: a mean of ten games is off by a third, so what compares with a
//! published one is the range of such means, not the interval of the exact expectation.

use afterstate_core::Rng;
use afterstate_learn::solve::Chain;

use crate::TrainingCache;
use crate::measure::Value;

/// Games are truncated after so many moves.
const MAX_MOVES: u64 = 1_000_000;

/// What some games of one repetition gave.
#[derive(Clone, Debug)]
pub(super) struct Games(Vec<(f64, f64)>);

impl Games {
    pub(super) fn mean_rounds(&self) -> f64 {
        self.0.iter().map(|game| game.0).sum::<f64>() / self.0.len() as f64
    }

    pub(super) fn mean_score(&self) -> f64 {
        self.0.iter().map(|game| game.1).sum::<f64>() / self.0.len() as f64
    }

    /// The rounds and the score of the shortest game.
    pub(super) fn shortest(&self) -> (f64, f64) {
        self.0.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    /// The rounds and the score of the longest game.
    pub(super) fn longest(&self) -> (f64, f64) {
        self.0.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }
}

/// Repetitions of some games.
pub(super) struct Repetitions(Vec<Games>);

impl Repetitions {
    /// Each repetition plays so many games of one of the chains, in turn.
    pub(super) fn of(cache: &TrainingCache, chains: &[Chain], games: u64) -> Repetitions {
        let count = cache.scale.pick([20, 200, 2_000]);
        let repetition = |(number, chain): (u64, &Chain)| {
            let mut rng = Rng::stream(cache.seed, number);
            let play = |_| {
                let (moves, score) = chain.play(MAX_MOVES, &mut rng);
                (moves as f64, score)
            };
            Games((0..games).map(play).collect())
        };
        Repetitions((0..count).zip(chains.iter().cycle()).map(repetition).collect())
    }

    /// The mean of a figure, and the interval that 95% of the repetitions lie in.
    pub(super) fn value(&self, figure: impl Fn(&Games) -> f64) -> Value {
        spread(&self.0.iter().map(figure).collect::<Vec<f64>>())
    }

    /// An exact expectation with the interval that 95% of the repetitions lie in.
    pub(super) fn around(&self, exact: f64, figure: impl Fn(&Games) -> f64) -> Value {
        Value::within(exact, self.value(figure).ci95)
    }
}

/// The mean of some figures, and the interval that 95% of them lie in.
pub(super) fn spread(figures: &[f64]) -> Value {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    Value::within(mean, (!sorted.is_empty()).then(|| (at(0.025), at(0.975))))
}
