//! Figure 4.9: Sarsa(0) on Melax's well.
//!
//! Published: about 1,400 rows after some 800 games, far above TD(0). Differs: averages over seeds,
//! mirror symmetry beside it, and the exact optimum.

use super::learning::{learn, rows_chart};
use super::melax::{Melax, Plan};
use super::seeds::{each, last};
use super::{Found, findings, level, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows at the end");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure4-9",
    title: "Sarsa(0) in Melax's well",
    source: "Carr 2005, figure 4.9: Sarsa(0), rate 0.2, discount 0.8, 491,520 entries",
    published: &[
        Published::new("Sarsa(0)", ROWS, 1_400.0),
        Published::not("Sarsa(0), mirrored", ROWS),
        Published::not("TD(0)", ROWS),
        Published::not("exact optimum", ROWS),
    ],
    differences: "The thesis' Sarsa could not use mirror symmetry; ours shows both. Its end of 1,400 rows after a day of training is not reproduced: ours goes on falling, so that nothing in the method stops there. Melax's rules and ours agree as far as the thesis tells them; the exact optimum is that of ours, so that no agent of ours can be below it.",
    rules: "tetris:6x2,melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 4, 1_000, 3_000) as usize;
    let melax = Melax::new()?;
    let mut found =
        vec![Found::learning("exact optimum", "rows at the end", Value::exact(melax.optimum))];
    let mut all = Vec::new();
    for (name, mirror) in [("Sarsa(0)", false), ("Sarsa(0), mirrored", true)] {
        let curves = each(session, name, |seed| melax.sarsa(mirror, 0.2, seed, games as u64))?;
        let curves: Vec<Vec<f64>> = curves.into_iter().collect::<Result<_, _>>()?;
        found.push(Found::learning(name, "rows at the end", last(&curves, games / 10)));
        all.push((name, curves));
    }
    let td = Plan { rate: 0.2, ..Plan::MELAX };
    let td = learn(session, &melax, "TD(0)", &td, (games as u64).min(200), 0)?.rows;
    found.push(Found::learning("TD(0)", "rows at the end", last(&td, 40)));
    all.push(("TD(0), mirrored", td));
    let lines: Vec<(&str, &[Vec<f64>])> =
        all.iter().map(|(name, rows)| (*name, &rows[..])).collect();
    let mut chart = rows_chart("Sarsa(0) on Melax's well", &melax, &lines);
    chart.lines.push(level("published end", 1_400.0, games));
    let shape = "a slow fall over 800 games from several thousand rows to about 1,400, where it \
                 flattens out.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
