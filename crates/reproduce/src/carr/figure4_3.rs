//! Figure 4.3: what mirror symmetry does for the Melax-defined agent.
//!
//! Published: the best policy after about 50 games with it, 90 without; the same end. Differs:
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
    name: "carr-figure4-3",
    title: "Mirror symmetry in Melax's well",
    source: "Carr 2005, figure 4.3: TD(0), rate 0.02, discount 0.8",
    published: &[
        Published::not("mirrored", ROWS),
        Published::new("mirrored", GAMES, 50.0),
        Published::not("not mirrored", ROWS),
        Published::new("not mirrored", GAMES, 90.0),
        Published::not("exact optimum", ROWS),
    ],
    differences: "The thesis reads 50 and 90 games off its curves of one training each; we count games until the mean of ten is within a tenth of the end. Melax's rules and ours agree as far as the thesis tells them; the exact optimum is that of ours, so that no agent of ours can be below it.",
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
        [("mirrored", Plan::MELAX), ("not mirrored", Plan { mirror: false, ..Plan::MELAX })]
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
    let chart = rows_chart("Mirror symmetry: TD(0), rate 0.02", &melax, &lines);
    let shape =
        "both curves end at the same level; the mirrored one gets there in about half the games.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
