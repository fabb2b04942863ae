//! Replacing a file: the one writer of all output. The new file is written without a name, synced,
//! and takes the place of the old one.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::part::Part;
use super::target::Target;

/// Replaces a file by what `write` writes. The file is whole at any time, the old one or the new
/// one: a failure leaves the old one, a process that is killed leaves nothing beside it.
///
/// Of several that write it at once the first wins, and the others are told: the file stays as the first
/// wrote it. Who works for a while before it writes calls [`claim`](super::claim) first.
///
/// Symbolic links are followed, the mode and, as far as the system lets it, the owner of the old file
/// are kept. A pipe, a device or a folder is refused and stays, as does a file that may not be
/// written. Another hard link to the old file keeps the old content.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (path, old) = resolve(path)?;
    let target = Target::open(&path, old.as_ref())?;
    let mut part = Part::beside(&path)?;
    write(part.file())?;
    if let Some(old) = &old {
        keep(part.file(), old)?;
    }
    part.file().sync_all()?;
    target.replace(part)?;
    // The new name should survive a power cut too, but not every system can promise that.
    #[cfg(unix)]
    let _ = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The folder in which a file lies.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The most symbolic links that lead to a file.
const MAX_LINKS: usize = 40;

/// The path of the regular file that a path leads to, and its metadata if it exists.
pub(super) fn resolve(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    // Also what no path leads to, such as the pipe behind /dev/stdout.
    if let Ok(data) = fs::metadata(path) {
        ensure_regular(&data)?;
        if data.permissions().readonly() {
            let error = "the file may not be written: its mode is read-only";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, error));
        }
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            Ok(data) => return Ok((path, Some(data))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((path, None)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the symbolic links at this path lead in a circle"))
}

/// Checks that something at a path is a file.
pub(super) fn ensure_regular(data: &Metadata) -> io::Result<()> {
    if data.is_file() {
        return Ok(());
    }
    Err(match data.is_dir() {
        true => io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"),
        false => {
            io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, not a file")
        }
    })
}

/// Gives a new file the mode and the owner of the old one.
fn keep(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away.
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

/// The bytes of a block of most file systems: a block of zeros need not be stored.
const BLOCK: usize = 4096;

/// Writes bytes at the current position, the last of the file, and leaves out whole blocks of zeros:
/// they read as zeros and take no disk. Most weights of a short training are zero.
pub fn write_with_holes(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let begin = file.stream_position()?;
    let unaligned = begin.next_multiple_of(BLOCK as u64) - begin;
    let (first, rest) = bytes.split_at(bytes.len().min(unaligned as usize));
    file.write_all(first)?;
    let is_zero = |block: &[u8]| block.iter().all(|&byte| byte == 0);
    // Neighbouring blocks of one kind are written or left out at once.
    let mut rest = rest;
    while !rest.is_empty() {
        let zero = is_zero(&rest[..BLOCK.min(rest.len())]);
        let same = rest.chunks(BLOCK).take_while(|block| is_zero(block) == zero);
        let (part, others) = rest.split_at(same.map(<[u8]>::len).sum());
        if zero {
            file.seek(SeekFrom::Current(part.len() as i64))?;
        } else {
            file.write_all(part)?;
        }
        rest = others;
    }
    file.set_len(begin + bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_zeros_read_as_zeros() {
        let path = std::env::temp_dir().join(format!("afterstate-holes-{}", std::process::id()));
        let mut bytes = vec![0u8; 10 * BLOCK + 77];
        for at in [0, 5_000, 5 * BLOCK, 6 * BLOCK + 1] {
            bytes[at] = 7;
        }
        // What ends in zeros and what does not, from any position.
        for (before, length) in [(0, bytes.len()), (100, 8_000), (BLOCK, 5_001), (9, 0)] {
            let bytes = &bytes[..length];
            replace_file(&path, |file| {
                file.write_all(&vec![1; before])?;
                write_with_holes(file, bytes)
            })
            .unwrap();
            assert!(fs::read(&path).unwrap() == [&vec![1; before], bytes].concat());
        }
        #[cfg(unix)]
        {
            replace_file(&path, |file| write_with_holes(file, &vec![0; 1 << 24])).unwrap();
            let data = fs::metadata(&path).unwrap();
            assert!(std::os::unix::fs::MetadataExt::blocks(&data) * 512 < 1 << 20);
        }
        fs::remove_file(&path).unwrap();
    }
}
