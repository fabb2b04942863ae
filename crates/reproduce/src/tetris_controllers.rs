//! Published Tetris controllers: their weights play, and the mean lines are compared with the
//! published ones. They agree only where rules and features are right.

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::{EvaluationSettings, machine};
use afterstate_core::Device;
use afterstate_core::numbers::whole;
use afterstate_search::Search;

use crate::cache::Cost;
use crate::experiment::Quantity::{Lines, LinesByWeights};
use crate::experiment::{Experiment, Measured, Results, published};
use crate::files::create_folder;
use crate::verdict::{Statement, not};
use crate::weights::{GameScores, Player, tetris};
use crate::{Error, TrainingCache};

/// The half-height well in which controllers are compared.
const HALF: &str = "tetris:10x10";

/// Games on the whole well and the pieces of each, where a whole game takes a hundred million.
const WHOLE_WELL: (u64, u64) = (3_300, 4_000_000);

/// The same on a GPU for agents of more lines than [`MANY_LINES`]: those games would seldom be lost.
const LONG_GAMES: (u64, u64) = (2_640, 20_000_000);
const MANY_LINES: f64 = 40_000_000.0;

/// Reduced scales truncate the games on the whole well after so many pieces.
const SHORT: u64 = 50_000;

const DELLACHERIE: &str = "Dellacherie 2003, weights by hand; measured by Thiery & Scherrer 2009 \
    and by Scherrer et al. 2015";
const BCTS: &str = "Thiery & Scherrer 2009, cross-entropy; measured by Scherrer et al. 2015";
const DT_10: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x10 with 80 million \
    samples";
const DT_20: &str = "Scherrer et al. 2015, policy iteration (CBMPI) on 10x20 with 256 million \
    samples";
const RV_CE: &str = "RV-CE 2026, cross-entropy on 10x10: 100 candidates, 60 iterations; weights \
    given to this project, no publication known";

const RECORD_10: &str = "This program's own agent beside RV-CE 2026, the best known one on 10x10";
const RECORD_20: &str = "This program's own agent beside DT-20 of Scherrer et al. 2015, the best \
    published one on 10x20";

/// What all controllers have in common.
const RULES: &str = "Rules: seven pieces equally likely, any orientation at any \
    column, and the game is lost when a piece comes to stand above the top, before rows clear. \
    Means are all lines over all lost games, with the interval of exponential lengths; games on \
    20 rows are truncated.";

/// What a thesis quotes of these weights.
const BY_HAND: Statement = Statement {
    says: "The best hand coded competitor completes an average of six hundred and fifty thousand rows \
        per game [Fahey 2003, as Carr 2005 quotes it in section 2.4.6].",
    holds: |figures| not(figures.value("dellacherie", Lines)?.exceeds(1.05 * 650_000.0)),
};
const BY_HAND_REASON: (&str, &str) = (
    "The best hand coded",
    "taken for Dellacherie's own program: there a piece appears at the top centre, as the thesis tells it, \
     and must reach its column, so that games end earlier than where any column can be reached",
);

/// A table of experiments: name and agent, well, title, minutes => published lines, source, what
/// differs, and a published sentence.
macro_rules! controllers {
    ($(
        $name:literal $agent:literal, $well:literal, $title:literal, $minutes:literal
            => $quantity:ident $lines:literal, $source:expr, $own:expr $(, $statement:expr)?
    );+ $(;)?) => {
        &[$(Experiment {
            name: concat!("tetris-", $name, "-", $well),
            title: concat!($title, " on ", $well),
            source: $source,
            published: published![$agent => $quantity = $lines],
            differences: &[$own, RULES],
            reasons: &[($agent, $own), BY_HAND_REASON],
            statements: &[$($statement)?],
            minutes: $minutes,
            rules: concat!("tetris:", $well),
            measure,
            ..Experiment::NONE
        }),+]
    };
}

pub(crate) const EXPERIMENTS: &[Experiment] = controllers![
    "dellacherie" "dellacherie", "10x10", "Dellacherie's controller", 1 => LinesByWeights 2_355.0, DELLACHERIE,
        "Six features, wells counted from each cell.";
    "dellacherie" "dellacherie", "10x20", "Dellacherie's controller", 40 => LinesByWeights 5_200_000.0, DELLACHERIE,
        "Six features, wells counted from each cell. Why games last longer here is not known: BCTS, DT-10 and \
         DT-20 play as published under the same rules, and so do these weights on 10x10; others who ran them \
         report 3.9 million lines, and how many games either figure is of is not said.", BY_HAND;
    "bcts" "bcts", "10x10", "BCTS", 1 => LinesByWeights 3_818.0, BCTS,
        "Eight features: those of DT without diversity.";
    "bcts" "bcts", "10x20", "BCTS", 40 => LinesByWeights 31_000_000.0, BCTS,
        "Eight features: those of DT without diversity.";
    "dt-10" "dt-10", "10x10", "DT-10", 1 => LinesByWeights 5_059.0, DT_10, "Weights as printed, with two decimals.";
    "dt-10" "dt-10", "10x20", "DT-10", 40 => LinesByWeights 29_000_000.0, DT_10,
        "Weights as printed, with two decimals.";
    "dt-20" "dt-20", "10x10", "DT-20", 1 => LinesByWeights 4_428.0, DT_20, "Weights as printed, with two decimals.";
    "dt-20" "dt-20", "10x20", "DT-20", 40 => LinesByWeights 51_000_000.0, DT_20,
        "Weights as printed, with two decimals; others who ran them measured 45 million lines. The full form \
         plays games of 4 million pieces on a processor, and of 20 million on a GPU.";
    "rv-ce" "rv-ce", "10x10", "RV-CE", 1 => LinesByWeights 5_379.0, RV_CE,
        "Wells counted from each cell. Weights and lines are those that this project was given under \
         this name, and no publication of them was found in searches of the web and of public \
         code: what is compared is that these weights make these lines.";
    "record" "tetris-10x10", "10x10", "The agent tetris-10x10", 1 => Lines 5_379.0, RECORD_10,
        "The other figure is the best that we know, of RV-CE, whose weights play on `tetris-rv-ce-10x10`.";
    "record" "tetris-10x20", "10x20", "The agent tetris-10x20", 40 => Lines 51_000_000.0, RECORD_20,
        "The published figure is the best that we know, of DT-20, which plays on `tetris-dt-20-10x20`, where \
         its interval overlaps with that of this agent. The full form plays games of 4 million pieces on a \
         processor, and of 20 million on a GPU.";
];

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (agent, rules) = (experiment.published[0].case, experiment.rules);
    let (games, max_moves) = match rules {
        HALF => (cache.scale.games(), u64::MAX),
        _ => cache.scale.pick([(1, SHORT), (10, SHORT), whole_well(experiment, cache.device)]),
    };
    let scores = match cache.device {
        Device::Cpu | Device::Cluster => cache.play_controller(agent, rules, games, max_moves)?,
        device => on_device(cache, device, agent, rules, games, max_moves)?,
    };
    let cost = Cost {
        training: agent.to_owned(),
        episodes: games,
        moves: scores.moves,
        seconds: scores.seconds,
        threads: cache.threads,
        machine: scores.machine.clone(),
    };
    let lost = format!("{} of {games} games were lost", scores.ends);
    let note = match games - scores.ends {
        0 => format!("{lost}."),
        _ => {
            let pieces = whole(max_moves as f64);
            let none = if scores.ends == 0 { ", no game ended" } else { "" };
            format!("{lost}, the others truncated after {pieces} pieces{none}.")
        }
    };
    Ok(Results {
        rows: experiment.rows_by(|_| (scores.mean(), None)),
        costs: vec![cost],
        played: true,
        notes: vec![note],
        ..Results::default()
    })
}

/// Games on the whole well and the pieces of each, at the full scale.
fn whole_well(experiment: &Experiment, device: Device) -> (u64, u64) {
    let has_many_lines = experiment.published[0].value.is_some_and(|lines| lines > MANY_LINES);
    match device {
        Device::Cuda(_) if has_many_lines => LONG_GAMES,
        _ => WHOLE_WELL,
    }
}

impl TrainingCache<'_> {
    fn play_controller(
        &mut self,
        agent: &str,
        rules: &str,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let game = tetris(rules.parse()?)?;
        let player = Player { name: agent, agent: agent.parse()?, search: Search::GREEDY };
        let name = format!("{agent}-{rules}-{games}-seed{}.json", self.seed).replace(':', "-");
        let path = self.path(&name);
        create_folder(&self.path(""))?;
        self.play_games(&path, &game, &player, games, max_moves)
    }
}

/// The same games on a GPU.
fn on_device(
    cache: &mut TrainingCache,
    device: Device,
    agent: &str,
    rules: &str,
    games: u64,
    max_moves: u64,
) -> Result<GameScores, Error> {
    let settings = EvaluationSettings {
        games,
        seed: evaluation_seed(cache.seed),
        threads: Some(cache.threads),
        max_moves: (max_moves < u64::MAX).then_some(max_moves),
        device,
    };
    cache.observer.begin(&format!("{agent}: {games} games"))?;
    let engine = afterstate_engine::open(&rules.parse()?);
    let played = engine.evaluate(&agent.parse()?, &Search::GREEDY, &settings)?;
    let machine = played.gpu.map_or_else(machine, |gpu| format!("{gpu}; {}", machine()));
    Ok(GameScores {
        ends: games - played.truncated,
        lines: played.scores,
        moves: played.moves,
        seconds: played.seconds,
        machine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a GPU the strongest agents play games of the same length, so that they stand beside each other.
    #[test]
    fn strong_agents_play_long_games_on_a_gpu() {
        let games = |name: &str, device| {
            let own = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
            own.map(|own| whole_well(own, device))
        };
        for name in ["tetris-dt-20-10x20", "tetris-record-10x20"] {
            assert_eq!(games(name, Device::Cuda(0)), Some(LONG_GAMES), "{name}");
            assert_eq!(games(name, Device::Cpu), Some(WHOLE_WELL), "{name}");
        }
        assert_eq!(games("tetris-bcts-10x20", Device::Cuda(0)), Some(WHOLE_WELL));
    }
}
