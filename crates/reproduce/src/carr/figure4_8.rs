//! Figure 4.8: the learning rate.
//!
//! Published: 0.2 settles within ten games, 0.02 after about 50 and a little better. Differs:
//! averages over seeds, and the exact optimum.

use super::learning::{arrives, learn, rows_chart};
use super::melax::{Melax, Plan};
use super::seeds::{last, mean};
use super::wide::means;
use super::{Found, findings, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows at the end");
const GAMES: Quantity = Quantity::Named("games to within a tenth of it");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure4-8",
    title: "Learning rate 0.2 against 0.02 in Melax's well",
    source: "Carr 2005, figure 4.8: TD(0), discount 0.8, mirrored",
    published: &[
        Published::not("rate 0.2", ROWS),
        Published::new("rate 0.2", GAMES, 10.0),
        Published::not("rate 0.02", ROWS),
        Published::new("rate 0.02", GAMES, 50.0),
        Published::not("exact optimum", ROWS),
    ],
    differences: "The thesis reads the games off its curves of one training each; we count games until the mean of ten is within a tenth of the end. Melax's rules and ours agree as far as the thesis tells them; the exact optimum is that of ours, so that no agent of ours can be below it.",
    rules: "tetris:6x2,melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 4, 200, 500) as usize;
    let melax = Melax::new()?;
    let mut found =
        vec![Found::learning("exact optimum", "rows at the end", Value::exact(melax.optimum))];
    let mut all = Vec::new();
    for (name, plan) in
        [("rate 0.2", Plan { rate: 0.2, ..Plan::MELAX }), ("rate 0.02", Plan::MELAX)]
    {
        let curves = learn(session, &melax, name, &plan, games as u64, 1)?;
        let end = last(&curves.rows, games / 5);
        let played = mean(&means(&curves.played));
        found.push(Found { played: Some(played), ..Found::learning(name, "rows at the end", end) });
        found.push(Found::learning(name, "games to within a tenth of it", arrives(&curves.rows)));
        all.push((name, curves.rows));
    }
    let lines: Vec<(&str, &[Vec<f64>])> =
        all.iter().map(|(name, rows)| (*name, &rows[..])).collect();
    let chart = rows_chart("The learning rate of TD(0)", &melax, &lines);
    let shape = "rate 0.2 falls almost ten times as fast and ends slightly above rate 0.02.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
