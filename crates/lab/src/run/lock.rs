//! The lock of a run folder: one program at a time trains it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::folder::{RunError, at};

/// Whoever only asks holds the lock for a moment, too.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of a folder, which the system frees when the file is dropped or its program ends,
/// however it ends.
pub(super) fn lock(folder: &Path) -> Result<Arc<File>, RunError> {
    let path = folder.join("lock");
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(at(&path))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Arc::new(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
        }
    }
    Err(RunError::Locked(folder.display().to_string()))
}

/// Whether a program trains the run of a folder right now.
pub(super) fn is_locked(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join("lock")) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
