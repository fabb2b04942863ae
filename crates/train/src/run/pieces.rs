//! A run in pieces of bounded size, to send it from one machine to another: a checkpoint of
//! gigabytes leaves a machine that is lent for minutes piece by piece.
//!
//! The pieces are one stream: a line of JSON that lists the files, then the bytes of each. A piece
//! is a line of JSON that says which one it is, then its part of the stream, compressed.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use afterstate_values::file::{open_file, replace_file, write_with_holes};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::error::{RunError, at};
use super::folder::{Folder, RECIPE};
use super::lock::lock;
use crate::budget::Position;

/// The bytes that are compressed at a time.
const BLOCK: usize = 1 << 20;

/// The smallest bound of a piece: a block that cannot be compressed fits with its header.
pub const MIN_PIECE: u64 = 2 << 20;

/// The longest line of JSON.
const MAX_LINE: u64 = 1 << 16;

/// No compressed byte stands for more bytes than this.
const MAX_RATIO: u64 = 1_100;

/// The first line of a piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// The name of the run, and the moves of its checkpoint: pieces of another have others.
    run: String,
    moves: u64,
    /// The number of the piece, from 0, and whether it is the last.
    piece: u32,
    last: bool,
}

/// A file of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packed {
    name: String,
    bytes: u64,
}

/// The name of a piece.
fn piece_name(number: u32) -> String {
    format!("piece-{number:04}")
}

/// The path of a piece.
fn piece_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(piece_name(number))
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Folder {
    /// The names of the files that are packed; the recipe is last, since it makes a folder a run.
    fn packed_files(&self) -> Vec<PathBuf> {
        let metrics = self.path().join(super::folder::METRICS);
        vec![self.checkpoint(), self.agent(), metrics, self.path().join(RECIPE)]
    }

    /// Writes the run to a new folder in pieces of at most `max_bytes`, also while it is trained;
    /// returns their paths. Each is whole as soon as it has its name.
    pub fn pack(&self, to: &Path, max_bytes: u64) -> Result<Vec<PathBuf>, RunError> {
        let moves = self.position()?.map_or(0, |Position { moves, .. }| moves);
        let mut files = Vec::new();
        for path in self.packed_files() {
            match open_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&path)(error)),
                Ok(file) => {
                    let bytes = file.metadata().map_err(at(&path))?.len();
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    files.push((Packed { name, bytes }, file));
                }
            }
        }
        fs::create_dir_all(to).map_err(at(to))?;
        if piece_path(to, 0).exists() {
            let error = io::Error::other("the folder has pieces of a run: choose another");
            return Err(at(to)(error));
        }
        let list: Vec<&Packed> = files.iter().map(|(file, _)| file).collect();
        let mut list = serde_json::to_vec(&list).map_err(|error| at(to)(error.into()))?;
        list.push(b'\n');
        let bodies = files.into_iter().map(|(packed, file)| file.take(packed.bytes));
        let stream = bodies.fold(Box::new(io::Cursor::new(list)) as Box<dyn Read>, |all, file| {
            Box::new(all.chain(file))
        });
        let header = Header { run: self.name(), moves, piece: 0, last: false };
        write_pieces(stream, to, header, max_bytes.max(MIN_PIECE)).map_err(at(to))
    }

    /// Makes a run from pieces in a folder that has none.
    pub fn unpack(pieces: &Path, to: &Path) -> Result<Folder, RunError> {
        if to.join(RECIPE).exists() {
            return Err(RunError::Taken(to.display().to_string()));
        }
        let (mut packed_bytes, mut number) = (0u64, 0);
        while let Ok(data) = fs::metadata(piece_path(pieces, number)) {
            packed_bytes = packed_bytes.saturating_add(data.len());
            number += 1;
        }
        // The folder is made once the list of files is known to be sound.
        let (mut lock, mut failed) = (None, None);
        let unpacked = unpack_to(
            |number| open_file(&piece_path(pieces, number)),
            packed_bytes,
            |name, bytes, stream| {
                let path = to.join(name);
                let mut write = || {
                    if lock.is_none() {
                        fs::create_dir_all(to).map_err(at(to))?;
                        lock = Some(self::lock(to)?);
                    }
                    let written = replace_file(&path, |file| copy(stream, file, bytes));
                    written.map_err(at(&path))
                };
                write().map_err(|error| {
                    failed = Some(error);
                    invalid("a file cannot be written")
                })
            },
        );
        unpacked.map_err(|error| failed.unwrap_or_else(|| at(pieces)(error)))?;
        drop(lock);
        Folder::open(to)
    }
}

/// Gives the name, the length and the bytes of each file in pieces to `write`; `open` opens a piece by
/// its number.
pub(super) fn unpack_to<R: Read>(
    open: impl FnMut(u32) -> io::Result<R>,
    packed_bytes: u64,
    mut write: impl FnMut(&str, u64, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    // The list is read byte by byte.
    let mut stream = BufReader::new(PieceReader::open(open)?);
    let list: Vec<Packed> = serde_json::from_slice(&read_line(&mut stream)?)?;
    check_list(&list, packed_bytes)?;
    for Packed { name, bytes } in list {
        write(&name, bytes, &mut stream)?;
    }
    if io::copy(&mut stream.take(1), &mut io::sink())? > 0 {
        return Err(invalid("the last piece has more than its list of files"));
    }
    Ok(())
}

/// Compresses a stream into pieces.
fn write_pieces(
    mut stream: impl Read,
    to: &Path,
    mut header: Header,
    max_bytes: u64,
) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut body = Vec::new();
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        stream.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        header.last = block.is_empty();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&block)?;
        let compressed = if header.last { Vec::new() } else { encoder.finish()? };
        let line = serde_json::to_vec(&header)?;
        let full = line.len() + 1 + body.len() + compressed.len() > max_bytes as usize;
        if full || header.last {
            let path = piece_path(to, header.piece);
            replace_file(&path, |file| {
                file.write_all(&line)?;
                file.write_all(b"\n")?;
                file.write_all(&body)
            })?;
            paths.push(path);
            header.piece += 1;
            body.clear();
        }
        if header.last {
            return Ok(paths);
        }
        body.extend(compressed);
    }
}

/// The files must be those of a run, each once, and as long as the pieces can tell.
fn check_list(list: &[Packed], packed_bytes: u64) -> io::Result<()> {
    let known = ["checkpoint.safetensors", "agent.safetensors", super::folder::METRICS, RECIPE];
    let mut names = BTreeSet::new();
    for Packed { name, .. } in list {
        if !known.contains(&name.as_str()) || !names.insert(name) {
            let name: String = name.chars().take(100).collect();
            return Err(invalid(format!("the pieces list {name:?}, which is no file of a run")));
        }
    }
    if list.last().is_none_or(|file| file.name != RECIPE) {
        return Err(invalid("the pieces are not those of a run: they have no recipe"));
    }
    let total = list.iter().fold(0u64, |sum, file| sum.saturating_add(file.bytes));
    if total > packed_bytes.saturating_mul(MAX_RATIO) {
        return Err(invalid("the pieces list more bytes than they can hold"));
    }
    Ok(())
}

/// Reads a line without its end.
fn read_line(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while (line.len() as u64) < MAX_LINE && from.read(&mut byte)? == 1 {
        match byte {
            [b'\n'] => return Ok(line),
            [byte] => line.push(byte),
        }
    }
    Err(invalid("the file is not a piece of a run: it does not begin with a line of JSON"))
}

/// Copies so many bytes; blocks of zeros take no disk.
fn copy(from: &mut (impl Read + ?Sized), to: &mut File, bytes: u64) -> io::Result<()> {
    let mut block = vec![0; bytes.min(BLOCK as u64) as usize];
    let mut left = bytes;
    while left > 0 {
        let part = &mut block[..left.min(BLOCK as u64) as usize];
        from.read_exact(part)?;
        write_with_holes(to, part)?;
        left -= part.len() as u64;
    }
    Ok(())
}

/// The stream of all pieces.
struct PieceReader<F, R> {
    /// Opens a piece by its number.
    open: F,
    /// The header of the current piece, and what is left of its part of the stream.
    header: Header,
    body: MultiGzDecoder<BufReader<R>>,
}

impl<R: Read, F: FnMut(u32) -> io::Result<R>> PieceReader<F, R> {
    /// Opens the first piece.
    fn open(mut open: F) -> io::Result<PieceReader<F, R>> {
        let (header, body) = open_piece(&mut open, 0)?;
        Ok(PieceReader { open, header, body })
    }
}

fn open_piece<R: Read>(
    open: impl FnOnce(u32) -> io::Result<R>,
    number: u32,
) -> io::Result<(Header, MultiGzDecoder<BufReader<R>>)> {
    let name = piece_name(number);
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
    let mut file = BufReader::new(open(number).map_err(named)?);
    let line = read_line(&mut file.by_ref().take(MAX_LINE)).map_err(named)?;
    let header: Header = serde_json::from_slice(&line).map_err(|error| {
        named(invalid(format!("the file is not a piece of a run, or damaged: {error}")))
    })?;
    if header.piece != number {
        return Err(named(invalid(format!("it is piece {}", header.piece))));
    }
    Ok((header, MultiGzDecoder::new(file)))
}

impl<R: Read, F: FnMut(u32) -> io::Result<R>> Read for PieceReader<F, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.body.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.header.last {
                return Ok(count);
            }
            let (header, body) = open_piece(&mut self.open, self.header.piece + 1)?;
            let Header { run, moves, .. } = &self.header;
            if (&header.run, &header.moves) != (run, moves) {
                let number = header.piece;
                return Err(invalid(format!(
                    "piece {number} is of another run or another checkpoint than piece 0"
                )));
            }
            (self.header, self.body) = (header, body);
        }
    }
}
