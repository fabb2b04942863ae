//! Tests of the statistics: intervals, rates, exposures, paired differences.

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

/// Games of 10^10 pieces, and scores that single precision would round to 1,024 points.
#[test]
fn large_scores_are_not_rounded() {
    let scores: Vec<f64> = (0..1_001u32).map(|number| 1e10 + f64::from(number)).collect();
    let summary = Summary::of(&scores).unwrap();
    assert_eq!((summary.mean, summary.median), (1e10 + 500.0, 1e10 + 500.0));
    // The variance of 0, 1, ..., n - 1 is n (n + 1) / 12.
    let expected = (1001.0f64 * 1002.0 / 12.0 / 1001.0).sqrt();
    assert!((summary.standard_error.unwrap() - expected).abs() < 1e-6, "{summary:?}");
    let total = 3e10;
    let lost = exposure(total, 3);
    assert!((lost.mean.unwrap() - 1e10).abs() < 1.0, "{lost:?}");
}
