//! `Recipe`: how to train an agent, as TOML. Settings that a recipe omits have defaults; the run
//! folder keeps all of them.

/// Default values of settings, as the functions that serde asks for.
macro_rules! defaults {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(fn $name() -> $type {
            $value
        })*
    };
}

pub(crate) mod as_text;
mod renamed;
mod requested;
mod settings;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use afterstate_core::plain_error::{Format, plain};
use afterstate_games::spec::GameSpec;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::learners::LearnerPlan;

pub(crate) use defaults;
pub use requested::RequestedRecipe;

/// How to train an agent.
///
/// ```
/// use afterstate_train::{Recipe, recipes};
///
/// let (_, text) = recipes::BUILT_IN.iter().find(|(name, _)| *name == "2048-td").ok_or("none")?;
/// let settings = ["phase.0.rate=0.05".to_owned(), "budget.episodes=1000".to_owned()];
/// let recipe = Recipe::parse(text, &settings)?;
/// assert_eq!((recipe.rules.to_string().as_str(), recipe.budget.episodes), ("2048:4x4", Some(1000)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The game and its rules.
    pub rules: GameSpec,
    /// Game i draws from the stream (seed, i).
    pub seed: u64,
    /// How long to train.
    pub budget: Budget,
    /// The learner with its settings.
    pub learner: LearnerPlan,
    /// How often to log.
    pub log: Log,
}

/// How long to train: exactly one of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<u64>,
    /// Moves; the last game is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Seconds of wall-clock time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// How often to log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Games per line of the metrics.
    pub window: u64,
    /// Seconds between checkpoints.
    pub checkpoint_seconds: f64,
}

impl Default for Log {
    fn default() -> Log {
        Log { window: 1_000, checkpoint_seconds: 120.0 }
    }
}

/// An invalid recipe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The TOML is invalid: the setting, and what it must be.
    #[error("{0}")]
    Toml(String),
    /// There is not exactly one learner, but these.
    #[error("the recipe has {0}: it needs exactly one of {known}", known = LearnerPlan::usages())]
    Learners(String),
    /// An unknown key.
    #[error(
        "unknown key `{0}`: a recipe has game, seed, budget, log and one of {known}",
        known = LearnerPlan::usages()
    )]
    Key(String),
    /// A change of a setting is not of the form `path=value`, or its path does not exist.
    #[error("invalid setting {0:?}: write for example phase.0.rate=0.05 or budget.seconds=60")]
    Setting(String),
    /// A seed that a recipe cannot have.
    #[error("seed is {0}, but must be at most {max}", max = i64::MAX)]
    LargeSeed(String),
    /// A change of a setting of a learner that the recipe does not have.
    #[error(
        "{setting} cannot be set: it needs a recipe with {usage}, and this one has [{learner}]"
    )]
    OtherLearner {
        /// The path of the setting.
        setting: String,
        /// The learner of the recipe.
        learner: &'static str,
        /// How the tables of the setting's learner are written.
        usage: &'static str,
    },
    /// A value is out of its range.
    #[error(transparent)]
    Value(#[from] InvalidSetting),
    /// A request names an agent that is not in the program.
    #[error(transparent)]
    Agent(#[from] afterstate_agents::NotInProgram),
    /// The game cannot be played.
    #[error(transparent)]
    Game(#[from] afterstate_games::spec::SpecError),
    /// The recipe cannot be written as TOML.
    #[error("the recipe cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
}

impl RecipeError {
    /// An error of TOML, in plain words, in a table; `""` for the whole recipe.
    pub(crate) fn in_table(table: &str, error: &toml::de::Error) -> RecipeError {
        let (message, text) = (error.message().trim_end(), error.to_string());
        let path = text.lines().find_map(|line| line.strip_prefix("in `")?.strip_suffix('`'));
        let path: Vec<&str> =
            [table, path.unwrap_or_default()].into_iter().filter(|part| !part.is_empty()).collect();
        // The line of a syntax error is drawn with markers; only its number is told.
        let line = text.lines().next().and_then(|line| line.strip_prefix("TOML parse error at "));
        let message = match line.filter(|_| path.is_empty()) {
            Some(line) => format!("{message} at {}", line.replace(',', "")),
            None => message.to_owned(),
        };
        // Keys in quotes may have any letters.
        let plain = plain(Format::Toml, &path.join("."), &message);
        RecipeError::Toml(plain.replace(char::is_control, " "))
    }
}

impl From<toml::de::Error> for RecipeError {
    fn from(error: toml::de::Error) -> RecipeError {
        RecipeError::in_table("", &error)
    }
}

/// A setting whose value is out of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {found}, but must be {allowed}")]
pub struct InvalidSetting {
    /// The setting.
    pub setting: String,
    /// Its value.
    pub found: String,
    /// The values that it may have.
    pub allowed: &'static str,
}

/// Checks a setting.
pub(crate) fn ensure(
    holds: bool,
    setting: &str,
    found: impl Display,
    allowed: &'static str,
) -> Result<(), InvalidSetting> {
    let (setting, found) = (setting.to_owned(), found.to_string());
    if holds { Ok(()) } else { Err(InvalidSetting { setting, found, allowed }) }
}

/// Checks the first and the last learning rate of a table.
pub(crate) fn check_rates(
    table: &str,
    first: f32,
    last: Option<f32>,
) -> Result<(), InvalidSetting> {
    for (setting, rate) in [("rate", first), ("final_rate", last.unwrap_or(0.0))] {
        ensure((0.0..=10.0).contains(&rate), &format!("{table}.{setting}"), rate, "0 to 10")?;
    }
    Ok(())
}

/// The tables that every recipe has.
#[derive(Deserialize)]
struct Common {
    game: String,
    #[serde(default = "one")]
    seed: u64,
    budget: Budget,
    #[serde(default)]
    log: Log,
}

defaults! { one: u64 = 1; }

const COMMON: [&str; 4] = ["game", "seed", "budget", "log"];

/// The tables of a recipe that is parsed with other settings again and again.
#[derive(Clone, Debug)]
pub struct RecipeTables(toml::Table);

impl RecipeTables {
    /// The tables of a text; whether they are those of a recipe is not known yet.
    pub fn parse(text: &str) -> Result<RecipeTables, RecipeError> {
        let mut tables = toml::from_str::<toml::Table>(text)?;
        renamed::rename(&mut tables);
        Ok(RecipeTables(tables))
    }

    /// The recipe, with some of its settings changed: each is `path=value`.
    pub fn with(self, settings: &[String]) -> Result<Recipe, RecipeError> {
        let RecipeTables(mut tables) = self;
        for setting in settings {
            settings::set(&mut tables, setting)?;
        }
        let mut common = toml::Table::new();
        for key in COMMON {
            common.extend(tables.remove_entry(key));
        }
        let Common { game, seed, budget, log } = toml::Value::Table(common).try_into()?;
        let (rules, learner) = (game.parse()?, LearnerPlan::from_tables(tables)?);
        let recipe = Recipe { rules, seed, budget, learner, log };
        recipe.check()?;
        Ok(recipe)
    }
}

impl Recipe {
    /// Parses a recipe, with some of its settings changed: each is `path=value`.
    pub fn parse(text: &str, settings: &[String]) -> Result<Recipe, RecipeError> {
        RecipeTables::parse(text)?.with(settings)
    }

    /// The whole recipe as TOML.
    pub fn text(&self) -> Result<String, RecipeError> {
        Ok(toml::to_string_pretty(self)?)
    }

    fn check(&self) -> Result<(), RecipeError> {
        let Budget { episodes, moves, seconds } = self.budget;
        let limits = [episodes.is_some(), moves.is_some(), seconds.is_some()];
        let limits = limits.iter().filter(|&&limit| limit).count();
        let found = format!("{limits} limits");
        ensure(limits == 1, "budget", found, "one of episodes, moves or seconds")?;
        if let Some(seconds) = seconds {
            ensure((0.0..=1e9).contains(&seconds), "budget.seconds", seconds, "0 to 1e9")?;
        }
        self.learner.check(&self.budget)?;
        // The checkpoint holds the games of a window.
        let Log { window, checkpoint_seconds } = self.log;
        ensure((1..=100_000).contains(&window), "log.window", window, "1 to 100000")?;
        let seconds = checkpoint_seconds;
        ensure((0.0..=1e9).contains(&seconds), "log.checkpoint_seconds", seconds, "0 to 1e9")?;
        Ok(())
    }
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("game", &self.rules.to_string())?;
        map.serialize_entry("seed", &self.seed)?;
        map.serialize_entry("budget", &self.budget)?;
        self.learner.write_tables(&mut map)?;
        map.serialize_entry("log", &self.log)?;
        map.end()
    }
}
