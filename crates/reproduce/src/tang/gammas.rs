//! Curves over the discount: best play for each reward and each gamma, evaluated exactly.

use afterstate_games::tenten::TenTen;
use afterstate_lab::chart::{Axis, Chart, Line};
use afterstate_learn::solve::{Chain, Expected};

use super::{Found, best_play, board, findings, payoffs};
use crate::experiment::{Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

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

/// The cases of figures 9 to 12: the three rewards.
pub(super) const REWARDS: [&str; 3] = ["r1", "r2", "r3"];

/// What differs in all of figures 9 to 12.
pub(super) const DIFFERENCES: &str = "The study's curves are means of a few games each, whose \
    lengths are nearly geometric: an error of 22 to 32% a point. Ours are exact. Its values come \
    from about 20 sweeps, which matters only near gamma 1. Ties go to the first placement, row by \
    row, in both.";

/// One of figures 9 to 12: what is expected on a square board with seven pieces.
pub(super) struct Figure {
    /// The side of the board.
    pub(super) side: usize,
    /// What is shown, as a word and as a part of what is expected.
    pub(super) what: &'static str,
    pub(super) of: fn(&Expected) -> Option<f64>,
    /// The axis for it.
    pub(super) axis: fn(String) -> Axis,
    /// What the study says of it.
    pub(super) said: &'static str,
}

impl Figure {
    /// Its curves for the three rewards.
    pub(super) fn measure(
        &self,
        session: &Session,
        published: &[Published],
    ) -> Result<Findings, Error> {
        let Figure { side, what, of, axis, said } = self;
        let mut found = Vec::new();
        let worth = |chain: &Chain| of(&chain.expected()).unwrap_or(f64::INFINITY);
        let cases = REWARDS.map(|case| (case, case));
        let lines = curves(&board(*side, "7")?, &cases, worth, &mut found)?;
        let title = format!("{side}x{side} with 7 pieces: expected {what}");
        let chart = chart(&title, axis(format!("expected {what}")), lines);
        let note = format!("Published in words: {said}");
        Ok(findings(&session.form, published, &found, vec![("", chart)], vec![note]))
    }
}
