//! Means with 95% confidence intervals: the form in which every result is reported.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

/// The summary of a sample.
///
/// ```
/// use afterstate_agents::Summary;
///
/// let summary = Summary::of(&[1.0, 2.0, 3.0, 4.0]).ok_or("no values")?;
/// assert_eq!((summary.mean, summary.median), (2.5, 2.5));
/// assert!(summary.ci95.is_some_and(|(low, high)| low < 1.0 && high > 4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The size of the sample.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean, if there are two or more values.
    pub standard_error: Option<f64>,
    /// The 95% interval of the mean (Student's t), if there are two or more.
    pub ci95: Option<(f64, f64)>,
    /// The median.
    pub median: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl Summary {
    /// The summary of a sample; `None` if it is empty.
    pub fn of(sample: &[f64]) -> Option<Summary> {
        let mut sorted = sample.to_vec();
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

    /// The summary of scores or lengths of games: where none is negative, neither is the interval.
    pub fn of_games(sample: &[f64]) -> Option<Summary> {
        let summary = Summary::of(sample)?;
        let floor = if summary.min < 0.0 { f64::NEG_INFINITY } else { 0.0 };
        let ci95 = summary.ci95.map(|(low, high)| (low.max(floor), high));
        Some(Summary { ci95, ..summary })
    }
}

/// Two samples compared value by value: the same games by two agents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paired {
    /// The mean of the second minus the mean of the first.
    pub difference: f64,
    /// Its 95% interval (Student's t of the differences), if there are two or more pairs.
    pub ci95: Option<(f64, f64)>,
    /// The two-sided probability of a difference as large by chance, if there are two or more pairs
    /// that do not all differ alike.
    pub p: Option<f64>,
    /// The share of pairs in which the second is larger; ties count half.
    pub wins: f64,
}

impl Paired {
    /// Compares two samples of the same size; `None` if they are empty or differ in size.
    pub fn of(first: &[f64], second: &[f64]) -> Option<Paired> {
        if first.len() != second.len() {
            return None;
        }
        let pairs = || first.iter().zip(second);
        let differences: Vec<f64> = pairs().map(|(first, second)| second - first).collect();
        let count = differences.len();
        let difference = Summary::of(&differences)?.mean;
        let error = standard_error(&differences, difference);
        let reach = error.map(|error| error * t_quantile_975(count - 1));
        let p = error.filter(|&error| error > 0.0).and_then(|error| {
            let t = StudentsT::new(0.0, 1.0, (count - 1) as f64).ok()?;
            Some(2.0 * t.cdf(-(difference / error).abs()))
        });
        let won = pairs().map(|(first, second)| match second.total_cmp(first) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        });
        Some(Paired {
            difference,
            ci95: reach.map(|reach| (difference - reach, difference + reach)),
            p,
            wins: won.sum::<f64>() / count as f64,
        })
    }
}

/// A rate of successes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Successes divided by trials.
    pub rate: f64,
    /// The 95% interval (Wilson's score), within 0 to 1.
    pub ci95: (f64, f64),
}

/// The rate of successes in trials; `None` without trials, or with more successes than trials.
pub fn rate(successes: u64, trials: u64) -> Option<Rate> {
    if trials == 0 || successes > trials {
        return None;
    }
    let count = trials as f64;
    let rate = successes as f64 / count;
    // Wilson (1927): the rates that lie less than z standard errors from this one.
    let squared = NORMAL_975 * NORMAL_975;
    let middle = rate + squared / (2.0 * count);
    let reach = NORMAL_975 * (rate * (1.0 - rate) / count + squared / (4.0 * count * count)).sqrt();
    let scale = 1.0 + squared / count;
    // Rounding must not move an end of 0 or 1.
    let low = if successes == 0 { 0.0 } else { (middle - reach) / scale };
    let high = if successes == trials { 1.0 } else { (middle + reach) / scale };
    Some(Rate { rate, ci95: (low, high) })
}

/// The share of games that reached each tile or more, for every power of two up to the largest
/// tile.
pub fn reach_rates(tiles: &[u64]) -> BTreeMap<u64, Rate> {
    let reached = |tile: u64| tiles.iter().filter(|&&other| other >= tile).count() as u64;
    let largest = tiles.iter().copied().max().unwrap_or(0);
    let all = (1..64).map(|power| 1u64 << power).take_while(|&tile| tile <= largest);
    all.filter_map(|tile| Some((tile, rate(reached(tile), tiles.len() as u64)?))).collect()
}

/// The estimate of the mean of an exponential lifetime under censoring: the total exposure over the
/// number of deaths. It applies to games with a constant hazard rate, some of which are truncated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exposure {
    /// The mean, if any death was observed.
    pub mean: Option<f64>,
    /// The lower end of its 95% interval; without a death, its one-sided lower bound at 95%.
    pub low: f64,
    /// The upper end of its 95% interval, if any death was observed.
    pub high: Option<f64>,
}

/// The mean of lifetimes that sum to `total` and end in `deaths`, none of them censored. The
/// interval is the exact one of exponential lifetimes.
pub fn exposure(total: f64, deaths: u64) -> Exposure {
    exposure_with(total, deaths, 0)
}

/// The same where some lifetimes are censored. The lower end counts one more death, which might
/// have followed at once, so that the interval covers the mean with at least 95%.
pub fn exposure_truncated(total: f64, deaths: u64) -> Exposure {
    exposure_with(total, deaths, 1)
}

fn exposure_with(total: f64, deaths: u64, censored: u64) -> Exposure {
    if deaths == 0 {
        // With a mean of `low`, the probability of no death over `total` is 5%.
        return Exposure { mean: None, low: total / -0.05f64.ln(), high: None };
    }
    // Twice the total in units of the mean is chi-squared with two degrees of freedom per death.
    let bound = |deaths, p| 2.0 * total / chi_squared_quantile(2.0 * deaths as f64, p);
    let (low, high) = (bound(deaths + censored, 0.975), bound(deaths, 0.025));
    Exposure { mean: Some(total / deaths as f64), low, high: Some(high) }
}

/// The 97.5% quantile of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

fn chi_squared_quantile(freedom: f64, probability: f64) -> f64 {
    let chi_squared = ChiSquared::new(freedom).expect("two or more degrees of freedom");
    chi_squared.inverse_cdf(probability)
}

fn standard_error(sample: &[f64], mean: f64) -> Option<f64> {
    let count = sample.len() as f64;
    if count < 2.0 {
        return None;
    }
    let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// The 97.5% quantile of Student's t. With many degrees of freedom it is the normal one with a
/// small correction (Cornish & Fisher 1938), since the inverse of `statrs` does not converge there.
fn t_quantile_975(freedom: usize) -> f64 {
    if freedom > 1_000 {
        return NORMAL_975 + (NORMAL_975.powi(3) + NORMAL_975) / (4.0 * freedom as f64);
    }
    let t = StudentsT::new(0.0, 1.0, freedom as f64).expect("one or more degrees of freedom");
    t.inverse_cdf(0.975)
}

#[cfg(test)]
mod tests;
