//! A recipe as it stands in TOML: every learner's table may be there, and exactly one must be.

use serde::{Deserialize, Serialize};

use super::{
    Budget, CbmpiPlan, EvaluationPlan, LambdaPiPlan, LearnerPlan, Log, LspiPlan, NetworkPlan,
    Phase, Recipe, RecipeError, TablePlan, WeightsPlan,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evaluation: Option<EvaluationPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<TablePlan>,
    #[serde(default)]
    log: Log,
}

fn one() -> u64 {
    1
}

/// The tables by which learners are told apart, for errors.
const LEARNERS: &str =
    "[network] with [[phase]], [weights], [lambda_pi], [lspi], [cbmpi], [table], [evaluation]";

impl TryFrom<TomlForm> for Recipe {
    type Error = RecipeError;

    fn try_from(form: TomlForm) -> Result<Recipe, RecipeError> {
        let TomlForm { game, seed, budget, log, .. } = form;
        let mut found = Vec::new();
        if form.network.is_some() || form.phase.is_some() {
            let network = form.network.ok_or_else(|| missing("[[phase]] without [network]"))?;
            let phases = form.phase.ok_or_else(|| missing("[network] without [[phase]]"))?;
            found.push(("[network]", LearnerPlan::Network { network, phases }));
        }
        found.extend(form.weights.map(|plan| ("[weights]", LearnerPlan::Weights(plan))));
        found.extend(form.lambda_pi.map(|plan| ("[lambda_pi]", LearnerPlan::LambdaPi(plan))));
        found.extend(form.lspi.map(|plan| ("[lspi]", LearnerPlan::Lspi(plan))));
        found.extend(form.cbmpi.map(|plan| ("[cbmpi]", LearnerPlan::Cbmpi(plan))));
        found.extend(form.evaluation.map(|plan| ("[evaluation]", LearnerPlan::Evaluation(plan))));
        found.extend(form.table.map(|plan| ("[table]", LearnerPlan::Table(plan))));
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
        let mut form = TomlForm {
            game,
            seed,
            budget,
            network: None,
            phase: None,
            weights: None,
            lambda_pi: None,
            lspi: None,
            cbmpi: None,
            evaluation: None,
            table: None,
            log,
        };
        match learner {
            LearnerPlan::Network { network, phases } => {
                (form.network, form.phase) = (Some(network), Some(phases));
            }
            LearnerPlan::Weights(plan) => form.weights = Some(plan),
            LearnerPlan::LambdaPi(plan) => form.lambda_pi = Some(plan),
            LearnerPlan::Lspi(plan) => form.lspi = Some(plan),
            LearnerPlan::Cbmpi(plan) => form.cbmpi = Some(plan),
            LearnerPlan::Evaluation(plan) => form.evaluation = Some(plan),
            LearnerPlan::Table(plan) => form.table = Some(plan),
        }
        form
    }
}
