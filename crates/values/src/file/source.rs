//! `Source`: where the bytes of an agent come from: a file, the program itself or memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Problem;
use super::replace::ensure_regular;
use crate::memory::show;

/// Opens a file for reading. A pipe, a device or a folder is an error: the first would block until
/// somebody writes into it, the second may never end.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_file_with(path, OpenOptions::new().read(true))
}

/// The same for other ways of opening.
pub fn open_file_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Whatever comes to lie at the path meanwhile, opening does not block.
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    // A pipe without a reader cannot be opened for writing, and a device may do something when it is
    // opened: both are looked at before.
    if let Ok(data) = std::fs::metadata(path) {
        ensure_regular(&data)?;
    }
    let file = options.open(path)?;
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a file of at most so many bytes.
pub fn read_file(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_file(path)?;
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        let error = format!("the file is too large: at most {} are read", show(max));
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    Ok(bytes)
}

/// A file, or bytes in memory.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Source<'a> {
    /// A file.
    File(&'a Path),
    /// Bytes, and their name in messages.
    Bytes(&'a str, &'static [u8]),
    /// Bytes that came from elsewhere, and their name in messages.
    Shared(&'a str, &'a Arc<[u8]>),
}

impl<'a> From<&'a Path> for Source<'a> {
    fn from(path: &'a Path) -> Source<'a> {
        Source::File(path)
    }
}

impl<'a> From<&'a PathBuf> for Source<'a> {
    fn from(path: &'a PathBuf) -> Source<'a> {
        Source::File(path)
    }
}

impl Source<'_> {
    /// The path, or the name of the bytes.
    pub(super) fn path(&self) -> &Path {
        match self {
            Source::File(path) => path,
            Source::Bytes(name, _) | Source::Shared(name, _) => Path::new(name),
        }
    }

    /// Opens it; returns its length in bytes too.
    pub(super) fn open(&self) -> Result<(Input, u64), Problem> {
        let path = match self {
            Source::File(path) => path,
            Source::Bytes(_, bytes) => {
                return Ok((Input::Bytes(Cursor::new(bytes)), bytes.len() as u64));
            }
            Source::Shared(_, bytes) => {
                let length = bytes.len() as u64;
                return Ok((Input::Shared(Cursor::new(Arc::clone(bytes))), length));
            }
        };
        let file = open_file(path).map_err(|error| match error.kind() {
            io::ErrorKind::IsADirectory => Problem::NotAFile("a folder"),
            io::ErrorKind::InvalidInput => Problem::NotAFile("a pipe or a device"),
            _ => Problem::Read(error),
        })?;
        let length = file.metadata().map_err(Problem::Read)?.len();
        Ok((Input::File(file), length))
    }
}

/// An opened source.
pub(super) enum Input {
    File(File),
    Bytes(Cursor<&'static [u8]>),
    Shared(Cursor<Arc<[u8]>>),
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file) => file.read(buffer),
            Input::Bytes(bytes) => bytes.read(buffer),
            Input::Shared(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Input::File(file) => file.seek(to),
            Input::Bytes(bytes) => bytes.seek(to),
            Input::Shared(bytes) => bytes.seek(to),
        }
    }
}
