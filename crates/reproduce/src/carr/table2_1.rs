//! Table 2.1: Melax's own results, game by game.
//!
//! Published: 1,485 rows in the first game, 289 in the 256th. Differs: the best play of our rules
//! needs 449, so that his rules or his score cannot be ours; the table is shown as history.

use afterstate_lab::chart::{Axis, Line};

use super::learning::{learn, rows_chart};
use super::melax::{Melax, Plan};
use super::seeds::mean;
use super::{Found, findings, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-table2-1",
    title: "Melax's agent, game by game",
    source: "Carr 2005, table 2.1 (Melax 1998): rows of game 1 to 256",
    published: &[
        Published::new("game 1", ROWS, 1485.0),
        Published::new("game 2", ROWS, 1166.0),
        Published::new("game 4", ROWS, 1032.0),
        Published::new("game 8", ROWS, 902.0),
        Published::new("game 16", ROWS, 837.0),
        Published::new("game 32", ROWS, 644.0),
        Published::new("game 64", ROWS, 395.0),
        Published::new("game 128", ROWS, 303.0),
        Published::new("game 256", ROWS, 289.0),
        Published::not("exact optimum", ROWS),
    ],
    differences: "Melax's figures are of one training and below the exact optimum of our rules, which value iteration finds: his well or his score must differ from the one that the thesis describes. Ours are means over seeds of single games while learning, with mirror symmetry off as his were.",
    rules: "tetris:6x2,melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 256, 256, 512);
    let melax = Melax::new()?;
    let plan = Plan { mirror: false, ..Plan::MELAX };
    let curves = learn(session, &melax, "TD(0)", &plan, games, 0)?.rows;
    let mut found = vec![Found::learning("exact optimum", "rows", Value::exact(melax.optimum))];
    for case in published.iter().map(|published| published.case) {
        let number = case.strip_prefix("game ").and_then(|number| number.parse::<usize>().ok());
        if let Some(number) = number {
            let rows: Vec<f64> = curves.iter().map(|curve| curve[number - 1]).collect();
            found.push(Found::learning(case, "rows", mean(&rows)));
        }
    }
    let mut chart = rows_chart("Melax's agent, TD(0), rate 0.02", &melax, &[("ours", &curves)]);
    chart.x = Axis::log("game of training");
    let points = published
        .iter()
        .filter_map(|one| Some((one.case.strip_prefix("game ")?.parse().ok()?, one.value?)));
    chart.lines.push(Line { dashed: true, ..Line::new("Melax 1998", points.collect()) });
    let shape = "a straight fall over the doubling of games, from 1,485 to about 300 rows.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
