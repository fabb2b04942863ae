//! Figure 6.1: Sarsa(lambda) of four columns in a well of five, by average and by largest value.
//!
//! Published as a picture: averaging is consistently better. Differs: averages over agents.

use afterstate_games::Combine::{Average, Largest};

use super::contour::sarsa;
use super::sized;
use super::wide::{Place, wider};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure6-1",
    title: "Sarsa(lambda) four in a well of five",
    source: "Carr 2005, figure 6.1: reduced pieces, no learning",
    published: &[
        Published::not("average", ROWS),
        Published::not("largest", ROWS),
        Published::not("at random", ROWS),
    ],
    differences: "The thesis' figures are of one agent and 25 or 100 games; ours of an agent a seed, each trained as in chapter 5, with the interval over agents. A subwell sees the columns of its own; rows clear as they do in the whole well, and the pay of TD(0) is that of the whole well.",
    rules: "tetris:5x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let games = sized(&session.form, 2, 20, 100);
    let place = Place {
        width: 5,
        standard: false,
        combine: Largest,
        games,
        cut: sized(&session.form, 50, 20_000, 1_000_000),
    };
    let cases = [
        ("average", sarsa(session, 4, false, false), Place { combine: Average, ..place }),
        ("largest", sarsa(session, 4, false, false), place),
    ];
    let shape =
        "two noisy lines, the average above the largest, both far below the agent in its own well.";
    wider(session, published, "Sarsa(lambda) four in a well of five", &cases, shape)
}
