//! The learners of runs. This is the only place that tells them apart.

mod cbmpi;
mod crew;
mod evaluation;
mod lambda_pi;
mod lspi;
mod network;
mod table;
mod weights;

use afterstate_games::spec::Spec;
use afterstate_values::MemoryError;
use afterstate_values::memory::free;

use super::training::Training;
use super::{Observer, RunError};
use crate::recipe::{LearnerPlan, Recipe};

/// The learner of a recipe, before anything is learned.
pub(super) fn open<'a, G: Spec>(
    game: &'a G,
    recipe: &'a Recipe,
    threads: usize,
    watch: &mut dyn Observer,
) -> Result<Box<dyn Training + 'a>, RunError> {
    Ok(match &recipe.learner {
        LearnerPlan::Network { network, phases } => {
            Box::new(network::NetworkTraining::open(game, recipe, network, phases, threads, watch)?)
        }
        LearnerPlan::Weights(plan) => {
            Box::new(weights::WeightsTraining::open(game, recipe, plan, threads)?)
        }
        LearnerPlan::Table(plan) => {
            Box::new(table::TableTraining::open(game, recipe, plan, threads, watch)?)
        }
        LearnerPlan::Lspi(plan) => Box::new(lspi::LspiTraining::open(game, recipe, plan)?),
        LearnerPlan::LambdaPi(plan) => {
            Box::new(lambda_pi::LambdaPiTraining::open(game, recipe, plan, threads)?)
        }
        LearnerPlan::Cbmpi(plan) => {
            Box::new(cbmpi::CbmpiTraining::open(game, recipe, plan, threads)?)
        }
        LearnerPlan::Evaluation(plan) => {
            Box::new(evaluation::EvaluationTraining::open(game, recipe, plan, threads)?)
        }
    })
}

/// Whether a recipe can be trained on this machine, before anything is made for it.
pub(super) fn check<G: Spec>(game: &G, recipe: &Recipe) -> Result<(), RunError> {
    match &recipe.learner {
        LearnerPlan::Network { network, phases } => network::check(game, network, phases),
        LearnerPlan::Weights(plan) => weights::check(game, plan),
        LearnerPlan::LambdaPi(plan) => lambda_pi::check(game, plan),
        LearnerPlan::Table(plan) => table::check(game, plan),
        LearnerPlan::Lspi(plan) => lspi::check(game, plan),
        LearnerPlan::Cbmpi(plan) => cbmpi::check(game, plan),
        LearnerPlan::Evaluation(plan) => evaluation::check(game, plan),
    }
}

/// Whether so many bytes of memory are free. The system gives each table for itself, and only
/// takes the memory when it is written to: whether all of them fit has to be asked before.
fn fit(needed: u64) -> Result<(), RunError> {
    match free() {
        Some(free) if needed > free => Err(MemoryError::TooLarge { needed, free }.into()),
        _ => Ok(()),
    }
}
