//! Saving an agent: written beside and renamed, straight from the network's memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use afterstate_games::{Cells, Tuples};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::error::{AgentFileError, Problem};
use super::info::{AgentInfo, Precision};
use super::{KEY, LARGEST_HEADER, SCALE, tensor_name};
use crate::network::ranges;
use crate::{AnyNetwork, Memory, Network, QuantizedNetwork};

/// Where the weights begin in a file: at a multiple of a cache line, as in memory.
const ALIGNED: usize = 64;

/// A network that a file can hold.
pub trait Stored {
    /// The tuples.
    fn tuples(&self) -> &Tuples;

    /// The numbers that the weights are.
    fn precision(&self) -> Precision;

    /// The scale of each tuple; none where weights are what they are.
    fn scales(&self) -> &[f32];

    /// The memory that holds the weights, and nothing else.
    fn memory_mut(&mut self) -> &mut Memory;
}

/// Saves an agent. The description's format, tuples and precision are those of the network,
/// whatever it says.
///
/// The file is written under its name with `.part` added and then renamed, so that a file with the
/// name is always whole: the old one or the new one. Only one program at a time may save under a
/// name. The same agent gives the same bytes.
pub fn save<N: Stored>(
    path: &Path,
    info: &AgentInfo,
    network: &mut N,
) -> Result<(), AgentFileError> {
    let scales = bytes_of(network.scales());
    let info = AgentInfo {
        format: AgentInfo::FORMAT,
        tuples: network.tuples().cells().to_vec(),
        values: Some(network.tuples().values()).filter(|values| ![2, 16].contains(values)),
        stages: network.tuples().stages().to_vec(),
        precision: network.precision(),
        features: None,
        table: None,
        ..info.clone()
    };
    let tensors = tensors(network, scales.len());
    let header = description(&info).and_then(|text| start(text, tensors, &scales));
    let header = header.map_err(|problem| problem.of(path))?;
    let written = write_beside(path, &header, network.memory_mut().bytes());
    written.map_err(|problem| problem.of(path))
}

/// Writes a file under another name and renames it.
pub(super) fn write_beside(path: &Path, start: &[u8], weights: &[u8]) -> Result<(), Problem> {
    let part = beside(path);
    let written = write(&part, start, weights);
    if let Err(error) = written.and_then(|()| fs::rename(&part, path)) {
        // What is left of it is of no use, and may fill the disk.
        let _ = fs::remove_file(&part);
        return Err(Problem::Write(error));
    }
    // The new name should outlive a power cut too, but not every system can promise that.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Numbers as a file has them.
pub(super) fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".part");
    name.into()
}

fn write(path: &Path, start: &[u8], weights: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(start)?;
    file.write_all(weights)?;
    file.sync_all()
}

/// All that comes before the weights: the header, and the scales where there are any.
pub(super) fn start(
    description: String,
    tensors: Vec<(String, TensorInfo)>,
    scales: &[u8],
) -> Result<Vec<u8>, Problem> {
    let metadata = [(KEY.to_owned(), description)].into_iter().collect();
    let unreadable = |error: &dyn std::error::Error| Problem::Unreadable(error.to_string());
    let header = Metadata::new(Some(metadata), tensors).map_err(|error| unreadable(&error))?;
    let mut header = serde_json::to_vec(&header).map_err(|error| unreadable(&error))?;
    // Spaces at the end of a header mean nothing.
    let before_weights = (8 + header.len() + scales.len()).next_multiple_of(ALIGNED);
    header.resize(before_weights - 8 - scales.len(), b' ');
    let met = header.len() as u64;
    if met > LARGEST_HEADER {
        return Err(Problem::TooLong { met, most: LARGEST_HEADER });
    }
    Ok([&met.to_le_bytes()[..], &header, scales].concat())
}

/// The description as text that is known to be readable: JSON has no word for NaN or infinity.
pub(super) fn description(info: &AgentInfo) -> Result<String, Problem> {
    let text = serde_json::to_string(info);
    let read_back = text.and_then(|text| Ok((serde_json::from_str::<AgentInfo>(&text)?, text)));
    match read_back {
        Ok((_, text)) => Ok(text),
        Err(error) => Err(Problem::Unreadable(error.to_string())),
    }
}

/// Every tensor with its place after the header.
fn tensors<N: Stored>(network: &N, scales: usize) -> Vec<(String, TensorInfo)> {
    let (tuples, precision) = (network.tuples(), network.precision());
    let mut tensors = Vec::new();
    if scales > 0 {
        let shape = vec![scales / 4];
        let data_offsets = (0, scales);
        tensors.push((SCALE.to_owned(), TensorInfo { dtype: Dtype::F32, shape, data_offsets }));
    }
    let bytes = precision.bytes() as usize;
    for (tuple, range) in ranges(tuples).enumerate() {
        let data_offsets = (scales + bytes * range.start, scales + bytes * range.end);
        let (dtype, shape) = (precision.dtype(), vec![range.len()]);
        tensors.push((tensor_name(tuple), TensorInfo { dtype, shape, data_offsets }));
    }
    tensors
}

impl<G: Cells> Stored for Network<G> {
    fn tuples(&self) -> &Tuples {
        self.tuples()
    }

    fn precision(&self) -> Precision {
        Precision::F32
    }

    fn scales(&self) -> &[f32] {
        &[]
    }

    fn memory_mut(&mut self) -> &mut Memory {
        self.memory_mut()
    }
}

impl<G: Cells> Stored for QuantizedNetwork<G> {
    fn tuples(&self) -> &Tuples {
        self.tuples()
    }

    fn precision(&self) -> Precision {
        Precision::I16
    }

    fn scales(&self) -> &[f32] {
        self.scales()
    }

    fn memory_mut(&mut self) -> &mut Memory {
        self.memory_mut()
    }
}

impl<G: Cells> Stored for AnyNetwork<G> {
    fn tuples(&self) -> &Tuples {
        self.tuples()
    }

    fn precision(&self) -> Precision {
        match self {
            AnyNetwork::Full(network) => network.precision(),
            AnyNetwork::Small(network) => network.precision(),
        }
    }

    fn scales(&self) -> &[f32] {
        match self {
            AnyNetwork::Full(network) => Stored::scales(network),
            AnyNetwork::Small(network) => network.scales(),
        }
    }

    fn memory_mut(&mut self) -> &mut Memory {
        match self {
            AnyNetwork::Full(network) => network.memory_mut(),
            AnyNetwork::Small(network) => network.memory_mut(),
        }
    }
}
