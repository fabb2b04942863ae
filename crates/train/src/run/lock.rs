//! The lock of a run folder: one process at a time trains it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use afterstate_values::file::{open_file, open_file_with};

use super::error::{RunError, at};

/// [`is_locked`] holds the lock for a moment, so taking it is tried several times.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of a folder. The system releases it when the file is dropped or the process ends.
pub(super) fn lock(folder: &Path) -> Result<Arc<File>, RunError> {
    let path = folder.join("lock");
    let file = open_file_with(&path, OpenOptions::new().create(true).append(true));
    let file = file.map_err(at(&path))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Arc::new(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
        }
    }
    Err(RunError::Locked(folder.display().to_string()))
}

/// Whether a process trains the run of a folder.
pub(super) fn is_locked(folder: &Path) -> bool {
    let Ok(file) = open_file(&folder.join("lock")) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
