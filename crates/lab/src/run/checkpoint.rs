//! The checkpoint: all that a training needs to go on, in one file that is always whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use afterstate_core::Cells;
use afterstate_learn::Coherence;
use afterstate_values::Network;
use memmap2::Mmap;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::budget::Position;
use super::folder::{RunError, at};
use super::metrics::Windows;

/// Everything but the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The game, by whose rules the weights were learned.
    pub(super) game: String,
    /// The tuples that the weights belong to.
    pub(super) tuples: Vec<Vec<usize>>,
    /// Where its later stages begin.
    #[serde(default)]
    pub(super) stages: Vec<u64>,
    /// How far the training has come.
    pub(super) position: Position,
    /// The games of the window that is not yet full.
    pub(super) windows: Windows,
    /// For each thread, whose turn it is and where its games may start besides the beginning.
    pub(super) pools: Vec<(usize, Vec<String>)>,
    /// How long `metrics.jsonl` was.
    pub(super) metrics_bytes: u64,
}

const KEY: &str = "progress";
const WEIGHTS: &str = "weights";
const COHERENCE: &str = "coherence";

/// Writes a checkpoint beside the old one and renames it.
pub(super) fn save<G: Cells>(
    path: &Path,
    progress: &Progress,
    network: &mut Network<G>,
    coherence: Option<&mut Coherence>,
) -> Result<(), RunError> {
    let wrong = |what: String| RunError::Checkpoint { path: path.display().to_string(), what };
    let text = serde_json::to_string(progress).map_err(|error| wrong(error.to_string()))?;
    let mut tensors = vec![(WEIGHTS, network.memory_mut().bytes())];
    if let Some(coherence) = coherence {
        tensors.push((COHERENCE, coherence.memory_mut().bytes()));
    }
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

/// Reads a checkpoint into a network; `None` if there is none.
pub(super) fn load<G: Cells>(
    path: &Path,
    game: &str,
    network: &mut Network<G>,
    coherence: Option<&mut Coherence>,
) -> Result<Option<Progress>, RunError> {
    let Some(map) = map(path)? else { return Ok(None) };
    let wrong = |what: String| RunError::Checkpoint { path: path.display().to_string(), what };
    let damaged =
        |error: safetensors::SafeTensorError| wrong(format!("met a damaged file: {error}"));
    let progress = progress(path, &map)?;
    let own = network.tuples();
    let known = (&*progress.game, &*progress.tuples, &*progress.stages);
    if known != (game, own.cells(), own.stages()) {
        let Progress { game, tuples, stages, .. } = progress;
        let met = format!("{game} with tuples {tuples:?} and stages {stages:?}");
        let met: String = met.chars().take(200).collect();
        return Err(wrong(format!(
            "met a checkpoint of {met}, expected one of the recipe beside it"
        )));
    }
    let tensors = SafeTensors::deserialize(&map).map_err(damaged)?;
    let copy = |name: &str, target: &mut [u8]| {
        let tensor = tensors.tensor(name).map_err(damaged)?;
        if tensor.data().len() != target.len() {
            let (met, expected) = (tensor.data().len(), target.len());
            return Err(wrong(format!("met {met} bytes of {name}, expected {expected}")));
        }
        target.copy_from_slice(tensor.data());
        Ok(())
    };
    copy(WEIGHTS, network.memory_mut().bytes_mut())?;
    if let Some(coherence) = coherence {
        copy(COHERENCE, coherence.memory_mut().bytes_mut())?;
    }
    Ok(Some(progress))
}

/// How far a checkpoint is, without its weights; `None` if there is none.
pub(super) fn position(path: &Path) -> Result<Option<Position>, RunError> {
    let Some(map) = map(path)? else { return Ok(None) };
    Ok(Some(progress(path, &map)?.position))
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

fn progress(path: &Path, map: &Mmap) -> Result<Progress, RunError> {
    let wrong = |what: String| RunError::Checkpoint { path: path.display().to_string(), what };
    let (_, header) = SafeTensors::read_metadata(map)
        .map_err(|error| wrong(format!("met a damaged file: {error}")))?;
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let text = text.ok_or_else(|| wrong("met no progress, expected a checkpoint".to_owned()))?;
    serde_json::from_str(text).map_err(|error| wrong(format!("met {error}")))
}
