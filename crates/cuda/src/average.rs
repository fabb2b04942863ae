//! `Average`: the mean of the weights of a network over a part of its training, on a GPU.

use cudarc::driver::{
    CudaFunction, CudaSlice, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};

use crate::device::{CudaError, Device};
use crate::layout::AverageParams;
use crate::source::{BLOCK, WARP};

const AVERAGE: &str = include_str!("../kernels/average.cu");

/// Blocks on each multiprocessor: enough to use all of the memory's bandwidth.
const BLOCKS: u32 = 8;

// SAFETY: plain numbers, laid out as the kernel has them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for AverageParams {}

/// The mean of some weights.
pub struct Average {
    device: Device,
    function: CudaFunction,
    mean: CudaSlice<u8>,
}

impl Average {
    /// The source of the kernel.
    pub fn source() -> String {
        [WARP, &format!("#define BLOCK {BLOCK}\n"), AVERAGE].join("\n")
    }

    /// No samples of so many bytes of weights.
    pub(crate) fn new(device: &Device, bytes: u64) -> Result<Average, CudaError> {
        Ok(Average {
            function: device.compile(&Average::source(), "average")?,
            mean: device.stream.alloc_zeros(bytes as usize)?,
            device: device.clone(),
        })
    }

    /// Adds a sample of the weights: the sample of this number, from 1.
    pub(crate) fn add(&mut self, weights: &CudaSlice<u8>, number: u64) -> Result<(), CudaError> {
        let stream = self.device.stream.clone();
        let count = self.mean.len().min(weights.len()) as u64 / 4;
        let params = AverageParams {
            mean: self.mean.device_ptr_mut(&stream).0,
            weights: weights.device_ptr(&stream).0,
            count,
            share: 1.0 / number.max(1) as f32,
            padding: 0,
        };
        let shape = LaunchConfig {
            grid_dim: (BLOCKS * self.device.processors(), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one `AverageParams`, whose addresses are those of allocations
        // that live as long as this call, which waits for the kernel, and have at least `count`
        // numbers.
        #[allow(unsafe_code)]
        unsafe {
            stream.launch_builder(&self.function).arg(&params).launch(shape)?;
        }
        Ok(stream.synchronize()?)
    }

    /// Sets the mean.
    pub fn upload(&mut self, mean: &[u8]) -> Result<(), CudaError> {
        self.device.stream.memcpy_htod(mean, &mut self.mean)?;
        Ok(self.device.stream.synchronize()?)
    }

    /// Copies the mean to the host.
    pub fn download(&self, mean: &mut [u8]) -> Result<(), CudaError> {
        self.device.stream.memcpy_dtoh(&self.mean, mean)?;
        Ok(self.device.stream.synchronize()?)
    }
}
