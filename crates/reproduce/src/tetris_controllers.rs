//! Published Tetris controllers: their weights play, and the mean lines are compared with the
//! published ones. They agree only where rules and features are right.

use std::path::PathBuf;

use afterstate_agents::statistics::exposure;
use afterstate_agents::{Agent, EvaluationSettings};
use serde::{Deserialize, Serialize};

use crate::cache::Cost;
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Measured, Results, published};
use crate::files::{create_folder, write_json};
use crate::measure::Value;
use crate::{Error, TrainingCache};
use afterstate_agents::machine;

/// The half-height well in which controllers are compared.
const HALF: &str = "tetris:10x10";

/// On the whole well, where a game takes thousands of times as long, one game is played for so many
/// on the half-height one.
const FEWER: u64 = 100;

/// Reduced scales truncate the games on the whole well after so many pieces.
const SHORT: u64 = 50_000;

/// Games are saved after each of so many blocks.
const BLOCKS: u64 = 50;

const DELLACHERIE: &str = "Dellacherie 2003, weights by hand; measured by Thiery & Scherrer 2009 \
    and by Scherrer et al. 2015";
const BCTS: &str = "Thiery & Scherrer 2009, cross-entropy; measured by Scherrer et al. 2015";
const DT_10: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x10 with 80 million \
    samples";
const DT_20: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x20 with 256 million \
    samples";
const RV_CE: &str = "RV-CE 2026, cross-entropy on 10x10: 100 candidates, 60 iterations";

/// What all controllers have in common.
const RULES: &str = "Rules: seven pieces equally likely, any orientation at any \
    column, and the game is lost when a piece comes to stand above the top, before rows clear. \
    Means are all lines over all ends, with the interval of exponential lengths.";

/// A table of experiments: agent, well, title => published lines, source, what differs.
macro_rules! controllers {
    ($(
        $agent:literal, $well:literal, $title:literal => $lines:literal, $source:expr, $own:expr
    );+ $(;)?) => {
        &[$(Experiment {
            name: concat!("tetris-", $agent, "-", $well),
            title: concat!($title, " on ", $well),
            source: $source,
            published: published![$agent => Lines = $lines],
            differences: &[$own, RULES],
            rules: concat!("tetris:", $well),
            measure,
            ..Experiment::NONE
        }),+]
    };
}

pub(crate) const EXPERIMENTS: &[Experiment] = controllers![
    "dellacherie", "10x10", "Dellacherie's controller" => 2_355.0, DELLACHERIE,
        "Six features, wells counted from each cell.";
    "dellacherie", "10x20", "Dellacherie's controller" => 5_200_000.0, DELLACHERIE,
        "Six features, wells counted from each cell. Others who ran these weights under this rule \
         report 3.9 million lines.";
    "bcts", "10x10", "BCTS" => 3_818.0, BCTS, "Eight features: those of DT without diversity.";
    "bcts", "10x20", "BCTS" => 31_000_000.0, BCTS, "Eight features: those of DT without diversity.";
    "dt-10", "10x10", "DT-10" => 5_059.0, DT_10, "Weights as printed, with two decimals.";
    "dt-10", "10x20", "DT-10" => 29_000_000.0, DT_10, "Weights as printed, with two decimals.";
    "dt-20", "10x10", "DT-20" => 4_428.0, DT_20, "Weights as printed, with two decimals.";
    "dt-20", "10x20", "DT-20" => 51_000_000.0, DT_20,
        "Weights as printed, with two decimals. Others who ran them measured 45 million lines.";
    "rv-ce", "10x10", "RV-CE" => 5_379.0, RV_CE, "Wells counted from each cell.";
];

/// Totals of the games of a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct GameTotals {
    games: u64,
    /// Games that were not truncated.
    ends: u64,
    /// The sum of all scores.
    total: f64,
    moves: u64,
    seconds: f64,
}

impl GameTotals {
    const NONE: GameTotals = GameTotals { games: 0, ends: 0, total: 0.0, moves: 0, seconds: 0.0 };
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (agent, rules) = (experiment.published[0].case, experiment.rules);
    let totals = play(cache, agent, rules)?;
    let exposure = exposure(totals.total, totals.ends);
    let endless = (totals.ends == 0).then(|| {
        format!(
            "All games were truncated, no game ended in {:.0} lines: more than {:.0} lines a game \
             (95%).",
            totals.total, exposure.low
        )
    });
    let cost = Cost {
        training: agent.to_owned(),
        episodes: totals.games,
        moves: totals.moves,
        seconds: totals.seconds,
        threads: cache.threads,
        machine: machine(),
    };
    Ok(Results {
        rows: experiment.rows_by(|_| (Value::exposure(exposure), None)),
        costs: vec![cost],
        played: true,
        notes: endless.into_iter().collect(),
        ..Results::default()
    })
}

/// Plays games, resumes, or reads what was played.
fn play(cache: &mut TrainingCache, agent: &str, rules: &str) -> Result<GameTotals, Error> {
    let (all, max_moves) = match rules {
        HALF => (cache.scale.games(), None),
        _ => {
            let max_moves = (!cache.scale.is_full()).then_some(SHORT);
            ((cache.scale.games() / FEWER).max(1), max_moves)
        }
    };
    let path = path(cache, agent, rules, all, max_moves);
    let mut totals = cache.saved(&path)?.unwrap_or(GameTotals::NONE);
    let player: Agent = agent.parse()?;
    let engine = afterstate_engine::open(&rules.parse()?);
    cache.observer.begin(&format!("{agent}, {rules}: {} of {all} games played", totals.games))?;
    create_folder(&cache.path(""))?;
    while totals.games < all {
        cache.check_stopped()?;
        // Each block has a seed of its own, made of the number of its first game.
        let seed = cache.seed ^ (totals.games + 1) << 24;
        let games = all.div_ceil(BLOCKS).min(all - totals.games);
        let settings = EvaluationSettings { games, seed, threads: Some(cache.threads), max_moves };
        let played = engine.evaluate(&player, &afterstate_search::Search::GREEDY, &settings)?;
        totals.games += games;
        totals.ends += games - played.truncated;
        totals.total += (played.score.mean * games as f64).round();
        totals.moves += played.moves;
        totals.seconds += played.seconds;
        write_json(&path, &totals)?;
    }
    Ok(totals)
}

fn path(
    cache: &TrainingCache,
    agent: &str,
    rules: &str,
    games: u64,
    max_moves: Option<u64>,
) -> PathBuf {
    let cut = max_moves.map_or(String::new(), |moves| format!("-cut{moves}"));
    let name = format!("{agent}-{rules}-{games}{cut}-seed{}.json", cache.seed);
    cache.path(&name.replace(':', "-"))
}
