//! `WeightAverage`: the mean of the weights over the last part of a training, which the agent gets.

use afterstate_values::memory::{Memory, MemoryError};
use afterstate_values::weights::{load, store};

use crate::budget::{Span, whole};
use crate::recipe::Budget;

/// Samples of the weights, at equal distances in the unit of the budget: a run that is stopped and
/// resumed takes the same.
const SAMPLES: u64 = 100;

/// The mean so far.
pub(super) struct WeightAverage {
    pub(super) mean: Memory,
    /// How many samples it has.
    pub(super) samples: u64,
    /// The part of the budget that is averaged.
    span: Span,
    /// The samples that were due before the last look.
    due: Option<u64>,
}

impl WeightAverage {
    /// The mean of so many bytes of weights over a share of a budget.
    pub(super) fn new(
        bytes: u64,
        budget: &Budget,
        share: f64,
    ) -> Result<WeightAverage, MemoryError> {
        let whole = whole(budget);
        let span = Span { begin: whole * (1.0 - share), end: whole };
        Ok(WeightAverage { mean: Memory::zeroed(bytes)?, samples: 0, span, due: None })
    }

    /// Where the sample of this number is taken, from 1.
    fn point(&self, number: u64) -> f64 {
        self.span.begin + (self.span.end - self.span.begin) * (number as f64 / SAMPLES as f64)
    }

    /// How many samples are due at a position of the budget.
    fn due_at(&self, position: f64) -> u64 {
        (1..=SAMPLES).take_while(|&number| self.point(number) <= position).count() as u64
    }

    /// Prepares for a round that begins at a position; returns where it must end at the latest.
    pub(super) fn begin(&mut self, position: f64) -> f64 {
        let due = self.due.unwrap_or_else(|| self.due_at(position));
        self.due = Some(due);
        if due == 0 {
            // Also a run that was finished and is now trained longer.
            self.samples = 0;
        }
        let next = self.point(due + 1);
        if next > position { next } else { f64::INFINITY }
    }

    /// The number of the sample that is to be taken at a position, from 1.
    pub(super) fn sample(&mut self, position: f64) -> Option<u64> {
        let due = self.due_at(position);
        let before = self.due.replace(due)?;
        (due > before).then(|| {
            self.samples += 1;
            self.samples
        })
    }

    /// Adds a sample: the sample of this number. As `average.cu`: a weight that was zero in all
    /// earlier samples was not in use yet, and they do not count.
    pub(super) fn add(&self, weights: &Memory, number: u64) {
        let share = 1.0 / number as f32;
        for (mean, weight) in self.mean.words().iter().zip(weights.words()) {
            let (before, weight) = (load(mean), load(weight));
            let fresh = before.to_bits() == 0;
            store(mean, if fresh { weight } else { before + (weight - before) * share });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_taken_at_equal_distances() {
        let budget = Budget { moves: Some(10_000), ..Budget::default() };
        let mut average = WeightAverage::new(8, &budget, 0.1).unwrap();
        let weights = Memory::zeroed(8).unwrap();
        assert_eq!((average.begin(0.0), average.sample(8_990.0)), (9_010.0, None));
        let mut position = 8_990.0;
        while position < 10_000.0 {
            let end = average.begin(position);
            assert!(end > position && end <= position + 20.0, "{position} {end}");
            // A game is finished after its round.
            position = end + 3.0;
            store(&weights.words()[0], position as f32);
            if let Some(number) = average.sample(position) {
                average.add(&weights, number);
            }
        }
        assert_eq!(average.samples, 100);
        assert_eq!(average.mean.words().iter().map(load).collect::<Vec<_>>(), [9_508.0, 0.0]);
        // Trained longer: the old mean is forgotten.
        let budget = Budget { moves: Some(20_000), ..Budget::default() };
        let mut longer =
            WeightAverage { samples: 100, ..WeightAverage::new(8, &budget, 0.1).unwrap() };
        longer.begin(10_003.0);
        assert_eq!(longer.samples, 0);
    }
}
