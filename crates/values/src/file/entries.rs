//! Tables in files: the entries are a tensor `table` of one row, 32-bit floats.

use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorInfo;

use super::error::{AgentFileError, Problem, shown};
use super::header::open;
use super::info::{AgentInfo, EntriesInfo};
use super::load::{check_finite, check_version, part, read};
use super::save::{description, start, write_beside};
use super::source::Source;
use crate::{Memory, Table};

/// The tensor of the entries.
const TABLE: &str = "table";

/// Saves a table, in the same way as [`save`](super::save()) does. What the description says of
/// tables, tuples and format is that of the agent, whatever it says.
pub fn save_entries(
    path: &Path,
    info: &AgentInfo,
    about: &EntriesInfo,
    table: &mut Table,
) -> Result<(), AgentFileError> {
    let info = AgentInfo {
        format: AgentInfo::FORMAT,
        tuples: Vec::new(),
        values: None,
        stages: Vec::new(),
        features: None,
        table: None,
        entries: Some(about.clone()),
        ..info.clone()
    };
    let size = table.entries().len();
    let bytes = &table.memory_mut().bytes()[..4 * size];
    let tensor = TensorInfo { dtype: Dtype::F32, shape: vec![size], data_offsets: (0, 4 * size) };
    let tensors = vec![(TABLE.to_owned(), tensor)];
    let header = description(&info).and_then(|text| start(text, tensors, &[]));
    let header = header.map_err(|problem| problem.of(path))?;
    write_beside(path, &header, bytes).map_err(|problem| problem.of(path))
}

/// Loads a table for a game. It may play other rules than those that it was trained for, if the
/// same plan gives a table of the same size there. `size` tells that, or what is wrong.
pub fn load_entries<'a>(
    source: impl Into<Source<'a>>,
    game_name: &str,
    version: u32,
    size: impl FnOnce(&EntriesInfo) -> Result<u64, String>,
) -> Result<(AgentInfo, Table), AgentFileError> {
    let source = source.into();
    load(source, game_name, version, size).map_err(|problem| problem.of(source.path()))
}

fn load(
    source: Source,
    game_name: &str,
    version: u32,
    size: impl FnOnce(&EntriesInfo) -> Result<u64, String>,
) -> Result<(AgentInfo, Table), Problem> {
    let mut opened = open(source)?;
    let info = &opened.info;
    let about = info.entries.as_ref().ok_or(Problem::Kind("another agent", "a table"))?;
    if info.game.split(':').next() != Some(game_name) {
        return Err(Problem::Game { met: shown(&info.game), expected: game_name.to_owned() });
    }
    check_version(info, version)?;
    let size = size(about).map_err(Problem::StateAggregation)?;
    let part = part(&opened, TABLE, Dtype::F32, size as usize)?;
    let mut memory = Memory::zeroed(4 * size)?;
    let bytes = &mut memory.bytes_mut()[..4 * size as usize];
    read(&mut opened.file, &part, bytes)?;
    check_finite(TABLE, bytes)?;
    Ok((opened.info, Table::from_memory(memory)))
}
