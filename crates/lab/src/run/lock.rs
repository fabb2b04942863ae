//! The lock of a run folder: one program at a time trains it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

use super::folder::{RunError, at};

/// Takes the lock of a folder, which the system frees when the file is dropped or its program ends,
/// however it ends.
pub(super) fn lock(folder: &Path) -> Result<Arc<File>, RunError> {
    let path = folder.join("lock");
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(Arc::new(file)),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked(folder.display().to_string())),
        Err(TryLockError::Error(error)) => Err(at(&path)(error)),
    }
}
