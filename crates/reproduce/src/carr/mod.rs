//! Donald Carr, "Adapting Reinforcement Learning to Tetris" (thesis, Rhodes University, 2005):
//! Tetris by tables of cells and of contours.

mod alternating;
mod asides;
mod contour;
mod contour_wells;
mod forever;
mod melax;
mod melax_figures;
mod melax_rules;
mod melax_well;
mod narrow;
mod seeds;
mod shared_seeds;
mod small;
mod statements;
mod studies;
mod subwells;

pub(crate) use asides::ASIDES;
pub use contour::TableCache;
pub(crate) use contour_wells::CONTOUR_WELLS;
pub(crate) use forever::FOREVER;
pub(crate) use melax_rules::MELAX_RULES;
pub(crate) use melax_well::MELAX_WELL;
pub(crate) use shared_seeds::prepare;
pub use statements::FIGURES_OF_OTHER_PAGES;
pub(crate) use studies::STUDIES;
pub(crate) use subwells::SUBWELLS;

use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::ContourAggregation;
use afterstate_learn::solve::{Direct, Settings, iterate};
use afterstate_render::chart::{Axis, Chart, Line};

use crate::charts::{chart, level_between};
use crate::experiment::{Experiment, Measurement, Quantity, Results};
use crate::weights::tetris;
use crate::{Error, TrainingCache};

const ROWS: Quantity = Quantity::Named("rows");
const END: Quantity = Quantity::Named("rows at the end");

/// The rows of Melax's well, which are pushed out: fewer are better.
const PUSHED: Quantity = Quantity::Fewer("rows");
const PUSHED_END: Quantity = Quantity::Fewer("rows at the end");
/// The start of learning, and the smallest value that it leaves in the table.
const FIRST: Quantity = Quantity::Fewer("rows of the first five games");
const SMALLEST: Quantity = Quantity::Decimal("smallest value of its table");
const GAMES: Quantity = Quantity::Fewer("games to within a tenth of it");
const TRACED: Quantity = Quantity::Fewer("games to within a tenth of the end without traces");
const JUMP: Quantity = Quantity::Fewer("games to the jump, of the seeds that jump");
const NEVER: Quantity = Quantity::Part("seeds that never jump");
const PART: Quantity = Quantity::Part("part of its rows");
const POWER: Quantity = Quantity::Named("power of two");
const COUNT: Quantity = Quantity::Named("states");

/// The discount factor of all agents but the n-tuple network.
const DISCOUNT: f32 = 0.8;

/// The published figures beside the measured ones, and the published shape of the curves.
fn results(
    experiment: &Experiment,
    cache: &TrainingCache,
    measurements: &[Measurement],
    chart: Option<Chart>,
    shape: &str,
) -> Results {
    let reduced = cache.scale.note("fewer games, and games truncated earlier, than with `--full`.");
    Results {
        rows: experiment.rows(measurements),
        charts: chart.map(|chart| ("", chart)).into_iter().collect(),
        notes: [format!("Published shape: {shape}")].into_iter().chain(reduced).collect(),
        ..Results::default()
    }
}

/// A chart over games of training.
fn over_games(title: &str, y: Axis, lines: Vec<Line>) -> Chart {
    chart(title, Axis::linear("games of training"), y, lines)
}

/// A dashed level over some games.
fn level(name: &str, value: f64, games: usize) -> Line {
    level_between(name, value, 1.0, games.max(2) as f64)
}

/// A well.
fn well(rules: &str) -> Result<Tetris, Error> {
    tetris(rules.parse()?)
}

/// A view of a well, for tables.
fn seen(view: &str, game: &Tetris) -> Result<ContourAggregation, Error> {
    Ok(ContourAggregation::new(&view.parse()?, game)?)
}

/// The largest expected score of a well that is small enough to be solved.
fn optimum(well: &Tetris, horizon: Option<u64>) -> Result<f64, Error> {
    let model = Direct::new(well).ok_or_else(|| Error::NotEnumerable(well.spec()))?;
    // Values of long games are not exact to the last digits, which a smaller tolerance would wait for.
    let tolerance = 1e-10;
    let settings =
        Settings { horizon, tolerance, ..Settings::new::<f64>(RewardMixture::SCORE, 1.0) };
    Ok(iterate::<f64, _>(&model, &settings, |_| {}).start)
}
