//! Figure 5.1: TD(0) on 175 contours, four columns wide.
//!
//! Published: after 19 games the rows jump by two orders of magnitude to over 100,000. Differs:
//! averages over seeds, games cut off.

use afterstate_lab::chart::Axis;

use super::contour::{Learner, Plan, td, trained};
use super::seeds::{jump, last, line, mean};
use super::wide::{Place, means, play, untrained};
use super::{Found, chart, findings, level, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows at the end");
const JUMP: Quantity = Quantity::Named("games to the jump");

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
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    let mut most = 0;
    for (name, plan) in [
        ("TD(0)", td(session, 4, false)),
        (
            "TD(0), holes punished",
            Plan { learner: Learner::Td { hole: -0.4 }, ..td(session, 4, false) },
        ),
    ] {
        let agents = trained(session, name, &plan)?;
        let curves: Vec<Vec<f64>> = agents.iter().map(|agent| agent.rows.clone()).collect();
        let games = plan.games as usize;
        most = most.max(games);
        let place = Place::own(&plan, sized(&session.form, 1, 2, 4));
        let played = mean(&means(&play(session, name, &plan, &agents, &place)?));
        let end = last(&curves, games / 10);
        found.push(Found { played: Some(played), ..Found::learning(name, "rows at the end", end) });
        let jumps = jump(&curves, 1_000.0, 1);
        found.push(Found::learning(name, "games to the jump", jumps));
        lines.push(line(name, &curves, (games / 100).max(1)));
    }
    let place =
        Place { games: sized(&session.form, 1, 4, 10), ..Place::own(&td(session, 4, false), 1) };
    let idle = mean(&means(&untrained(session, &td(session, 4, false), &place)?));
    found.push(Found::played("untrained", "rows at the end", idle));
    lines.push(level("untrained", idle.value, most));
    let shape = "tens of rows, then after 19 games a jump to over 100,000 rows in most games, at times almost a million.";
    let chart = chart("TD(0) on contours, four columns", Axis::log("rows of a game"), lines);
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
