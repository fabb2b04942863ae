//! `Gpu`: the memory and the arithmetic of an NVIDIA GPU.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::cublas::{CudaBlas, result::CublasError, sys};
use cudarc::driver::{
    CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtrMut, DeviceRepr, LaunchConfig,
    PinnedHostSlice, PushKernelArg, result,
};

use super::machine::{Args, KERNELS, Machine, Memory, Product, Transposed};
use crate::{CudaError, Device};

/// Threads of a block.
const BLOCK: u32 = 256;

/// Uploads that may be under way at once.
const UPLOADS: usize = 8;

// SAFETY: plain numbers, laid out as the kernels have them.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Args {}

/// Memory of the host that the GPU reads or writes by itself.
struct Staging {
    memory: PinnedHostSlice<u8>,
    /// When the GPU is done with it.
    done: CudaEvent,
}

/// An NVIDIA GPU.
pub struct Gpu {
    stream: Arc<CudaStream>,
    blas: CudaBlas,
    functions: Vec<CudaFunction>,
    memory: Vec<CudaSlice<u8>>,
    uploads: Vec<Staging>,
    next_upload: usize,
    /// Downloads by their numbers, with their sizes.
    downloads: Vec<(Option<Staging>, usize)>,
}

impl From<CublasError> for CudaError {
    fn from(error: CublasError) -> CudaError {
        CudaError::Driver(format!("cuBLAS: {:?}", error.0))
    }
}

impl Gpu {
    /// A GPU with the kernels of a source.
    pub fn new(device: &Device, source: &str) -> Result<Gpu, CudaError> {
        // SAFETY: this only tries to load a library by its name.
        #[allow(unsafe_code)]
        let present = unsafe { sys::is_culib_present() };
        if !present {
            return Err(CudaError::NoBlas);
        }
        let functions = device.compile_all(source, KERNELS)?.into();
        let stream = Arc::clone(&device.stream);
        let blas = CudaBlas::new(Arc::clone(&stream))?;
        Ok(Gpu {
            stream,
            blas,
            functions,
            memory: Vec::new(),
            uploads: Vec::new(),
            next_upload: 0,
            downloads: Vec::new(),
        })
    }

    /// Pinned memory of at least so many bytes.
    fn staging(&self, bytes: usize) -> Result<Staging, CudaError> {
        let size = bytes.next_power_of_two().max(1 << 12);
        // SAFETY: bytes are written before they are read.
        #[allow(unsafe_code)]
        let memory = unsafe { self.stream.context().alloc_pinned_with_flags(size, 0)? };
        Ok(Staging { memory, done: self.stream.record_event(None)? })
    }
}

impl Machine for Gpu {
    fn zeros(&mut self, bytes: usize) -> Result<Memory, CudaError> {
        let mut slice = self.stream.alloc_zeros::<u8>(bytes.max(1))?;
        let (address, _) = slice.device_ptr_mut(&self.stream);
        self.memory.push(slice);
        Ok(Memory { address, bytes })
    }

    fn upload<T: AsRef<[u8]>>(&mut self, parts: &[T], to: Memory) -> Result<(), CudaError> {
        let count = parts.iter().map(|part| part.as_ref().len()).sum();
        assert!(count <= to.bytes, "room for what is uploaded");
        let number = self.next_upload % UPLOADS;
        self.next_upload += 1;
        if number == self.uploads.len() {
            self.uploads.push(self.staging(count)?);
        }
        self.uploads[number].done.synchronize()?;
        if self.uploads[number].memory.len() < count {
            self.uploads[number] = self.staging(count)?;
        }
        let staging = &mut self.uploads[number];
        let bytes = &mut staging.memory.as_mut_slice()?[..count];
        let mut rest = &mut bytes[..];
        for part in parts {
            let (own, others) = rest.split_at_mut(part.as_ref().len());
            own.copy_from_slice(part.as_ref());
            rest = others;
        }
        // SAFETY: there is room, and the bytes stay as they are until `done`.
        #[allow(unsafe_code)]
        unsafe {
            result::memcpy_htod_async(to.address, bytes, self.stream.cu_stream())?;
        }
        staging.done.record(&self.stream)?;
        Ok(())
    }

    fn begin_download(&mut self, from: Memory) -> Result<usize, CudaError> {
        let free = self.downloads.iter().position(|(staging, size)| {
            *size == 0 && staging.as_ref().is_none_or(|own| own.memory.len() >= from.bytes)
        });
        let number = free.unwrap_or(self.downloads.len());
        if free.is_none() {
            self.downloads.push((None, 0));
        }
        let mut staging = match self.downloads[number].0.take() {
            Some(staging) => staging,
            None => self.staging(from.bytes)?,
        };
        let bytes = &mut staging.memory.as_mut_slice()?[..from.bytes];
        // SAFETY: there is room, and nobody reads the bytes until `done`.
        #[allow(unsafe_code)]
        unsafe {
            result::memcpy_dtoh_async(bytes, from.address, self.stream.cu_stream())?;
        }
        staging.done.record(&self.stream)?;
        self.downloads[number] = (Some(staging), from.bytes);
        Ok(number)
    }

    fn finish(&mut self, download: usize, to: &mut Vec<f32>) -> Result<(), CudaError> {
        let (staging, size) = &mut self.downloads[download];
        to.clear();
        if let Some(staging) = staging {
            staging.done.synchronize()?;
            let (numbers, _) = staging.memory.as_slice()?[..*size].as_chunks::<4>();
            to.extend(numbers.iter().map(|&own| f32::from_ne_bytes(own)));
        }
        *size = 0;
        Ok(())
    }

    fn copy(&mut self, from: Memory, to: Memory) -> Result<(), CudaError> {
        assert!(from.bytes <= to.bytes, "room for what is copied");
        // SAFETY: both are live memory of the GPU, and there is room.
        #[allow(unsafe_code)]
        unsafe {
            result::memcpy_dtod_async(
                to.address,
                from.address,
                from.bytes,
                self.stream.cu_stream(),
            )?;
        }
        Ok(())
    }

    fn launch(&mut self, kernel: &'static str, count: usize, args: Args) -> Result<(), CudaError> {
        let number = KERNELS.iter().position(|&own| own == kernel);
        let function = number.map(|number| &self.functions[number]);
        let function = function.ok_or_else(|| CudaError::Driver(format!("no kernel {kernel}")))?;
        let count = count as u32;
        if count == 0 {
            return Ok(());
        }
        let config = LaunchConfig {
            grid_dim: (count.div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut builder = self.stream.launch_builder(function);
        builder.arg(&count).arg(&args);
        // SAFETY: the kernel takes a number and this structure, whose addresses are those of live memory
        // for as many boards as `count` says.
        #[allow(unsafe_code)]
        unsafe {
            builder.launch(config)?;
        }
        Ok(())
    }

    fn multiply(&mut self, product: Product) -> Result<(), CudaError> {
        use sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        let Product { transposed, rows, inner, columns, factors, product, half } = product;
        // cuBLAS stores columns: the transposed product is that of the transposed factors in the other order.
        let (first, second, row_of_first, row_of_second) = match transposed {
            Transposed::None => (CUBLAS_OP_N, CUBLAS_OP_N, inner, columns),
            Transposed::First => (CUBLAS_OP_T, CUBLAS_OP_N, rows, columns),
            Transposed::Second => (CUBLAS_OP_N, CUBLAS_OP_T, inner, inner),
        };
        let (numbers, compute) = if half {
            (sys::cudaDataType::CUDA_R_16F, sys::cublasComputeType_t::CUBLAS_COMPUTE_32F)
        } else {
            (sys::cudaDataType::CUDA_R_32F, sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32)
        };
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: the matrices are live memory of the GPU and have these sizes.
        #[allow(unsafe_code)]
        unsafe {
            cudarc::cublas::result::gemm_ex(
                *self.blas.handle(),
                second,
                first,
                columns as i32,
                rows as i32,
                inner as i32,
                (&raw const one).cast::<c_void>(),
                factors[1].address as *const c_void,
                numbers,
                row_of_second as i32,
                factors[0].address as *const c_void,
                numbers,
                row_of_first as i32,
                (&raw const zero).cast::<c_void>(),
                product.address as *mut c_void,
                numbers,
                columns as i32,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )?;
        }
        Ok(())
    }
}
