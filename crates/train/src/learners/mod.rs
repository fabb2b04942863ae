//! The learners of runs. Each is one module with its plan (its tables of the recipe), its checks
//! and the learner itself; a new learner is such a module and a line in the list of `learners!`.

pub mod cbmpi;
pub mod evaluation;
pub mod lambda_pi;
pub mod learner;
mod linear;
pub mod lspi;
pub mod neural;
pub mod ntuple;
mod on_cluster;
pub mod table;
#[cfg(test)]
mod tests;
pub mod weights;
mod worker_pool;

use afterstate_agents::AgentName;
use afterstate_core::cluster::{Job, Work, WorkError};
use afterstate_core::{Device, Rng};
use afterstate_games::spec::Spec;
use afterstate_values::memory::{free, show};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;

use on_cluster::RemotePool;

pub use learner::{DamagedState, GameResult, Learner, LearnerError, Round, RoundContext};

use crate::recipe::{Budget, InvalidSetting, Recipe, RecipeError};
use crate::run::{self, Observer};

/// What learners of one machine answer.
const ONE_MACHINE: &str = "every game of this recipe changes what the next one learns, so that its \
    games cannot be shared out: train it without --cluster, or many seeds of it in a sweep";

/// Refuses GPUs, for plans that have no kernels.
fn not_cuda<P: Plan>(device: Device) -> Result<(), LearnerError> {
    match device {
        Device::Cpu | Device::Cluster => Ok(()),
        Device::Cuda(_) => Err(format!(
            "the recipe has the table [{}]: --device cuda trains recipes with [network] or \
             [weights]",
            P::TABLES[0]
        )
        .into()),
    }
}

/// Prepares a job of a learner or a run, for a worker of a cluster; `None` if it is no such job.
pub fn prepare<G: Spec>(game: &G, job: &Job) -> Option<Result<Box<dyn Work>, WorkError>> {
    match &*job.kind {
        on_cluster::GAMES => Some(on_cluster::prepare(game, job)),
        cbmpi::ROLLOUTS => Some(cbmpi::prepare(game, job)),
        lspi::NEXT_MOVES => Some(lspi::prepare(game, job)),
        ntuple::LEARN => Some(ntuple::prepare(game, job)),
        run::on_cluster::RUN => Some(run::on_cluster::prepare(game, job)),
        _ => None,
    }
}

/// The plan of a learner: its tables of a recipe.
pub trait Plan: Serialize + DeserializeOwned {
    /// The tables of the recipe; the first names the learner.
    const TABLES: &'static [&'static str];

    /// How the tables are written, for errors.
    const USAGE: &'static str;

    /// Reads the plan from its tables, none of which is missing.
    fn from_tables(mut tables: toml::Table) -> Result<Self, RecipeError> {
        let table = tables.remove(Self::TABLES[0]);
        let plan = table.unwrap_or_else(|| toml::Table::new().into()).try_into();
        plan.map_err(|error| RecipeError::in_table(Self::TABLES[0], &error))
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

    /// What a training of the plan takes at most.
    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError>;

    /// The agents that the plan reads.
    fn agents(&mut self) -> Vec<&mut AgentName>;

    /// Checks whether the plan can be trained for a game on a device.
    fn check_device<G: Spec>(&self, game: &G, device: Device) -> Result<(), LearnerError> {
        let _ = game;
        match device {
            Device::Cluster => Err(ONE_MACHINE.into()),
            device => not_cuda::<Self>(device),
        }
    }

    /// The learner of the plan, before anything is learned.
    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a>;
}

/// The memory and the disk that a training takes at most, but for its metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of disk, while a checkpoint is written beside the last one.
    pub disk: u64,
}

impl Needs {
    /// A learner without large tables: its state is a few numbers, or the scores of an evaluation.
    const SMALL: Needs = Needs { memory: 64 << 20, disk: 64 << 20 };

    /// The same with so many more bytes of memory, and of disk.
    fn and(self, memory: u64, disk: u64) -> Needs {
        let Needs { memory: own, disk: written } = self;
        Needs { memory: own.saturating_add(memory), disk: written.saturating_add(disk) }
    }

    /// A learner with tables: so many bytes of memory, all of which are in its checkpoint, and an
    /// agent of so many bytes.
    fn of_tables(memory: u64, agent: u64) -> Needs {
        let of = |tables: u64| tables.saturating_add(Needs::SMALL.memory);
        Needs { memory: of(memory), disk: of(memory.saturating_add(agent).saturating_mul(2)) }
    }
}

/// What every learner is opened with.
pub struct Training<'a, G> {
    /// The game of the recipe.
    pub game: &'a G,
    /// The recipe.
    pub recipe: &'a Recipe,
    /// The number of threads.
    pub threads: usize,
    /// Where it plays and learns.
    pub device: Device,
}

impl<G> Training<'_, G> {
    /// The games of the cluster, if they are to be played there.
    fn remote_pool(&self) -> Result<Option<RemotePool>, LearnerError> {
        (self.device == Device::Cluster).then(RemotePool::new).transpose()
    }

    /// The RNG of a game, by its number.
    fn rng(&self, number: u64) -> Rng {
        Rng::stream(self.recipe.seed, number)
    }
}

/// A learner, or why it cannot be opened.
pub type Opened<'a> = Result<Box<dyn Learner + 'a>, LearnerError>;

/// The list of learners.
macro_rules! learners {
    ($($variant:ident($plan:ty)),* $(,)?) => {
        /// What learns, and how: a recipe has the tables of exactly one learner.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is documented by its plan")]
        #[non_exhaustive]
        pub enum LearnerPlan {
            $($variant($plan)),*
        }

        impl LearnerPlan {
            /// The tables of each learner, and how they are written.
            const LEARNERS: &'static [(&'static [&'static str], &'static str)] =
                &[$((<$plan>::TABLES, <$plan>::USAGE)),*];

            /// Reads the plan of the one learner whose tables these are.
            pub(crate) fn from_tables(tables: toml::Table) -> Result<LearnerPlan, RecipeError> {
                let name = LearnerPlan::one_learner(&tables)?;
                $(if name == <$plan>::TABLES[0] {
                    return Ok(LearnerPlan::$variant(<$plan>::from_tables(tables)?));
                })*
                Err(RecipeError::Learners(name.to_owned()))
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

            /// What a training of the plan takes at most.
            pub fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
                match self {
                    $(LearnerPlan::$variant(plan) => Plan::needs(plan, game)),*
                }
            }

            /// The agents that the plan reads.
            pub(crate) fn agents(&mut self) -> Vec<&mut AgentName> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.agents()),*
                }
            }

            /// Checks whether the plan can be trained for a game on a device.
            pub fn check_device<G: Spec>(
                &self,
                game: &G,
                device: Device,
            ) -> Result<(), LearnerError> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.check_device(game, device)),*
                }
            }

            /// The learner of the plan, before anything is learned.
            pub fn open<'a, G: Spec>(
                &'a self,
                training: Training<'a, G>,
                observer: &mut dyn Observer,
            ) -> Opened<'a> {
                match self {
                    $(LearnerPlan::$variant(plan) => plan.open(training, observer)),*
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
    Neural(neural::NeuralPlan),
);

impl LearnerPlan {
    /// How the tables of each learner are written, as a list.
    pub(crate) fn usages() -> String {
        LearnerPlan::LEARNERS.iter().map(|(_, usage)| *usage).collect::<Vec<_>>().join(", ")
    }

    /// The name of the one learner that a recipe has all tables of.
    fn one_learner(tables: &toml::Table) -> Result<&'static str, RecipeError> {
        let known = |key: &str| LearnerPlan::LEARNERS.iter().any(|(own, _)| own.contains(&key));
        if let Some(key) = tables.keys().find(|key| !known(key)) {
            let key = key.replace(char::is_control, " ");
            return Err(RecipeError::Key(key.chars().take(60).collect()));
        }
        let error = |found: String| Err(RecipeError::Learners(found));
        match &LearnerPlan::with_tables(tables)[..] {
            [] => error("no learner".to_owned()),
            [(own, usage)] => match own.iter().find(|key| !tables.contains_key(**key)) {
                Some(missing) => error(format!("no {missing} table ({usage})")),
                None => Ok(own[0]),
            },
            several => {
                let names = several.iter().map(|(own, _)| format!("[{}]", own[0]));
                error(names.collect::<Vec<_>>().join(" and "))
            }
        }
    }

    /// The learners that a recipe has some table of.
    fn with_tables(tables: &toml::Table) -> Vec<(&'static [&'static str], &'static str)> {
        let here = |own: &[&str]| own.iter().any(|key| tables.contains_key(*key));
        LearnerPlan::LEARNERS.iter().copied().filter(|(own, _)| here(own)).collect()
    }

    /// If `table` belongs to another learner than that of a recipe: the learner of the recipe, and
    /// how the tables of the other are written.
    pub(crate) fn other_learner(
        recipe: &toml::Table,
        table: &str,
    ) -> Option<(&'static str, &'static str)> {
        let (own, _) = *LearnerPlan::with_tables(recipe).first()?;
        let owner = LearnerPlan::LEARNERS.iter().find(|(tables, _)| tables.contains(&table))?;
        (!own.contains(&table)).then_some((own[0], owner.1))
    }
}

/// A training needs more memory than is free.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "the training needs {} of memory but {} are free: make what it learns, or the games that it \
     plays at once, smaller",
    show(*.needed), show(*.free)
)]
pub struct TooLarge {
    /// Bytes that it needs.
    pub needed: u64,
    /// Bytes that are free.
    pub free: u64,
}

/// Checks that this much memory is free. The system overcommits: it provides every table and takes
/// the memory when it is written to.
fn ensure_memory(needed: u64) -> Result<(), TooLarge> {
    match free() {
        Some(free) if needed > free => Err(TooLarge { needed, free }),
        _ => Ok(()),
    }
}

/// A game in progress as a checkpoint has it: in memory, its fields as values of JSON and as text.
const SAVED_GAME: Needs = Needs { memory: 4 << 10, disk: 2 << 10 };
