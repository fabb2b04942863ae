//! Figure 6.6: Sarsa(lambda) fiver in the full well, reduced pieces.
//!
//! Published: 30 rows on average. Differs: averages over agents, mirror symmetry beside it.

use afterstate_games::Combine::{Average, Largest};

use super::contour::sarsa;
use super::sized;
use super::wide::{Place, wider};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure6-6",
    title: "Sarsa(lambda) fiver in the full well, reduced pieces",
    source: "Carr 2005, figure 6.6: 100 games, largest value",
    published: &[
        Published::new("largest", ROWS, 30.0),
        Published::not("largest, mirrored", ROWS),
        Published::not("average", ROWS),
        Published::not("at random", ROWS),
    ],
    differences: "The thesis' figures are of one agent and 25 or 100 games; ours of an agent a seed, each trained as in chapter 5, with the interval over agents. A subwell sees the columns of its own; rows clear as they do in the whole well, and the pay of TD(0) is that of the whole well.",
    rules: "tetris:10x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 2, 20, 100);
    let place = Place {
        width: 10,
        standard: false,
        combine: Largest,
        games,
        cut: sized(&session.form, 50, 20_000, 1_000_000),
    };
    let cases = [
        ("largest", sarsa(session, 5, false, false), place),
        ("largest, mirrored", sarsa(session, 5, false, true), place),
        ("average", sarsa(session, 5, false, false), Place { combine: Average, ..place }),
    ];
    let shape = "scattered games, 30 rows on average.";
    wider(session, published, "Sarsa(lambda) fiver in the full well, reduced pieces", &cases, shape)
}
