//! The checkpoint: everything that a training needs to resume, in one file that is replaced
//! atomically.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use afterstate_values::file::{replace_file, write_with_holes};
use memmap2::Mmap;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::error::{RunError, at};
use crate::budget::Position;
use crate::learners::Learner;
use crate::metrics::Windows;

/// Everything but the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The rules.
    pub(super) game: String,
    /// The identity of the learner.
    pub(super) learner: String,
    /// The position of the training.
    pub(super) position: Position,
    /// The games of the unfinished window.
    pub(super) windows: Windows,
    /// The length of `metrics.jsonl`.
    pub(super) metrics_bytes: u64,
    /// Whether the learner has converged.
    #[serde(rename = "over")]
    pub(super) converged: bool,
    /// The state of the learner besides its tensors.
    pub(super) state: serde_json::Value,
}

const KEY: &str = "progress";

/// A finished run that cannot be trained longer.
const NOT_KEPT: &str = "the checkpoint was not kept when the training was finished, so it cannot \
                        be trained longer: train anew with a larger budget, and with \
                        --keep-checkpoint if it may become longer still";

fn problem(path: &Path) -> impl Fn(String) -> RunError {
    let path = path.display().to_string();
    move |what| RunError::Checkpoint(path.clone(), what)
}

/// Replaces a checkpoint; the learner adds its state.
pub(super) fn save(
    path: &Path,
    mut progress: Progress,
    learner: &mut dyn Learner,
) -> Result<(), RunError> {
    let problem = problem(path);
    progress.state = learner.state().map_err(|error| problem(error.to_string()))?;
    let text = serde_json::to_string(&progress).map_err(|error| problem(error.to_string()))?;
    write(path, text, &learner.tensors())
}

/// Replaces a checkpoint by one without weights, from which only a finished run can be known.
pub(super) fn drop_weights(path: &Path) -> Result<(), RunError> {
    let Some(progress) = progress(path)? else { return Ok(()) };
    let text =
        serde_json::to_string(&progress).map_err(|error| problem(path)(error.to_string()))?;
    write(path, text, &[])
}

fn write(path: &Path, progress: String, tensors: &[(&str, &mut [u8])]) -> Result<(), RunError> {
    let problem = problem(path);
    let mut infos = Vec::new();
    let mut begin = 0;
    for (name, bytes) in tensors {
        let (shape, data_offsets) = (vec![bytes.len() / 4], (begin, begin + bytes.len()));
        infos.push(((*name).to_owned(), TensorInfo { dtype: Dtype::F32, shape, data_offsets }));
        begin += bytes.len();
    }
    let metadata = [(KEY.to_owned(), progress)].into_iter().collect();
    let header =
        Metadata::new(Some(metadata), infos).map_err(|error| problem(error.to_string()))?;
    let mut header = serde_json::to_vec(&header).map_err(|error| problem(error.to_string()))?;
    header.resize(header.len().next_multiple_of(8), b' ');
    let written = replace_file(path, |file| {
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        tensors.iter().try_for_each(|(_, bytes)| write_with_holes(file, bytes))
    });
    written.map_err(at(path))
}

/// Reads a checkpoint into a learner; `None` if there is none.
pub(super) fn load(
    path: &Path,
    game: &str,
    learner: &mut dyn Learner,
) -> Result<Option<Progress>, RunError> {
    let Some(map) = map(path)? else { return Ok(None) };
    let problem = problem(path);
    let damaged =
        |error: safetensors::SafeTensorError| problem(format!("the file is damaged: {error}"));
    let mut progress = read(path, &map)?;
    if progress.game != game || present_identity(&progress.learner) != learner.identity() {
        let found = format!("{} with {}", progress.game, progress.learner);
        let found: String = found.chars().take(200).collect();
        return Err(problem(format!(
            "the checkpoint belongs to {found}, not to the recipe: delete it to start anew"
        )));
    }
    let tensors = SafeTensors::deserialize(&map).map_err(damaged)?;
    learner.restore(progress.state.take()).map_err(|error| problem(error.to_string()))?;
    for (name, target) in learner.tensors() {
        if tensors.is_empty() {
            return Err(problem(NOT_KEPT.to_owned()));
        }
        let tensor = tensors.tensor(name).map_err(damaged)?;
        if tensor.data().len() != target.len() {
            let (found, expected) = (tensor.data().len(), target.len());
            return Err(problem(format!("{name} has {found} bytes, the recipe needs {expected}")));
        }
        target.copy_from_slice(tensor.data());
    }
    Ok(Some(progress))
}

/// The identity by present names: version 0.1 had another name for an optimiser.
fn present_identity(learner: &str) -> String {
    learner.replace("HomeMade", "MarchalAnnealing")
}

/// The progress in a checkpoint, without the tensors; `None` if there is no checkpoint.
pub(super) fn progress(path: &Path) -> Result<Option<Progress>, RunError> {
    map(path)?.map(|map| read(path, &map)).transpose()
}

/// Whether a checkpoint has weights, and so can be resumed from.
pub(super) fn has_weights(path: &Path) -> Result<bool, RunError> {
    let Some(map) = map(path)? else { return Ok(false) };
    let tensors = SafeTensors::read_metadata(&map).map(|(_, header)| !header.tensors().is_empty());
    tensors.map_err(|error| problem(path)(format!("the file is damaged: {error}")))
}

fn map(path: &Path) -> Result<Option<Mmap>, RunError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(at(path))?,
    };
    // SAFETY: the map is read before the functions above return, and checkpoints are replaced,
    // never overwritten. If another process truncates the file meanwhile, the system stops this
    // one.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(&file) }.map_err(at(path))?;
    Ok(Some(map))
}

fn read(path: &Path, map: &Mmap) -> Result<Progress, RunError> {
    let problem = problem(path);
    let (_, header) = SafeTensors::read_metadata(map)
        .map_err(|error| problem(format!("the file is damaged: {error}")))?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text =
        text.ok_or_else(|| problem("the file is not a checkpoint: it has no progress".to_owned()))?;
    serde_json::from_str(text).map_err(|error| problem(format!("the progress is damaged: {error}")))
}
