//! `Hardware`: what a training may use of a machine.

use afterstate_core::Device;
use afterstate_core::threads::cores;

/// The threads and the device of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Threads of the processor.
    pub threads: usize,
    /// Where games are played and learned.
    pub device: Device,
}

impl Hardware {
    /// The processor with so many threads.
    pub fn threads(threads: usize) -> Hardware {
        Hardware { threads: threads.max(1), device: Device::Cpu }
    }
}

impl Default for Hardware {
    fn default() -> Hardware {
        Hardware::threads(cores())
    }
}
