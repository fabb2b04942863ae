//! Tang Sin Yee, "Markov Decision Processes and Reinforcement Learning for Puzzles" (final year
//! project, CUHK, 2019): 1010! by greedy rules, value iteration and LSPI.
//!
//! Where the study played 10 or 20 games, policies are evaluated exactly here. Its score columns fit
//! cells + 10 n^2 best, which `score=square` counts.

pub(crate) mod figure10;
pub(crate) mod figure11;
pub(crate) mod figure12;
pub(crate) mod figure13;
pub(crate) mod figure5;
pub(crate) mod figure8;
pub(crate) mod figure9;
pub(crate) mod learners;
pub(crate) mod table2;
pub(crate) mod table3;
pub(crate) mod table4;

mod gammas;
mod lspi;

use afterstate_games::RewardMixture;
use afterstate_games::tenten::{Scoring, TenTen, sets};
use afterstate_lab::chart::Chart;
use afterstate_lab::solve::{estimate, follow, solve};
use afterstate_learn::solve::Chain;

use crate::Error;
use crate::experiment::{Findings, Published};
use crate::form::Form;
use crate::measure::Value;
use crate::report::Row;

/// What was found for a case and a quantity of the published ones.
struct Found {
    case: &'static str,
    what: String,
    value: Value,
}

impl Found {
    fn new(case: &'static str, what: &impl ToString, value: Value) -> Found {
        Found { case, what: what.to_string(), value }
    }
}

/// A board of the study with one of its piece sets, one piece at a time.
fn board(side: usize, pieces: &str) -> Result<TenTen, Error> {
    let set = sets::named(pieces).ok_or(Error::TooLarge)?;
    TenTen::new(side, side, set, 1, Scoring::Square).map_err(|_| Error::TooLarge)
}

/// Best play for a payoff and a discount, as a chain that can be evaluated exactly.
fn best_play(game: &TenTen, payoff: RewardMixture, gamma: f64) -> Result<Chain, Error> {
    let plan = estimate(game, Some(payoff), gamma).map_err(|_| Error::TooLarge)?;
    let solution = solve(game, &plan, |_| {}).map_err(|_| Error::TooLarge)?;
    follow(game, &solution.table).ok_or(Error::TooLarge)
}

/// The study's rewards.
fn payoffs() -> [(&'static str, RewardMixture); 3] {
    let none = RewardMixture::default();
    let r2 = RewardMixture { lines: 1.0, ..none };
    let r3 = RewardMixture { moves: 1.0, ..none };
    [("r1", RewardMixture { lines: 1.0, moves: 1.0, ..none }), ("r2", r2), ("r3", r3)]
}

/// The published figures beside what was found.
fn findings(
    form: &Form,
    published: &[Published],
    found: &[Found],
    charts: Vec<(&'static str, Chart)>,
    mut notes: Vec<String>,
) -> Findings {
    if !form.is_full() {
        notes.push(format!(
            "This is the {} form: what is learned learns from fewer moves than with `--full`; what \
             is solved is exact in every form.",
            form.name
        ));
    }
    let row = |published: &Published| {
        let what = published.quantity.to_string();
        let own = found.iter().find(|found| found.case == published.case && found.what == what);
        Row {
            case: published.case.to_owned(),
            what,
            unit: published.quantity.unit(),
            published: published.value,
            measured: own.map(|own| own.value),
            played: None,
        }
    };
    let rows = published.iter().map(row).collect();
    Findings { rows, charts, notes, ..Findings::default() }
}
