//! `Target`: the file that is going to be replaced, and whether another program writes it meanwhile.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::part::Part;
use super::replace::resolve;

/// What all but the first of several programs that write one file at once are told.
pub const OTHER_WRITER: &str = "another program is writing this file, or wrote it meanwhile: its file \
    stays, and this one was not written; choose another name, or run this again";

/// What tells two files of one path apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    /// Of the device and on it, where the system has such numbers.
    number: (u64, u64),
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Identity {
    fn of(data: &Metadata) -> Identity {
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            (data.dev(), data.ino())
        };
        #[cfg(not(unix))]
        let number = (0, 0);
        Identity { number, bytes: data.len(), modified: data.modified().ok() }
    }

    /// That of the file at a path now.
    fn at(path: &Path) -> io::Result<Option<Identity>> {
        match fs::symlink_metadata(path) {
            Ok(data) => Ok(Some(Identity::of(&data))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

type Claims = HashMap<PathBuf, Option<Identity>>;

/// The files that this process is going to write, as they were when it said so.
fn claims() -> MutexGuard<'static, Claims> {
    static CLAIMS: LazyLock<Mutex<Claims>> = LazyLock::new(Mutex::default);
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that this process is going to write a file, before work that takes a while. If another program
/// writes it meanwhile, that one has won, and [`replace_file`](super::replace_file) says so. What cannot be
/// replaced is refused at once.
pub fn claim(path: &Path) -> io::Result<()> {
    let (path, old) = resolve(path)?;
    claims().insert(path, old.as_ref().map(Identity::of));
    Ok(())
}

/// The file that is going to be replaced, or its absence.
pub(super) struct Target<'a> {
    path: &'a Path,
    found: Option<Identity>,
    /// The old file, locked: who is first replaces it, and nobody else does meanwhile. Not where the file may
    /// not be read, or its system has no locks.
    _lock: Option<File>,
}

impl<'a> Target<'a> {
    /// The file at a path that [`resolve`] gave.
    pub(super) fn open(path: &'a Path, old: Option<&Metadata>) -> io::Result<Target<'a>> {
        let found = match claims().get(path) {
            Some(claimed) => claimed.clone(),
            None => old.map(Identity::of),
        };
        let target = Target { _lock: lock(path)?, path, found };
        target.check()?;
        Ok(target)
    }

    /// Puts a part in the place of the file, unless another program did that first.
    pub(super) fn replace(self, part: Part) -> io::Result<()> {
        if self.found.is_none() {
            part.link(self.path).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => io::Error::other(OTHER_WRITER),
                _ => error,
            })?;
        } else {
            self.check()?;
            part.rename(self.path)?;
        }
        if let Some(claimed) = claims().get_mut(self.path) {
            *claimed = Identity::at(self.path)?;
        }
        Ok(())
    }

    /// Checks that the file is the one that was found.
    fn check(&self) -> io::Result<()> {
        match Identity::at(self.path)? == self.found {
            true => Ok(()),
            false => Err(io::Error::other(OTHER_WRITER)),
        }
    }
}

/// Locks the file at a path, if there is one. Elsewhere than on Unix an open file cannot be replaced.
fn lock(path: &Path) -> io::Result<Option<File>> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let Ok(file) = super::open_file(path) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::other(OTHER_WRITER)),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}
