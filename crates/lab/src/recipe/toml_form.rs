//! A recipe as it stands in TOML: every learner's table may be there, and exactly one must be.

use serde::{Deserialize, Serialize};

use super::{
    Budget, CbmpiPlan, LambdaPiPlan, LearnerPlan, Log, LspiPlan, NetworkPlan, Phase, Recipe,
    RecipeError, WeightsPlan,
};

/// The tables of a recipe, in the order in which they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TomlForm {
    game: String,
    #[serde(default = "one")]
    seed: u64,
    budget: Budget,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<NetworkPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Vec<Phase>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<WeightsPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lambda_pi: Option<LambdaPiPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lspi: Option<LspiPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cbmpi: Option<CbmpiPlan>,
    #[serde(default)]
    log: Log,
}

fn one() -> u64 {
    1
}

/// The tables by which learners are told apart, for errors.
const LEARNERS: &str = "[network] with [[phase]], [weights], [lambda_pi], [cbmpi], [lspi]";

impl TryFrom<TomlForm> for Recipe {
    type Error = RecipeError;

    fn try_from(form: TomlForm) -> Result<Recipe, RecipeError> {
        let TomlForm { game, seed, budget, network, phase, weights, lambda_pi, cbmpi, lspi, log } =
            form;
        let mut found = Vec::new();
        if network.is_some() || phase.is_some() {
            let Some(network) = network else { return Err(missing("[[phase]] without [network]")) };
            let Some(phases) = phase else { return Err(missing("[network] without [[phase]]")) };
            found.push(("[network]", LearnerPlan::Network { network, phases }));
        }
        found.extend(weights.map(|plan| ("[weights]", LearnerPlan::Weights(plan))));
        found.extend(lambda_pi.map(|plan| ("[lambda_pi]", LearnerPlan::LambdaPi(plan))));
        found.extend(lspi.map(|plan| ("[lspi]", LearnerPlan::Lspi(plan))));
        found.extend(cbmpi.map(|plan| ("[cbmpi]", LearnerPlan::Cbmpi(plan))));
        let met = found.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ");
        match (found.pop(), found.is_empty()) {
            (Some((_, learner)), true) => Ok(Recipe { game, seed, budget, learner, log }),
            (None, _) => Err(missing("none")),
            _ => Err(missing(&met)),
        }
    }
}

fn missing(met: &str) -> RecipeError {
    RecipeError::Learners { met: met.to_owned(), expected: LEARNERS.to_owned() }
}

impl From<&Recipe> for TomlForm {
    fn from(recipe: &Recipe) -> TomlForm {
        let Recipe { game, seed, budget, learner, log } = recipe.clone();
        let (network, phase, weights, lambda_pi, cbmpi, lspi) =
            (None, None, None, None, None, None);
        let mut form =
            TomlForm { game, seed, budget, network, phase, weights, lambda_pi, cbmpi, lspi, log };
        match learner {
            LearnerPlan::Network { network, phases } => {
                (form.network, form.phase) = (Some(network), Some(phases));
            }
            LearnerPlan::Weights(plan) => form.weights = Some(plan),
            LearnerPlan::LambdaPi(plan) => form.lambda_pi = Some(plan),
            LearnerPlan::Lspi(plan) => form.lspi = Some(plan),
            LearnerPlan::Cbmpi(plan) => form.cbmpi = Some(plan),
        }
        form
    }
}
