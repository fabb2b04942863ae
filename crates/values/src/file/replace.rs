//! Replacing a file: the new one is written beside the old one, synced and renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Replaces a file by what `write` writes. The file is whole at any time, the old one or the new
/// one, and a failure leaves the old one. Only one program at a time may replace a file of this
/// name.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut part = OsString::from(path);
    part.push(".part");
    let written = File::create(&part).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&part, path)) {
        // A partial file is of no use, and may fill the disk.
        let _ = fs::remove_file(&part);
        return Err(error);
    }
    // The new name should survive a power cut too, but not every system can promise that.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
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
