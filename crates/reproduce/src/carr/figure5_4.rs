//! Figure 5.4: Sarsa(lambda) on contours, four columns wide.
//!
//! Published: an explosion after 76 games, over twelve million rows in the last one. Differs:
//! averages over seeds, games cut off, mirror symmetry beside it.

use super::columns::{Figure, JUMP, ROWS};
use super::contour::sarsa;
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure5-4",
    title: "Sarsa(lambda) on contours, four columns",
    source: "Carr 2005, figures 5.4 and 5.5: rate 0.2, discount 0.8, height and holes",
    published: &[
        Published::new("Sarsa(lambda)", ROWS, 12_000_000.0),
        Published::new("Sarsa(lambda)", JUMP, 76.0),
        Published::not("Sarsa(lambda), mirrored", ROWS),
        Published::not("Sarsa(lambda), mirrored", JUMP),
        Published::not("untrained", ROWS),
    ],
    differences: "Lambda is 0.9, which the thesis does not name. A row that the well loses pays back what it cost. The thesis' axis shows the explosion at 76; ours comes after some hundred games more, and twice as early with mirror symmetry, which the thesis could not use here. Rows of a game that is cut off are those until then: the figures are bounds from below where most games are. The thesis counts a drop above the top as the end; here it is not a move, and the game ends when none is left.",
    rules: "tetris:4x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let cases = vec![
        ("Sarsa(lambda)", sarsa(session, 4, false, false)),
        ("Sarsa(lambda), mirrored", sarsa(session, 4, false, true)),
    ];
    let figure = Figure {
        title: EXPERIMENT.title,
        shape: "a handful of rows, slowly more, and then at one game an explosion: a game that had to be stopped after a day and twelve million rows.",
        cases,
        idle: sarsa(session, 4, false, true),
        jump: (1_000.0, 1),
    };
    figure.measure(session, published)
}
