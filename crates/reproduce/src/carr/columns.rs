//! What figures 5.1, 5.2, 5.4 and 5.6 have in common: a contour agent in the narrow well that it
//! learned in, its rows, and the game at which they jump.

use afterstate_lab::chart::Axis;

use super::contour::{Plan, trained};
use super::seeds::{jump, last, line, mean};
use super::wide::{Place, means, play, untrained};
use super::{Found, chart, findings, level, sized};
use crate::experiment::{Findings, Published, Quantity};
use crate::{Error, Session};

pub(super) const ROWS: Quantity = Quantity::Named("rows at the end");
pub(super) const JUMP: Quantity = Quantity::Named("games to the jump");

/// What a figure shows.
pub(super) struct Figure<'a> {
    pub(super) title: &'a str,
    /// The published shape, in words.
    pub(super) shape: &'a str,
    /// Each learner with its name.
    pub(super) cases: Vec<(&'static str, Plan)>,
    /// The learner that also plays before it has learned anything.
    pub(super) idle: Plan,
    /// So many rows a game, on average over so many games, are a jump.
    pub(super) jump: (f64, usize),
}

impl Figure<'_> {
    pub(super) fn measure(
        self,
        session: &mut Session,
        published: &[Published],
    ) -> Result<Findings, Error> {
        let (mut found, mut lines) = (Vec::new(), Vec::new());
        let mut most = 0;
        for (name, plan) in self.cases {
            let agents = trained(session, name, &plan)?;
            let curves: Vec<Vec<f64>> = agents.iter().map(|agent| agent.rows.clone()).collect();
            let games = plan.games as usize;
            most = most.max(games);
            let place = Place::own(&plan, sized(&session.form, 1, 2, 4));
            let played = mean(&means(&play(session, name, &plan, &agents, &place)?));
            let end = last(&curves, games / 10);
            let rows = Found::learning(name, "rows at the end", end);
            found.push(Found { played: Some(played), ..rows });
            let jumps = jump(&curves, self.jump.0, self.jump.1);
            found.push(Found::learning(name, "games to the jump", jumps));
            lines.push(line(name, &curves, (games / 100).max(1)));
        }
        let games = sized(&session.form, 1, 4, 10);
        let place = Place { games, ..Place::own(&self.idle, 1) };
        let idle = mean(&means(&untrained(session, &self.idle, &place)?));
        found.push(Found::played("untrained", "rows at the end", idle));
        lines.push(level("untrained", idle.value, most));
        let chart = chart(self.title, Axis::log("rows of a game"), lines);
        Ok(findings(&session.form, published, &found, vec![("", chart)], self.shape))
    }
}
