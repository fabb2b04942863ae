//! Means with intervals: the only form in which a result is reported.

use std::collections::BTreeMap;

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

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

/// How often something happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Successes by trials.
    pub rate: f64,
    /// Low and high end of the 95% interval (Wilson's score), always within 0 and 1.
    pub ci95: (f64, f64),
}

/// The rate of so many successes in so many trials; `None` for no trials, or more successes than
/// trials.
pub fn rate(successes: u64, trials: u64) -> Option<Rate> {
    if trials == 0 || successes > trials {
        return None;
    }
    let count = trials as f64;
    let rate = successes as f64 / count;
    // Wilson (1927): the rates from which this one is less than z standard errors away.
    let squared = NORMAL_975 * NORMAL_975;
    let middle = rate + squared / (2.0 * count);
    let reach = NORMAL_975 * (rate * (1.0 - rate) / count + squared / (4.0 * count * count)).sqrt();
    let shrink = 1.0 + squared / count;
    // Rounding must not move an end that is 0 or 1.
    let low = if successes == 0 { 0.0 } else { (middle - reach) / shrink };
    let high = if successes == trials { 1.0 } else { (middle + reach) / shrink };
    Some(Rate { rate, ci95: (low, high) })
}

/// The part of some games that reached each tile or more: tiles are powers of two, and every one up
/// to the largest is listed.
pub fn reach_rates(tiles: &[u64]) -> BTreeMap<u64, Rate> {
    let reached = |tile: u64| tiles.iter().filter(|&&other| other >= tile).count() as u64;
    let largest = tiles.iter().copied().max().unwrap_or(0);
    let all = (1..64).map(|power| 1u64 << power).take_while(|&tile| tile <= largest);
    all.filter_map(|tile| Some((tile, rate(reached(tile), tiles.len() as u64)?))).collect()
}

/// How long something lasts that ends by chance, equally likely at every moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exposure {
    /// The mean length, if any end was seen.
    pub mean: Option<f64>,
    /// The low end of its 95% interval; with no end seen, the bound that it exceeds with 95%.
    pub low: f64,
    /// The high end of its 95% interval, if any end was seen.
    pub high: Option<f64>,
}

/// The mean length of lives that lasted `total` together, to their ends, so many `deaths`. The
/// interval is that of exponential lengths, exact when the last death ends the count.
pub fn exposure(total: f64, deaths: u64) -> Exposure {
    exposure_up_to(total, deaths, 0)
}

/// The same where some other lives were cut off. The next death might have come at once, so the
/// low end counts it: the interval is never too narrow.
pub fn exposure_cut_off(total: f64, deaths: u64) -> Exposure {
    exposure_up_to(total, deaths, 1)
}

fn exposure_up_to(total: f64, deaths: u64, more: u64) -> Exposure {
    if deaths == 0 {
        // Of lives with a mean of `low`, 5 in 100 would last so long.
        return Exposure { mean: None, low: total / -0.05f64.ln(), high: None };
    }
    // Twice the total in units of the mean is chi-squared with two degrees for each death.
    let bound = |deaths, part| 2.0 * total / chi_squared_quantile(2.0 * deaths as f64, part);
    let (low, high) = (bound(deaths + more, 0.975), bound(deaths, 0.025));
    Exposure { mean: Some(total / deaths as f64), low, high: Some(high) }
}

/// The point below which the normal distribution lies with probability 0.975.
const NORMAL_975: f64 = 1.959_963_984_540_054;

fn chi_squared_quantile(freedom: f64, part: f64) -> f64 {
    let chi_squared = ChiSquared::new(freedom).expect("two or more degrees of freedom");
    chi_squared.inverse_cdf(part)
}

fn standard_error(numbers: &[f64], mean: f64) -> Option<f64> {
    let count = numbers.len() as f64;
    if count < 2.0 {
        return None;
    }
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// The point below which Student's t lies with probability 0.975. With many degrees of freedom
/// it is the normal one with a small correction (Cornish & Fisher 1938); the crate's own search
/// loses its way there.
fn t_quantile_975(freedom: usize) -> f64 {
    const NORMAL: f64 = 1.959_963_984_540_054;
    if freedom > 1_000 {
        return NORMAL + (NORMAL.powi(3) + NORMAL) / (4.0 * freedom as f64);
    }
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
            "where the ways meet"
        );
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
            let met = rate(successes, trials).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 5.1e-5;
            assert!(near(met.ci95.0, low) && near(met.ci95.1, high), "{met:?}");
            assert_eq!(met.rate, successes as f64 / trials as f64);
            let (low, high) = rate(trials - successes, trials).unwrap().ci95;
            assert!(near(1.0 - high, met.ci95.0) && near(1.0 - low, met.ci95.1));
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
        let cut = exposure_cut_off(100.0, 1);
        assert!((cut.low - 17.95).abs() < 0.01 && cut.high == one.high, "{cut:?}");
        // The rule of three: no death in 3 lives bounds the mean by about 1.
        let none = exposure(3.0, 0);
        assert_eq!((none.mean, none.high), (None, None));
        assert!((none.low - 1.001_4).abs() < 1e-4, "{none:?}");
    }

    #[test]
    fn many_deaths_are_nearly_normal() {
        for deaths in [10_000, 1_000_000, 100_000_000] {
            let met = exposure(deaths as f64, deaths);
            let reach = NORMAL_975 / (deaths as f64).sqrt();
            let (low, high) = (1.0 - met.low, met.high.unwrap() - 1.0);
            assert!((low / reach - 1.0).abs() < 0.03, "{deaths}: {met:?}");
            assert!((high / reach - 1.0).abs() < 0.03, "{deaths}: {met:?}");
        }
    }

    #[test]
    fn the_exposure_covers_the_mean_about_95_times_in_100() {
        let mut rng = afterstate_core::Rng::stream(10, 0);
        for deaths in [1, 3, 20] {
            let mut covered = 0;
            for _ in 0..4_000 {
                let total: f64 = (0..deaths).map(|_| -(1.0 - rng.unit()).ln() * 7.0).sum();
                let met = exposure(total, deaths);
                covered += u32::from(met.low < 7.0 && 7.0 < met.high.unwrap());
            }
            assert!((3_745..3_855).contains(&covered), "{covered} of 4000 with {deaths} deaths");
        }
    }

    #[test]
    fn cut_off_lives_are_covered_at_least_95_times_in_100() {
        let mut rng = afterstate_core::Rng::stream(12, 0);
        for watched in [8.0, 20.0, 100.0] {
            let (mut covered, mut met) = (0, 0);
            while met < 4_000 {
                // One life after the other, of mean 7, for so long in all.
                let (mut time, mut deaths) = (0.0, 0);
                loop {
                    time += -(1.0 - rng.unit()).ln() * 7.0;
                    if time > watched {
                        break;
                    }
                    deaths += 1;
                }
                if deaths > 0 {
                    met += 1;
                    let found = exposure_cut_off(watched, deaths);
                    covered += u32::from(found.low < 7.0 && 7.0 < found.high.unwrap());
                }
            }
            assert!(covered >= 3_780, "{covered} of 4000 in {watched}");
        }
    }

    #[test]
    fn without_a_death_the_bound_holds_95_times_in_100() {
        // A life of mean 1 is watched for so long that 5% survive: the bound is then exactly 1.
        let watched = -0.05f64.ln();
        assert!((exposure(watched, 0).low - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_rate_covers_the_truth_about_95_times_in_100() {
        let mut rng = afterstate_core::Rng::stream(11, 0);
        for truth in [0.02, 0.3, 0.9] {
            let mut covered = 0;
            for _ in 0..4_000 {
                let successes = (0..200).filter(|_| rng.unit() < truth).count() as u64;
                let (low, high) = rate(successes, 200).unwrap().ci95;
                covered += u32::from(low < truth && truth < high);
            }
            assert!((3_700..3_900).contains(&covered), "{covered} of 4000 at {truth}");
        }
    }
}
