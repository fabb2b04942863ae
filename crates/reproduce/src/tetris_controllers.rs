//! Published Tetris controllers: their weights play, and the mean lines are compared with the
//! published ones. They agree only where rules and features are right.

use afterstate_agents::{Agent, machine};
use afterstate_search::Search;

use crate::TrainingCache;
use crate::cache::Cost;
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Measured, Results, published};
use crate::files::create_folder;
use crate::weights::{Player, tetris};

/// The half-height well in which controllers are compared.
const HALF: &str = "tetris:10x10";

/// Games on the whole well, where one takes thousands of times as long.
const FULL_GAMES: u64 = 60;

/// Reduced scales truncate the games on the whole well after so many pieces.
const SHORT: u64 = 50_000;

const DELLACHERIE: &str = "Dellacherie 2003, weights by hand; measured by Thiery & Scherrer 2009 \
    and by Scherrer et al. 2015";
const BCTS: &str = "Thiery & Scherrer 2009, cross-entropy; measured by Scherrer et al. 2015";
const DT_10: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x10 with 80 million \
    samples";
const DT_20: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x20 with 256 million \
    samples";
const RV_CE: &str = "RV-CE 2026, cross-entropy on 10x10: 100 candidates, 60 iterations";

const RECORD_10: &str =
    "This program's own agent beside RV-CE 2026, the best published one on 10x10";
const RECORD_20: &str = "This program's own agent beside DT-20 of Scherrer et al. 2015, the best \
    published one on 10x20";

/// What all controllers have in common.
const RULES: &str = "Rules: seven pieces equally likely, any orientation at any \
    column, and the game is lost when a piece comes to stand above the top, before rows clear. \
    Means are all lines over all ends, with the interval of exponential lengths.";

/// A table of experiments: name and agent, well, title, minutes => published lines, source, what
/// differs.
macro_rules! controllers {
    ($(
        $name:literal $agent:literal, $well:literal, $title:literal, $minutes:literal
            => $lines:literal, $source:expr, $own:expr
    );+ $(;)?) => {
        &[$(Experiment {
            name: concat!("tetris-", $name, "-", $well),
            title: concat!($title, " on ", $well),
            source: $source,
            published: published![$agent => Lines = $lines],
            differences: &[$own, RULES],
            reasons: &[($agent, $own)],
            minutes: $minutes,
            rules: concat!("tetris:", $well),
            measure,
            ..Experiment::NONE
        }),+]
    };
}

pub(crate) const EXPERIMENTS: &[Experiment] = controllers![
    "dellacherie" "dellacherie", "10x10", "Dellacherie's controller", 1 => 2_355.0, DELLACHERIE,
        "Six features, wells counted from each cell.";
    "dellacherie" "dellacherie", "10x20", "Dellacherie's controller", 5 => 5_200_000.0, DELLACHERIE,
        "Six features, wells counted from each cell; others who ran these weights under this rule \
         report 3.9 million lines.";
    "bcts" "bcts", "10x10", "BCTS", 1 => 3_818.0, BCTS,
        "Eight features: those of DT without diversity.";
    "bcts" "bcts", "10x20", "BCTS", 25 => 31_000_000.0, BCTS,
        "Eight features: those of DT without diversity.";
    "dt-10" "dt-10", "10x10", "DT-10", 1 => 5_059.0, DT_10, "Weights as printed, with two decimals.";
    "dt-10" "dt-10", "10x20", "DT-10", 25 => 29_000_000.0, DT_10,
        "Weights as printed, with two decimals.";
    "dt-20" "dt-20", "10x10", "DT-20", 1 => 4_428.0, DT_20, "Weights as printed, with two decimals.";
    "dt-20" "dt-20", "10x20", "DT-20", 40 => 51_000_000.0, DT_20,
        "Weights as printed, with two decimals; others who ran them measured 45 million lines.";
    "rv-ce" "rv-ce", "10x10", "RV-CE", 1 => 5_379.0, RV_CE, "Wells counted from each cell.";
    "record" "tetris-10x10", "10x10", "The agent tetris-10x10", 1 => 5_379.0, RECORD_10,
        "The published figure is the best that we know, of RV-CE.";
    "record" "tetris-10x20", "10x20", "The agent tetris-10x20", 60 => 51_000_000.0, RECORD_20,
        "The published figure is the best that we know, of DT-20.";
];

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (agent, rules) = (experiment.published[0].case, experiment.rules);
    let (games, max_moves) = match rules {
        HALF => (cache.scale.games(), u64::MAX),
        _ => cache.scale.pick([(1, SHORT), (10, SHORT), (FULL_GAMES, u64::MAX)]),
    };
    let game = tetris(rules.parse()?)?;
    let model = agent.parse::<Agent>()?.load(&game)?;
    let player = Player { name: agent, model: &*model, search: Search::GREEDY };
    let name = format!("{agent}-{rules}-{games}-seed{}.json", cache.seed).replace(':', "-");
    let path = cache.path(&name);
    create_folder(&cache.path(""))?;
    let scores = cache.play_games(&path, &game, &player, games, max_moves)?;
    let cost = Cost {
        training: agent.to_owned(),
        episodes: games,
        moves: scores.moves,
        seconds: scores.seconds,
        threads: cache.threads,
        machine: machine(),
    };
    let lost = format!("{} of {games} games were lost.", scores.ends);
    Ok(Results {
        rows: experiment.rows_by(|_| (scores.mean(), None)),
        costs: vec![cost],
        played: true,
        notes: [lost].into_iter().chain(scores.note()).collect(),
        ..Results::default()
    })
}
