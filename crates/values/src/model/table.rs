//! A learned value table over a state or state-action aggregation as a model: one tensor `table`;
//! the field `entries` describes the aggregation and the reward.

use std::collections::BTreeMap;
use std::path::Path;

use afterstate_core::Policy;
use afterstate_games::spec::Spec;
use afterstate_games::{Aggregation, AggregationSpec, Combine};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind};
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
    entries: TableFields,
}

/// An aggregation and a reward as files and recipes write them: see [`AggregationSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFields {
    /// Whether state-action pairs have entries; otherwise afterstates have.
    pub moves: bool,
    /// The views of a board.
    pub sees: Vec<String>,
    /// How the values of several views or windows become one.
    #[serde(default)]
    pub combine: CombineField,
    /// The reward of a move, by its parts.
    pub pay: BTreeMap<String, f32>,
    /// The discount factor.
    pub discount: f32,
}

/// How several values become one, as files and recipes write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CombineField {
    /// The largest of them.
    #[default]
    Largest,
    /// Their average.
    Average,
    /// Their sum.
    Sum,
}

impl TableFields {
    /// The same, as games read it.
    pub fn spec(&self) -> AggregationSpec {
        let TableFields { moves, sees, combine, pay, discount } = self.clone();
        let combine = match combine {
            CombineField::Largest => Combine::Largest,
            CombineField::Average => Combine::Average,
            CombineField::Sum => Combine::Sum,
        };
        AggregationSpec { state_action: moves, views: sees, combine, reward: pay, discount }
    }
}

impl ModelKind for LearnedTable {
    const NAME: &'static str = "table";
    const ANY_RULES: bool = true;
    const SEARCHABLE: bool = false;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        let TableFields { moves, sees, .. } = info.fields::<Fields>()?.entries;
        let of = if moves { "state-action pairs" } else { "afterstates" };
        Ok(format!("table of {of} by {}", shown(sees.join(" and "))))
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        file.check_game(G::NAME, G::VERSION)?;
        let fields = file.info.fields::<Fields>()?.entries;
        let aggregation = game.aggregation(&fields.spec()).map_err(Problem::model)?;
        let size = aggregation.size();
        let range = file.tensor(TABLE, Dtype::F32, size as usize)?;
        let mut memory = Memory::zeroed(4 * size)?;
        let bytes = &mut memory.bytes_mut()[..4 * size as usize];
        file.read_bytes(&range, bytes)?;
        check_finite(TABLE, bytes)?;
        Ok(Box::new(TableModel { aggregation, table: ValueTable::from_memory(memory), fields }))
    }
}

/// A value table with its aggregation.
struct TableModel<G: Spec> {
    aggregation: Box<dyn Aggregation<G>>,
    table: ValueTable,
    fields: TableFields,
}

impl<G: Spec> Model<G> for TableModel<G> {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        self.aggregation.policy(self.table.entries())
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        self.table.save(path, info, &self.fields)
    }
}

impl ValueTable {
    /// Saves the table as a model with the description of its agent.
    pub fn save(
        &mut self,
        path: &Path,
        info: &AgentInfo,
        fields: &TableFields,
    ) -> Result<(), AgentFileError> {
        let fields = Fields { entries: fields.clone() };
        let info = info.with_model(LearnedTable::NAME, &fields);
        let info = info.map_err(|problem| problem.of(path))?;
        let size = self.entries().len();
        let mut tensors = Tensors::default();
        tensors.push(TABLE, Dtype::F32, size);
        write_agent(path, &info, &tensors, &[], &self.memory_mut().bytes()[..4 * size])
    }
}
