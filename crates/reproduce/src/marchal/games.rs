//! Figure 5: the lines of many games, by the report's weights and by ours.

use afterstate_games::tetris::Tetris;
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::{Algorithm, Depth, Search};

use super::training::{all_annealed, results};
use super::{
    ANNEALED, GAIN, HALF_MILLION, MAX, MEDIAN, MEDIAN_GAIN, MILLION, PUBLISHED, THREE_MILLION,
};
use crate::cache::Cost;
use crate::charts::chart;
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Measured, Quantity, Results};
use crate::files::create_folder;
use crate::measure::Value;
use crate::weights::{GameScores, Player};
use crate::{Error, TrainingCache};

/// Games are truncated after so many pieces, which none of them comes near.
const MAX_PIECES: u64 = 1_000_000_000;

/// Figure 5a: games without search, by the report's weights and by ours.
pub(super) fn greedy(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = cache.scale.pick([2, 250, 250]);
    let published = play_published(cache, Search::GREEDY, games)?;
    let mut searches = all_annealed(cache)?;
    searches.sort_by(|a, b| b.best().total_cmp(&a.best()));
    let annealed = cache.play_weights(&searches[0].run, games, MAX_PIECES)?;
    let rows = experiment.rows_by(|one| match (one.case, one.quantity) {
        (PUBLISHED, quantity) => (measure_games(&published, quantity), None),
        (_, Lines) => (Some(Value::exact(searches[0].best())), annealed.mean()),
        (_, quantity) => (None, measure_games(&annealed, quantity)),
    });
    let lines = vec![survival(PUBLISHED, &published), survival(ANNEALED, &annealed)];
    Ok(Results { rows, charts: lines_chart(lines), ..results(cache, &searches) })
}

/// Figure 5b: games by minimax, and those without search beside them.
pub(super) fn by_minimax(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = cache.scale.pick([1, 2, 80]);
    let greedy = play_published(cache, Search::GREEDY, cache.scale.pick([2, 250, 250]))?;
    let scores = play_published(cache, Search::new(Algorithm::Minimax, Depth::Plies(2)), games)?;
    let gain = |of: fn(&GameScores) -> Option<Value>| more(of(&scores)?, of(&greedy)?);
    let rows = experiment.rows_by(|one| match one.quantity {
        GAIN => (gain(GameScores::mean), None),
        MEDIAN_GAIN => (gain(GameScores::median), None),
        quantity => (measure_games(&scores, quantity), None),
    });
    let reduced = cache.scale.note("`--full` plays 80 games, as the source.");
    let cost = |name: &str, scores: &GameScores| Cost {
        training: name.to_owned(),
        episodes: scores.lines.len() as u64,
        moves: scores.moves,
        seconds: scores.seconds,
        threads: cache.threads,
        machine: scores.machine.clone(),
    };
    Ok(Results {
        rows,
        charts: lines_chart(vec![survival(PUBLISHED, &scores)]),
        costs: vec![cost("marchal by minimax:2", &scores), cost("marchal, greedy", &greedy)],
        played: true,
        notes: reduced.into_iter().chain(scores.note()).collect(),
        ..Results::default()
    })
}

/// By how many percent one figure is more than another, between the ends of their intervals.
fn more(one: Value, other: Value) -> Option<Value> {
    let percent = |one: f64, other: f64| 100.0 * (one / other - 1.0);
    let ends = one.ci95.zip(other.ci95);
    let ends = ends.map(|(one, other)| (percent(one.0, other.1), percent(one.1, other.0)));
    let value = percent(one.value, other.value);
    (!one.at_least && !other.at_least).then(|| Value::within(value, ends))
}

/// Games by the report's weights.
fn play_published(
    cache: &mut TrainingCache,
    search: Search,
    games: u64,
) -> Result<GameScores, Error> {
    let game = Tetris::standard();
    let player = Player { name: "marchal", agent: "marchal".parse()?, search };
    let pieces = cache.scale.pick([2_000, MAX_PIECES, MAX_PIECES]);
    let file = format!("marchal-{search}-{games}-seed{}.json", cache.seed).replace(':', "-");
    let path = cache.path(&file);
    create_folder(&cache.path(""))?;
    cache.play_games(&path, &game, &player, games, pieces)
}

fn measure_games(scores: &GameScores, quantity: Quantity) -> Option<Value> {
    let above = |lines: f64| {
        let count = scores.lines.iter().filter(|&&score| score > lines).count();
        Value::percent(count as f64, scores.lines.len() as f64)
    };
    match quantity {
        MEDIAN => scores.median(),
        MAX => scores.max(),
        HALF_MILLION => above(500_000.0),
        MILLION => above(1_000_000.0),
        THREE_MILLION => above(3_000_000.0),
        _ => scores.mean(),
    }
}

/// The percentage of the games that come to so many lines.
fn survival(name: &str, scores: &GameScores) -> Line {
    let mut sorted = scores.lines.clone();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let points = (0..)
        .zip(&sorted)
        .map(|(below, &lines)| (lines, 100.0 * (count - f64::from(below)) / count));
    Line::new(name, points.collect())
}

fn lines_chart(lines: Vec<Line>) -> Vec<(&'static str, Chart)> {
    let (x, y) = (Axis::linear("lines"), Axis::linear("games with as many or more, %"));
    vec![("", chart("Games that come to so many lines", x, y, lines))]
}
