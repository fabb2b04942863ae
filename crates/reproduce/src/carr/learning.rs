//! The curves of Melax's learner: several plans, each over many seeds, beside the optimum.

use afterstate_lab::chart::{Axis, Chart, Line};

use super::melax::{Learned, Melax, Plan};
use super::seeds::{each, jump, last, line};
use super::{chart, level};
use crate::measure::Value;
use crate::{Error, Session};

/// One plan over all seeds.
pub(super) struct Curves {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) played: Vec<Vec<f64>>,
}

pub(super) fn learn(
    session: &mut Session,
    melax: &Melax,
    name: &str,
    plan: &Plan,
    games: u64,
    play: u64,
) -> Result<Curves, Error> {
    let learned = each(session, name, |seed| melax.td(plan, seed, games, play))?;
    let mut curves = Curves { rows: Vec::new(), played: Vec::new() };
    for learned in learned {
        let Learned { rows, played } = learned?;
        curves.rows.push(rows);
        curves.played.push(played);
    }
    Ok(curves)
}

/// Rows over games, with the optimum in dashes.
pub(super) fn rows_chart(title: &str, melax: &Melax, curves: &[(&str, &[Vec<f64>])]) -> Chart {
    let games = curves.iter().flat_map(|(_, curves)| curves.iter().map(Vec::len)).max();
    let games = games.unwrap_or(0);
    let own = curves.iter().map(|(name, curves)| line(name, curves, (games / 200).max(1)));
    let mut lines: Vec<Line> = own.collect();
    lines.push(level("exact optimum", melax.optimum, games));
    chart(title, Axis::log("rows pushed out in 10,000 pieces"), lines)
}

/// The mean number of games after which ten games are within a tenth of a curve's end.
pub(super) fn arrives(curves: &[Vec<f64>]) -> Value {
    let end = last(curves, curves.first().map_or(0, |curve| curve.len() / 5)).value;
    let falls: Vec<Vec<f64>> =
        curves.iter().map(|curve| curve.iter().map(|rows| -rows).collect()).collect();
    jump(&falls, -1.1 * end, 10)
}
