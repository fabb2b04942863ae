//! A learned value table over a state or state-action aggregation as a model: one tensor `table`;
//! the field `entries` describes the aggregation and the reward.

use std::path::Path;

use afterstate_core::Policy;
use afterstate_games::spec::Spec;
use afterstate_games::{Aggregation, AggregationSpec};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind, Tensor};
use crate::file::{
    AgentFile, AgentFileError, AgentInfo, Problem, Tensors, check_finite, shown, write_agent,
};
use crate::{Memory, ValueTable};

const TABLE: &str = "table";

/// A learned table. It may play other rules of its game if the same aggregation has as many entries
/// there. Its values count its own reward, which a search could not add up.
pub struct LearnedTable;

#[derive(Serialize, Deserialize)]
struct Fields {
    entries: AggregationSpec,
}

impl ModelKind for LearnedTable {
    const NAME: &'static str = "table";
    const ANY_RULES: bool = true;
    const SEARCHABLE: bool = false;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        let AggregationSpec { state_action, views, .. } = info.fields::<Fields>()?.entries;
        let of = if state_action { "state-action pairs" } else { "afterstates" };
        Ok(format!("table of {of} by {}", shown(views.join(" and "))))
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        file.check_game(G::NAME, G::VERSION)?;
        let spec = file.info.fields::<Fields>()?.entries;
        let aggregation = game.aggregation(&spec).map_err(Problem::model)?;
        let size = aggregation.size();
        let range = file.tensor(TABLE, Dtype::F32, size as usize)?;
        let mut memory = Memory::zeroed(4 * size)?;
        let bytes = &mut memory.bytes_mut()[..4 * size as usize];
        file.read_bytes(&range, bytes)?;
        check_finite(TABLE, bytes)?;
        Ok(Box::new(TableModel { aggregation, table: ValueTable::from_memory(memory), spec }))
    }
}

/// A value table with its aggregation.
struct TableModel<G: Spec> {
    aggregation: Box<dyn Aggregation<G>>,
    table: ValueTable,
    spec: AggregationSpec,
}

impl<G: Spec> Model<G> for TableModel<G> {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        self.aggregation.policy(self.table.entries())
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        vec![(TABLE.to_owned(), Tensor::FloatBits(self.table.entries()))]
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        self.table.save(path, info, &self.spec)
    }
}

impl ValueTable {
    /// Saves the table as a model with the description of its agent.
    pub fn save(
        &mut self,
        path: &Path,
        info: &AgentInfo,
        spec: &AggregationSpec,
    ) -> Result<(), AgentFileError> {
        let fields = Fields { entries: spec.clone() };
        let info = info.with_model(LearnedTable::NAME, &fields);
        let info = info.map_err(|problem| problem.of(path))?;
        let size = self.entries().len();
        let mut tensors = Tensors::default();
        tensors.push(TABLE, Dtype::F32, size);
        write_agent(path, &info, &tensors, &[], &self.memory_mut().bytes()[..4 * size])
    }
}
