//! The checkpoint: all that a training needs to go on, in one file that is always whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use memmap2::Mmap;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::budget::Position;
use super::folder::{RunError, at};
use super::metrics::Windows;
use super::training::Training;

/// Everything but the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The game, by whose rules the weights were learned.
    pub(super) game: String,
    /// What learned them, in words.
    pub(super) learner: String,
    /// How far the training has come.
    pub(super) position: Position,
    /// The games of the window that is not yet full.
    pub(super) windows: Windows,
    /// How long `metrics.jsonl` was.
    pub(super) metrics_bytes: u64,
    /// Whether the learner has nothing left to learn.
    pub(super) over: bool,
    /// What the learner remembers besides its tensors.
    pub(super) state: serde_json::Value,
}

const KEY: &str = "progress";

fn wrong(path: &Path) -> impl Fn(String) -> RunError {
    let path = path.display().to_string();
    move |what| RunError::Checkpoint { path: path.clone(), what }
}

/// Writes a checkpoint beside the old one and renames it. The learner puts in its state.
pub(super) fn save(
    path: &Path,
    mut progress: Progress,
    training: &mut dyn Training,
) -> Result<(), RunError> {
    let wrong = wrong(path);
    progress.state = training.state().map_err(|error| wrong(error.to_string()))?;
    let text = serde_json::to_string(&progress).map_err(|error| wrong(error.to_string()))?;
    let tensors = training.tensors();
    let mut infos = Vec::new();
    let mut begin = 0;
    for (name, bytes) in &tensors {
        let (shape, data_offsets) = (vec![bytes.len() / 4], (begin, begin + bytes.len()));
        infos.push(((*name).to_owned(), TensorInfo { dtype: Dtype::F32, shape, data_offsets }));
        begin += bytes.len();
    }
    let metadata = [(KEY.to_owned(), text)].into_iter().collect();
    let header = Metadata::new(Some(metadata), infos).map_err(|error| wrong(error.to_string()))?;
    let mut header = serde_json::to_vec(&header).map_err(|error| wrong(error.to_string()))?;
    header.resize(header.len().next_multiple_of(8), b' ');
    let part = path.with_extension("part");
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        for (_, bytes) in &tensors {
            file.write_all(bytes)?;
        }
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|error| {
        // What is left of it is of no use, and may fill the disk.
        let _ = fs::remove_file(&part);
        at(path)(error)
    })
}

/// Reads a checkpoint into a learner; `None` if there is none.
pub(super) fn load(
    path: &Path,
    game: &str,
    training: &mut dyn Training,
) -> Result<Option<Progress>, RunError> {
    let Some(map) = map(path)? else { return Ok(None) };
    let wrong = wrong(path);
    let damaged =
        |error: safetensors::SafeTensorError| wrong(format!("met a damaged file: {error}"));
    let mut progress = read(path, &map)?;
    if (&*progress.game, progress.learner.clone()) != (game, training.identity()) {
        let met = format!("{} with {}", progress.game, progress.learner);
        let met: String = met.chars().take(200).collect();
        return Err(wrong(format!(
            "met a checkpoint of {met}, expected one of the recipe beside it"
        )));
    }
    let tensors = SafeTensors::deserialize(&map).map_err(damaged)?;
    training.restore(progress.state.take()).map_err(&wrong)?;
    for (name, target) in training.tensors() {
        let tensor = tensors.tensor(name).map_err(damaged)?;
        if tensor.data().len() != target.len() {
            let (met, expected) = (tensor.data().len(), target.len());
            return Err(wrong(format!("met {met} bytes of {name}, expected {expected}")));
        }
        target.copy_from_slice(tensor.data());
    }
    Ok(Some(progress))
}

/// How far a checkpoint is, without its weights; `None` if there is none.
pub(super) fn progress(path: &Path) -> Result<Option<Progress>, RunError> {
    map(path)?.map(|map| read(path, &map)).transpose()
}

fn map(path: &Path) -> Result<Option<Mmap>, RunError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(at(path))?,
    };
    // SAFETY: the map is read before the functions above return, and checkpoints are replaced,
    // never written over. If someone does cut the file meanwhile, the system stops the program.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(&file) }.map_err(at(path))?;
    Ok(Some(map))
}

fn read(path: &Path, map: &Mmap) -> Result<Progress, RunError> {
    let wrong = wrong(path);
    let (_, header) = SafeTensors::read_metadata(map)
        .map_err(|error| wrong(format!("met a damaged file: {error}")))?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.ok_or_else(|| wrong("met no progress, expected a checkpoint".to_owned()))?;
    serde_json::from_str(text).map_err(|error| wrong(format!("met {error}")))
}
