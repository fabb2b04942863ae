//! `AgentFile`: an opened agent file whose header is sound; tensors are checked before they are
//! read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::error::{AgentFileError, Problem, shown};
use super::info::AgentInfo;
use super::source::{Input, Source};
use super::{KEY, MAX_HEADER};
use crate::Memory;

/// Weights of at least this many bytes are mapped, fewer are copied.
const LARGE: u64 = 1 << 20;

/// Where the weights of a loaded agent lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the file, if its tensors lie in order: nothing is copied, and programs that play from one
    /// file share its memory. The file may be replaced meanwhile, but not overwritten.
    Mapped,
    /// In memory of their own, in huge pages where the system provides them: best for training.
    Copied,
}

/// An opened agent file. The tensors cover the rest of the file without gaps.
pub struct AgentFile {
    path: PathBuf,
    pub(super) input: Input,
    /// The offset of the first tensor.
    pub(super) begin: u64,
    pub(super) tensors: Metadata,
    /// The description of the agent.
    pub info: AgentInfo,
    /// Where weights are to be loaded to.
    pub place: Place,
}

/// Reads the description of an agent without its model.
pub fn read_info<'a>(source: impl Into<Source<'a>>) -> Result<AgentInfo, AgentFileError> {
    AgentFile::open(source).map(|file| file.info)
}

impl AgentFile {
    /// Opens an agent; large weights will be mapped.
    pub fn open<'a>(source: impl Into<Source<'a>>) -> Result<AgentFile, AgentFileError> {
        let source = source.into();
        AgentFile::read(source).map_err(|problem| problem.of(source.path()))
    }

    fn read(source: Source) -> Result<AgentFile, Problem> {
        let (mut input, length) = source.open()?;
        let (begin, header) = read_header(&mut input, length)?;
        let tensors: Metadata = serde_json::from_slice(&header)
            .map_err(|error| Problem::Header(shown(error.to_string())))?;
        let expected = begin.saturating_add(tensors.data_len() as u64);
        if expected != length {
            return Err(Problem::Length { found: length, expected });
        }
        let text = tensors.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let info = AgentInfo::parse(text.ok_or(Problem::NotAnAgent)?)?;
        let place = if length >= LARGE { Place::Mapped } else { Place::Copied };
        Ok(AgentFile { path: source.path().to_owned(), input, begin, tensors, info, place })
    }

    /// Whether another handle is of the file that was read, not of one that has replaced it.
    pub(super) fn is_same_file(&self, other: &File) -> bool {
        let Input::File(own) = &self.input else { return false };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |file: &File| file.metadata().map(|data| (data.dev(), data.ino()));
            matches!((id(own), id(other)), (Ok(own), Ok(other)) if own == other)
        }
        #[cfg(not(unix))]
        {
            let length = |file: &File| file.metadata().map(|data| data.len());
            matches!((length(own), length(other)), (Ok(own), Ok(other)) if own == other)
        }
    }

    /// The numbers of all tensors, and their bytes.
    pub fn sizes(&self) -> (u64, u64) {
        let tensors = self.tensors.tensors();
        let numbers = tensors.values().map(|tensor| tensor.shape.iter().product::<usize>() as u64);
        (numbers.sum(), self.tensors.data_len() as u64)
    }

    /// The file, or the name of the bytes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the agent plays by these rules, given as text and version.
    pub(crate) fn check_rules(&self, game: &str, version: u32) -> Result<(), Problem> {
        if self.info.game != game {
            let found = shown(&self.info.game);
            return Err(Problem::Game { found, expected: game.to_owned() });
        }
        self.check_version(version)
    }

    /// Whether the agent plays some rules of this game.
    pub(crate) fn check_game(&self, name: &str, version: u32) -> Result<(), Problem> {
        if self.info.game.split(':').next() != Some(name) {
            let found = shown(&self.info.game);
            return Err(Problem::Game { found, expected: name.to_owned() });
        }
        self.check_version(version)
    }

    fn check_version(&self, expected: u32) -> Result<(), Problem> {
        let found = self.info.rules_version;
        if found == expected { Ok(()) } else { Err(Problem::RulesVersion { found, expected }) }
    }

    /// The bytes of a tensor in the file, if it has that type and that many entries in one
    /// dimension.
    pub(crate) fn tensor(
        &self,
        name: &str,
        dtype: Dtype,
        entries: usize,
    ) -> Result<Range<u64>, Problem> {
        let tensor = self.tensors.info(name).ok_or_else(|| Problem::Missing(name.to_owned()))?;
        if tensor.dtype != dtype || tensor.shape != [entries] {
            let found = shown(format!("{:?} of shape {:?}", tensor.dtype, tensor.shape));
            let expected = format!("{dtype:?} of shape [{entries}]");
            return Err(Problem::Tensor { name: name.to_owned(), found, expected });
        }
        let (begin, end) = tensor.data_offsets;
        Ok(self.begin + begin as u64..self.begin + end as u64)
    }

    /// A tensor of finite 32-bit floats.
    pub(crate) fn floats(&mut self, name: &str, entries: usize) -> Result<Vec<f32>, Problem> {
        let range = self.tensor(name, Dtype::F32, entries)?;
        let mut bytes = vec![0; 4 * entries];
        self.read_bytes(&range, &mut bytes)?;
        check_finite(name, &bytes)?;
        Ok(bytes.as_chunks().0.iter().map(|&entry| f32::from_le_bytes(entry)).collect())
    }

    /// A tensor of bytes, as many as it has.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Vec<u8>, Problem> {
        let offsets = self.tensors.info(name).map_or((0, 0), |tensor| tensor.data_offsets);
        let length = offsets.1 - offsets.0;
        let range = self.tensor(name, Dtype::U8, length)?;
        let mut bytes = vec![0; length];
        self.read_bytes(&range, &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn read_bytes(
        &mut self,
        range: &Range<u64>,
        bytes: &mut [u8],
    ) -> Result<(), Problem> {
        self.input.seek(SeekFrom::Start(range.start)).map_err(Problem::Read)?;
        self.input.read_exact(bytes).map_err(Problem::Read)
    }

    /// Ranges of the file one after the other, mapped or copied.
    pub(crate) fn memory(&mut self, ranges: &[Range<u64>]) -> Result<Memory, Problem> {
        let bytes = ranges.iter().map(|range| range.end - range.start).sum();
        let contiguous = ranges.windows(2).all(|pair| pair[0].end == pair[1].start);
        // Fails where the first range is not aligned, or where the system cannot map this file.
        if self.place == Place::Mapped
            && contiguous
            && let Input::File(file) = &self.input
            && let Ok(memory) = Memory::of_file(file, ranges[0].start, bytes)
        {
            return Ok(memory);
        }
        let mut memory = Memory::zeroed(bytes)?;
        let mut rest = memory.bytes_mut();
        for range in ranges {
            let (own, after) = rest.split_at_mut((range.end - range.start) as usize);
            self.read_bytes(range, own)?;
            rest = after;
        }
        Ok(memory)
    }
}

/// The header, and where it ends. Its length is believed only as far as the file is long.
fn read_header(input: &mut Input, length: u64) -> Result<(u64, Vec<u8>), Problem> {
    let mut said = [0; 8];
    match input.read_exact(&mut said) {
        Err(_) if length == 0 => return Err(Problem::Empty),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(Problem::NotSafetensors);
        }
        read => read.map_err(Problem::Read)?,
    }
    let said = u64::from_le_bytes(said);
    if !(2..=MAX_HEADER).contains(&said) {
        return Err(Problem::NotSafetensors);
    }
    let mut header = Vec::with_capacity(said.min(length) as usize);
    input.take(said).read_to_end(&mut header).map_err(Problem::Read)?;
    if header.first() != Some(&b'{') {
        return Err(Problem::NotSafetensors);
    }
    let begin = 8 + said;
    if (header.len() as u64) < said {
        return Err(Problem::Length { found: length, expected: begin });
    }
    Ok((begin, header))
}

/// Whether all 32-bit floats of a tensor are finite.
pub(crate) fn check_finite(name: &str, bytes: &[u8]) -> Result<(), Problem> {
    match first_not_finite(bytes) {
        Some((at, value)) => Err(Problem::NotFinite { name: name.to_owned(), at, value }),
        None => Ok(()),
    }
}

/// The first of the 32-bit floats in some bytes that is NaN or infinite, and where it stands.
pub fn first_not_finite(bytes: &[u8]) -> Option<(usize, f32)> {
    let (entries, _) = bytes.as_chunks::<4>();
    let largest = |entries: &[[u8; 4]]| {
        // Without their signs, floats are ordered as integers are, with NaN above infinity.
        let magnitudes = entries.iter().map(|&entry| i32::from_le_bytes(entry) & i32::MAX);
        magnitudes.fold(0, i32::max)
    };
    // In blocks, so that the compiler vectorises the maximum.
    let finite = |block: &[[u8; 4]]| largest(block) < f32::INFINITY.to_bits() as i32;
    if entries.chunks(1 << 12).all(finite) {
        return None;
    }
    let mut values = entries.iter().map(|&entry| f32::from_le_bytes(entry)).enumerate();
    values.find(|(_, value)| !value.is_finite())
}
