//! Linear agents in files: the weights are a tensor `weights` of one row, 32-bit floats.

use std::path::Path;

use afterstate_core::{Features, Game};
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;

use super::error::{AgentFileError, Problem, shown};
use super::header::open;
use super::info::{AgentInfo, FeatureInfo};
use super::load::{check_finite, check_version, part, read};
use super::save::{bytes_of, description, start, write_beside};
use super::source::Source;
use crate::Linear;

/// The tensor of the weights.
const WEIGHTS: &str = "weights";

/// Saves a linear agent, in the same way as [`save`](super::save()) does. What the description says of
/// features, tuples and format is that of the agent, whatever it says.
pub fn save_linear<G: Game>(
    path: &Path,
    info: &AgentInfo,
    linear: &Linear<G>,
) -> Result<(), AgentFileError> {
    let features = FeatureInfo {
        set: linear.set().to_owned(),
        names: linear.features().names(),
        reward: linear.reward(),
    };
    let info = AgentInfo {
        format: AgentInfo::FORMAT,
        tuples: Vec::new(),
        values: None,
        stages: Vec::new(),
        features: Some(features),
        table: None,
        entries: None,
        ..info.clone()
    };
    let bytes = bytes_of(linear.weights());
    let shape = vec![linear.weights().len()];
    let tensor = TensorInfo { dtype: Dtype::F32, shape, data_offsets: (0, bytes.len()) };
    let tensors = vec![(WEIGHTS.to_owned(), tensor)];
    let header = description(&info).and_then(|text| start(text, tensors, &[]));
    let header = header.map_err(|problem| problem.of(path))?;
    write_beside(path, &header, &bytes).map_err(|problem| problem.of(path))
}

/// Loads a linear agent for a game. Unlike a network it may play other rules of its game than those
/// that it was trained for, if its features mean the same there: they have the same names. `find`
/// gives the set of features with a name.
pub fn load_linear<'a, G: Game>(
    source: impl Into<Source<'a>>,
    game_name: &str,
    version: u32,
    find: impl FnOnce(&str) -> Option<Box<dyn Features<G>>>,
) -> Result<(AgentInfo, Linear<G>), AgentFileError> {
    let source = source.into();
    load(source, game_name, version, find).map_err(|problem| problem.of(source.path()))
}

fn load<G: Game>(
    source: Source,
    game_name: &str,
    version: u32,
    find: impl FnOnce(&str) -> Option<Box<dyn Features<G>>>,
) -> Result<(AgentInfo, Linear<G>), Problem> {
    let mut opened = open(source)?;
    let info = &opened.info;
    let said = info.features.as_ref().ok_or(Problem::Kind("a network", "weights of features"))?;
    if info.game.split(':').next() != Some(game_name) {
        return Err(Problem::Game { met: shown(&info.game), expected: game_name.to_owned() });
    }
    check_version(info, version)?;
    let features = find(&said.set).ok_or_else(|| Problem::UnknownSet(shown(&said.set)))?;
    let names = features.names();
    if names != said.names {
        let differ = |&i: &usize| names.get(i) != said.names.get(i);
        let at = (0..=names.len().max(said.names.len())).find(differ).unwrap_or(0);
        let name = |names: &[String]| names.get(at).map_or("none".to_owned(), shown);
        let (met, expected) = (name(&said.names), name(&names));
        return Err(Problem::Feature { number: at + 1, met, expected });
    }
    let (set, reward) = (said.set.clone(), said.reward);
    let part = part(&opened, WEIGHTS, Dtype::F32, names.len())?;
    let mut bytes = vec![0; 4 * names.len()];
    read(&mut opened.file, &part, &mut bytes)?;
    check_finite(WEIGHTS, &bytes)?;
    let weights = bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number)).collect();
    let linear = Linear::new(set, features, reward, weights)?;
    Ok((opened.info, linear))
}
