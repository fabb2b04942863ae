//! Figure 5: the lines of many games, by the report's weights and by ours.

use afterstate_agents::Agent;
use afterstate_games::tetris::Tetris;
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::{Algorithm, Depth, Search};

use super::training::{all_annealed, results};
use super::{ANNEALED, HALF_MILLION, MAX, MEDIAN, MILLION, PUBLISHED, THREE_MILLION};
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

/// Figure 5b: games by minimax.
pub(super) fn by_minimax(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = cache.scale.pick([1, 2, 80]);
    let scores = play_published(cache, Search::new(Algorithm::Minimax, Depth::Plies(2)), games)?;
    let rows = experiment.rows_by(|one| (measure_games(&scores, one.quantity), None));
    let reduced = cache.scale.note("`--full` plays 80 games, as the source.");
    Ok(Results {
        rows,
        charts: lines_chart(vec![survival(PUBLISHED, &scores)]),
        notes: reduced.into_iter().collect(),
        ..Results::default()
    })
}

/// Games by the report's weights.
fn play_published(
    cache: &mut TrainingCache,
    search: Search,
    games: u64,
) -> Result<GameScores, Error> {
    let (game, agent) = (Tetris::standard(), "marchal".parse::<Agent>()?);
    let model = agent.load(&game)?;
    let player = Player { name: "marchal", model: &*model, search };
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
