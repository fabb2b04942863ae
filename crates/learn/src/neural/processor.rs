//! `ProcessorTrainer`: a neural network that learns on threads of the processor. What it learns does not
//! depend on their number.

use std::collections::VecDeque;
use std::sync::Arc;

use afterstate_values::neural::{Activations, Architecture, BoardReader, NeuralNetwork};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::adam;
use super::gradient::{Samples, add_gradient};
use super::{Batch, Learned, Parameters, Stopped, Trainer};
use crate::Interrupted;

/// The parts of a batch whose gradients are added up in their order, however many threads there are.
pub(super) const PARTS: usize = 16;

/// Boards that one thread evaluates at a time.
const CHUNK: usize = 256;

/// A network under training on the processor.
pub struct ProcessorTrainer {
    threads: Arc<ThreadPool>,
    learned: Learned,
    network: NeuralNetwork,
    target: NeuralNetwork,
    gradients: Vec<Vec<f32>>,
    submitted: VecDeque<(Vec<u8>, Parameters)>,
    error: f64,
}

impl ProcessorTrainer {
    /// A trainer of a network that reads boards in this way.
    pub fn new(
        architecture: &Architecture,
        boards: &BoardReader,
        learned: Learned,
        threads: Arc<ThreadPool>,
    ) -> ProcessorTrainer {
        let (own, boards) = (architecture.clone(), boards.clone());
        let network = NeuralNetwork::new(own, boards, 1.0, learned.parameters.clone());
        ProcessorTrainer {
            target: network.with_parameters(learned.target.clone()),
            network,
            gradients: vec![vec![0.0; architecture.parameters()]; PARTS],
            threads,
            learned,
            submitted: VecDeque::new(),
            error: 0.0,
        }
    }
}

impl Trainer for ProcessorTrainer {
    fn submit(&mut self, parts: &[Vec<u8>], parameters: Parameters) {
        self.submitted.push_back((parts.concat(), parameters));
    }

    fn receive(&mut self, outputs: &mut Vec<f32>, interrupted: Interrupted) -> Result<(), Stopped> {
        let (cells, parameters) =
            self.submitted.pop_front().unwrap_or((Vec::new(), Parameters::Learning));
        let network = match parameters {
            Parameters::Learning => &self.network,
            Parameters::Target => &self.target,
        };
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
        if interrupted() { Err(Stopped::Interrupted) } else { Ok(()) }
    }

    fn learn(&mut self, batch: Batch, rate: f32, interrupted: Interrupted) -> Result<(), Stopped> {
        let Batch { cells, targets, weights } = batch;
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
            return Err(Stopped::Interrupted);
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
        Ok(())
    }

    fn update_target(&mut self) {
        self.learned.target.clone_from(&self.learned.parameters);
        self.target = self.network.clone();
    }

    fn error(&mut self) -> Result<f64, Stopped> {
        Ok(self.error)
    }

    fn learned(&mut self) -> &mut Learned {
        &mut self.learned
    }

    fn synchronize(&mut self) -> Result<(), Stopped> {
        Ok(())
    }

    fn refresh(&mut self) {
        self.network = self.network.with_parameters(self.learned.parameters.clone());
        self.target = self.network.with_parameters(self.learned.target.clone());
        self.submitted.clear();
    }
}
