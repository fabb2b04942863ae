//! Writing a measured strength into an agent's file, whatever kind of agent it is.

use std::io::Read;
use std::path::Path;

use safetensors::tensor::TensorInfo;

use super::SCALE;
use super::error::{AgentFileError, Problem};
use super::header::open;
use super::info::{AgentInfo, Strength};
use super::save::{description, start, write_beside};

/// Says how strong an agent is. Its weights stay as they are.
pub fn save_strength(path: &Path, strength: Strength) -> Result<(), AgentFileError> {
    change(path, strength).map_err(|problem| problem.of(path))
}

fn change(path: &Path, strength: Strength) -> Result<(), Problem> {
    let mut opened = open(path.into())?;
    let info = AgentInfo { strength: Some(strength), ..opened.info };
    let mut tensors: Vec<(String, TensorInfo)> =
        opened.tensors.tensors().into_iter().map(|(name, tensor)| (name, tensor.clone())).collect();
    tensors.sort_by_key(|(_, tensor)| tensor.data_offsets);
    let mut data = Vec::new();
    opened.file.read_to_end(&mut data).map_err(Problem::Read)?;
    // Scales lie before the weights, which begin at a multiple of a cache line.
    let first = tensors.first().filter(|(name, _)| name == SCALE);
    let scales = first.map_or(0, |(_, tensor)| tensor.data_offsets.1.min(data.len()));
    let header = start(description(&info)?, tensors, &data[..scales])?;
    write_beside(path, &header, &data[scales..])
}
