//! `NetworkTrainer`: a neural network that learns on threads of the processor. What it learns does not
//! depend on their number.

use std::sync::Arc;

use afterstate_values::neural::{Activations, Architecture, BoardReader, NeuralNetwork};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::adam;
use super::gradient::{Samples, add_gradient};
use crate::Interrupted;

/// The parts of a batch whose gradients are added up in their order, however many threads there are.
const PARTS: usize = 16;

/// Boards that one thread evaluates at a time.
const CHUNK: usize = 256;

/// What is learned: the parameters and the moments of Adam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The parameters.
    pub parameters: Vec<f32>,
    /// The mean of the gradients.
    pub first: Vec<f32>,
    /// The mean of their squares.
    pub second: Vec<f32>,
    /// The steps of Adam.
    pub steps: u64,
}

impl Learned {
    /// Parameters that have not learned yet.
    pub fn new(parameters: Vec<f32>) -> Learned {
        let zeros = vec![0.0; parameters.len()];
        Learned { parameters, first: zeros.clone(), second: zeros, steps: 0 }
    }

    /// Bytes of memory for a network and its gradients.
    pub fn bytes(architecture: &Architecture) -> u64 {
        4 * (5 + PARTS as u64) * architecture.parameters() as u64
    }
}

/// A network under training.
pub struct NetworkTrainer {
    threads: Arc<ThreadPool>,
    /// What is learned, for checkpoints; [`NetworkTrainer::refresh`] after it is changed.
    pub learned: Learned,
    network: NeuralNetwork,
    gradients: Vec<Vec<f32>>,
    error: f64,
}

impl NetworkTrainer {
    /// A trainer of a network that reads boards in this way.
    pub fn new(
        architecture: &Architecture,
        boards: &BoardReader,
        learned: Learned,
        threads: Arc<ThreadPool>,
    ) -> NetworkTrainer {
        let (own, boards) = (architecture.clone(), boards.clone());
        NetworkTrainer {
            network: NeuralNetwork::new(own, boards, 1.0, learned.parameters.clone()),
            gradients: vec![vec![0.0; architecture.parameters()]; PARTS],
            threads,
            learned,
            error: 0.0,
        }
    }

    /// Makes the network of what was learned.
    pub fn refresh(&mut self) {
        self.network = self.network.with_parameters(self.learned.parameters.clone());
    }

    /// The outputs of boards, given by their cells; `None` if it was interrupted.
    pub fn outputs(
        &self,
        cells: &[u8],
        outputs: &mut Vec<f32>,
        interrupted: Interrupted,
    ) -> Option<()> {
        let network = &self.network;
        let count = network.architecture().board().cells();
        outputs.resize(cells.len() / count, 0.0);
        self.threads.install(|| {
            let chunks = cells.par_chunks(CHUNK * count).zip(outputs.par_chunks_mut(CHUNK));
            chunks.for_each_init(Activations::default, |scratch, (cells, outputs)| {
                if !interrupted() {
                    network.outputs(cells, scratch, outputs);
                }
            });
        });
        (!interrupted()).then_some(())
    }

    /// One step of Adam against the mean squared error of the outputs of boards from their targets,
    /// each with a weight; `None` if it was interrupted, and then nothing was learned.
    pub fn learn(
        &mut self,
        cells: &[u8],
        targets: &[f32],
        weights: &[f32],
        rate: f32,
        interrupted: Interrupted,
    ) -> Option<()> {
        let architecture = self.network.architecture();
        let (count, parameters) = (architecture.board().cells(), &self.learned.parameters);
        let part = targets.len().div_ceil(PARTS).max(1);
        let parts = targets.len().div_ceil(part);
        let gradients = &mut self.gradients[..parts];
        let errors: Vec<f64> = self.threads.install(|| {
            let samples = cells.par_chunks(part * count).zip(targets.par_chunks(part));
            let samples = samples.zip(weights.par_chunks(part)).zip(gradients.par_iter_mut());
            let errors = samples.map(|(((cells, targets), weights), gradient)| {
                gradient.fill(0.0);
                let samples = Samples { cells, targets, weights, interrupted };
                add_gradient(architecture, parameters, samples, gradient)
            });
            errors.collect()
        });
        if interrupted() {
            return None;
        }
        let (sum, others) = self.gradients[..parts].split_at_mut(1);
        for other in others {
            sum[0].iter_mut().zip(other).for_each(|(sum, other)| *sum += *other);
        }
        let mean = 1.0 / targets.len() as f32;
        sum[0].iter_mut().for_each(|sum| *sum *= mean);
        self.error = errors.iter().sum::<f64>() / targets.len() as f64;
        adam::step(&mut self.learned, &sum[0], rate);
        self.network = self.network.with_parameters(self.learned.parameters.clone());
        Some(())
    }

    /// The mean squared error of the last step.
    pub fn error(&self) -> f64 {
        self.error
    }
}
