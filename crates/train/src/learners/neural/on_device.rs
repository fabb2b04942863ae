//! Neural networks on NVIDIA GPUs.

use afterstate_cuda::Device;
use afterstate_cuda::neural::{Gpu, NeuralTrainer, trainer};
use afterstate_games::spec::Spec;
use afterstate_learn::neural::{Learned, Trainer};
use afterstate_values::neural::{Architecture, BoardReader};

use super::NeuralPlan;
use crate::learners::LearnerError;

/// Checks whether a GPU can train a plan, and that there is one.
pub(super) fn check<G: Spec>(
    plan: &NeuralPlan,
    game: &G,
    number: usize,
) -> Result<(), LearnerError> {
    NeuralTrainer::<Gpu>::check(&plan.architecture(game)?)?;
    Device::open(number)?;
    Ok(())
}

/// A trainer on a GPU, which learns from batches of this size, and takes boards as they are.
pub(super) fn open(
    architecture: &Architecture,
    boards: &BoardReader,
    learned: Learned,
    number: usize,
    batch: usize,
) -> Result<Box<dyn Trainer>, LearnerError> {
    Ok(trainer(&Device::open(number)?, architecture, boards, learned, batch)?)
}
