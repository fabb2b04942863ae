//! `EnergyCounter`: the energy that a GPU has used, as the library of its driver (NVML) tells.

use std::ffi::{CString, c_char, c_int, c_ulonglong, c_void};

use libloading::Library;

/// The names of the library.
const NAMES: [&str; 3] = ["libnvidia-ml.so.1", "libnvidia-ml.so", "nvml.dll"];

/// What every function returns if it worked.
const SUCCESS: c_int = 0;

/// A device, which the library owns.
type Handle = *mut c_void;
type Init = unsafe extern "C" fn() -> c_int;
type Find = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type Read = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;

/// The counter of one GPU.
#[derive(Debug)]
pub(crate) struct EnergyCounter {
    read: Read,
    device: Handle,
}

// SAFETY: NVML is thread-safe by its documentation, and a handle is only a name for it.
#[allow(unsafe_code)]
unsafe impl Send for EnergyCounter {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for EnergyCounter {}

impl EnergyCounter {
    /// The counter of the device at a PCI address; `None` without the library or a counter.
    pub(crate) fn open(address: &str) -> Option<EnergyCounter> {
        let address = CString::new(address).ok()?;
        // SAFETY: the library is that of the driver, whose documented functions have these types;
        // the handle is written before it is read, and the functions stay valid because the library
        // is never unloaded.
        #[allow(unsafe_code)]
        unsafe {
            let library = NAMES.into_iter().find_map(|name| Library::new(name).ok())?;
            let initialise: Init = *library.get::<Init>(b"nvmlInit_v2").ok()?;
            let find: Find = *library.get::<Find>(b"nvmlDeviceGetHandleByPciBusId_v2").ok()?;
            let read: Read = *library.get::<Read>(b"nvmlDeviceGetTotalEnergyConsumption").ok()?;
            let mut device: Handle = std::ptr::null_mut();
            if initialise() != SUCCESS || find(address.as_ptr(), &mut device) != SUCCESS {
                return None;
            }
            std::mem::forget(library);
            let counter = EnergyCounter { read, device };
            counter.joules().map(|_| counter)
        }
    }

    /// The energy since the driver was loaded.
    pub(crate) fn joules(&self) -> Option<f64> {
        let mut millijoules: c_ulonglong = 0;
        // SAFETY: the device is one that the library gave, and the number is written.
        #[allow(unsafe_code)]
        let result = unsafe { (self.read)(self.device, &mut millijoules) };
        (result == SUCCESS).then_some(millijoules as f64 / 1e3)
    }
}
