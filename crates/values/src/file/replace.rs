//! Replacing a file: the new one is written beside the old one, synced and renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
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
