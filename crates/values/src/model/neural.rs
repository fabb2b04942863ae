//! Neural networks as models: for each layer the tensors `layer.N.weights` and `layer.N.biases`, of
//! 32 or 16 bits; the field `network` describes the boards, the layers and the scale of the output.
//!
//! A layer has one weight for each input of its window (row by row, column by column, channel by
//! channel) and each output channel, the channels together. In NumPy, `weights.reshape(-1,
//! channels)` is the matrix that a row of inputs is multiplied with.

use std::path::Path;

use afterstate_core::Policy;
use afterstate_core::policy::Choice;
use afterstate_games::spec::Spec;
use afterstate_search::ErasedEvaluator;
use half::f16;
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::{Model, ModelKind, Part, QuantizeError, Tensor};
use crate::file::{
    AgentFile, AgentFileError, AgentInfo, Problem, Tensors, bytes_of, shown, write_agent,
};
use crate::neural::{
    Architecture, BoardReader, BoardShape, Layer, LayerShape, NeuralNetwork, SymmetryUse,
};
use crate::{AfterstateValues, BatchEvaluator, QuantizationLoss, Scratch};

/// Neural networks over the cells of a board.
pub struct Neural;

#[derive(Serialize, Deserialize)]
struct Fields {
    network: NetworkFields,
}

#[derive(Serialize, Deserialize)]
struct NetworkFields {
    /// Rows, columns and the number of values of a cell.
    board: [usize; 3],
    /// The hidden layers.
    layers: Vec<String>,
    symmetry: SymmetryUse,
    /// The factor of the output.
    scale: f32,
    precision: Precision,
}

/// The type of the parameters in a file. They are 32-bit floats in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Precision {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
}

/// A network as a model.
#[derive(Clone, Debug)]
pub struct NeuralModel {
    /// The network.
    pub network: NeuralNetwork,
    precision: Precision,
}

impl NeuralModel {
    /// A network with 32-bit parameters.
    pub fn new(network: NeuralNetwork) -> NeuralModel {
        NeuralModel { network, precision: Precision::F32 }
    }
}

fn names(layer: usize) -> [String; 2] {
    [format!("layer.{layer}.weights"), format!("layer.{layer}.biases")]
}

fn ranges(shape: &LayerShape) -> [std::ops::Range<usize>; 2] {
    [shape.weights.clone(), shape.bias.clone()]
}

impl ModelKind for Neural {
    const NAME: &'static str = "neural";
    const ANY_RULES: bool = false;
    const SEARCHABLE: bool = true;

    fn describe(info: &AgentInfo) -> Result<String, Problem> {
        let NetworkFields { layers, precision, .. } = info.fields::<Fields>()?.network;
        let layers = if layers.is_empty() { "no hidden layer".into() } else { layers.join(", ") };
        let weights = if precision == Precision::F16 { ", 16-bit weights" } else { "" };
        Ok(format!("neural network of {}{weights}", shown(layers)))
    }

    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem> {
        // Rules that have the same afterstates have the same networks.
        let same = game.served_by().filter(|rules| *rules == file.info.game);
        file.check_rules(&same.unwrap_or_else(|| game.spec()), G::VERSION)?;
        let fields = file.info.fields::<Fields>()?.network;
        let (board, [rows, columns, values]) = (BoardShape::of(game), fields.board);
        if board != (BoardShape { rows, columns, values }) {
            return Err(Problem::Model(format!(
                "reads boards of {rows}x{columns} cells with {values} values, these rules have \
                 {}x{} cells with {}",
                board.rows, board.columns, board.values
            )));
        }
        if !fields.scale.is_finite() {
            return Err(Problem::Model("has a scale that is not finite".to_owned()));
        }
        let layers: Result<Vec<Layer>, _> = fields.layers.iter().map(|text| text.parse()).collect();
        let layers = layers.map_err(Problem::model)?;
        let architecture = Architecture::new(board, &layers).map_err(Problem::model)?;
        let mut parameters = Vec::new();
        for (layer, shape) in architecture.shapes().iter().enumerate() {
            for (name, range) in names(layer).iter().zip(ranges(shape)) {
                parameters.extend(match fields.precision {
                    Precision::F32 => file.floats(name, range.len())?,
                    Precision::F16 => half_floats(file, name, range.len())?,
                });
            }
        }
        let boards = BoardReader::new(game, fields.symmetry);
        let network = NeuralNetwork::new(architecture, boards, fields.scale, parameters);
        Ok(Box::new(NeuralModel { network, precision: fields.precision }))
    }
}

/// A tensor of finite 16-bit floats.
fn half_floats(file: &mut AgentFile, name: &str, entries: usize) -> Result<Vec<f32>, Problem> {
    let range = file.tensor(name, Dtype::F16, entries)?;
    let mut bytes = vec![0; 2 * entries];
    file.read_bytes(&range, &mut bytes)?;
    let floats = bytes.as_chunks().0.iter().map(|&entry| f16::from_le_bytes(entry).to_f32());
    let floats: Vec<f32> = floats.collect();
    match floats.iter().position(|float| !float.is_finite()) {
        Some(at) => Err(Problem::NotFinite { name: name.to_owned(), at, value: floats[at] }),
        None => Ok(floats),
    }
}

impl<G: Spec> Model<G> for NeuralModel {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(BatchEvaluator::new(&self.network))
    }

    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        Some(ErasedEvaluator::new(BatchEvaluator::new(&self.network)))
    }

    fn afterstate_values(&self) -> Option<&dyn AfterstateValues<G>> {
        Some(&self.network)
    }

    fn neural(&self) -> Option<&NeuralNetwork> {
        Some(&self.network)
    }

    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        let layers = self.network.architecture().shapes().iter().enumerate();
        let tensors = layers.flat_map(|(layer, shape)| names(layer).into_iter().zip(ranges(shape)));
        let parameters = self.network.parameters();
        tensors.map(|(name, range)| (name, Tensor::Floats(&parameters[range]))).collect()
    }

    fn explain(&self, game: &G, _: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        let mut value = [0.0];
        self.network.evaluate(game, &[choice.1.after], &mut Scratch::default(), &mut value);
        Some(vec![Part::Reward { share: choice.1.reward }, Part::Network { share: value[0] }])
    }

    fn quantize(&self) -> Result<(Box<dyn Model<G>>, QuantizationLoss), QuantizeError> {
        if self.precision == Precision::F16 {
            return Err(QuantizeError::Already);
        }
        let own = &self.network;
        let rounded: Vec<f32> =
            own.parameters().iter().map(|&own| f16::from_f32(own).to_f32()).collect();
        if let Some(&weight) =
            own.parameters().iter().find(|weight| weight.abs() > f16::MAX.to_f32())
        {
            return Err(QuantizeError::Range(weight));
        }
        let (architecture, boards) = (own.architecture().clone(), own.boards().clone());
        let changes = own.parameters().iter().zip(&rounded);
        let changes = changes.filter(|(own, _)| **own != 0.0);
        let squares: f64 = changes.clone().map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let count = changes.count().max(1);
        let network = NeuralNetwork::new(architecture, boards, own.scale(), rounded);
        let loss = QuantizationLoss {
            max_error: None,
            rms: (squares / count as f64).sqrt(),
            bytes_before: 4 * own.parameters().len() as u64,
            bytes_after: 2 * own.parameters().len() as u64,
        };
        Ok((Box::new(NeuralModel { network, precision: Precision::F16 }), loss))
    }

    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        let (network, precision) = (&self.network, self.precision);
        let architecture = network.architecture();
        let BoardShape { rows, columns, values } = architecture.board();
        let fields = Fields {
            network: NetworkFields {
                board: [rows, columns, values],
                layers: architecture.layers().iter().map(Layer::to_string).collect(),
                symmetry: network.boards().symmetry(),
                scale: network.scale(),
                precision,
            },
        };
        let info = info.with_model(Neural::NAME, &fields).map_err(|problem| problem.of(path))?;
        let dtype = if precision == Precision::F16 { Dtype::F16 } else { Dtype::F32 };
        let mut tensors = Tensors::default();
        for (layer, shape) in architecture.shapes().iter().enumerate() {
            for (name, range) in names(layer).into_iter().zip(ranges(shape)) {
                tensors.push(name, dtype, range.len());
            }
        }
        let parameters = network.parameters();
        let bytes = match precision {
            Precision::F32 => bytes_of(parameters),
            Precision::F16 => {
                parameters.iter().flat_map(|&own| f16::from_f32(own).to_le_bytes()).collect()
            }
        };
        write_agent(path, &info, &tensors, &[], &bytes)
    }
}
