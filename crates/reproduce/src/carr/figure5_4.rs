//! Figure 5.4: Sarsa(lambda) on contours, four columns wide.
//!
//! Published: an explosion after 76 games, over twelve million rows in the last one. Differs:
//! averages over seeds, games cut off, mirror symmetry beside it.

use afterstate_lab::chart::Axis;

use super::contour::{sarsa, trained};
use super::seeds::{jump, last, line, mean};
use super::wide::{Place, means, play, untrained};
use super::{Found, chart, findings, level, sized};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::{Error, Session};

const ROWS: Quantity = Quantity::Named("rows at the end");
const JUMP: Quantity = Quantity::Named("games to the jump");

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
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    let mut most = 0;
    for (name, plan) in [
        ("Sarsa(lambda)", sarsa(session, 4, false, false)),
        ("Sarsa(lambda), mirrored", sarsa(session, 4, false, true)),
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
    let place = Place {
        games: sized(&session.form, 1, 4, 10),
        ..Place::own(&sarsa(session, 4, false, true), 1)
    };
    let idle = mean(&means(&untrained(session, &sarsa(session, 4, false, true), &place)?));
    found.push(Found::played("untrained", "rows at the end", idle));
    lines.push(level("untrained", idle.value, most));
    let shape = "a handful of rows, slowly more, and then at one game an explosion: a game that had to be stopped after a day and twelve million rows.";
    let chart =
        chart("Sarsa(lambda) on contours, four columns", Axis::log("rows of a game"), lines);
    Ok(findings(&session.form, published, &found, vec![("", chart)], shape))
}
