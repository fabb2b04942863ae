//! N-tuple networks as a model: one tensor `tuple.N` for each tuple in each stage, F32, I16 or coded
//! bytes (U8), and with 16-bit or coded weights the tensor `scale`.

use std::path::Path;

use afterstate_core::Policy;
use afterstate_core::policy::Choice;
use afterstate_games::spec::Spec;
use afterstate_games::{Cells, Tuples};
use afterstate_search::{AfterstateFn, ErasedEvaluator, Search, Searcher};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind, Part, QuantizeError, QuantizeFileError, Tensor};
use crate::coded::{Coded, CodingLoss, CodingSettings, DecodeError, Uses, decode_all};
use crate::file::{
    AgentFile, AgentFileError, AgentInfo, Problem, Tensors, agent_size, bytes_of, check_finite,
    write_agent,
};
use crate::network::ranges;
use crate::{
    AfterstateValues, AnyNetwork, Network, NetworkEvaluator, NetworkPolicy, PlaysGames,
    QuantizationLoss, QuantizedNetwork, Values,
};

/// The tensor of the scales of 16-bit weights.
pub const SCALE: &str = "scale";

fn tensor_name(tuple: usize) -> String {
    format!("tuple.{tuple}")
}

/// Sums of table entries, indexed by the contents of tuples of cells.
pub struct NTuple;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fields {
    /// The cells of each tuple, in the form that `Tuples::cells` gives them.
    tuples: Vec<Vec<usize>>,
    /// How many values a cell has, where that is neither 2 nor, in 2048, 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<u32>,
    /// Where later stages begin, each with weights of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stages: Vec<u64>,
    precision: Precision,
    #[serde(default, skip_serializing_if = "ValuesOf::is_afterstates")]
    values_of: ValuesOf,
}

/// The type of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Precision {
    /// 32-bit floats.
    F32,
    /// 16-bit integers with one scale for each tuple in each stage.
    I16,
    /// The same, pruned and entropy-coded.
    Coded,
}

/// The boards that a network has learned the values of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValuesOf {
    /// The board after a move: moves are compared by reward plus value.
    #[default]
    Afterstates,
    /// The board after chance: moves are compared by reward plus expected value over all outcomes.
    States,
}

impl ValuesOf {
    fn is_afterstates(&self) -> bool {
        *self == ValuesOf::Afterstates
    }
}

/// A network with the boards that it has learned the values of.
pub struct NTupleModel<G: Cells> {
    /// The network.
    pub network: AnyNetwork<G>,
    /// What its values belong to.
    pub values_of: ValuesOf,
}

impl ModelKind for NTuple {
    const NAME: &'static str = "ntuple";
    const ANY_RULES: bool = false;
    const SEARCHABLE: bool = true;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        let Fields { tuples, precision, values_of, .. } = info.fields()?;
        let weights = match precision {
            Precision::F32 => "",
            Precision::I16 => ", 16-bit weights",
            Precision::Coded => ", coded weights",
        };
        let states = if values_of == ValuesOf::States { ", values of states" } else { "" };
        Ok(format!("network of {} tuples{weights}{states}", tuples.len()))
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        // Rules that have the same afterstates have the same networks.
        let same = game.served_by().filter(|rules| *rules == file.info.game);
        file.check_rules(&same.unwrap_or_else(|| game.spec()), G::VERSION)?;
        let fields: Fields = file.info.fields()?;
        let values_of = fields.values_of;
        Ok(Box::new(NTupleModel { network: load_network(file, game, fields)?, values_of }))
    }
}

fn load_network<G: Cells>(
    file: &mut AgentFile,
    game: &G,
    fields: Fields,
) -> Result<AnyNetwork<G>, Problem> {
    let values = fields.values.unwrap_or(Tuples::legacy_values(game));
    let tuples = Tuples::with_values(game, &fields.tuples, values).map_err(Problem::model)?;
    let tuples = tuples.with_stages(fields.stages).map_err(Problem::model)?;
    let mut forms = fields.tuples.iter().zip(tuples.cells());
    if let Some((found, form)) = forms.find(|(found, form)| found != form) {
        return Err(Problem::model(format!(
            "has tuple {found:?}, but weights are ordered by its form {form:?}"
        )));
    }
    let dtype = match fields.precision {
        Precision::F32 => Dtype::F32,
        Precision::I16 => Dtype::I16,
        Precision::Coded => return load_coded(file, game, tuples),
    };
    let mut parts = Vec::new();
    for (tuple, weights) in ranges(&tuples).enumerate() {
        parts.push(file.tensor(&tensor_name(tuple), dtype, weights.len())?);
    }
    match dtype {
        Dtype::F32 => {
            let mut memory = file.memory(&parts)?;
            for (tuple, range) in ranges(&tuples).enumerate() {
                let bytes = &memory.bytes()[4 * range.start..4 * range.end];
                check_finite(&tensor_name(tuple), bytes)?;
            }
            Ok(AnyNetwork::Full(Network::from_memory(game, tuples, memory)))
        }
        _ => {
            let scales = file.floats(SCALE, parts.len())?;
            let memory = file.memory(&parts)?;
            Ok(AnyNetwork::Quantized(QuantizedNetwork::from_memory(game, tuples, scales, memory)))
        }
    }
}

/// Decodes a network. Sizes are those of the tuples, whatever the coded bytes say.
fn load_coded<G: Cells>(
    file: &mut AgentFile,
    game: &G,
    tuples: Tuples,
) -> Result<AnyNetwork<G>, Problem> {
    let parts = ranges(&tuples).count();
    let scales = file.floats(SCALE, parts)?;
    let coded: Vec<_> =
        (0..parts).map(|tuple| file.bytes(&tensor_name(tuple))).collect::<Result<_, _>>()?;
    let memory = decode_all(&tuples, &coded).map_err(|(tuple, error)| match error {
        DecodeError::Damaged => Problem::Coded(tensor_name(tuple)),
        DecodeError::Memory(error) => Problem::Memory(error),
    })?;
    Ok(AnyNetwork::Quantized(QuantizedNetwork::from_memory(game, tuples, scales, memory)))
}

impl<G: Cells> NTupleModel<G> {
    /// Evaluates moves by the network; the afterstate values of one that has learned states are
    /// expectations.
    fn network_evaluator(&self) -> ErasedEvaluator<'_, G> {
        match (&self.network, self.values_of) {
            (network, ValuesOf::States) => {
                let mut indices = vec![0; network.active_features()];
                ErasedEvaluator::new(AfterstateFn(move |game: &G, after: &G::After| {
                    let mut value = 0.0;
                    game.for_each_chance(after, |next, probability| {
                        network.indices(game, &game.board_of(&next), &mut indices);
                        value += probability as f32 * network.sum(&indices);
                    });
                    value
                }))
            }
            (AnyNetwork::Full(network), _) => ErasedEvaluator::new(NetworkEvaluator::new(network)),
            (AnyNetwork::Quantized(network), _) => {
                ErasedEvaluator::new(NetworkEvaluator::new(network))
            }
        }
    }
}

impl<G: Spec> Model<G> for NTupleModel<G> {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        match self.values_of {
            ValuesOf::Afterstates => Box::new(NetworkPolicy::new(&self.network)),
            ValuesOf::States => {
                Box::new(Searcher::erased(self.network_evaluator(), Search::GREEDY))
            }
        }
    }

    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        Some(self.network_evaluator())
    }

    fn afterstate_values(&self) -> Option<&dyn AfterstateValues<G>> {
        match self.values_of {
            ValuesOf::Afterstates => Some(&self.network),
            ValuesOf::States => None,
        }
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        let ranges = ranges(self.network.tuples()).enumerate();
        match &self.network {
            AnyNetwork::Full(network) => ranges
                .map(|(tuple, range)| (tensor_name(tuple), &network.weights()[range]))
                .map(|(name, weights)| (name, Tensor::FloatBits(weights)))
                .collect(),
            AnyNetwork::Quantized(network) => {
                let scales = (SCALE.to_owned(), Tensor::Floats(network.scales()));
                let words = network.memory.short_words();
                let tuples = ranges
                    .map(|(tuple, range)| (tensor_name(tuple), Tensor::Shorts(&words[range])));
                [scales].into_iter().chain(tuples).collect()
            }
        }
    }

    fn plays_games(&self) -> Option<&dyn PlaysGames<G>> {
        match (&self.network, self.values_of) {
            (_, ValuesOf::States) => None,
            (AnyNetwork::Full(network), _) => Some(network),
            // Evaluating moves by what they change is faster still.
            (AnyNetwork::Quantized(network), _) => {
                (!G::has_changes(network.compiled())).then_some(network as _)
            }
        }
    }

    fn prepare_for_many_games(&mut self) {
        match &mut self.network {
            AnyNetwork::Full(network) => network.memory_mut().move_to_huge_pages(),
            AnyNetwork::Quantized(network) => network.memory_mut().move_to_huge_pages(),
        }
    }

    fn network(&self) -> Option<(&Tuples, Vec<f32>)> {
        (self.values_of == ValuesOf::Afterstates)
            .then(|| (self.network.tuples(), self.network.weights()))
    }

    fn explain(&self, game: &G, _: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        let reward = Part::Reward { share: choice.1.reward };
        if self.values_of == ValuesOf::States {
            // The tuples of all chance outcomes would be no explanation.
            return None;
        }
        let tuples = self.network.tuples().cells();
        let symmetries = self.network.active_features() / tuples.len();
        let shares = self.network.shares(game, &choice.1.after).into_iter().enumerate();
        let parts = shares.map(|(feature, share)| {
            let (tuple, k) = (feature / symmetries, feature % symmetries);
            let cells = tuples[tuple].iter().map(|&cell| game.apply_symmetry_to_cell(k, cell));
            Part::Tuple { tuple, cells: cells.collect(), share }
        });
        Some([reward].into_iter().chain(parts).collect())
    }

    fn quantize(&self) -> Result<(Box<dyn Model<G>>, QuantizationLoss), QuantizeError> {
        let AnyNetwork::Full(network) = &self.network else { return Err(QuantizeError::Already) };
        let (network, loss) = QuantizedNetwork::from_network(network)?;
        let network = AnyNetwork::Quantized(network);
        Ok((Box::new(NTupleModel { network, values_of: self.values_of }), loss))
    }

    fn save_coded(
        &self,
        game: &G,
        path: &Path,
        info: &AgentInfo,
        settings: &CodingSettings,
    ) -> Result<CodingLoss, QuantizeFileError> {
        let (values_of, network) = (self.values_of, &self.network);
        let uses = Uses::count(game, self, settings)?;
        let described = |coded: &[Vec<u8>]| {
            let lengths: Vec<usize> = coded.iter().map(Vec::len).collect();
            described(path, info, network.tuples(), Precision::Coded, values_of, &lengths)
        };
        let size = |coded: &[Vec<u8>]| {
            let (info, tensors) = described(coded)?;
            agent_size(&info, &tensors, 4 * coded.len()).map_err(|problem| problem.of(path))
        };
        let coded = Coded::new(game, network, &uses, settings, size)?;
        let (info, tensors) = described(&coded.tuples)?;
        let scales = bytes_of(coded.network.scales());
        write_agent(path, &info, &tensors, &scales, &coded.tuples.concat())?;
        Ok(coded.loss)
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        let values_of = self.values_of;
        match &mut self.network {
            AnyNetwork::Full(network) => network.save(path, info, values_of),
            AnyNetwork::Quantized(network) => network.save(path, info, values_of),
        }
    }
}

impl<G: Cells> Network<G> {
    /// Saves the network, straight from its memory, with the description of its agent.
    pub fn save(
        &mut self,
        path: &Path,
        info: &AgentInfo,
        values_of: ValuesOf,
    ) -> Result<(), AgentFileError> {
        let (info, tensors) = described(path, info, self.tuples(), Precision::F32, values_of, &[])?;
        write_agent(path, &info, &tensors, &[], self.memory_mut().bytes())
    }
}

impl<G: Cells> QuantizedNetwork<G> {
    /// Saves the network, straight from its memory, with the description of its agent.
    pub fn save(
        &mut self,
        path: &Path,
        info: &AgentInfo,
        values_of: ValuesOf,
    ) -> Result<(), AgentFileError> {
        let (info, tensors) = described(path, info, self.tuples(), Precision::I16, values_of, &[])?;
        let scales = bytes_of(self.scales());
        write_agent(path, &info, &tensors, &scales, self.memory_mut().bytes())
    }
}

/// The description and the tensors of a network; coded tuples have these lengths.
fn described(
    path: &Path,
    info: &AgentInfo,
    tuples: &Tuples,
    precision: Precision,
    values_of: ValuesOf,
    lengths: &[usize],
) -> Result<(AgentInfo, Tensors), AgentFileError> {
    let fields = Fields {
        tuples: tuples.cells().to_vec(),
        values: Some(tuples.values()).filter(|values| ![2, 16].contains(values)),
        stages: tuples.stages().to_vec(),
        precision,
        values_of,
    };
    let info = info.with_model(NTuple::NAME, &fields).map_err(|problem| problem.of(path))?;
    let (mut tensors, parts) =
        (Tensors::default(), tuples.cells().len() * (tuples.stages().len() + 1));
    if precision != Precision::F32 {
        tensors.push(SCALE, Dtype::F32, parts);
    }
    for (tuple, range) in ranges(tuples).enumerate() {
        let (dtype, entries) = match precision {
            Precision::F32 => (Dtype::F32, range.len()),
            Precision::I16 => (Dtype::I16, range.len()),
            Precision::Coded => (Dtype::U8, lengths[tuple]),
        };
        tensors.push(tensor_name(tuple), dtype, entries);
    }
    Ok((info, tensors))
}
