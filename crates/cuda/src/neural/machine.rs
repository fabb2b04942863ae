//! `Machine`: the memory and the arithmetic of a GPU, or of a host, where tests run the same trainer.

use crate::CudaError;

/// Memory of a machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Its address there.
    pub address: u64,
    /// Its size.
    pub bytes: usize,
}

impl Memory {
    /// What begins so many bytes later.
    pub(super) fn at(self, offset: usize) -> Memory {
        let bytes = self.bytes.saturating_sub(offset);
        Memory { address: self.address + offset as u64, bytes }
    }
}

/// What every kernel takes, as in `neural.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Args {
    /// Addresses.
    pub addresses: [u64; 6],
    /// Sizes.
    pub sizes: [i32; 12],
    /// Factors.
    pub factors: [f32; 4],
}

impl Args {
    pub(super) fn new(memory: &[Memory], sizes: &[usize]) -> Args {
        let mut args = Args::default();
        for (own, memory) in args.addresses.iter_mut().zip(memory) {
            *own = memory.address;
        }
        for (own, &size) in args.sizes.iter_mut().zip(sizes) {
            *own = size as i32;
        }
        args
    }
}

/// Which matrix of a product is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transposed {
    /// None: rows x inner times inner x columns.
    None,
    /// The first, which is inner x rows.
    First,
    /// The second, which is columns x inner.
    Second,
}

/// A product of matrices, each stored row after row without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Which matrix is transposed.
    pub transposed: Transposed,
    /// Rows of the product.
    pub rows: usize,
    /// Numbers that are summed for each of its entries.
    pub inner: usize,
    /// Columns of the product.
    pub columns: usize,
    /// Both factors.
    pub factors: [Memory; 2],
    /// The product.
    pub product: Memory,
    /// Whether all numbers have 16 bits instead of 32.
    pub half: bool,
}

/// The names of all kernels in `neural.cu`.
pub const KERNELS: [&str; 15] = [
    "largest_image",
    "first_layer_half",
    "first_layer_float",
    "first_inputs",
    "windows_half",
    "windows_float",
    "rectify_half",
    "rectify_float",
    "output_half",
    "output_float",
    "errors",
    "output_backward",
    "fold",
    "adam",
    "halve",
];

/// Memory and arithmetic. Everything happens in the order of the calls, but a call need not wait for it.
pub trait Machine: Send {
    /// Allocates memory, which is zero, for as long as the machine is there.
    fn zeros(&mut self, bytes: usize) -> Result<Memory, CudaError>;

    /// Copies bytes to the machine, given in parts.
    fn upload<T: AsRef<[u8]>>(&mut self, parts: &[T], to: Memory) -> Result<(), CudaError>;

    /// Begins to copy numbers from the machine, and returns a number for [`Machine::finish`].
    fn begin_download(&mut self, from: Memory) -> Result<usize, CudaError>;

    /// Waits for a copy of numbers.
    fn finish(&mut self, download: usize, to: &mut Vec<f32>) -> Result<(), CudaError>;

    /// Copies memory within the machine.
    fn copy(&mut self, from: Memory, to: Memory) -> Result<(), CudaError>;

    /// Calls a kernel for the numbers from 0 to `count`.
    fn launch(&mut self, kernel: &'static str, count: usize, args: Args) -> Result<(), CudaError>;

    /// Multiplies matrices.
    fn multiply(&mut self, product: Product) -> Result<(), CudaError>;
}
