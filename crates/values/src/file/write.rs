//! Writing an agent file: the header with room for a strength, then the tensors.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::agent_file::AgentFile;
use super::error::{AgentFileError, Problem};
use super::info::{AgentInfo, Strength};
use super::replace::{replace_file, write_with_holes};
use super::source::Input;
use super::{KEY, MAX_HEADER};

/// Weights begin at a multiple of a cache line, as in memory.
const ALIGNMENT: usize = 64;

/// Room in a header for a strength that is measured later: adding it writes the header, not the weights.
const STRENGTH_ROOM: usize = 1 << 10;

/// Tensors of one dimension, in the order in which they lie in the file.
#[derive(Default)]
pub(crate) struct Tensors {
    infos: Vec<(String, TensorInfo)>,
    end: usize,
}

impl Tensors {
    /// Adds a tensor after the others.
    pub(crate) fn push(&mut self, name: impl Into<String>, dtype: Dtype, entries: usize) {
        let begin = self.end;
        self.end += entries * dtype.bitsize() / 8;
        let data_offsets = (begin, self.end);
        self.infos.push((name.into(), TensorInfo { dtype, shape: vec![entries], data_offsets }));
    }
}

/// 32-bit floats as a file has them.
pub(crate) fn bytes_of(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// Writes an agent file. `unaligned` are the first tensors; the others, `aligned`, begin at a
/// multiple of 64 bytes, so that they can be mapped and played from as they are. The same agent
/// gives the same bytes.
pub(crate) fn write_agent(
    path: &Path,
    info: &AgentInfo,
    tensors: &Tensors,
    unaligned: &[u8],
    aligned: &[u8],
) -> Result<(), AgentFileError> {
    let written = header(info, &tensors.infos, unaligned.len(), None).and_then(|header| {
        let replaced = replace_file(path, |file| {
            file.write_all(&header)?;
            file.write_all(unaligned)?;
            write_with_holes(file, aligned)
        });
        replaced.map_err(Problem::Write)
    });
    written.map_err(|problem| problem.of(path))
}

/// The bytes that [`write_agent`] would write.
pub(crate) fn agent_size(
    info: &AgentInfo,
    tensors: &Tensors,
    unaligned: usize,
) -> Result<u64, Problem> {
    let header = header(info, &tensors.infos, unaligned, None)?;
    Ok((header.len() + tensors.end) as u64)
}

/// Writes a measured strength into the header of an agent file. The model is not touched, and where
/// the header has room for the strength, nothing else is written.
pub fn save_strength(path: &Path, strength: Strength) -> Result<(), AgentFileError> {
    add_strength(path, strength).map_err(|problem| problem.of(path))
}

fn add_strength(path: &Path, strength: Strength) -> Result<(), Problem> {
    let mut file = AgentFile::open(path).map_err(|error| error.problem)?;
    let info = AgentInfo { strength: Some(strength), ..file.info.clone() };
    let tensors = file.tensors.tensors();
    let mut tensors: Vec<(String, TensorInfo)> =
        tensors.into_iter().map(|(name, tensor)| (name, tensor.clone())).collect();
    tensors.sort_by_key(|(_, tensor)| tensor.data_offsets);
    if let Ok(header) = header(&info, &tensors, 0, Some(file.begin as usize)) {
        let opened = OpenOptions::new().write(true).open(path).map_err(Problem::Write)?;
        // A training may have replaced the file since it was read.
        if !file.is_same_file(&opened) {
            return Err(Problem::Replaced);
        }
        let mut opened = opened;
        let written = opened.write_all(&header).and_then(|()| opened.sync_all());
        return written.map_err(Problem::Write);
    }
    // Files of version 0.1 have no room for it. Scales lie before the aligned weights.
    let first = tensors.first().filter(|(name, _)| name == crate::model::SCALE);
    let unaligned = first.map_or(0, |(_, tensor)| tensor.data_offsets.1);
    let header = header(&info, &tensors, unaligned, None)?;
    file.input.seek(SeekFrom::Start(file.begin)).map_err(Problem::Read)?;
    let copied = replace_file(path, |to| {
        to.write_all(&header)?;
        let from: &mut Input = &mut file.input;
        io::copy(&mut from.by_ref(), to).map(|_| ())
    });
    copied.map_err(Problem::Write)
}

/// The header with its length before it. It takes `exactly` that many bytes if given, otherwise as
/// many as leave room for a strength and align what follows the first `unaligned` bytes of tensors.
fn header(
    info: &AgentInfo,
    tensors: &[(String, TensorInfo)],
    unaligned: usize,
    exactly: Option<usize>,
) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: &dyn std::error::Error| Problem::Unreadable(error.to_string());
    let json = |info: &AgentInfo| {
        let metadata = [(KEY.to_owned(), description(info)?)].into_iter().collect();
        let header = Metadata::new(Some(metadata), tensors.to_vec());
        let header = header.map_err(|error| unreadable(&error))?;
        serde_json::to_vec(&header).map_err(|error| unreadable(&error))
    };
    let mut header = json(info)?;
    let length = match exactly {
        Some(length) => length - 8,
        None => {
            let without = json(&AgentInfo { strength: None, ..info.clone() })?.len();
            let length = 8 + header.len().max(without + STRENGTH_ROOM) + unaligned;
            length.next_multiple_of(ALIGNMENT) - 8 - unaligned
        }
    };
    let found = header.len().max(length) as u64;
    if found > MAX_HEADER || header.len() > length {
        return Err(Problem::TooLong { found, max: MAX_HEADER.min(length as u64) });
    }
    // Spaces at the end of a header mean nothing.
    header.resize(length, b' ');
    Ok([&(length as u64).to_le_bytes()[..], &header].concat())
}

/// The description as text that can be read back: JSON cannot represent NaN or infinity.
fn description(info: &AgentInfo) -> Result<String, Problem> {
    let text = serde_json::to_string(info);
    let read_back = text.and_then(|text| Ok((serde_json::from_str::<AgentInfo>(&text)?, text)));
    match read_back {
        Ok((_, text)) => Ok(text),
        Err(error) => Err(Problem::Unreadable(error.to_string())),
    }
}
