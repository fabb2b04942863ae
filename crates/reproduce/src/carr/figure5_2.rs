//! Figure 5.2: TD(0) on contours, five columns wide.
//!
//! Published: about 300 rows a game, after some 700 games. Differs: averages over seeds.

use super::columns::{Figure, JUMP, ROWS};
use super::contour::{Plan, TdLearner, td};
use super::sized;
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure5-2",
    title: "TD(0) on contours, five columns",
    source: "Carr 2005, figure 5.2: rate 0.2, discount 0.8, paid for rows",
    published: &[
        Published::new("TD(0)", ROWS, 300.0),
        Published::new("TD(0)", JUMP, 700.0),
        Published::not("TD(0), holes punished", ROWS),
        Published::not("TD(0), holes punished", JUMP),
        Published::not("untrained", ROWS),
    ],
    differences: "One row pays one, values start at five; the thesis names neither. Rows of a game that is cut off are those until then: the figures are bounds from below where most games are. The thesis counts a drop above the top as the end; here it is not a move, and the game ends when none is left.",
    rules: "tetris:5x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let cases = vec![
        ("TD(0)", td(session, 5, false)),
        (
            "TD(0), holes punished",
            Plan {
                learner: TdLearner::Td { hole: -0.4 },
                games: sized(&session.form, 4, 300, 2_000),
                ..td(session, 5, false)
            },
        ),
    ];
    let figure = Figure {
        title: EXPERIMENT.title,
        shape: "a few tens of rows for 600 games, a rise at about 700, then about 300 rows, very noisy.",
        cases,
        idle: td(session, 5, false),
        jump: (150.0, 10),
    };
    figure.measure(session, published)
}
