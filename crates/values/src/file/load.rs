//! Loading an agent: every tensor is checked before its bytes are touched.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use afterstate_games::{Cells, Tuples};
use safetensors::Dtype;

use super::error::{AgentFileError, Problem, shown};
use super::header::{Opened, open};
use super::info::{AgentInfo, Precision};
use super::source::{Input, Source};
use super::{SCALE, tensor_name};
use crate::network::ranges;
use crate::{AnyNetwork, Memory, Network, QuantizedNetwork};

/// Weights of so many bytes are mapped, fewer are copied.
const LARGE: u64 = 1 << 20;

/// Where the weights of a loaded agent lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the file, as far as its order allows it: nothing is copied, and programs that play from
    /// one file share its memory. The file may be replaced meanwhile, but not written over.
    Mapped,
    /// In memory of their own, in huge pages where the system gives them: best to train on.
    Copied,
}

/// Loads an agent for some rules, given by their text and version as [`AgentInfo`] has them. Large
/// files are mapped.
pub fn load<'a, G: Cells>(
    source: impl Into<Source<'a>>,
    game: &G,
    expected_game: &str,
    expected_version: u32,
) -> Result<(AgentInfo, AnyNetwork<G>), AgentFileError> {
    let source = source.into();
    let place = if source.len() >= LARGE { Place::Mapped } else { Place::Copied };
    load_to(source, game, expected_game, expected_version, place)
}

/// Loads an agent to a place.
pub fn load_to<'a, G: Cells>(
    source: impl Into<Source<'a>>,
    game: &G,
    expected_game: &str,
    expected_version: u32,
    place: Place,
) -> Result<(AgentInfo, AnyNetwork<G>), AgentFileError> {
    let source = source.into();
    let loaded = open(source).and_then(|mut opened| {
        check_rules(&opened.info, expected_game, expected_version)?;
        if opened.info.entries.is_some() {
            return Err(Problem::Kind("a table", "a network"));
        }
        if opened.info.features.is_some() {
            return Err(Problem::Kind("weights of features", "a network"));
        }
        if opened.info.table.is_some() {
            return Err(Problem::Kind("a solved game", "a network"));
        }
        let network = network(&mut opened, game, place)?;
        Ok((opened.info, network))
    });
    loaded.map_err(|problem| problem.of(source.path()))
}

pub(super) fn check_rules(info: &AgentInfo, game: &str, version: u32) -> Result<(), Problem> {
    if info.game != game {
        return Err(Problem::Game { met: shown(&info.game), expected: game.to_owned() });
    }
    check_version(info, version)
}

pub(super) fn check_version(info: &AgentInfo, version: u32) -> Result<(), Problem> {
    if info.rules_version != version {
        return Err(Problem::RulesVersion { met: info.rules_version, expected: version });
    }
    Ok(())
}

fn network<G: Cells>(
    opened: &mut Opened,
    game: &G,
    place: Place,
) -> Result<AnyNetwork<G>, Problem> {
    let info = &opened.info;
    let values = info.values.unwrap_or(Tuples::values_once(game));
    let tuples = Tuples::with_values(game, &info.tuples, values)?;
    let tuples = tuples.with_stages(info.stages.clone())?;
    let mut forms = info.tuples.iter().zip(tuples.cells());
    if let Some((met, expected)) = forms.find(|(met, own)| met != own) {
        return Err(Problem::Form { met: met.clone(), expected: expected.clone() });
    }
    let precision = info.precision;
    let mut parts = Vec::new();
    for (tuple, weights) in ranges(&tuples).enumerate() {
        parts.push(part(opened, &tensor_name(tuple), precision.dtype(), weights.len())?);
    }
    match precision {
        Precision::F32 => {
            let mut memory = memory(&mut opened.file, &parts, place)?;
            for (tuple, range) in ranges(&tuples).enumerate() {
                let bytes = &memory.bytes()[4 * range.start..4 * range.end];
                check_finite(&tensor_name(tuple), bytes)?;
            }
            Ok(AnyNetwork::Full(Network::from_memory(game, tuples, memory)))
        }
        Precision::I16 => {
            let scales = scales(opened, parts.len())?;
            let memory = memory(&mut opened.file, &parts, place)?;
            Ok(AnyNetwork::Small(QuantizedNetwork::from_memory(game, tuples, scales, memory)))
        }
    }
}

/// The bytes of a tensor in the file, if it is of that type and has that many numbers in one row.
pub(super) fn part(
    opened: &Opened,
    name: &str,
    dtype: Dtype,
    numbers: usize,
) -> Result<Range<u64>, Problem> {
    let tensor = opened.tensors.info(name).ok_or_else(|| Problem::Missing(name.to_owned()))?;
    if tensor.dtype != dtype || tensor.shape != [numbers] {
        let met = shown(format!("{:?} of shape {:?}", tensor.dtype, tensor.shape));
        let expected = format!("{dtype:?} of shape [{numbers}]");
        return Err(Problem::Tensor { name: name.to_owned(), met, expected });
    }
    let (begin, end) = tensor.data_offsets;
    Ok(opened.begin + begin as u64..opened.begin + end as u64)
}

fn scales(opened: &mut Opened, tuples: usize) -> Result<Vec<f32>, Problem> {
    let part = part(opened, SCALE, Dtype::F32, tuples)?;
    let mut bytes = vec![0; 4 * tuples];
    read(&mut opened.file, &part, &mut bytes)?;
    check_finite(SCALE, &bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number)).collect())
}

/// The parts of a file one after the other.
fn memory(file: &mut Input, parts: &[Range<u64>], place: Place) -> Result<Memory, Problem> {
    let bytes = parts.iter().map(|part| part.end - part.start).sum();
    let in_a_row = parts.windows(2).all(|pair| pair[0].end == pair[1].start);
    // Refused where the first part is not aligned, or where the system cannot map this file.
    if place == Place::Mapped
        && in_a_row
        && let Input::File(file) = file
        && let Ok(memory) = Memory::of_file(file, parts[0].start, bytes)
    {
        return Ok(memory);
    }
    let mut memory = Memory::zeroed(bytes)?;
    let mut rest = memory.bytes_mut();
    for part in parts {
        let (own, after) = rest.split_at_mut((part.end - part.start) as usize);
        read(file, part, own)?;
        rest = after;
    }
    Ok(memory)
}

pub(super) fn read(file: &mut Input, part: &Range<u64>, bytes: &mut [u8]) -> Result<(), Problem> {
    file.seek(SeekFrom::Start(part.start)).map_err(Problem::Read)?;
    file.read_exact(bytes).map_err(Problem::Read)
}

pub(super) fn check_finite(name: &str, bytes: &[u8]) -> Result<(), Problem> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let sizes = |numbers: &[[u8; 4]]| {
        // Without their signs, floats are ordered as integers are, with NaN above infinity.
        let sizes = numbers.iter().map(|&number| i32::from_le_bytes(number) & i32::MAX);
        sizes.fold(0, i32::max)
    };
    // Block by block: the compiler takes the largest of many in vector registers.
    let finite = |block: &[[u8; 4]]| sizes(block) < f32::INFINITY.to_bits() as i32;
    if numbers.chunks(1 << 12).all(finite) {
        return Ok(());
    }
    let mut values = numbers.iter().map(|&number| f32::from_le_bytes(number)).enumerate();
    match values.find(|(_, value)| !value.is_finite()) {
        Some((at, value)) => Err(Problem::NotFinite { name: name.to_owned(), at, value }),
        None => Ok(()),
    }
}
