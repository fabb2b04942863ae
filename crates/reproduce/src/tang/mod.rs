//! Tang Sin Yee, "Markov Decision Processes and Reinforcement Learning for Puzzles" (final year
//! project, CUHK, 2019): 1010! by greedy rules, value iteration and LSPI.
//!
//! Where the study played 10 or 20 games, policies are evaluated exactly here, and its games are
//! repeated thousands of times to see how far such means may be off.

mod curve_statements;
mod curves;
mod discounts;
mod exact;
mod greedy;
mod learners;
mod lspi;
mod repeat;
mod sections;
mod table2;
mod variants;
mod weights;

use afterstate_games::RewardMixture;
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tenten::TenTen;
use afterstate_render::chart::Chart;

use crate::experiment::Quantity::Decimal;
use crate::experiment::{Experiment, Measurement, Quantity, Results};
use crate::{Error, TrainingCache};

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    greedy::FIGURE5,
    sections::FIGURE7,
    sections::SECTION5,
    curves::FIGURE8,
    curves::FIGURE9,
    curves::FIGURE10,
    curves::FIGURE11,
    curves::FIGURE12,
    sections::FIGURE13,
    table2::TABLE2,
    lspi::TABLE3,
    weights::TABLE4,
    learners::LEARNERS_OF_SECTION_8,
];

pub(crate) const ROUNDS: Quantity = Decimal("rounds");

/// The names of the study's rewards.
const REWARDS: [&str; 3] = ["r1", "r2", "r3"];

/// The study's r1, r2 and r3.
fn rewards() -> [RewardMixture; 3] {
    let none = RewardMixture::default();
    let (r2, r3) = (RewardMixture { lines: 1.0, ..none }, RewardMixture { moves: 1.0, ..none });
    [RewardMixture { lines: 1.0, moves: 1.0, ..none }, r2, r3]
}

/// The iterations after which the study stops (section 5), on 3x3 and 4x4, with 3 and 7 pieces.
const ITERATIONS: [[u64; 2]; 2] = [[20, 18], [16, 16]];

/// A square board of the study with one of its piece sets, one piece at a time.
fn board(side: usize, pieces: &str) -> Result<TenTen, Error> {
    scored_board(side, pieces, "square")
}

/// The same with a scoring rule.
fn scored_board(side: usize, pieces: &str, score: &str) -> Result<TenTen, Error> {
    match format!("1010:{side}x{side},pieces={pieces},score={score}").parse()? {
        GameSpec::TenTen(game) => Ok(game),
        other => Err(Error::Game { rules: other.to_string(), game: TenTen::NAME }),
    }
}

/// The published figures beside the measured ones.
fn results(
    experiment: &Experiment,
    cache: &TrainingCache,
    measurements: &[Measurement],
    charts: Vec<(&'static str, Chart)>,
    note: Option<String>,
) -> Results {
    let reduced = cache.scale.note(
        "what is learned learns from fewer moves than with `--full`; what is solved is exact in \
         every form.",
    );
    let notes = note.into_iter().chain(reduced).collect();
    Results { rows: experiment.rows(measurements), charts, notes, ..Results::default() }
}
