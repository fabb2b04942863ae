//! The checkpoint: everything that a training needs to resume, in one file that is replaced
//! atomically.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use afterstate_values::file::{first_not_finite, open_file, replace_file, write_with_holes};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
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

/// The name of bytes that are in no file.
pub(super) const IN_MEMORY: &str = "checkpoint in memory";

/// The most bytes of a header: the scores of the longest evaluation take a fifth of it.
const MAX_HEADER: u64 = 1 << 30;

/// A finished run that cannot be trained longer.
const NOT_KEPT: &str = "the checkpoint was not kept when the training was finished, so it cannot \
                        be trained longer: train anew with a larger budget, and with \
                        --keep-checkpoint if it may become longer still";

fn problem(path: &Path) -> impl Fn(String) -> RunError {
    let path = path.display().to_string();
    move |what| RunError::Checkpoint(path.clone(), what)
}

/// A learner whose weights are no longer numbers.
fn diverged(name: &str, (at, value): (usize, f32)) -> String {
    format!("entry {at} of the {name} is {value}")
}

/// Checks that what a learner has learned so far is finite: otherwise nothing that follows is worth
/// its time, and no agent could be written. The path is that of its checkpoint.
pub(super) fn check_finite(path: &Path, learner: &mut dyn Learner) -> Result<(), RunError> {
    for (name, bytes) in learner.tensors() {
        if let Some(found) = first_not_finite(bytes) {
            return Err(RunError::Diverged(diverged(name, found), path.exists()));
        }
    }
    Ok(())
}

/// Replaces a checkpoint, if what was learned is finite; the learner adds its state.
pub(super) fn save(
    path: &Path,
    mut progress: Progress,
    learner: &mut dyn Learner,
) -> Result<(), RunError> {
    check_finite(path, learner)?;
    let problem = problem(path);
    progress.state = learner.state().map_err(|error| problem(error.to_string()))?;
    let text = serde_json::to_string(&progress).map_err(|error| problem(error.to_string()))?;
    write(path, text, &learner.tensors())
}

/// The same as bytes.
pub(super) fn to_bytes(
    mut progress: Progress,
    learner: &mut dyn Learner,
) -> Result<Vec<u8>, RunError> {
    let path = Path::new(IN_MEMORY);
    check_finite(path, learner)?;
    let problem = problem(path);
    progress.state = learner.state().map_err(|error| problem(error.to_string()))?;
    let text = serde_json::to_string(&progress).map_err(|error| problem(error.to_string()))?;
    let tensors = learner.tensors();
    let header = header(text, &tensors).map_err(problem)?;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    tensors.iter().for_each(|(_, tensor)| bytes.extend_from_slice(tensor));
    Ok(bytes)
}

/// Replaces a checkpoint by one without weights, from which only a finished run can be known.
pub(super) fn drop_weights(path: &Path) -> Result<(), RunError> {
    let Some(progress) = progress(path)? else { return Ok(()) };
    let text =
        serde_json::to_string(&progress).map_err(|error| problem(path)(error.to_string()))?;
    write(path, text, &[])
}

fn write(path: &Path, progress: String, tensors: &[(&str, &mut [u8])]) -> Result<(), RunError> {
    let header = header(progress, tensors).map_err(problem(path))?;
    let written = replace_file(path, |file| {
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        tensors.iter().try_for_each(|(_, bytes)| write_with_holes(file, bytes))
    });
    written.map_err(at(path))
}

/// The header of a checkpoint with these tensors, without its length.
fn header(progress: String, tensors: &[(&str, &mut [u8])]) -> Result<Vec<u8>, String> {
    let mut infos = Vec::new();
    let mut begin = 0;
    for (name, bytes) in tensors {
        let (shape, data_offsets) = (vec![bytes.len() / 4], (begin, begin + bytes.len()));
        infos.push(((*name).to_owned(), TensorInfo { dtype: Dtype::F32, shape, data_offsets }));
        begin += bytes.len();
    }
    let metadata = [(KEY.to_owned(), progress)].into_iter().collect();
    let header = Metadata::new(Some(metadata), infos).map_err(|error| error.to_string())?;
    let mut header = serde_json::to_vec(&header).map_err(|error| error.to_string())?;
    header.resize(header.len().next_multiple_of(8), b' ');
    Ok(header)
}

/// Reads a checkpoint into a learner; `None` if there is none.
pub(super) fn load(
    path: &Path,
    game: &str,
    learner: &mut dyn Learner,
) -> Result<Option<Progress>, RunError> {
    let saved = Checkpoint::open(path)?;
    saved.map(|mut saved| restore(path, &mut saved, game, learner, &mut false)).transpose()
}

/// The same from bytes. `is_changed` tells whether the learner is no longer as it was.
pub(super) fn load_bytes(
    bytes: &[u8],
    game: &str,
    learner: &mut dyn Learner,
    is_changed: &mut bool,
) -> Result<Progress, RunError> {
    let path = Path::new(IN_MEMORY);
    let mut saved = Checkpoint::read_from(path, io::Cursor::new(bytes), bytes.len() as u64)?;
    restore(path, &mut saved, game, learner, is_changed)
}

fn restore<R: Read + Seek>(
    path: &Path,
    saved: &mut Checkpoint<R>,
    game: &str,
    learner: &mut dyn Learner,
    is_changed: &mut bool,
) -> Result<Progress, RunError> {
    let problem = problem(path);
    let mut progress = saved.progress(path)?;
    if progress.game != game || present_identity(&progress.learner) != learner.identity() {
        let found = format!("{} with {}", progress.game, progress.learner);
        let found: String = found.chars().take(200).collect();
        return Err(problem(format!(
            "the checkpoint belongs to {found}, not to the recipe: delete it to start anew"
        )));
    }
    *is_changed = true;
    learner.restore(progress.state.take()).map_err(|error| problem(error.to_string()))?;
    for (name, target) in learner.tensors() {
        if !saved.has_tensors() {
            return Err(problem(NOT_KEPT.to_owned()));
        }
        let missing = || problem(format!("the file is damaged: it has no {name}"));
        let (begin, end) = saved.header.info(name).ok_or_else(missing)?.data_offsets;
        if end - begin != target.len() {
            let (found, expected) = (end - begin, target.len());
            return Err(problem(format!("{name} has {found} bytes, the recipe needs {expected}")));
        }
        saved.read(begin as u64, target).map_err(at(path))?;
        if let Some(found) = first_not_finite(target) {
            let what = diverged(name, found);
            return Err(problem(format!("{what}: delete the checkpoint to start anew")));
        }
    }
    Ok(progress)
}

/// The identity by present names: version 0.1 had another name for an optimiser.
fn present_identity(learner: &str) -> String {
    learner.replace("HomeMade", "MarchalAnnealing")
}

/// The progress in a checkpoint, without the tensors; `None` if there is no checkpoint.
pub(super) fn progress(path: &Path) -> Result<Option<Progress>, RunError> {
    Checkpoint::open(path)?.map(|saved| saved.progress(path)).transpose()
}

/// Whether a checkpoint has weights, and so can be resumed from.
pub(super) fn has_weights(path: &Path) -> Result<bool, RunError> {
    Ok(Checkpoint::open(path)?.is_some_and(|saved| saved.has_tensors()))
}

/// An opened checkpoint whose header is sound. It is read, not mapped: whatever others do to the file
/// is an error or a wrong number, and no signal.
struct Checkpoint<R> {
    input: R,
    /// The offset of the first tensor.
    begin: u64,
    header: Metadata,
}

impl Checkpoint<File> {
    fn open(path: &Path) -> Result<Option<Checkpoint<File>>, RunError> {
        let file = match open_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(at(path))?,
        };
        let length = file.metadata().map_err(at(path))?.len();
        Checkpoint::read_from(path, file, length).map(Some)
    }
}

impl<R: Read + Seek> Checkpoint<R> {
    /// Reads the header of an input of that length; `path` names it in errors.
    fn read_from(path: &Path, mut input: R, length: u64) -> Result<Checkpoint<R>, RunError> {
        let damaged = |what: &str| problem(path)(format!("the file is damaged: {what}"));
        let mut said = [0; 8];
        input.read_exact(&mut said).map_err(|_| damaged("it has no header"))?;
        let said = u64::from_le_bytes(said);
        if said > MAX_HEADER.min(length) {
            return Err(damaged("its header is longer than the file"));
        }
        let mut header = Vec::with_capacity(said as usize);
        Read::by_ref(&mut input).take(said).read_to_end(&mut header).map_err(at(path))?;
        let header: Metadata =
            serde_json::from_slice(&header).map_err(|error| damaged(&error.to_string()))?;
        let begin = 8 + said;
        if begin.saturating_add(header.data_len() as u64) != length {
            return Err(damaged("it is too short or too long for its header"));
        }
        Ok(Checkpoint { input, begin, header })
    }

    fn has_tensors(&self) -> bool {
        !self.header.tensors().is_empty()
    }

    fn read(&mut self, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.input.seek(SeekFrom::Start(self.begin + begin))?;
        self.input.read_exact(bytes)
    }

    fn progress(&self, path: &Path) -> Result<Progress, RunError> {
        let problem = problem(path);
        let text = self.header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let no_progress = || problem("the file is not a checkpoint: it has no progress".to_owned());
        serde_json::from_str(text.ok_or_else(no_progress)?)
            .map_err(|error| problem(format!("the progress is damaged: {error}")))
    }
}
