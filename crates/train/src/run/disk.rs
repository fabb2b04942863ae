//! The disk that a run takes: how much, what a finished run gives back, and deleting a run.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::checkpoint;
use super::error::{RunError, at};
use super::folder::{Folder, RECIPE};

/// The largest checkpoint, in bytes, that a finished run keeps unless it is asked to.
pub const SMALL_CHECKPOINT: u64 = 64 << 20;

/// Files of a run by the beginning of their names; `.part` files are what a killed process leaves.
const FILES: [&str; 8] = [
    "agent.safetensors",
    "checkpoint.safetensors",
    "events.out.tfevents.",
    "finished.json",
    "metrics.jsonl",
    "recipe.toml",
    "stop",
    "dashboard",
];

/// A run that was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The bytes that are free again.
    pub bytes: u64,
    /// Whether its folder is gone, too: it stays if it has files that belong to no run.
    pub folder: bool,
}

impl Folder {
    /// The bytes of disk that the files of the run take.
    pub fn disk_bytes(&self) -> u64 {
        Folder::disk_bytes_in(self.path())
    }

    /// The same of the run in a folder, also of one that cannot be read.
    pub fn disk_bytes_in(path: &Path) -> u64 {
        files(path).iter().filter_map(|file| Some(size(&fs::symlink_metadata(file).ok()?))).sum()
    }

    /// Removes the weights from the checkpoint of a finished run if it is larger than
    /// [`SMALL_CHECKPOINT`]: the agent is what a training is for, and only a longer training needs
    /// its checkpoint. Returns the bytes that are free again.
    pub fn drop_large_checkpoint(&self) -> Result<Option<u64>, RunError> {
        let path = self.checkpoint();
        let Ok(data) = fs::metadata(&path) else { return Ok(None) };
        if data.len() <= SMALL_CHECKPOINT || !self.finished()? {
            return Ok(None);
        }
        checkpoint::drop_weights(&path)?;
        Ok(Some(size(&data)))
    }

    /// Whether its checkpoint has what a longer training needs.
    pub fn has_weights(&self) -> Result<bool, RunError> {
        checkpoint::has_weights(&self.checkpoint())
    }

    /// Deletes the run in a folder that nobody trains: its own files only, and the folder if nothing
    /// else is in it.
    pub fn delete(path: &Path) -> Result<Deleted, RunError> {
        // Also checks that the folder has a run.
        let folder = Folder::resume(path)?;
        let bytes = folder.disk_bytes();
        // The recipe makes the folder a run and goes last: what fails can be repeated.
        let (recipe, others): (Vec<PathBuf>, Vec<PathBuf>) =
            files(path).into_iter().partition(|file| file.ends_with(RECIPE));
        for file in others.iter().chain(&recipe) {
            fs::remove_file(file).map_err(at(file))?;
        }
        drop(folder);
        let lock = path.join("lock");
        fs::remove_file(&lock).map_err(at(&lock))?;
        Ok(Deleted { bytes, folder: fs::remove_dir(path).is_ok() })
    }

    /// Removes the parts of files that killed processes have left. Only who holds the lock may.
    pub(super) fn remove_parts(&self) {
        let parts =
            files(self.path()).into_iter().filter(|file| file.extension() == Some("part".as_ref()));
        for part in parts {
            let _ = fs::remove_file(part);
        }
    }
}

/// The files of the run in a folder but for its lock.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_own = |name: &str| {
        let name = whole_name(name);
        let events = |file: &str| file.ends_with('.') && name.starts_with(file);
        FILES.iter().any(|file| name == *file || events(file))
    };
    let own = entries.filter(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !is_folder && entry.file_name().to_str().is_some_and(is_own)
    });
    own.map(|entry| entry.path()).collect()
}

/// The name of the file of which one with this name is a part, `NAME.part` of version 0.2 or
/// `NAME.PID-NUMBER.part`; a file that is no part has its own name.
fn whole_name(name: &str) -> &str {
    let Some(name) = name.strip_suffix(".part") else { return name };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match name.rsplit_once('.') {
        Some((whole, id)) if id.split('-').all(is_number) && id.contains('-') => whole,
        _ => name,
    }
}

/// The bytes that a file takes on the disk: fewer than its length if it has holes.
#[cfg(unix)]
fn size(data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(data) * 512
}

#[cfg(not(unix))]
fn size(data: &Metadata) -> u64 {
    data.len()
}
