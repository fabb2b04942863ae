//! Neural networks that learn on NVIDIA GPUs: products of matrices by cuBLAS, and kernels for what is between them.
//!
//! Values are evaluated with 16 bits, gradients computed with 32 (products of both kinds run on tensor cores), and
//! parameters have 32. [`ProcessorTrainer`](afterstate_learn::neural::ProcessorTrainer) is the reference
//! implementation.

mod gpu;
mod machine;
mod trainer;

pub use gpu::Gpu;
pub use machine::{Args, KERNELS, Machine, Memory, Product, Transposed};
pub use trainer::{NeuralTrainer, UnsupportedNetwork};

use afterstate_learn::neural::{Learned, Trainer};
use afterstate_values::neural::{Architecture, BoardReader};

use crate::{CudaError, Device};

const KERNEL_SOURCE: &str = include_str!("../../kernels/neural.cu");

/// The source of the kernels for a network.
pub fn source(architecture: &Architecture) -> String {
    format!("#define PACK {}\n{KERNEL_SOURCE}", trainer::pack(architecture))
}

/// A trainer of a network on a GPU, which learns from batches of so many boards. It takes boards as
/// [`BoardReader::raw`] reads them.
pub fn trainer(
    device: &Device,
    architecture: &Architecture,
    boards: &BoardReader,
    learned: Learned,
    batch: usize,
) -> Result<Box<dyn Trainer>, CudaError> {
    let gpu = Gpu::new(device, &source(architecture))?;
    Ok(Box::new(NeuralTrainer::new(gpu, architecture, boards, learned, batch)?))
}
