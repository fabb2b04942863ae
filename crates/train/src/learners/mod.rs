//! The learners of runs. Each is one module with its plan (its tables of the recipe), its checks
//! and the learner itself; a new learner is such a module and a line in the list of `learners!`.

pub mod cbmpi;
pub mod evaluation;
pub mod lambda_pi;
pub mod learner;
pub mod lspi;
pub mod ntuple;
pub mod table;
pub mod weights;
mod worker_pool;

use afterstate_games::spec::Spec;
use afterstate_values::MemoryError;
use afterstate_values::memory::free;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;

pub use learner::{DamagedState, GameResult, Learner, LearnerError, Round, RoundContext};

use crate::recipe::{Budget, InvalidSetting, Recipe, RecipeError};
use crate::run::Observer;

/// The plan of a learner: its tables of a recipe.
pub trait Plan: Serialize + DeserializeOwned {
    /// The tables of the recipe; the first names the learner.
    const TABLES: &'static [&'static str];

    /// How the tables are written, for errors.
    const USAGE: &'static str;

    /// Reads the plan from its tables, none of which is missing.
    fn from_tables(mut tables: toml::Table) -> Result<Self, toml::de::Error> {
        let table = tables.remove(Self::TABLES[0]);
        table.unwrap_or_else(|| toml::Table::new().into()).try_into()
    }

    /// Writes the tables of the plan.
    fn write_tables<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(Self::TABLES[0], self)
    }

    /// Checks the range of every setting.
    fn check(&self, budget: &Budget) -> Result<(), InvalidSetting>;

    /// Checks whether the plan can be trained for a game on this machine, before anything is
    /// created.
    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError>;

    /// The learner of the plan, before anything is learned.
    fn open<'a, G: Spec>(
        &'a self,
        game: &'a G,
        recipe: &'a Recipe,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Box<dyn Learner + 'a>, LearnerError>;
}

/// The list of learners.
macro_rules! learners {
    ($($variant:ident($plan:ty)),* $(,)?) => {
        /// What learns, and how: a recipe has the tables of exactly one learner.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is documented by its plan")]
        pub enum LearnerPlan {
            $($variant($plan)),*
        }

        impl LearnerPlan {
            /// How the tables of each learner are written.
            pub const USAGES: &'static [&'static str] = &[$(<$plan>::USAGE),*];

            /// Reads the plan of the one learner whose tables these are.
            pub(crate) fn from_tables(tables: toml::Table) -> Result<LearnerPlan, RecipeError> {
                let learners = [$((<$plan>::TABLES, <$plan>::USAGE)),*];
                let name = one_learner(&tables, &learners)?;
                $(if name == <$plan>::TABLES[0] {
                    return Ok(LearnerPlan::$variant(<$plan>::from_tables(tables)?));
                })*
                Err(RecipeError::Learners { found: name.to_owned() })
            }

            /// Writes the tables of the plan.
            pub(crate) fn write_tables<M>(&self, map: &mut M) -> Result<(), M::Error>
            where
                M: SerializeMap,
            {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.write_tables(map)),*
                }
            }

            /// Checks the range of every setting.
            pub(crate) fn check(&self, budget: &Budget) -> Result<(), InvalidSetting> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.check(budget)),*
                }
            }

            /// Checks whether the plan can be trained for a game on this machine.
            pub fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.check_game(game)),*
                }
            }

            /// The learner of the plan, before anything is learned.
            pub fn open<'a, G: Spec>(
                &'a self,
                game: &'a G,
                recipe: &'a Recipe,
                threads: usize,
                observer: &mut dyn Observer,
            ) -> Result<Box<dyn Learner + 'a>, LearnerError> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.open(game, recipe, threads, observer)),*
                }
            }
        }
    };
}

learners!(
    NTuple(ntuple::NTuplePlan),
    Weights(weights::WeightsPlan),
    LambdaPi(lambda_pi::LambdaPiPlan),
    Lspi(lspi::LspiPlan),
    Cbmpi(cbmpi::CbmpiPlan),
    Table(table::TablePlan),
    Evaluation(evaluation::EvaluationPlan),
);

/// The name of the one learner that a recipe has all tables of.
fn one_learner(
    tables: &toml::Table,
    learners: &[(&'static [&'static str], &str)],
) -> Result<&'static str, RecipeError> {
    let known = |key: &str| learners.iter().any(|(own, _)| own.contains(&key));
    if let Some(key) = tables.keys().find(|key| !known(key)) {
        return Err(RecipeError::Key { key: key.chars().take(60).collect() });
    }
    let here = learners.iter().filter(|(own, _)| own.iter().any(|key| tables.contains_key(*key)));
    let found: Vec<_> = here.collect();
    let error = |found: String| Err(RecipeError::Learners { found });
    match &found[..] {
        [] => error("no learner".to_owned()),
        [(own, usage)] => match own.iter().find(|key| !tables.contains_key(**key)) {
            Some(missing) => error(format!("no {missing} table ({usage})")),
            None => Ok(own[0]),
        },
        several => {
            let names: Vec<String> =
                several.iter().map(|(own, _)| format!("[{}]", own[0])).collect();
            error(names.join(" and "))
        }
    }
}

/// Checks that this much memory is free. The system overcommits: it provides every table and takes
/// the memory when it is written to.
fn ensure_memory(needed: u64) -> Result<(), MemoryError> {
    match free() {
        Some(free) if needed > free => Err(MemoryError::TooLarge { needed, free }),
        _ => Ok(()),
    }
}
