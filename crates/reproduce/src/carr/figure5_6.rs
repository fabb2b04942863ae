//! Figure 5.6: Sarsa(lambda) on contours, five columns wide.
//!
//! Published: about 10,000 rows a game, after some 900 games. Differs: averages over seeds, games
//! cut off in the quick form, mirror symmetry beside it.

use super::columns::{Figure, JUMP, ROWS};
use super::contour::sarsa;
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure5-6",
    title: "Sarsa(lambda) on contours, five columns",
    source: "Carr 2005, figure 5.6: rate 0.2, discount 0.8, height and holes",
    published: &[
        Published::new("Sarsa(lambda)", ROWS, 10_000.0),
        Published::new("Sarsa(lambda)", JUMP, 900.0),
        Published::not("Sarsa(lambda), mirrored", ROWS),
        Published::not("Sarsa(lambda), mirrored", JUMP),
        Published::not("untrained", ROWS),
    ],
    differences: "Lambda is 0.9, which the thesis does not name. A row that the well loses pays back what it cost. Rows of a game that is cut off are those until then: the figures are bounds from below where most games are. The thesis counts a drop above the top as the end; here it is not a move, and the game ends when none is left.",
    rules: "tetris:5x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let cases = vec![
        ("Sarsa(lambda)", sarsa(session, 5, false, false)),
        ("Sarsa(lambda), mirrored", sarsa(session, 5, false, true)),
    ];
    let figure = Figure {
        title: EXPERIMENT.title,
        shape: "a steady rise that quickens at 700 games and ends at about 10,000 rows after 900.",
        cases,
        idle: sarsa(session, 5, false, true),
        jump: (500.0, 1),
    };
    figure.measure(session, published)
}
