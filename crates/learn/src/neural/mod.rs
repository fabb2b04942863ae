//! Learning of neural networks: gradients by back-propagation, and steps of Adam.

mod adam;
mod gradient;
mod processor;

#[cfg(test)]
mod tests;

pub use adam::{DECAY, corrected};
pub use processor::ProcessorTrainer;

use afterstate_values::neural::Architecture;

use crate::Interrupted;

/// What is learned: the parameters and the moments of Adam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The parameters.
    pub parameters: Vec<f32>,
    /// The mean of the gradients.
    pub first: Vec<f32>,
    /// The mean of their squares.
    pub second: Vec<f32>,
    /// The parameters of the target network.
    pub target: Vec<f32>,
    /// The steps of Adam.
    pub steps: u64,
}

impl Learned {
    /// Parameters that have not learned yet.
    pub fn new(parameters: Vec<f32>) -> Learned {
        let zeros = vec![0.0; parameters.len()];
        let (second, target) = (zeros.clone(), parameters.clone());
        Learned { parameters, first: zeros, second, target, steps: 0 }
    }

    /// Bytes of memory for a network and its gradients.
    pub fn bytes(architecture: &Architecture) -> u64 {
        4 * (6 + processor::PARTS as u64) * architecture.parameters() as u64
    }
}

/// Which parameters evaluate boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// Those that learn.
    Learning,
    /// Those of the target network, a copy from before.
    Target,
}

/// Boards to learn from.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Their cells, board after board.
    pub cells: Vec<u8>,
    /// What their outputs should be.
    pub targets: Vec<f32>,
    /// How much each error counts.
    pub weights: Vec<f32>,
}

/// Why a trainer did not finish.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Stopped {
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The device failed.
    #[error("{0}")]
    Failed(String),
}

/// A network under training, wherever it is evaluated and its gradients are computed. Calls take effect in
/// their order, also where they return before their work is done.
pub trait Trainer: Send {
    /// Begins to evaluate boards, given by their cells in parts, one after the other.
    fn submit(&mut self, parts: &[Vec<u8>], parameters: Parameters);

    /// The outputs of the boards that were submitted first among those not yet received.
    fn receive(&mut self, outputs: &mut Vec<f32>, interrupted: Interrupted) -> Result<(), Stopped>;

    /// One step of Adam against the mean squared error of the outputs of boards from their targets; if it
    /// is stopped, nothing is learned.
    fn learn(&mut self, batch: Batch, rate: f32, interrupted: Interrupted) -> Result<(), Stopped>;

    /// Copies the parameters to the target network.
    fn update_target(&mut self);

    /// The mean squared error of the last step.
    fn error(&mut self) -> Result<f64, Stopped>;

    /// What was learned until the last [`synchronize`](Trainer::synchronize), for checkpoints.
    fn learned(&mut self) -> &mut Learned;

    /// Brings [`learned`](Trainer::learned) up to date.
    fn synchronize(&mut self) -> Result<(), Stopped>;

    /// Uses [`learned`](Trainer::learned) after it was changed.
    fn refresh(&mut self);
}
