//! The header of an agent file, read with distrust.

use std::io::{self, Read};

use safetensors::tensor::Metadata;
use serde::Deserialize;

use super::error::{AgentFileError, Problem, shown};
use super::info::AgentInfo;
use super::source::{Input, Source};
use super::{KEY, LARGEST_HEADER};

/// A file whose header is sound: the tensors cover the rest of it without gaps.
pub(super) struct Opened {
    pub(super) file: Input,
    /// Where the tensors begin.
    pub(super) begin: u64,
    pub(super) tensors: Metadata,
    pub(super) info: AgentInfo,
}

/// Reads what an agent file says of its network, but not the network.
pub fn read_info<'a>(source: impl Into<Source<'a>>) -> Result<AgentInfo, AgentFileError> {
    let source = source.into();
    open(source).map(|opened| opened.info).map_err(|problem| problem.of(source.path()))
}

pub(super) fn open(source: Source) -> Result<Opened, Problem> {
    let (mut file, length) = source.open()?;
    let (begin, header) = read_header(&mut file, length)?;
    let tensors: Metadata = serde_json::from_slice(&header)
        .map_err(|error| Problem::Header(shown(error.to_string())))?;
    let expected = begin.saturating_add(tensors.data_len() as u64);
    if expected != length {
        return Err(Problem::Length { met: length, expected });
    }
    let text = tensors.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let info = parse(text.ok_or(Problem::NotAnAgent)?)?;
    Ok(Opened { file, begin, tensors, info })
}

/// The header, and where it ends. Its length is believed only as far as the file is long.
fn read_header(file: &mut Input, length: u64) -> Result<(u64, Vec<u8>), Problem> {
    let mut said = [0; 8];
    match file.read_exact(&mut said) {
        Err(_) if length == 0 => return Err(Problem::Empty),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(Problem::NotSafetensors);
        }
        read => read.map_err(Problem::Read)?,
    }
    let said = u64::from_le_bytes(said);
    if !(2..=LARGEST_HEADER).contains(&said) {
        return Err(Problem::NotSafetensors);
    }
    let mut header = Vec::new();
    file.take(said).read_to_end(&mut header).map_err(Problem::Read)?;
    if header.first() != Some(&b'{') {
        return Err(Problem::NotSafetensors);
    }
    let begin = 8 + said;
    if (header.len() as u64) < said {
        return Err(Problem::Length { met: length, expected: begin });
    }
    Ok((begin, header))
}

/// The description in the metadata. A newer format may have other fields, so its number is read
/// first.
fn parse(text: &str) -> Result<AgentInfo, Problem> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let damaged = |error: serde_json::Error| Problem::Info(shown(error.to_string()));
    let Format { format: met } = serde_json::from_str(text).map_err(damaged)?;
    if met != AgentInfo::FORMAT {
        return Err(Problem::Format { met, expected: AgentInfo::FORMAT });
    }
    serde_json::from_str(text).map_err(damaged)
}
