//! Figure 6.3: agents of four and of five columns in the full well, reduced pieces.
//!
//! Published as a picture: the fiver is distinctly better. Differs: averages over agents.

use afterstate_games::Combine::Largest;

use super::contour::sarsa;
use super::sized;
use super::wide::{Place, wider};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure6-3",
    title: "Four against fiver in the full well, reduced pieces",
    source: "Carr 2005, figure 6.3: Sarsa(lambda), largest value",
    published: &[
        Published::not("four", ROWS),
        Published::not("fiver", ROWS),
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
        ("four", sarsa(session, 4, false, false), place),
        ("fiver", sarsa(session, 5, false, false), place),
    ];
    let shape = "the fiver lies above the four in almost every game.";
    wider(session, published, "Four against fiver in the full well, reduced pieces", &cases, shape)
}
