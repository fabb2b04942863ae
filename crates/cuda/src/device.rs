//! `Device`: a GPU, and what can be wrong with it.

use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError};
use cudarc::nvrtc::{CompileError, CompileOptions, Ptx, compile_ptx_with_opts};

use crate::energy::EnergyCounter;

/// A GPU that is in use.
#[derive(Clone, Debug)]
pub struct Device {
    context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    processors: u32,
    counter: Option<Arc<EnergyCounter>>,
}

/// Why a GPU cannot be used, or failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// No driver.
    #[error(
        "this machine has no CUDA driver (libcuda was not found): install the driver of an NVIDIA \
         GPU, or use --device cpu"
    )]
    NoDriver,
    /// No compiler for kernels.
    #[error(
        "the CUDA driver is here, but not the compiler of its kernels (libnvrtc was not found): \
         install NVRTC of the CUDA toolkit 12 or 13, or put its folder into LD_LIBRARY_PATH"
    )]
    NoCompiler,
    /// No products of matrices.
    #[error(
        "neural networks learn on the GPU by cuBLAS, which was not found: install cuBLAS of the CUDA toolkit \
         12 or 13, or put its folder into LD_LIBRARY_PATH"
    )]
    NoBlas,
    /// No such device.
    #[error("there is no device cuda:{number}: this machine has {count} CUDA devices")]
    NoDevice {
        /// The number that was asked for.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// Too little memory.
    #[error("{needed} MiB are needed on the GPU, of which {free} MiB are free")]
    Memory {
        /// MiB that are needed.
        needed: u64,
        /// MiB that are free.
        free: u64,
    },
    /// The kernels were refused.
    #[error("the kernels do not compile for this GPU: {0}")]
    Compile(String),
    /// The driver is older than the compiler.
    #[error(
        "the CUDA driver is older than the compiler of the kernels: update the driver, or put an \
         older NVRTC first in LD_LIBRARY_PATH"
    )]
    OldDriver,
    /// An error of the driver.
    #[error("the GPU failed: {0}")]
    Driver(String),
}

impl From<DriverError> for CudaError {
    fn from(error: DriverError) -> CudaError {
        use cudarc::driver::sys::CUresult;
        match error.0 {
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => CudaError::OldDriver,
            _ => {
                let text =
                    error.error_string().ok().map(|text| text.to_string_lossy().into_owned());
                CudaError::Driver(text.unwrap_or_else(|| format!("{:?}", error.0)))
            }
        }
    }
}

impl Device {
    /// Opens a device by its number.
    pub fn open(number: usize) -> Result<Device, CudaError> {
        // SAFETY: these only try to load libraries by their names, which runs the initialisers of
        // the driver, as every program that uses it does.
        #[allow(unsafe_code)]
        let (driver, compiler) = unsafe {
            (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present())
        };
        if !driver {
            return Err(CudaError::NoDriver);
        }
        let count = CudaContext::device_count()? as usize;
        if number >= count {
            return Err(CudaError::NoDevice { number, count });
        }
        if !compiler {
            return Err(CudaError::NoCompiler);
        }
        let context = CudaContext::new(number)?;
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let processors = context.attribute(attribute)? as u32;
        let stream = context.default_stream();
        let [domain, bus, slot] = [
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
        ]
        .map(|attribute| context.attribute(attribute).unwrap_or(0));
        let counter = EnergyCounter::open(&format!("{domain:08x}:{bus:02x}:{slot:02x}.0"));
        Ok(Device { context, stream, processors, counter: counter.map(Arc::new) })
    }

    /// The energy that it has used since some time in the past; `None` if it has no counter, or the
    /// library that reads it (NVML) is missing.
    pub fn joules(&self) -> Option<f64> {
        self.counter.as_ref()?.joules()
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "a CUDA device".to_owned())
    }

    /// The number of its multiprocessors.
    pub fn processors(&self) -> u32 {
        self.processors
    }

    /// Checks that so many bytes are free.
    pub fn ensure_memory(&self, needed: u64) -> Result<(), CudaError> {
        let (free, _) = self.context.mem_get_info()?;
        if needed > free as u64 {
            return Err(CudaError::Memory { needed: needed >> 20, free: free as u64 >> 20 });
        }
        Ok(())
    }

    /// Compiles a program and loads its function.
    pub(crate) fn compile(&self, source: &str, name: &str) -> Result<CudaFunction, CudaError> {
        let [function] = self.compile_all(source, [name])?;
        Ok(function)
    }

    /// Compiles a program and loads its functions.
    pub(crate) fn compile_all<const N: usize>(
        &self,
        source: &str,
        names: [&str; N],
    ) -> Result<[CudaFunction; N], CudaError> {
        let (major, minor) = self.context.compute_capability()?;
        let options = CompileOptions {
            // Sums are the same on every device: no fused steps.
            fmad: Some(false),
            options: vec![
                "--std=c++17".to_owned(),
                format!("--gpu-architecture=compute_{major}{minor}"),
            ],
            ..CompileOptions::default()
        };
        let ptx: Ptx = compile_ptx_with_opts(source, options).map_err(|error| {
            CudaError::Compile(match error {
                CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
                other => other.to_string(),
            })
        })?;
        let module = self.context.load_module(ptx)?;
        let functions: Result<Vec<_>, _> =
            names.iter().map(|name| module.load_function(name)).collect();
        functions?.try_into().map_err(|_| CudaError::Driver("a kernel is missing".to_owned()))
    }
}
