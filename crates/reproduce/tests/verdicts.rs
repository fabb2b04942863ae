//! What a verdict says where a figure is near, better, wide or a bound.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use afterstate_reproduce::Verdict::{Beaten, Differs, Open, Reproduced, Undecided};
use afterstate_reproduce::{Quantity, Report, Row, Value, Verdict, find, findings};

fn exact(value: f64) -> Value {
    Value { value, ci95: None, at_least: false }
}

fn within(value: f64, low: f64, high: f64) -> Value {
    Value { ci95: Some((low, high)), ..exact(value) }
}

fn of(quantity: Quantity, published: f64, measured: &[Value]) -> Verdict {
    Verdict::of(quantity, exact(published), measured, false)
}

#[test]
fn what_is_better_beyond_its_interval_is_beaten_however_near() {
    let lines = |value| of(Quantity::Lines, 5_379.0, &[value]);
    assert_eq!(lines(within(5_497.0, 5_391.0, 5_607.0)), Beaten);
    assert_eq!(lines(within(5_497.0, 5_370.0, 5_607.0)), Reproduced);
    // Worse and near is the same, and so is an exact figure.
    assert_eq!(lines(within(5_300.0, 5_290.0, 5_310.0)), Reproduced);
    assert_eq!(lines(exact(5_497.0)), Reproduced);
    assert_eq!(lines(within(4_300.0, 4_290.0, 4_310.0)), Differs);
    // Published weights cannot beat themselves.
    let played = within(5_497.0, 5_391.0, 5_607.0);
    assert_eq!(of(Quantity::LinesByWeights, 5_379.0, &[played]), Reproduced);
}

#[test]
fn percentages_are_near_by_what_they_lack() {
    let share = |value| of(Quantity::Part("of the games"), 98.0, &[value]);
    assert_eq!(share(exact(98.1)), Reproduced);
    assert_eq!(share(exact(97.0)), Differs);
    assert_eq!(of(Quantity::Part("of the games"), 50.0, &[exact(52.0)]), Reproduced);
    assert_eq!(of(Quantity::Part("more"), 650.0, &[exact(630.0)]), Reproduced);
}

#[test]
fn maxima_are_judged_by_their_own_interval() {
    let most = |values: &[Value]| of(Quantity::Max, 1_000.0, values);
    assert_eq!(most(&[exact(990.0)]), Differs);
    assert_eq!(most(&[within(990.0, 900.0, 1_080.0)]), Reproduced);
    // A maximum of more games is another figure.
    assert_eq!(most(&[within(900.0, 850.0, 950.0), exact(2_000.0)]), Differs);
}

#[test]
fn a_wide_interval_decides_nothing() {
    let wide = within(46.2, 27.4, 65.1);
    assert_eq!(of(Quantity::Part("saved"), 65.0, &[wide]), Undecided);
    // But where the source has such an interval, too.
    let repeated = Verdict::of(Quantity::Part("saved"), exact(65.0), &[wide], true);
    assert_eq!(repeated, Reproduced);
    let published = within(65.0, 40.0, 80.0);
    assert_eq!(Verdict::of(Quantity::Part("saved"), published, &[wide], false), Reproduced);
}

#[test]
fn bounds_are_better_or_tell_nothing() {
    let bound = Value { at_least: true, ..exact(2_000.0) };
    assert_eq!(of(Quantity::Lines, 1_000.0, &[bound]), Beaten);
    assert_eq!(of(Quantity::Lines, 2_010.0, &[bound]), Undecided);
    assert_eq!(of(Quantity::Lines, 2_010.0, &[]), Open);
}

/// The verdict on the published maximum of an experiment of Chen 2022, and what the page says beside it.
fn on_a_maximum(name: &str, case: &str, what: &str, measured: Value) -> (Verdict, String) {
    let row = |measured| Row {
        case: case.to_owned(),
        what: what.to_owned(),
        published: None,
        measured,
        // Of ten times the games: not compared.
        played: Some(exact(400_000.0)),
    };
    let report = Report {
        name: name.to_owned(),
        form: "full".to_owned(),
        command: String::new(),
        seed: 1,
        rows: vec![row(Some(measured))],
        notes: Vec::new(),
        trainings: Vec::new(),
        played: false,
        values: Vec::new(),
        games: Vec::new(),
        charts: Vec::new(),
    };
    let found = findings(find(name).unwrap(), &report);
    let first = found.into_iter().find(|finding| finding.published.contains(what)).unwrap();
    (first.verdict, first.because)
}

#[test]
fn one_maximum_is_compared_with_one_more_and_not_with_the_mean() {
    // Published: 191,196. The root of 31 is 5.57.
    let of_thirty = |value: f64, reach: f64| {
        let measured = within(value, value - reach, value + reach);
        on_a_maximum("chen-figure10", "end of the curve", "maximum of 1,000 games", measured)
    };
    let (verdict, because) = of_thirty(230_000.0, 15_000.0);
    assert_eq!(verdict, Reproduced);
    assert!(because.ends_with(", one more from 146,484 to 313,516"), "{because}");
    assert_eq!(of_thirty(120_000.0, 10_000.0).0, Differs);
    assert_eq!(of_thirty(260_000.0, 10_000.0).0, Beaten);
    // Three do not tell how far one lies from the others.
    let of_three = |value: f64, reach: f64| {
        let measured = within(value, value - reach, value + reach);
        on_a_maximum("chen-states", "states", "maximum", measured).0
    };
    assert_eq!(of_three(200_000.0, 10_000.0), Reproduced);
    assert_eq!(of_three(220_000.0, 10_000.0), Beaten);
    assert_eq!(of_three(240_000.0, 45_000.0), Undecided);
}

#[test]
fn what_nobody_can_test_says_why() {
    let mut sentences = 0;
    for experiment in afterstate_reproduce::experiments() {
        for (says, reason) in experiment.not_testable {
            assert!(!reason.is_empty(), "{}: {says}", experiment.name);
            // A sentence has one verdict.
            assert!(experiment.statements.iter().all(|other| other.says != *says), "{says}");
            sentences += 1;
        }
    }
    assert!(sentences > 0);
}
