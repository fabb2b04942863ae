//! Solved games in files: the numbers of the boards are a tensor `boards` of 64-bit integers, what
//! it is worth to leave each a tensor `worth` of 32-bit floats.

use std::path::Path;

use afterstate_games::RewardMixture;
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;

use super::error::{AgentFileError, Problem, shown};
use super::header::open;
use super::info::{AgentInfo, TableInfo};
use super::load::{check_finite, check_rules, part, read};
use super::save::{bytes_of, description, start, write_beside};
use super::source::Source;
use crate::SolvedTable;

/// The tensor of the boards' numbers.
const BOARDS: &str = "boards";

/// The tensor of what they are worth.
const WORTH: &str = "worth";

/// Saves a solved game, in the same way as [`save`](super::save()) does.
pub fn save_table(
    path: &Path,
    info: &AgentInfo,
    table: &SolvedTable,
) -> Result<(), AgentFileError> {
    let said = TableInfo { boards: table.numbers().len(), reward: table.reward().to_string() };
    let info = AgentInfo {
        format: AgentInfo::FORMAT,
        tuples: Vec::new(),
        values: None,
        stages: Vec::new(),
        features: None,
        table: Some(said),
        entries: None,
        ..info.clone()
    };
    let mut bytes: Vec<u8> = Vec::with_capacity(12 * table.numbers().len());
    bytes.extend(table.numbers().iter().flat_map(|number| number.to_le_bytes()));
    let (boards, shape) = (bytes.len(), vec![table.numbers().len()]);
    bytes.extend(bytes_of(table.values()));
    let tensors = vec![
        (
            BOARDS.to_owned(),
            TensorInfo { dtype: Dtype::U64, shape: shape.clone(), data_offsets: (0, boards) },
        ),
        (
            WORTH.to_owned(),
            TensorInfo { dtype: Dtype::F32, shape, data_offsets: (boards, bytes.len()) },
        ),
    ];
    let header = description(&info).and_then(|text| start(text, tensors, &[]));
    let header = header.map_err(|problem| problem.of(path))?;
    write_beside(path, &header, &bytes).map_err(|problem| problem.of(path))
}

/// Loads a solved game, for the rules that it was solved for.
pub fn load_table<'a>(
    source: impl Into<Source<'a>>,
    expected_game: &str,
    expected_version: u32,
) -> Result<(AgentInfo, SolvedTable), AgentFileError> {
    let source = source.into();
    load(source, expected_game, expected_version).map_err(|problem| problem.of(source.path()))
}

fn load(source: Source, game: &str, version: u32) -> Result<(AgentInfo, SolvedTable), Problem> {
    let mut opened = open(source)?;
    check_rules(&opened.info, game, version)?;
    let said = opened.info.table.clone().ok_or(Problem::Kind("another agent", "a solved game"))?;
    let reward: RewardMixture =
        said.reward.parse().map_err(|_| Problem::Info(shown(format!("reward {}", said.reward))))?;
    // The file is as long as its tensors are: this many numbers fit into memory.
    let boards = part(&opened, BOARDS, Dtype::U64, said.boards)?;
    let worth = part(&opened, WORTH, Dtype::F32, said.boards)?;
    let mut bytes = vec![0; 8 * said.boards];
    read(&mut opened.file, &boards, &mut bytes)?;
    let numbers = bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)).collect();
    bytes.truncate(4 * said.boards);
    read(&mut opened.file, &worth, &mut bytes)?;
    check_finite(WORTH, &bytes)?;
    let worth = bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number)).collect();
    Ok((opened.info, SolvedTable::new(reward, numbers, worth)?))
}
