//! Files that are either complete or absent.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use afterstate_values::file::open_file_with;
use afterstate_values::replace_file;
use serde::Serialize;

use crate::Error;

/// Replaces a file.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    replace_file(path, |file| file.write_all(text.as_bytes())).map_err(file_error(path))
}

/// Replaces a file by a value as one line of JSON.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(value).map_err(json_error(path))?;
    write_file(path, &(text + "\n"))
}

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(file_error(path))
}

/// Takes a lock, which the system releases when the file is dropped or the process ends; `None` if another
/// process has it.
pub(crate) fn lock(path: &Path) -> Result<Option<File>, Error> {
    path.parent().map_or(Ok(()), create_folder)?;
    let file = open_file_with(path, OpenOptions::new().create(true).append(true));
    let file = file.map_err(file_error(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(file_error(path)(error)),
    }
}

/// Waits for the lock of a folder, so that files that belong together are written together. Where the
/// system locks no folders, each of the files is still whole.
pub(crate) fn lock_folder(path: &Path) -> Option<File> {
    File::open(path).and_then(|folder| folder.lock().map(|()| folder)).ok()
}

/// Removes a file, if it exists.
pub(crate) fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(file_error(path)),
    }
}

pub(crate) fn file_error(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::File { path: path.clone(), source }
}

pub(crate) fn json_error(path: &Path) -> impl Fn(serde_json::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::Json { path: path.clone(), source }
}
