//! Weighted features as a model: one tensor `weights`; the field `features` has the name of the
//! set, the names of its features and the weight of the reward.

use std::path::Path;

use afterstate_core::Policy;
use afterstate_core::policy::Choice;
use afterstate_games::spec::Spec;
use afterstate_search::{ErasedEvaluator, LinearEvaluator};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind, Part, Tensor};
use crate::Linear;
use crate::file::{
    AgentFile, AgentFileError, AgentInfo, Problem, Tensors, bytes_of, shown, write_agent,
};

const WEIGHTS: &str = "weights";

/// Weighted sums of features. They may play other rules of their game if the features have the same
/// names there.
pub struct LinearModel;

#[derive(Serialize, Deserialize)]
struct Fields {
    features: FeatureFields,
}

#[derive(Serialize, Deserialize)]
struct FeatureFields {
    set: String,
    names: Vec<String>,
    reward: f32,
}

impl ModelKind for LinearModel {
    const NAME: &'static str = "linear";
    const ANY_RULES: bool = true;
    const SEARCHABLE: bool = true;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        Ok(format!("weights of the features {}", shown(info.fields::<Fields>()?.features.set)))
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        file.check_game(G::NAME, G::VERSION)?;
        let FeatureFields { set, names, reward } = file.info.fields::<Fields>()?.features;
        let unknown = || Problem::model(format!("{} has no feature set {set:?}", G::NAME));
        let features = game.features(&set).ok_or_else(unknown)?;
        let expected = features.names();
        if names != expected {
            let differ = |&i: &usize| names.get(i) != expected.get(i);
            let at = (0..=names.len().max(expected.len())).find(differ).unwrap_or(0);
            let name = |names: &[String]| names.get(at).map_or("none".to_owned(), shown);
            let (found, expected) = (name(&names), name(&expected));
            return Err(Problem::Model(format!(
                "has {found} as feature {}, these rules have {expected}",
                at + 1
            )));
        }
        let weights = file.floats(WEIGHTS, names.len())?;
        Ok(Box::new(Linear::new(set, features, reward, weights).map_err(Problem::model)?))
    }
}

impl<G: Spec> Model<G> for Linear<G> {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(self)
    }

    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        let evaluator = LinearEvaluator::new(self.features(), self.weights(), self.reward());
        Some(ErasedEvaluator::new(evaluator))
    }

    fn explain(&self, game: &G, state: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        let names = self.features().names();
        let mut counts = vec![0.0; names.len()];
        self.features().describe(game, state, choice, &mut counts);
        let features = names.into_iter().zip(counts).zip(self.weights());
        let features = features.map(|((name, count), &weight)| Part::Feature {
            name,
            count,
            weight,
            share: count * weight,
        });
        let reward = Part::Reward { share: self.reward() * choice.1.reward };
        Some([reward].into_iter().chain(features).collect())
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        vec![(WEIGHTS.to_owned(), Tensor::Floats(self.weights()))]
    }

    fn linear(&self) -> Option<&Linear<G>> {
        Some(self)
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        let (set, names) = (self.set().to_owned(), self.features().names());
        let fields = Fields { features: FeatureFields { set, names, reward: self.reward() } };
        let info = info.with_model(LinearModel::NAME, &fields);
        let info = info.map_err(|problem| problem.of(path))?;
        let mut tensors = Tensors::default();
        tensors.push(WEIGHTS, Dtype::F32, self.weights().len());
        write_agent(path, &info, &tensors, &[], &bytes_of(self.weights()))
    }
}
