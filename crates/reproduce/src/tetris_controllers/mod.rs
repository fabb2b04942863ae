//! Published Tetris controllers, one file each: their weights play, and the mean lines are compared
//! with the published ones. They agree only where rules and features are right.

pub(crate) mod bcts;
pub(crate) mod dellacherie;
pub(crate) mod dt_10;
pub(crate) mod dt_20;
pub(crate) mod rv_ce;

use crate::experiment::{Findings, Published};
use crate::measure::Value;
use crate::report::Row;
use crate::tally::Games;
use crate::{Error, Session};

/// The half-height well in which controllers are compared.
const HALF: &str = "tetris:10x10";

/// The whole well. A game takes thousands of times as long.
const WHOLE: &str = "tetris:10x20";

/// On the whole well one game is played for so many on the half-height one.
const FEWER: u64 = 100;

/// A short form cuts the games on the whole well off after so many pieces.
const SHORT: u64 = 50_000;

/// What all controllers have in common.
macro_rules! same {
    ($own:literal) => {
        concat!(
            $own,
            " Rules: seven pieces equally likely, any orientation at any column, and the game is \
             lost when a piece comes to stand above the top, before rows clear. Means are all lines \
             over all ends, with the interval of exponential lengths."
        )
    };
}
use same;

fn measure(
    session: &mut Session,
    published: &[Published],
    agent: &'static str,
    rules: &'static str,
) -> Result<Findings, Error> {
    let (games, max_moves) = match rules {
        HALF => (session.form.games, None),
        _ => ((session.form.games / FEWER).max(1), (!session.form.is_full()).then_some(SHORT)),
    };
    let tally = session.played(Games { agent, rules, games, max_moves })?;
    let exposure = tally.exposure();
    let measured = exposure
        .mean
        .zip(exposure.high)
        .map(|(value, high)| Value { value, ci95: Some((exposure.low, high)) });
    let row = |published: &Published| Row {
        case: published.case.to_owned(),
        what: published.quantity.to_string(),
        unit: published.quantity.unit(),
        published: published.value,
        measured,
        played: None,
    };
    let mut notes = Vec::new();
    if tally.ends == 0 {
        notes.push(format!(
            "All games were cut off, no game ended in {:.0} lines: more than {:.0} lines a game (95%).",
            tally.total, exposure.low
        ));
    }
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        trainings: vec![tally.cost(agent, session.threads)],
        played: true,
        notes,
        ..Findings::default()
    })
}
