//! `Recipe`: how to train an agent, as TOML. What a recipe leaves out has a default, and the run
//! folder keeps the whole of it.

mod cbmpi;
mod evaluation;
mod lambda_pi;
mod lspi;
mod network;
mod settings;
mod table;
mod toml_form;
mod weights;

use afterstate_games::spec::GameSpec;
use serde::{Deserialize, Serialize};

pub use cbmpi::CbmpiPlan;
pub use evaluation::EvaluationPlan;
pub use lambda_pi::LambdaPiPlan;
pub use lspi::{LspiPlan, RewardText};
pub use network::{NetworkPlan, Order, Patterns, Phase, Starts, UpdateRule, Valued};
pub use table::{Explore, Sees, TableMethod, TablePlan};
use toml_form::TomlForm;
pub use weights::{Games, Stage, WeightsPlan};

/// How to train an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The game and its rules.
    pub game: String,
    /// Game number i draws from the stream (seed, i).
    pub seed: u64,
    /// How long to train.
    pub budget: Budget,
    /// What learns, and how.
    pub learner: LearnerPlan,
    /// How often to write things down.
    pub log: Log,
}

/// What learns, and how: each is a table of the recipe, and a recipe has exactly one.
#[derive(Clone, Debug, PartialEq)]
pub enum LearnerPlan {
    /// `[network]` with one or more `[[phase]]` that share the budget.
    Network {
        /// What the agent looks at.
        network: NetworkPlan,
        /// How it learns.
        phases: Vec<Phase>,
    },
    /// `[weights]`: weights of features, by the scores of whole games.
    Weights(WeightsPlan),
    /// `[lambda_pi]`: weights of features, by lambda-policy iteration.
    LambdaPi(LambdaPiPlan),
    /// `[lspi]`: weights of features, by least-squares policy iteration.
    Lspi(LspiPlan),
    /// `[cbmpi]`: weights of features, by classification-based modified policy iteration.
    Cbmpi(CbmpiPlan),
    /// `[evaluation]`: no learning, a long measurement.
    Evaluation(EvaluationPlan),
    /// `[table]`: a table of afterstates or of moves.
    Table(TablePlan),
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

/// Why a text is not a recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// It is not the TOML that a recipe is. (No source: that would draw the line over several.)
    #[error("{}", .0.message().trim_end())]
    Toml(toml::de::Error),
    /// There is not exactly one learner.
    #[error("met {met}, expected exactly one learner: {expected}")]
    Learners {
        /// The tables that are there.
        met: String,
        /// The tables that may be there.
        expected: String,
    },
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
    Search(#[from] afterstate_search::SearchError),
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
            settings::set(&mut table, setting)?;
        }
        let form: TomlForm = table.try_into()?;
        let recipe = Recipe::try_from(form)?;
        recipe.check()?;
        Ok(recipe)
    }

    /// The whole recipe as TOML.
    pub fn text(&self) -> String {
        // A recipe is plain tables of plain values: there is nothing that TOML could not say.
        toml::to_string_pretty(&TomlForm::from(self)).unwrap_or_default()
    }

    /// The game and its rules.
    pub fn spec(&self) -> Result<GameSpec, RecipeError> {
        Ok(self.game.parse()?)
    }

    fn check(&self) -> Result<(), RecipeError> {
        self.spec()?;
        let given = [
            self.budget.episodes.is_some(),
            self.budget.moves.is_some(),
            self.budget.seconds.is_some(),
        ];
        let given = given.iter().filter(|&&given| given).count();
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
        match &self.learner {
            LearnerPlan::Network { network, phases } => network::check(network, phases)?,
            LearnerPlan::Weights(plan) => weights::check(plan)?,
            LearnerPlan::LambdaPi(plan) => lambda_pi::check(plan)?,
            LearnerPlan::Lspi(plan) => lspi::check(plan)?,
            LearnerPlan::Cbmpi(plan) => cbmpi::check(plan)?,
            LearnerPlan::Evaluation(_) => evaluation::check(&self.budget)?,
            LearnerPlan::Table(plan) => table::check(plan)?,
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

/// The error of a setting.
fn value<T>(what: &'static str, met: String, expected: &'static str) -> Result<T, RecipeError> {
    Err(RecipeError::Value { what, met, expected })
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
        let LearnerPlan::Network { phases, .. } = &recipe.learner else { panic!() };
        assert_eq!((recipe.seed, phases[0].rate), (7, 0.5));
        assert_eq!((recipe.budget.seconds, recipe.budget.episodes), (Some(3.0), None));
    }

    #[test]
    fn a_recipe_has_exactly_one_learner() {
        let expected = ", expected exactly one learner: [network] with [[phase]], [weights], [lambda_pi], [lspi], [cbmpi], [table], [evaluation]";
        let none = "game = '2048:3x3'\n[budget]\nepisodes = 10\n";
        let error = Recipe::parse(none, &[]).unwrap_err().to_string();
        assert_eq!(error, format!("met none{expected}"));
        let two = format!("{SMALL}[weights]\nfeatures = 'dt'\nsearch.method = 'cma_es'\n");
        let error = Recipe::parse(&two, &[]).unwrap_err().to_string();
        assert_eq!(error, format!("met [network] and [weights]{expected}"));
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
