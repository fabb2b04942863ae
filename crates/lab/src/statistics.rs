//! Means with intervals: the only form in which a result is reported.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// What a sample of numbers says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many numbers there are.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The standard error of the mean, if there are two or more.
    pub standard_error: Option<f64>,
    /// Low and high end of the 95% interval of the mean (Student's t), if there are two or more.
    pub ci95: Option<(f64, f64)>,
    /// The number in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// The summary of some numbers; `None` if there are none.
    pub fn of(numbers: &[f64]) -> Option<Summary> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let count = sorted.len();
        let mean = sorted.iter().sum::<f64>() / count as f64;
        let standard_error = standard_error(&sorted, mean);
        let ci95 = standard_error.map(|error| {
            let reach = error * t_quantile_975(count - 1);
            (mean - reach, mean + reach)
        });
        let median = f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]);
        Some(Summary { count: count as u64, mean, standard_error, ci95, median, min, max })
    }
}

fn standard_error(numbers: &[f64], mean: f64) -> Option<f64> {
    let count = numbers.len() as f64;
    if count < 2.0 {
        return None;
    }
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// The point below which Student's t lies with probability 0.975.
fn t_quantile_975(freedom: usize) -> f64 {
    let t = StudentsT::new(0.0, 1.0, freedom as f64).expect("one or more degrees of freedom");
    t.inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_by_hand() {
        let summary = Summary::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!((summary.mean, summary.median, summary.min, summary.max), (3.0, 2.5, 1.0, 6.0));
        // Squares 4 + 1 + 0 + 9 = 14; 14 / 3 / 4 = 1.1667; t(3) = 3.1824.
        let error = summary.standard_error.unwrap();
        assert!((error - 1.080_123).abs() < 1e-6);
        let (low, high) = summary.ci95.unwrap();
        assert!((low + 0.437_4).abs() < 1e-3 && (high - 6.437_4).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn one_number_has_no_interval_and_none_no_summary() {
        let summary = Summary::of(&[5.0]).unwrap();
        assert_eq!((summary.mean, summary.ci95), (5.0, None));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn the_interval_covers_the_mean_about_95_times_in_100() {
        let mut rng = afterstate_core::Rng::stream(9, 0);
        let mut covered = 0;
        for _ in 0..2_000 {
            let numbers: Vec<f64> = (0..12).map(|_| rng.unit()).collect();
            let (low, high) = Summary::of(&numbers).unwrap().ci95.unwrap();
            covered += u32::from(low < 0.5 && 0.5 < high);
        }
        assert!((1_860..1_940).contains(&covered), "{covered} of 2000");
    }
}
