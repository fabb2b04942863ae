//! The optimal values of a solved game as a model: the tensor `boards` has the indices of the
//! afterstates, `worth` their values; the field `table` has their count, the reward function and the discount
//! factor.

use std::path::Path;

use afterstate_core::Policy;
use afterstate_core::policy::Choice;
use afterstate_games::RewardMixture;
use afterstate_games::spec::Spec;
use afterstate_search::ErasedEvaluator;
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind, Part, Tensor};
use crate::SolvedTable;
use crate::file::{AgentFile, AgentFileError, AgentInfo, Problem, Tensors, bytes_of, write_agent};

const BOARDS: &str = "boards";
const VALUES: &str = "worth";

/// Optimal values, for exactly the rules that were solved.
pub struct Solved;

#[derive(Serialize, Deserialize)]
struct Fields {
    table: SolvedFields,
}

#[derive(Serialize, Deserialize)]
struct SolvedFields {
    boards: usize,
    reward: String,
    /// Files of older programs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gamma: Option<f64>,
}

impl ModelKind for Solved {
    const NAME: &'static str = "solved";
    const ANY_RULES: bool = false;
    const SEARCHABLE: bool = true;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        info.fields::<Fields>().map(|_| "optimal play of a solved game".to_owned())
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        file.check_rules(&game.spec(), G::VERSION)?;
        let SolvedFields { boards, reward, gamma } = file.info.fields::<Fields>()?.table;
        let reward: RewardMixture = reward.parse().map_err(Problem::model)?;
        if let Some(gamma) = gamma.filter(|gamma| !(0.0..=1.0).contains(gamma)) {
            return Err(Problem::Model(format!(
                "has a discount factor of {gamma}, but it must be 0 to 1"
            )));
        }
        // The file is as long as its tensors: this many entries fit into memory.
        let range = file.tensor(BOARDS, Dtype::U64, boards)?;
        let mut bytes = vec![0; 8 * boards];
        file.read_bytes(&range, &mut bytes)?;
        let indices = bytes.as_chunks().0.iter().map(|&index| u64::from_le_bytes(index)).collect();
        drop(bytes);
        let values = file.floats(VALUES, boards)?;
        let table = SolvedTable::new(reward, indices, values).map_err(Problem::model)?;
        Ok(Box::new(table.with_gamma(gamma)))
    }
}

impl<G: Spec> Model<G> for SolvedTable {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(self)
    }

    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        Some(ErasedEvaluator::new(self))
    }

    fn solved(&self) -> Option<&SolvedTable> {
        Some(self)
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        let (boards, values) = (Tensor::Longs(self.indices()), Tensor::Floats(self.values()));
        vec![(BOARDS.to_owned(), boards), (VALUES.to_owned(), values)]
    }

    fn explain(&self, game: &G, state: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        let reward = self.reward().of_move(game, state, choice);
        let share = self.value(game, &choice.1.after);
        Some(vec![Part::Reward { share: reward }, Part::Solved { share }])
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        let boards = self.indices().len();
        let (reward, gamma) = (self.reward().to_string(), self.gamma());
        let fields = Fields { table: SolvedFields { boards, reward, gamma } };
        let info = info.with_model(Solved::NAME, &fields).map_err(|problem| problem.of(path))?;
        let mut bytes: Vec<u8> = Vec::with_capacity(12 * boards);
        bytes.extend(self.indices().iter().flat_map(|index| index.to_le_bytes()));
        bytes.extend(bytes_of(self.values()));
        let mut tensors = Tensors::default();
        tensors.push(BOARDS, Dtype::U64, boards);
        tensors.push(VALUES, Dtype::F32, boards);
        write_agent(path, &info, &tensors, &[], &bytes)
    }
}
