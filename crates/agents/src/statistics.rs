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
mod tests {
    use afterstate_core::Rng;

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
    fn the_interval_of_games_is_not_negative() {
        let interval = |sample: &[f64]| Summary::of_games(sample).unwrap().ci95.unwrap();
        assert_eq!(interval(&[1.0, 2.0, 3.0, 6.0]).0, 0.0);
        assert!(interval(&[-1.0, 2.0, 3.0, 6.0]).0 < 0.0, "scores may be losses");
    }

    #[test]
    fn pairs_by_hand() {
        // Differences 1, 2, 3, -2: mean 1, squares 0 + 1 + 4 + 9 = 14, error 1.0801, t = 0.9258.
        let first = [10.0, 20.0, 30.0, 40.0];
        let paired = Paired::of(&first, &[11.0, 22.0, 33.0, 38.0]).unwrap();
        assert_eq!((paired.difference, paired.wins), (1.0, 0.75));
        let (low, high) = paired.ci95.unwrap();
        assert!((low + 2.437_4).abs() < 1e-3 && (high - 4.437_4).abs() < 1e-3, "{low} {high}");
        // Two-sided, t = 0.9258 with 3 degrees of freedom.
        assert!((paired.p.unwrap() - 0.4228).abs() < 1e-3, "{:?}", paired.p);
        // Without any variance there is no test, and unequal samples are no pairs.
        assert_eq!(Paired::of(&first, &first).unwrap().p, None);
        assert_eq!(Paired::of(&first, &first).unwrap().wins, 0.5);
        assert_eq!(Paired::of(&first, &first[..3]), None);
    }

    #[test]
    fn quantiles_of_t_are_those_of_tables() {
        for (freedom, quantile) in [
            (1, 12.7062),
            (3, 3.1824),
            (30, 2.0423),
            (1_000, 1.9623),
            (6_324_193, 1.95996),
            (1 << 40, 1.95996),
        ] {
            let found = t_quantile_975(freedom);
            assert!((found - quantile).abs() < 1e-4, "{freedom}: {found}, expected {quantile}");
        }
        assert!(
            (t_quantile_975(1_000) - t_quantile_975(1_001)).abs() < 1e-5,
            "the approximation is continuous"
        );
    }

    #[test]
    fn one_value_has_no_interval_and_an_empty_sample_no_summary() {
        let summary = Summary::of(&[5.0]).unwrap();
        assert_eq!((summary.mean, summary.ci95), (5.0, None));
        assert_eq!(Summary::of(&[]), None);
    }

    /// How many of some intervals cover the truth.
    fn coverage(samples: u32, truth: f64, mut interval: impl FnMut() -> (f64, f64)) -> u32 {
        let covers = |(low, high)| u32::from(low < truth && truth < high);
        (0..samples).map(|_| covers(interval())).sum()
    }

    /// A lifetime of mean 7.
    fn lifetime(rng: &mut Rng) -> f64 {
        -(1.0 - rng.unit()).ln() * 7.0
    }

    #[test]
    fn the_interval_covers_the_mean_about_95_times_in_100() {
        let mut rng = Rng::stream(9, 0);
        let covered = coverage(2_000, 0.5, || {
            let sample: Vec<f64> = (0..12).map(|_| rng.unit()).collect();
            Summary::of(&sample).unwrap().ci95.unwrap()
        });
        assert!((1_860..1_940).contains(&covered), "{covered} of 2000");
    }

    /// Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    #[test]
    fn rates_as_published() {
        let published = [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ];
        for (successes, trials, low, high) in published {
            let found = rate(successes, trials).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 5.1e-5;
            assert!(near(found.ci95.0, low) && near(found.ci95.1, high), "{found:?}");
            assert_eq!(found.rate, successes as f64 / trials as f64);
            let (low, high) = rate(trials - successes, trials).unwrap().ci95;
            assert!(near(1.0 - high, found.ci95.0) && near(1.0 - low, found.ci95.1));
        }
    }

    #[test]
    fn rates_at_the_edges() {
        assert_eq!(rate(0, 0), None);
        assert_eq!(rate(2, 1), None);
        assert_eq!(rate(0, 5).unwrap().ci95.0, 0.0);
        assert_eq!(rate(5, 5).unwrap().ci95.1, 1.0);
        let (low, high) = rate(u64::MAX / 2, u64::MAX).unwrap().ci95;
        assert!(low < 0.5 && 0.5 < high && high - low < 1e-9);
    }

    #[test]
    fn exposures_by_hand() {
        // Tables of chi-squared: 20 degrees 9.591 and 34.170, 2 degrees 0.0506 and 7.378.
        let ten = exposure(1000.0, 10);
        assert_eq!(ten.mean, Some(100.0));
        let high = ten.high.unwrap();
        assert!((ten.low - 58.53).abs() < 0.01 && (high - 208.53).abs() < 0.02, "{ten:?}");
        let one = exposure(100.0, 1);
        let high = one.high.unwrap();
        assert!((one.low - 27.11).abs() < 0.01 && (high - 3949.8).abs() < 0.1, "{one:?}");
        // 4 degrees: 11.143.
        let truncated = exposure_truncated(100.0, 1);
        assert!((truncated.low - 17.95).abs() < 0.01, "{truncated:?}");
        assert_eq!(truncated.high, one.high);
        // The rule of three: no death over an exposure of 3 bounds the mean by about 1.
        let none = exposure(3.0, 0);
        assert_eq!((none.mean, none.high), (None, None));
        assert!((none.low - 1.001_4).abs() < 1e-4, "{none:?}");
    }

    #[test]
    fn many_deaths_are_nearly_normal() {
        for deaths in [10_000, 1_000_000, 100_000_000] {
            let found = exposure(deaths as f64, deaths);
            let reach = NORMAL_975 / (deaths as f64).sqrt();
            let (low, high) = (1.0 - found.low, found.high.unwrap() - 1.0);
            assert!((low / reach - 1.0).abs() < 0.03, "{deaths}: {found:?}");
            assert!((high / reach - 1.0).abs() < 0.03, "{deaths}: {found:?}");
        }
    }

    #[test]
    fn the_exposure_covers_the_mean_about_95_times_in_100() {
        let mut rng = Rng::stream(10, 0);
        for deaths in [1, 3, 20] {
            let covered = coverage(4_000, 7.0, || {
                let found = exposure((0..deaths).map(|_| lifetime(&mut rng)).sum(), deaths);
                (found.low, found.high.unwrap())
            });
            assert!((3_745..3_855).contains(&covered), "{covered} of 4000 with {deaths} deaths");
        }
    }

    #[test]
    fn censored_lifetimes_are_covered_at_least_95_times_in_100() {
        let mut rng = Rng::stream(12, 0);
        for time_limit in [8.0, 20.0, 100.0] {
            let covered = coverage(4_000, 7.0, || {
                // One lifetime after the other, up to a fixed exposure; at least one ends.
                let mut deaths = 0;
                while deaths == 0 {
                    let mut time = lifetime(&mut rng);
                    while time <= time_limit {
                        deaths += 1;
                        time += lifetime(&mut rng);
                    }
                }
                let found = exposure_truncated(time_limit, deaths);
                (found.low, found.high.unwrap())
            });
            assert!(covered >= 3_780, "{covered} of 4000 in {time_limit}");
        }
    }

    #[test]
    fn without_a_death_the_bound_holds_95_times_in_100() {
        // The exposure that a lifetime of mean 1 survives with 5%: the bound is exactly 1.
        let time_limit = -0.05f64.ln();
        assert!((exposure(time_limit, 0).low - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_rate_covers_the_truth_about_95_times_in_100() {
        let mut rng = Rng::stream(11, 0);
        for truth in [0.02, 0.3, 0.9] {
            let covered = coverage(4_000, truth, || {
                let successes = (0..200).filter(|_| rng.unit() < truth).count() as u64;
                rate(successes, 200).unwrap().ci95
            });
            assert!((3_700..3_900).contains(&covered), "{covered} of 4000 at {truth}");
        }
    }
}
