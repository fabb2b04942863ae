//! The report of an evaluation and of a comparison: the same text and the same JSON wherever they are
//! shown.

use std::collections::BTreeMap;
use std::fmt;

use afterstate_core::numbers::{count, grouped, number, rounded};
use afterstate_games::spec::GameSpec;
use serde::Serialize;

use crate::statistics::{Exposure, Paired, Rate};
use crate::{Evaluation, EvaluationSettings};

/// What was evaluated and what came of it. `Display` is the table for people.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the fields of the JSON are those of `Evaluation` and its settings")]
pub struct EvaluationReport {
    pub game: String,
    pub rules_version: u32,
    pub agent: String,
    pub search: String,
    pub games: u64,
    pub seed: u64,
    pub unit: &'static str,
    pub mean: f64,
    pub ci95: Option<(f64, f64)>,
    pub standard_error: Option<f64>,
    pub median: f64,
    pub min: f64,
    pub max: f64,
    pub mean_moves: f64,
    pub moves_ci95: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reach: BTreeMap<u64, Rate>,
    pub truncated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_the_end: Option<Exposure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_to_the_end: Option<Exposure>,
    pub moves: u64,
    pub seconds: f64,
    pub moves_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
}

impl EvaluationReport {
    /// The report of an evaluation of an agent, given by its name.
    pub fn new(
        rules: &GameSpec,
        agent: &str,
        search: &str,
        settings: &EvaluationSettings,
        evaluation: &Evaluation,
    ) -> EvaluationReport {
        let Evaluation { score, length, moves, truncated, seconds, .. } = *evaluation;
        EvaluationReport {
            game: rules.to_string(),
            rules_version: rules.version(),
            agent: agent.to_owned(),
            search: search.to_owned(),
            games: settings.games,
            seed: settings.seed,
            unit: rules.unit(),
            mean: score.mean,
            ci95: score.ci95,
            standard_error: score.standard_error,
            median: score.median,
            min: score.min,
            max: score.max,
            mean_moves: length.mean,
            moves_ci95: length.ci95,
            reach: evaluation.reach.clone(),
            truncated,
            to_the_end: evaluation.to_the_end,
            moves_to_the_end: evaluation.moves_to_the_end,
            moves,
            seconds,
            moves_per_second: moves as f64 / seconds,
            joules: evaluation.joules,
        }
    }
}

impl fmt::Display for EvaluationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = |ci95: Option<(f64, f64)>| match ci95 {
            Some((low, high)) => {
                format!("{} to {}", rounded(low, high - low), rounded(high, high - low))
            }
            None => "unknown after one game".to_owned(),
        };
        let mean = |mean: f64, ci95: Option<(f64, f64)>| match ci95 {
            Some((low, high)) => rounded(mean, high - low),
            None => number(mean),
        };
        let games = count(self.games, "game");
        let search = match self.search.as_str() {
            "greedy" => String::new(),
            search => format!(" with {search}"),
        };
        let EvaluationReport { game, agent, seed, .. } = self;
        writeln!(f, "{game}, agent {agent}{search}, {games}, seed {seed}\n")?;
        for (what, value) in [
            ("mean score", format!("{} {}", mean(self.mean, self.ci95), self.unit)),
            ("95% interval", interval(self.ci95)),
            ("median", number(self.median)),
            ("best", number(self.max)),
            ("worst", number(self.min)),
            ("mean length", format!("{} moves", mean(self.mean_moves, self.moves_ci95))),
            ("95% interval", interval(self.moves_ci95)),
        ] {
            writeln!(f, "  {what:<14}{value}")?;
        }
        if self.truncated > 0 {
            let note = "games were truncated at the move limit; the score so far is counted";
            let truncated = grouped(&self.truncated.to_string());
            writeln!(f, "  {:<14}{truncated} {note}", "truncated")?;
        }
        if let (Some(score), Some(moves)) = (self.to_the_end, self.moves_to_the_end) {
            let ends = count(self.games - self.truncated, "end");
            writeln!(f, "  {:<14}{} ({ends})", "to the end", to_the_end(score, self.unit))?;
            writeln!(f, "  {:<14}{}", "", to_the_end(moves, "moves"))?;
        }
        let speed = grouped(&(self.moves_per_second as u64).to_string());
        let moves = grouped(&self.moves.to_string());
        let seconds = self.seconds;
        write!(f, "  {:<14}{seconds:.2} s for {moves} moves, {speed} moves/s", "time")?;
        if let Some(joules) = self.joules {
            let each = number(joules / self.moves as f64 * 1e6);
            let joules = number(joules);
            write!(f, "\n  {:<14}{joules} J of the GPU, {each} J per million moves", "energy")?;
        }
        // Tiles that every game reaches are left out.
        let shown = self.reach.iter().filter(|(_, rate)| rate.rate < 1.0);
        for (number, (tile, rate)) in shown.enumerate() {
            if number == 0 {
                write!(f, "\n\n  {:>8}  {:>8}  95% interval", "tile", "reached")?;
            }
            let (rate, low, high) = (100.0 * rate.rate, 100.0 * rate.ci95.0, 100.0 * rate.ci95.1);
            write!(f, "\n  {tile:>8}  {rate:>7.1}%  {low:.1}% to {high:.1}%")?;
        }
        Ok(())
    }
}

/// The expected score of a game without truncation, from all scores and all ends.
fn to_the_end(exposure: Exposure, unit: &str) -> String {
    match (exposure.mean, exposure.high) {
        (Some(mean), Some(high)) => {
            let width = high - exposure.low;
            let [mean, low, high] = [mean, exposure.low, high].map(|value| rounded(value, width));
            format!("{mean} {unit} per game, 95% interval {low} to {high}")
        }
        _ => format!("more than {} {unit} per game (95%)", number(exposure.low)),
    }
}

/// Two agents on the same games. `Display` is the text for people.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the fields of the JSON are those of `Evaluation` and its settings")]
pub struct ComparisonReport {
    pub game: String,
    pub rules_version: u32,
    pub unit: &'static str,
    pub games: u64,
    pub seed: u64,
    pub agents: [ComparedAgent; 2],
    #[serde(flatten)]
    pub paired: Option<Paired>,
}

/// One of two agents that are compared.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the fields of the JSON are those of `Evaluation`")]
pub struct ComparedAgent {
    pub agent: String,
    pub search: String,
    pub mean: f64,
    pub ci95: Option<(f64, f64)>,
    pub truncated: u64,
    pub moves_per_second: f64,
}

impl ComparedAgent {
    fn new(agent: &str, search: &str, evaluation: &Evaluation) -> ComparedAgent {
        let Evaluation { score, moves, seconds, truncated, .. } = *evaluation;
        ComparedAgent {
            agent: agent.to_owned(),
            search: search.to_owned(),
            mean: score.mean,
            ci95: score.ci95,
            truncated,
            moves_per_second: moves as f64 / seconds,
        }
    }

    fn name(&self) -> String {
        if self.search == "greedy" {
            return self.agent.clone();
        }
        format!("{} with {}", self.agent, self.search)
    }
}

impl ComparisonReport {
    /// Compares two evaluations of the same games: each with the agent's name and its search.
    pub fn new(
        rules: &GameSpec,
        settings: &EvaluationSettings,
        sides: [(&str, &str, &Evaluation); 2],
    ) -> ComparisonReport {
        let [first, second] = sides.map(|(_, _, played)| &played.scores);
        ComparisonReport {
            game: rules.to_string(),
            rules_version: rules.version(),
            unit: rules.unit(),
            games: settings.games,
            seed: settings.seed,
            agents: sides.map(|(agent, search, played)| ComparedAgent::new(agent, search, played)),
            paired: Paired::of(first, second),
        }
    }
}

impl fmt::Display for ComparisonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ComparisonReport { game, unit, seed, agents, .. } = self;
        let games = count(self.games, "game");
        writeln!(f, "{game}, the same {games} by both, seed {seed}")?;
        let width = agents.iter().map(|side| side.name().chars().count()).max().unwrap_or(0);
        for side in agents {
            let mean = with_interval(side.mean, side.ci95);
            write!(f, "\n  {:<width$}  {mean} {unit} per game", side.name())?;
            if side.truncated > 0 {
                let note = "truncated at the move limit; the score so far is counted";
                write!(f, "\n  {:<width$}  {} {note}", "", count(side.truncated, "game"))?;
            }
        }
        let Some(Paired { difference, ci95, p, wins }) = self.paired else { return Ok(()) };
        let chance = match p {
            Some(p) if p < 0.0001 => ", p < 0.0001".to_owned(),
            Some(p) => format!(", p = {p:.4}"),
            None => String::new(),
        };
        let difference = with_interval(difference, ci95);
        let label = "difference";
        write!(f, "\n\n  {label:<width$}  {difference} {unit}{chance} (paired t-test)")?;
        let second = agents[1].name();
        let percent = 100.0 * wins;
        write!(f, "\n  {:<width$}  {second} scores more in {percent:.1}%\n\n", "games")?;
        match ci95 {
            Some((low, _)) if low > 0.0 => write!(f, "{second} is better."),
            Some((_, high)) if high < 0.0 => write!(f, "{} is better.", agents[0].name()),
            _ => f.write_str("Neither is shown to be better: play more games."),
        }
    }
}

fn with_interval(mean: f64, ci95: Option<(f64, f64)>) -> String {
    let Some((low, high)) = ci95 else { return number(mean) };
    let [mean, low, high] = [mean, low, high].map(|value| rounded(value, high - low));
    format!("{mean} ({low} to {high}, 95%)")
}
