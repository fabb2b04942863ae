//! The machine of a measurement, as the operating system describes it.

use std::fs;

/// The processor and the number of available cores.
pub fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = info.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split(':').nth(1)).map_or("unknown", str::trim).to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (model, family, number) = (value("model name"), value("cpu family"), value("model\t"));
    format!("{model}, family {family} model {number}, {cores} cores at hand")
}
