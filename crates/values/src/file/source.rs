//! `Source`: where the bytes of an agent come from, a file or the program itself.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::Problem;

/// A file, or bytes that are part of the program.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Source<'a> {
    /// A file.
    File(&'a Path),
    /// Bytes, and their name in messages.
    Bytes(&'a str, &'static [u8]),
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
            Source::Bytes(name, _) => Path::new(name),
        }
    }

    /// Opens it; returns its length in bytes too.
    pub(super) fn open(&self) -> Result<(Input, u64), Problem> {
        let path = match self {
            Source::File(path) => path,
            Source::Bytes(_, bytes) => {
                return Ok((Input::Bytes(Cursor::new(bytes)), bytes.len() as u64));
            }
        };
        // Checked before opening, because opening a pipe blocks until its other end is opened.
        let kind = fs::metadata(path).map_err(Problem::Read)?;
        if !kind.is_file() {
            let found = if kind.is_dir() { "a folder" } else { "a pipe or a device" };
            return Err(Problem::NotAFile(found));
        }
        let file = File::open(path).map_err(Problem::Read)?;
        let length = file.metadata().map_err(Problem::Read)?.len();
        Ok((Input::File(file), length))
    }
}

/// An opened source.
pub(super) enum Input {
    File(File),
    Bytes(Cursor<&'static [u8]>),
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file) => file.read(buffer),
            Input::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Input::File(file) => file.seek(to),
            Input::Bytes(bytes) => bytes.seek(to),
        }
    }
}
