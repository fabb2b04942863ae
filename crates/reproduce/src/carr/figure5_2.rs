//! Figure 5.2: TD(0) on contours, five columns wide.
//!
//! Published: about 300 rows a game, after some 700 games. Differs: averages over seeds.

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
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    let mut most = 0;
    for (name, plan) in [
        ("TD(0)", td(session, 5, false)),
        (
            "TD(0), holes punished",
            Plan {
                learner: Learner::Td { hole: -0.4 },
                games: sized(&session.form, 4, 300, 2_000),
                ..td(session, 5, false)
            },
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
        let jumps = jump(&curves, 150.0, 10);
        found.push(Found::learning(name, "games to the jump", jumps));
        lines.push(line(name, &curves, (games / 100).max(1)));
    }
    let place =
        Place { games: sized(&session.form, 1, 4, 10), ..Place::own(&td(session, 5, false), 1) };
    let idle = mean(&means(&untrained(session, &td(session, 5, false), &place)?));
    found.push(Found::played("untrained", "rows at the end", idle));
    lines.push(level("untrained", idle.value, most));
    let shape =
        "a few tens of rows for 600 games, a rise at about 700, then about 300 rows, very noisy.";
    let chart = chart("TD(0) on contours, five columns", Axis::log("rows of a game"), lines);
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
