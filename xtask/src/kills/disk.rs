//! A small disk that is full at a random moment: a tmpfs, which only root can mount, and only on Linux.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::interrupt::Moments;
use crate::note;

/// Its size: room for the checkpoints of every training, twice.
const BYTES: u64 = 64 << 20;

/// Less than so many bytes of it are left free.
const LEFT: u64 = 1 << 21;

/// The folder in which runs are made, on a disk of its own if that can be mounted.
pub(super) struct Disk {
    folder: PathBuf,
    is_mounted: bool,
}

impl Disk {
    pub(super) fn mount(folder: &Path) -> anyhow::Result<Disk> {
        fs::create_dir_all(folder)?;
        let size = format!("size={BYTES}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "none"]).arg(folder);
        let mounted = mount.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let is_mounted = mounted.is_ok_and(|status| status.success());
        if !is_mounted {
            note("no disk was mounted, which takes root on Linux: none is full");
        }
        Ok(Disk { folder: folder.to_owned(), is_mounted })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn is_mounted(&self) -> bool {
        self.is_mounted
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }

    /// Fills the disk but for a random part.
    pub(super) fn fill(&self, moments: &mut Moments) -> anyhow::Result<()> {
        let (mut file, block, mut bytes) = (File::create(self.ballast())?, [0; 1 << 12], 0u64);
        loop {
            match file.write(&block) {
                Ok(written) => bytes += written as u64,
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(file.set_len(bytes.saturating_sub(moments.of_any_size(LEFT)))?)
    }

    /// Frees what [`Disk::fill`] took.
    pub(super) fn clear(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.ballast())?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = Command::new("umount").arg(&self.folder).status();
        }
    }
}
