//! The agent that a training of a network starts from.

use afterstate_games::Tuples;
use afterstate_games::spec::Spec;

use super::NTuplePlan;
use crate::learners::LearnerError;

/// The agent from which a training is to start does not fit.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("network.agent: {0} is no n-tuple network of afterstate values")]
    NoNetwork(String),
    #[error(
        "network.agent: {0} has other tuples than the recipe, or stages that the recipe does not begin \
         with: use the recipe that trained it (afterstate agents FILE --recipe)"
    )]
    OtherTuples(String),
}

impl NTuplePlan {
    /// The weights of the agent that the training starts from.
    pub(super) fn initial_weights<G: Spec>(
        &self,
        game: &G,
        tuples: &Tuples,
    ) -> Result<Option<Vec<f32>>, LearnerError> {
        let Some(name) = &self.network.agent else { return Ok(None) };
        let model = name.load(game)?;
        let Some((own, weights)) = model.network() else {
            return Err(StartError::NoNetwork(name.to_string()).into());
        };
        // Stages that the agent lacks are promoted from its last.
        let stages = tuples.stages().get(..own.stages().len()).unwrap_or_default();
        if tuples.clone().with_stages(stages.to_vec()).as_ref() != Ok(own) {
            return Err(StartError::OtherTuples(name.to_string()).into());
        }
        Ok(Some(weights))
    }
}
