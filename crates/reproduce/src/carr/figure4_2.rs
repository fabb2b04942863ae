//! Figure 4.2: the Melax-defined agent beside players that learn nothing.
//!
//! Published as a picture: the agent starts at the level of the untrained one and ends at about a
//! quarter of it. Differs: averages over seeds, and the exact optimum.

use super::learning::{learn, rows_chart};
use super::melax::{Melax, Plan};
use super::seeds::{each, last, mean};
use super::wide::means;
use super::{Found, findings, level, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");
const PART: Quantity = Quantity::Part("part of its rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure4-2",
    title: "The Melax-defined agent and players that learn nothing",
    source: "Carr 2005, figure 4.2: TD(0), rate 0.02, discount 0.8",
    published: &[
        Published::not("no movement", ROWS),
        Published::not("random placement", ROWS),
        Published::not("untrained", ROWS),
        Published::not("TD(0)", ROWS),
        Published::new("TD(0) beside untrained", PART, 25.0),
        Published::not("exact optimum", ROWS),
    ],
    differences: "The thesis shows one training as a picture, and tells only that the end is about a quarter of the untrained agent's rows. Melax's rules and ours agree as far as the thesis tells them; the exact optimum is that of ours, so that no agent of ours can be below it.",
    rules: "tetris:6x2,melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 3, 150, 500) as usize;
    let melax = Melax::new()?;
    let plan = Plan { mirror: false, ..Plan::MELAX };
    let curves = learn(session, &melax, "TD(0)", &plan, games as u64, 1)?;
    let idle = each(session, "baselines", |seed| melax.baselines(seed, 1))?;
    let idle: Vec<[Vec<f64>; 3]> = idle.into_iter().collect::<Result<_, _>>()?;
    let names = ["no movement", "random placement", "untrained"];
    let end = last(&curves.rows, games / 5);
    let played = mean(&means(&curves.played));
    let mut found = vec![
        Found { played: Some(played), ..Found::learning("TD(0)", "rows", end) },
        Found::learning("exact optimum", "rows", Value::exact(melax.optimum)),
    ];
    let mut chart =
        rows_chart("Melax's well: TD(0), rate 0.02", &melax, &[("TD(0)", &curves.rows)]);
    for (number, name) in names.into_iter().enumerate() {
        let rows: Vec<f64> = idle.iter().flat_map(|idle| idle[number].clone()).collect();
        let value = mean(&rows);
        found.push(Found::played(name, "rows", value));
        chart.lines.push(level(name, value.value, games));
        if name == "untrained" {
            let part = 100.0 * end.value / value.value;
            let part = Value::exact(part);
            found.push(Found::learning("TD(0) beside untrained", "part of its rows", part));
        }
    }
    let shape = "the agent falls from the level of the untrained player, quickly at first, and \
                 flattens out at about a quarter of it; random placement and no movement lie far \
                 above.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
