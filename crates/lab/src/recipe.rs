//! `Recipe`: how to train an agent, as TOML. What a recipe leaves out has a default, and the run
//! folder keeps the whole of it.

use std::fmt::Write;

use afterstate_games::spec::GameSpec;
use afterstate_search::{Search, SearchError};
use serde::{Deserialize, Serialize};

use crate::patterns::Pattern;

/// How to train an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The game and its rules.
    pub game: String,
    /// Game number i draws from the stream (seed, i).
    #[serde(default = "one")]
    pub seed: u64,
    /// How long to train.
    pub budget: Budget,
    /// What the agent looks at.
    pub network: NetworkPlan,
    /// How it learns, in one or more phases that share the budget.
    pub phase: Vec<Phase>,
    /// How often to write things down.
    #[serde(default)]
    pub log: Log,
    /// How the games of the training look ahead, such as `expectimax:2`; without it not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

/// How long to train: exactly one of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<u64>,
    /// Moves; the game under way is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Seconds on the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// The tuples of the network and the value of an afterstate at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    /// A named set such as `4x6`, or a list of cells, digits or rectangles.
    pub tuples: Patterns,
    /// What every afterstate is worth before anything is learned (optimistic start).
    #[serde(default)]
    pub initial: f32,
    /// Where later stages of a game begin, each with weights of its own that start from those of
    /// the stage before: sums of tiles in 2048, full cells elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<u64>,
}

/// One pattern or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One, often a named set.
    One(Pattern),
    /// Several.
    Many(Vec<Pattern>),
}

/// One phase of learning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its part of the budget, against the other phases'.
    #[serde(default = "whole")]
    pub share: f64,
    /// How errors change weights.
    pub method: Method,
    /// What is valued.
    #[serde(default)]
    pub values: Valued,
    /// The learning rate in all: it is divided by the number of looked-up weights.
    pub rate: f32,
    /// The learning rate at the end of the phase, if it changes (in a straight line).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// How much of an error reaches the afterstate before.
    #[serde(default)]
    pub lambda: f32,
    /// When a game is learned.
    #[serde(default)]
    pub order: Order,
    /// Where games start.
    #[serde(default)]
    pub starts: Starts,
}

/// How errors change weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Temporal differences, one rate for all weights.
    Td,
    /// Temporal coherence, a rate for each weight.
    Tc,
}

/// What is valued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Valued {
    /// The board after a move.
    #[default]
    Afterstates,
    /// The board after chance has dealt; moves are chosen by expectation over all deals.
    States,
}

/// When a game is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Every move as soon as the next one is chosen.
    #[default]
    Forward,
    /// When the game is over, from its end to its beginning. States are always learned so.
    Backward,
}

/// Where games start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Starts {
    /// Every game at the beginning.
    #[default]
    Fresh,
    /// Every second game in the middle of the one before.
    Restart,
    /// In turn at the beginning and at each later stage that some game has come to.
    Carousel,
}

/// How often to write things down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Games in one line of the metrics.
    pub window: u64,
    /// Seconds between checkpoints.
    pub checkpoint_seconds: f64,
}

impl Default for Log {
    fn default() -> Log {
        Log { window: 1_000, checkpoint_seconds: 120.0 }
    }
}

fn one() -> u64 {
    1
}

fn whole() -> f64 {
    1.0
}

/// Why a text is not a recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// It is not the TOML that a recipe is. (No source: that would draw the line over several.)
    #[error("{}", .0.message().trim_end())]
    Toml(toml::de::Error),
    /// A setting cannot be changed as asked.
    #[error("met {0:?}, expected a setting such as phase.0.rate=0.05 or budget.seconds=60")]
    Setting(String),
    /// A number makes no sense.
    #[error("{what}: met {met}, expected {expected}")]
    Value {
        /// The setting.
        what: &'static str,
        /// What it is.
        met: String,
        /// What it may be.
        expected: &'static str,
    },
    /// The game cannot be played.
    #[error(transparent)]
    Game(#[from] afterstate_games::spec::SpecError),
    /// The games cannot look ahead like that.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl From<toml::de::Error> for RecipeError {
    fn from(error: toml::de::Error) -> RecipeError {
        RecipeError::Toml(error)
    }
}

impl Recipe {
    /// Reads a recipe, with some of its settings changed: each is `path=value`.
    pub fn parse(text: &str, settings: &[String]) -> Result<Recipe, RecipeError> {
        let mut table: toml::Value = toml::from_str::<toml::Table>(text)?.into();
        for setting in settings {
            set(&mut table, setting)?;
        }
        let recipe: Recipe = table.try_into()?;
        recipe.check()?;
        Ok(recipe)
    }

    /// The whole recipe as TOML.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A recipe is plain tables of plain values: there is nothing that TOML could not say.
        let _ = write!(text, "{}", toml::to_string_pretty(self).unwrap_or_default());
        text
    }

    /// The game and its rules.
    pub fn spec(&self) -> Result<GameSpec, RecipeError> {
        Ok(self.game.parse()?)
    }

    /// How the games of the training look ahead.
    pub fn search(&self) -> Result<Search, RecipeError> {
        Ok(self.search.as_ref().map_or(Ok(Search::GREEDY), |search| search.parse())?)
    }

    fn check(&self) -> Result<(), RecipeError> {
        self.spec()?;
        let given = [
            self.budget.episodes.is_some(),
            self.budget.moves.is_some(),
            self.budget.seconds.is_some(),
        ];
        let given = given.iter().filter(|&&given| given).count();
        let value = |what, met: String, expected| Err(RecipeError::Value { what, met, expected });
        if given != 1 {
            return value("budget", format!("{given} limits"), "one of episodes, moves or seconds");
        }
        if self.budget.seconds.is_some_and(|seconds| !(0.0..=1e9).contains(&seconds)) {
            return value(
                "budget.seconds",
                self.budget.seconds.unwrap_or(f64::NAN).to_string(),
                "0 to 1e9",
            );
        }
        let searches = !self.search()?.is_greedy();
        if searches && self.phase.iter().any(|phase| phase.values == Valued::States) {
            return value("phase.values", "states".to_owned(), "afterstates when games look ahead");
        }
        if self.phase.is_empty() || self.phase.len() > 100 {
            return value("phase", format!("{} phases", self.phase.len()), "1 to 100");
        }
        for phase in &self.phase {
            for (what, rate) in
                [("phase.rate", Some(phase.rate)), ("phase.final_rate", phase.final_rate)]
            {
                if rate.is_some_and(|rate| !(0.0..=10.0).contains(&rate)) {
                    return value(what, format!("{}", rate.unwrap_or(f32::NAN)), "0 to 10");
                }
            }
            if !(0.0..=1.0).contains(&phase.lambda) {
                return value("phase.lambda", phase.lambda.to_string(), "0 to 1");
            }
            let backward = phase.order == Order::Backward || phase.values == Valued::States;
            if phase.lambda > 0.0 && backward {
                return value("phase.lambda", phase.lambda.to_string(), "0 when learning backward");
            }
            if !(phase.share > 0.0 && phase.share.is_finite()) {
                return value("phase.share", phase.share.to_string(), "more than 0");
            }
        }
        // An empty list reads as one tuple without cells.
        if self.network.tuples == Patterns::One(Pattern::Cells(Vec::new())) {
            return value("network.tuples", "none".to_owned(), "one or more");
        }
        if !self.network.initial.is_finite() {
            return value("network.initial", self.network.initial.to_string(), "a finite number");
        }
        // The checkpoint keeps the games of a window.
        if !(1..=100_000).contains(&self.log.window) {
            return value("log.window", self.log.window.to_string(), "1 to 100000");
        }
        let seconds = self.log.checkpoint_seconds;
        if !(0.0..=1e9).contains(&seconds) {
            return value("log.checkpoint_seconds", seconds.to_string(), "0 to 1e9");
        }
        Ok(())
    }
}

/// Changes one setting of a table: `path.to.setting=value`.
fn set(table: &mut toml::Value, setting: &str) -> Result<(), RecipeError> {
    let error = || RecipeError::Setting(setting.chars().take(60).collect());
    let (path, text) = setting.split_once('=').ok_or_else(error)?;
    // What is not a TOML value on its own is a word.
    let value = toml::from_str::<toml::Table>(&format!("x = {text}")).ok();
    let value = value.and_then(|mut table| table.remove("x"));
    let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
    let keys: Vec<&str> = path.trim().split('.').collect();
    let (last, parents) = keys.split_last().ok_or_else(error)?;
    let mut here = table;
    for key in parents {
        here = match here {
            toml::Value::Table(table) => {
                table.entry(*key).or_insert_with(|| toml::Value::Table(toml::Table::new()))
            }
            toml::Value::Array(items) => {
                let number: usize = key.parse().map_err(|_| error())?;
                items.get_mut(number).ok_or_else(error)?
            }
            _ => return Err(error()),
        };
    }
    match here {
        toml::Value::Table(table) => {
            // The limits of a budget exclude each other: a new one replaces the old.
            if *parents == ["budget"] {
                table.clear();
            }
            table.insert((*last).to_owned(), value);
            Ok(())
        }
        _ => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "
        game = '2048:3x3'
        [budget]
        episodes = 10
        [network]
        tuples = ['0134', [3, 4, 5]]
        [[phase]]
        method = 'td'
        rate = 0.1
    ";

    #[test]
    fn recipes_round_trip_with_their_defaults() {
        let recipe = Recipe::parse(SMALL, &[]).unwrap();
        assert_eq!((recipe.seed, recipe.log.window), (1, 1_000));
        assert_eq!(Recipe::parse(&recipe.text(), &[]).unwrap(), recipe);
    }

    #[test]
    fn settings_change_recipes() {
        let settings = ["seed=7", "phase.0.rate=0.5", "budget.seconds=3", "network.tuples=4x6"];
        let recipe = Recipe::parse(SMALL, &settings.map(str::to_owned)).unwrap();
        assert_eq!((recipe.seed, recipe.phase[0].rate), (7, 0.5));
        assert_eq!((recipe.budget.seconds, recipe.budget.episodes), (Some(3.0), None));
    }

    #[test]
    fn wrong_recipes_say_what_is_wrong() {
        for (setting, said) in [
            ("phase.0.rate=-1", "phase.rate: met -1, expected 0 to 10"),
            ("phase.0.rate=nan", "phase.rate: met NaN, expected 0 to 10"),
            ("phase.0.lambda=2", "phase.lambda: met 2, expected 0 to 1"),
            ("log.window=0", "log.window: met 0, expected 1 to 100000"),
            ("log.window=1000000", "log.window: met 1000000, expected 1 to 100000"),
            ("log.checkpoint_seconds=nan", "log.checkpoint_seconds: met NaN, expected 0 to 1e9"),
            ("network.tuples=[]", "network.tuples: met none, expected one or more"),
            ("game=chess", "unknown game \"chess\": the games are 2048, tetris, 1010"),
            (
                "rate",
                "met \"rate\", expected a setting such as phase.0.rate=0.05 or budget.seconds=60",
            ),
            (
                "phase.7.rate=1",
                "met \"phase.7.rate=1\", expected a setting such as phase.0.rate=0.05 or budget.seconds=60",
            ),
            ("budget.seconds=-1", "budget.seconds: met -1, expected 0 to 1e9"),
        ] {
            let error = Recipe::parse(SMALL, &[setting.to_owned()]).unwrap_err().to_string();
            assert_eq!(error, said, "{setting}");
        }
        let error = Recipe::parse(SMALL, &["colour=1".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("unknown field `colour`"), "{error}");
        assert!(Recipe::parse("game = ", &[]).is_err());
    }
}
