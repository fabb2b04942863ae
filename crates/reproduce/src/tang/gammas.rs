//! Curves over the discount: best play for each reward and each gamma, evaluated exactly.

use afterstate_games::tenten::TenTen;
use afterstate_lab::chart::{Axis, Chart, Line};
use afterstate_learn::solve::Chain;

use super::{Found, best_play, payoffs};
use crate::Error;
use crate::experiment::{Published, Quantity};
use crate::measure::Value;

/// The discounts of the study.
pub(super) const GAMMAS: [&str; 10] = [
    "gamma 0.1",
    "gamma 0.2",
    "gamma 0.3",
    "gamma 0.4",
    "gamma 0.5",
    "gamma 0.6",
    "gamma 0.7",
    "gamma 0.8",
    "gamma 0.9",
    "gamma 1",
];

/// A row for every case and discount; the study prints them as curves without numbers.
pub(super) const fn rows<const N: usize>(cases: &[&'static str]) -> [Published; N] {
    let mut rows = [Published::not("", Quantity::Decimal("")); N];
    let mut number = 0;
    while number < N {
        let what = Quantity::Decimal(GAMMAS[number % GAMMAS.len()]);
        rows[number] = Published::not(cases[number / GAMMAS.len()], what);
        number += 1;
    }
    rows
}

/// Best play for rewards `r1`, `r2` and `r3` as named by the cases, at every discount.
pub(super) fn curves(
    game: &TenTen,
    cases: &[(&'static str, &str)],
    worth: impl Fn(&Chain) -> f64,
    found: &mut Vec<Found>,
) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for &(case, name) in cases {
        let payoff =
            payoffs().into_iter().find(|payoff| payoff.0 == name).unwrap_or(payoffs()[0]).1;
        let mut points = Vec::new();
        for (number, what) in GAMMAS.into_iter().enumerate() {
            let gamma = (number + 1) as f64 / 10.0;
            let value = worth(&best_play(game, payoff, gamma)?);
            points.push((gamma, value));
            found.push(Found::new(case, &what, Value::exact(value)));
        }
        lines.push(Line::new(case, points));
    }
    Ok(lines)
}

/// A chart over the discounts.
pub(super) fn chart(title: &str, y: Axis, lines: Vec<Line>) -> Chart {
    Chart { title: title.to_owned(), x: Axis::linear("gamma"), y, lines, note: None }
}
