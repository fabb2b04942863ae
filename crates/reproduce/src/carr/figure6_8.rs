//! Figure 6.8: Sarsa(lambda) in the reduced wells with standard pieces.
//!
//! Published: nothing, the figure is empty. Ours fills it.

use afterstate_games::Combine::Largest;

use super::contour::sarsa;
use super::sized;
use super::wide::{Place, wider};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure6-8",
    title: "Sarsa(lambda) in the reduced well, standard pieces",
    source: "Carr 2005, figure 6.8 (empty)",
    published: &[
        Published::not("five columns", ROWS),
        Published::not("five columns, mirrored", ROWS),
        Published::not("at random", ROWS),
    ],
    differences: "The thesis' figures are of one agent and 25 or 100 games; ours of an agent a seed, each trained as in chapter 5, with the interval over agents. A subwell sees the columns of its own; rows clear as they do in the whole well, and the pay of TD(0) is that of the whole well.",
    rules: "tetris:5x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 2, 20, 100);
    let place = Place {
        width: 5,
        standard: true,
        combine: Largest,
        games,
        cut: sized(&session.form, 50, 20_000, 1_000_000),
    };
    let cases = [
        ("five columns", sarsa(session, 5, true, false), place),
        ("five columns, mirrored", sarsa(session, 5, true, true), place),
    ];
    let shape = "the thesis leaves this figure empty; ours fills it.";
    wider(session, published, "Sarsa(lambda) in the reduced well, standard pieces", &cases, shape)
}
