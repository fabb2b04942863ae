//! Files that are either complete or absent.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

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
