//! Learning of neural networks: gradients by back-propagation, and steps of Adam.

mod adam;
mod gradient;
mod trainer;

#[cfg(test)]
mod tests;

pub use trainer::{Learned, NetworkTrainer};
