//! The number of states that each assumption leaves, contour agents in wells that are small enough
//! to be solved, and subwells that are learned together.

use afterstate_core::{Episode, Game, Policy, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::contour::{
    ContourActionAggregation, ContourReward, ContourTable, View,
};
use afterstate_games::{Aggregation, AggregationSpec, Combine, StateActionAggregation};
use afterstate_learn::table::{Exploration, TableTd, Task};
use afterstate_learn::{Coherence, Tc};
use afterstate_render::chart::Axis;
use afterstate_values::{ActionTablePolicy, AfterstateTablePolicy, ValueTable};

use super::contour::Learning;
use super::seeds::{each, last, line, mean, mean_of_games, played_seed};
use super::{COUNT, DISCOUNT, ROWS, level, optimum, over_games, results, seen, well};
use crate::experiment::{Experiment, Measured, Measurement};
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// The cases of each solved well: its optimum, and two learners.
pub(super) const SOLVED: [[&str; 3]; 2] = [
    ["4x3, exact optimum", "4x3, TD(0)", "4x3, Sarsa(lambda)"],
    ["5x3, exact optimum", "5x3, TD(0)", "5x3, Sarsa(lambda)"],
];

/// The boards of Melax's well, and with every piece and placement.
pub(super) const MELAX_STATES: [&str; 2] = ["Melax's well", "Melax's well, state-action pairs"];

pub(super) const NTUPLES: &str = "contour n-tuples";

/// The windows of the n-tuple network, as in the recipe `contour-ntuple`.
const WINDOWS: [&str; 2] = [
    "heights,differences,cap=3,window=4,anywhere,mirror",
    "heights,differences,cap=3,level=5,window=3,mirror",
];

/// Section 3.1: the states that are left after each assumption.
pub(super) fn states(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let view: View = "heights,differences,cap=3,window=4,mirror".parse()?;
    let sizes = view.sizes(10, 20);
    let mut measured = Vec::new();
    for (published, size) in experiment.published.iter().zip(&sizes) {
        let (case, quantity) = (published.case, published.quantity);
        let value = if quantity == COUNT {
            let count = size.count().ok_or_else(|| Error::NotEnumerable(size.to_string()))?;
            count as f64
        } else {
            size.log2()
        };
        measured.push(Measurement::training(case, quantity, Value::exact(value)));
    }
    let melax = well("tetris:6x2,melax")?;
    let cells = seen("cells", &melax)?;
    let boards = Value::exact(f64::from(cells.classes()));
    measured.push(Measurement::training(MELAX_STATES[0], COUNT, boards));
    let pairs = Value::exact(ContourActionAggregation(cells).size() as f64);
    measured.push(Measurement::training(MELAX_STATES[1], COUNT, pairs));
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let shape = format!("{} states after each step.", sizes.join(", "));
    Ok(results(experiment, cache, &measured, None, &shape))
}

/// Agents in wells three rows high, beside the optimum.
pub(super) fn solved(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (games, play) = cache.scale.pick([(50, 2), (3_000, 400), (20_000, 2_000)]);
    let max_moves = 10_000;
    let td = Learning {
        reward: ContourReward::points(1.0),
        rate: 0.1,
        lambda: 0.0,
        end: 0.0,
        max_moves,
    };
    let sarsa =
        Learning { reward: ContourReward::CARR, rate: 0.1, lambda: 0.5, end: -1_000.0, max_moves };
    let mut measured = Vec::new();
    for (width, [best, by_td, by_sarsa]) in (4..).zip(SOLVED) {
        let game = well(&format!("tetris:{width}x3,pieces=melax"))?;
        let rows = Value::exact(optimum(&game, None)?);
        measured.push(Measurement::training(best, ROWS, rows));
        let played = |mut player: Box<dyn Policy<Tetris> + '_>, seed: u64| {
            let mut score =
                |number| Episode::play(&game, &mut player, &mut Rng::stream(!seed, number)).score;
            (0..play).map(&mut score).sum::<f64>() / play as f64
        };
        let view = seen("heights,differences,cap=2,mirror", &game)?;
        let rows = each(cache, by_td, |seed| {
            let values = td.td(&game, &view, seed, games)?.values;
            let player = AfterstateTablePolicy::new(&values, &view, &td.reward, DISCOUNT);
            Ok(played(Box::new(player), seed))
        })?;
        measured.push(Measurement::played(by_td, ROWS, mean(&rows)));
        let pairs = ContourActionAggregation(view);
        let rows = each(cache, by_sarsa, |seed| {
            let values = sarsa.sarsa(&game, &pairs, seed, games)?.values;
            let player = ActionTablePolicy::new(&values, &pairs);
            Ok(played(Box::new(player), seed))
        })?;
        measured.push(Measurement::played(by_sarsa, ROWS, mean(&rows)));
    }
    let shape = "none; no agent can be above the optimum of its well.";
    Ok(results(experiment, cache, &measured, None, shape))
}

/// Rows of games of learning, and of games without it, seed by seed.
type Rows = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// An n-tuple network over contours, learned by temporal coherence until so many games or pieces, whichever
/// comes first; then it plays some games without learning.
fn learn_windows(
    cache: &mut TrainingCache,
    name: &str,
    (games, pieces): (u64, u64),
    (play, max_moves): (u64, u64),
) -> Result<Rows, Error> {
    let game = Tetris::standard();
    let spec = AggregationSpec {
        state_action: false,
        views: WINDOWS.map(str::to_owned).to_vec(),
        combine: Combine::Sum,
        reward: [("point".to_owned(), 1.0), ("hole".to_owned(), -2.0)].into(),
        discount: 0.95,
    };
    let network = ContourTable::new(&game, &spec).map_err(Error::Table)?;
    let learned = each(cache, name, |seed| {
        let values = ValueTable::new(network.size(), 0.0)?;
        let coherence = Coherence::new(network.size())?;
        let aggregation = network.state_aggregation();
        let task = Task {
            table: &values,
            aggregation: aggregation
                .ok_or_else(|| Error::Table("no table of afterstates".to_owned()))?,
            reward: network.reward(),
            discount: spec.discount,
            terminal_value: Some(0.0),
            max_moves,
        };
        let update = Tc { rate: 1.0, coherence: &coherence };
        let mut learner = TableTd::new(&game, task, update, Exploration::Greedy);
        let (mut rows, mut done) = (Vec::new(), 0);
        while done < pieces && (rows.len() as u64) < games {
            let mut rng = Rng::stream(seed, rows.len() as u64);
            let start = game.start(&mut rng);
            let played = learner.episode(start, &mut rng);
            done += played.moves;
            rows.push(played.score);
        }
        let mut player = network.policy(values.entries());
        let mut play_game = |number| {
            let mut rng = Rng::stream(played_seed(seed), number);
            Episode::play_up_to(max_moves, &game, &mut player, &mut rng).score
        };
        Ok((rows, (0..play).map(&mut play_game).collect()))
    })?;
    Ok(learned.into_iter().unzip())
}

/// Beyond the thesis: overlapping windows of contours, learned together.
pub(super) fn ntuples(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (pieces, play, max_moves) =
        cache.scale.pick([(500, 1, 50), (300_000, 4, 10_000), (5_000_000, 10, 1_000_000)]);
    let (curves, played) = learn_windows(cache, NTUPLES, (u64::MAX, pieces), (play, max_moves))?;
    let end = Measurement::training(NTUPLES, ROWS, last(&curves, 50));
    let measured = [end.and_played(mean_of_games(&played))];
    let games = curves.iter().map(Vec::len).min().unwrap_or(0);
    let lines = vec![
        line(NTUPLES, &curves, (games / 100).max(1)),
        level("the thesis' best, reduced pieces", 30.0, games),
    ];
    let chart = over_games("Contour n-tuples on full Tetris", Axis::log("rows of a game"), lines);
    let shape = "a single number: the extension of trained subwells to the full well clears 30 \
                 rows on average.";
    Ok(results(experiment, cache, &measured, Some(chart), shape))
}

/// The same after few games, each case with its number.
pub(super) fn after_games(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    cases: &[(&'static str, u64)],
) -> Measured {
    let (play, max_moves) = cache.scale.pick([(1, 50), (4, 10_000), (10, 100_000)]);
    let (mut measured, mut lines) = (Vec::new(), Vec::new());
    for &(case, games) in cases {
        let (curves, played) = learn_windows(cache, case, (games, u64::MAX), (play, max_moves))?;
        let end = Measurement::training(case, ROWS, last(&curves, 10));
        measured.push(end.and_played(mean_of_games(&played)));
        lines = vec![line(NTUPLES, &curves, (games as usize / 100).max(1))];
    }
    let chart = over_games(experiment.title, Axis::log("rows of a game"), lines);
    let shape = "three numbers, of other learners.";
    let mut results = results(experiment, cache, &measured, Some(chart), shape);
    results.notes.push(format!("Games are truncated after {max_moves} pieces."));
    Ok(results)
}
