//! `NeuralNetwork`: parameters with their architecture, as values of afterstates.

use afterstate_core::Rng;
use afterstate_games::Cells;

use super::forward::{Activations, PackedLayer, forward};
use super::{Architecture, BoardReader};
use crate::values::{AfterstateValues, Scratch};

/// A neural value function. The value of a board is `scale` times the output of the network.
#[derive(Clone, Debug)]
pub struct NeuralNetwork {
    architecture: Architecture,
    boards: BoardReader,
    scale: f32,
    parameters: Vec<f32>,
    /// The layers behind the first, in the order in which they are read.
    packed: Vec<PackedLayer>,
}

impl NeuralNetwork {
    /// A network with these parameters, of which the architecture has so many.
    ///
    /// # Panics
    ///
    /// If there are more or fewer parameters, or if boards have another shape.
    pub fn new(
        architecture: Architecture,
        boards: BoardReader,
        scale: f32,
        parameters: Vec<f32>,
    ) -> NeuralNetwork {
        assert_eq!(parameters.len(), architecture.parameters(), "one number per parameter");
        assert_eq!(boards.shape(), architecture.board(), "boards of the shape that it reads");
        let shapes = architecture.shapes().iter().skip(1);
        let packed = shapes.map(|shape| PackedLayer::new(shape, &parameters)).collect();
        NeuralNetwork { architecture, boards, scale, parameters, packed }
    }

    /// Initial parameters (He et al. 2015): normal weights whose variance keeps that of the
    /// activations, no biases. The output has the value `initial`, in units of the scale, wherever
    /// the last hidden layer is zero, and small weights.
    pub fn initial(architecture: &Architecture, initial: f32, rng: &mut Rng) -> Vec<f32> {
        let mut parameters = vec![0.0; architecture.parameters()];
        let last = architecture.shapes().len() - 1;
        for (number, shape) in architecture.shapes().iter().enumerate() {
            // Of the planes of a cell one is 1.
            let active =
                if number == 0 { shape.window[0] * shape.window[1] } else { shape.inputs() };
            let gain = if number == last { 0.01 } else { 2.0 };
            let deviation = (gain / active as f64).sqrt();
            for weight in &mut parameters[shape.weights.clone()] {
                *weight = (deviation * normal(rng)) as f32;
            }
            if number == last {
                parameters[shape.bias.clone()].fill(initial);
            }
        }
        parameters
    }

    /// The same network with other parameters.
    #[must_use]
    pub fn with_parameters(&self, parameters: Vec<f32>) -> NeuralNetwork {
        let (architecture, boards) = (self.architecture.clone(), self.boards.clone());
        NeuralNetwork::new(architecture, boards, self.scale, parameters)
    }

    /// Its layers.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// How it reads boards.
    pub fn boards(&self) -> &BoardReader {
        &self.boards
    }

    /// The factor of its output.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// All parameters, layer after layer: weights, then biases.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The outputs of boards, given by their cells; `outputs` has one entry per board.
    pub fn outputs(&self, cells: &[u8], scratch: &mut Activations, outputs: &mut [f32]) {
        forward(&self.architecture, &self.parameters, &self.packed, cells, scratch, outputs);
    }
}

/// A normal variate, by Box and Muller.
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

impl<G: Cells> AfterstateValues<G> for NeuralNetwork {
    fn evaluate(&self, game: &G, afters: &[G::After], scratch: &mut Scratch, values: &mut [f32]) {
        assert_eq!(afters.len(), values.len(), "one value per afterstate");
        let Scratch { cells, outputs, activations, .. } = scratch;
        cells.clear();
        for after in afters {
            self.boards.read(game, after, cells);
        }
        let boards = self.boards.boards();
        outputs.resize(afters.len() * boards, 0.0);
        self.outputs(cells, activations, outputs);
        for (value, outputs) in values.iter_mut().zip(outputs.chunks_exact(boards)) {
            *value = self.scale * (outputs.iter().sum::<f32>() / boards as f32);
        }
    }
}
