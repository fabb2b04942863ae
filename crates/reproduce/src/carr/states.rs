//! Section 3.1: the five assumptions, and how many states each leaves.
//!
//! Published: 2^200, 20^10, 20^9, 7^9, 343, 175. Ours are counted by the steps that agents use.

use afterstate_games::tetris::contour::{View, ViewError};

use super::{Found, findings};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const POWER: Quantity = Quantity::Named("power of two");
const COUNT: Quantity = Quantity::Named("states");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-states",
    title: "How many states each assumption leaves",
    source: "Carr 2005, section 3.1; powers of two, and the last two as numbers",
    published: &[
        Published::new("whole well, 2^200", POWER, 200.0),
        Published::new("heights, 20^10", POWER, 43.0),
        Published::new("differences, 20^9", POWER, 39.0),
        Published::new("capped, 7^9", POWER, 25.0),
        Published::new("window of four, 7^3", COUNT, 343.0),
        Published::new("mirrored", COUNT, 175.0),
    ],
    differences: "The thesis counts a height as one of 20, though an empty column is one more; so does this table. Its powers of two are rounded.",
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let view: View = "heights,differences,cap=3,window=4,mirror"
        .parse()
        .map_err(|error: ViewError| Error::Rules(error.to_string()))?;
    let sizes = view.sizes(10, 20);
    let found = published.iter().zip(&sizes).map(|(published, size)| {
        let value = match published.quantity {
            COUNT => size.count().unwrap_or(0) as f64,
            _ => size.log2(),
        };
        let what = if published.quantity == COUNT { "states" } else { "power of two" };
        Found::learning(published.case, what, Value::exact(value))
    });
    let found: Vec<Found> = found.collect();
    let shape = format!(
        "{} states after each step.",
        sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    );
    Ok(findings(&session.form, published, &found, Vec::new(), &shape))
}
