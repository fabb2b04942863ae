//! `Part`: a file that is being written and has no name yet, so that nothing is left of it if the
//! process is killed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is being written in the folder of the one that it will replace.
pub(super) struct Part {
    file: File,
    /// Its name where the system has no files without one; removed if the part is dropped.
    name: Option<PathBuf>,
}

impl Part {
    /// A part of the file at a path.
    pub(super) fn beside(path: &Path) -> io::Result<Part> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(path) {
            return Ok(Part { file, name: None });
        }
        let name = unused_name(path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&name)?;
        Ok(Part { file, name: Some(name) })
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the part a name that no file has, on the same file system.
    pub(super) fn link(self, path: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.name.is_none() {
            return link(&self.file, path);
        }
        let Some(name) = &self.name else { return self.rename(path) };
        match fs::hard_link(name, path) {
            // A file system without links.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => self.rename(path),
            linked => linked,
        }
    }

    /// Replaces the file at a path, on the same file system, by the part.
    pub(super) fn rename(mut self, path: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.name.is_none() {
            // A file that exists cannot be replaced by one without a name.
            let name = unused_name(path);
            link(&self.file, &name)?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            fs::rename(name, path)?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // A partial file is of no use, and may fill the disk.
            let _ = fs::remove_file(name);
        }
    }
}

/// A name beside a file that no other process and no other thread chooses: `NAME.PID-NUMBER.part`.
fn unused_name(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(path);
    name.push(format!(".{}-{number}.part", std::process::id()));
    name.into()
}

/// A file without a name in the folder of another, if the file system has such files and `/proc`
/// names them.
#[cfg(target_os = "linux")]
fn unnamed(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let folder = super::replace::folder_of(path);
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file: File = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?.into();
    fs::symlink_metadata(descriptor(&file)).is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> String {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file))
}

#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}
