//! Ways to explore in Melax's well, for figures 4.4 to 4.7.

use afterstate_lab::chart::Axis;
use afterstate_learn::table::Schedule;

use super::learning::{learn, rows_chart};
use super::melax::{Explore, Melax, Plan};
use super::seeds::{last, mean};
use super::wide::means;
use super::{Found, findings, sized};
use crate::experiment::{Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const WHAT: &str = "rows at the end";
pub(super) const ROWS: Quantity = Quantity::Named(WHAT);

/// Learns in each way from values of one size, and shows the curves of learning or of play.
pub(super) fn explore(
    session: &mut Session,
    published: &[Published],
    initial: f32,
    learning: bool,
    shape: &str,
) -> Result<Findings, Error> {
    let games = sized(&session.form, 4, 100, 200) as usize;
    let play = sized(&session.form, 2, 50, 50);
    let melax = Melax::new()?;
    let first = if initial < 0.0 { 100.0 } else { 30.0 };
    let cooling = Schedule { first, last: 1.0, games: 30 };
    let mut found = vec![Found::learning("exact optimum", WHAT, Value::exact(melax.optimum))];
    let mut all = Vec::new();
    for (name, explore) in [
        ("greedy", Explore::Greedy),
        ("epsilon-greedy", Explore::Epsilon(0.05)),
        ("softmax", Explore::Softmax(cooling)),
    ] {
        let plan = Plan { initial, explore, ..Plan::MELAX };
        let curves = learn(session, &melax, name, &plan, games as u64, play)?;
        let end = last(&curves.rows, games / 5);
        let played = mean(&means(&curves.played));
        found.push(Found { played: Some(played), ..Found::learning(name, WHAT, end) });
        all.push((name, if learning { curves.rows } else { curves.played }));
    }
    let lines: Vec<(&str, &[Vec<f64>])> =
        all.iter().map(|(name, rows)| (*name, &rows[..])).collect();
    let values = if initial < 0.0 { "-150" } else { "0 (optimistic)" };
    let mut chart = rows_chart(&format!("Exploration from values of {values}"), &melax, &lines);
    if !learning {
        chart.x = Axis::linear("games without learning");
    }
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
