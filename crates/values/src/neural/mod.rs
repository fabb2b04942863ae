//! Neural value functions: perceptrons and small convolutional networks over the cells of a board,
//! evaluated on the processor. What trains them is the crate `neural`.

mod architecture;
mod boards;
mod forward;
mod network;
mod reference;
#[cfg(test)]
pub(crate) mod tests;

pub use architecture::{Architecture, ArchitectureError, BoardShape, Layer, LayerShape};
pub use boards::{BoardReader, SymmetryUse};
pub use forward::Activations;
pub use network::NeuralNetwork;
pub use reference::value as reference_value;
