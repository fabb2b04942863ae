//! Figure 5.1: TD(0) on 175 contours, four columns wide.
//!
//! Published: after 19 games the rows jump by two orders of magnitude to over 100,000. Differs:
//! averages over seeds, games cut off.

use super::columns::{Figure, JUMP, ROWS};
use super::contour::{Plan, TdLearner, td};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "carr-figure5-1",
    title: "TD(0) on contours, four columns",
    source: "Carr 2005, figure 5.1: rate 0.2, discount 0.8, paid for rows",
    published: &[
        Published::new("TD(0)", ROWS, 100_000.0),
        Published::new("TD(0)", JUMP, 19.0),
        Published::not("TD(0), holes punished", ROWS),
        Published::not("TD(0), holes punished", JUMP),
        Published::not("untrained", ROWS),
    ],
    differences: "One row pays one, values start at five (optimistic: the most that a row a move is worth); the thesis names neither, nor the size of its penalty for holes, ours is 0.4. Rows of a game that is cut off are those until then: the figures are bounds from below where most games are. The thesis counts a drop above the top as the end; here it is not a move, and the game ends when none is left.",
    rules: "tetris:4x20,pieces=melax",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let cases = vec![
        ("TD(0)", td(session, 4, false)),
        (
            "TD(0), holes punished",
            Plan { learner: TdLearner::Td { hole: -0.4 }, ..td(session, 4, false) },
        ),
    ];
    let figure = Figure {
        title: EXPERIMENT.title,
        shape: "tens of rows, then after 19 games a jump to over 100,000 rows in most games, at times almost a million.",
        cases,
        idle: td(session, 4, false),
        jump: (1_000.0, 1),
    };
    figure.measure(session, published)
}
