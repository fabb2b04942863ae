//! Room for a training: memory and disk, beside what is promised to the trainings that run.

use std::path::Path;

use afterstate_train::Needs;
use afterstate_values::memory::{free, free_disk, own, show};

use crate::limits::{METRICS_DISK, MIN_FREE_DISK};

/// What a training takes of memory and disk at most, metrics included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Promise {
    pub(crate) memory: u64,
    pub(crate) disk: u64,
}

impl From<Needs> for Promise {
    fn from(needs: Needs) -> Promise {
        Promise { memory: needs.memory, disk: needs.disk.saturating_add(METRICS_DISK) }
    }
}

/// What there is for all trainings of this server; `None` where the system does not tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Memory, that of the running trainings included.
    memory: Option<u64>,
    /// Disk, what the running trainings have written included.
    disk: Option<u64>,
    /// Bytes of disk that all runs may have.
    quota: u64,
}

impl Room {
    /// The room on this machine, where running trainings have written so many bytes and all runs may have
    /// `quota`.
    pub(crate) fn here(runs: &Path, written: u64, quota: u64) -> Room {
        // The folder of runs may not exist yet.
        let disk = runs.ancestors().find_map(|folder| {
            let here = Path::new(".");
            free_disk(if folder.as_os_str().is_empty() { here } else { folder })
        });
        Room {
            memory: free().map(|free| free.saturating_add(own().unwrap_or(0))),
            disk: disk.map(|disk| disk.saturating_add(written)),
            quota,
        }
    }

    /// Whether there is room for a training beside what is promised to those that run. `kept` are the
    /// bytes of disk of all other runs in the folder of runs.
    pub(crate) fn check(&self, new: Promise, promised: Promise, kept: u64) -> Result<(), String> {
        let memory = new.memory.saturating_add(promised.memory);
        if let Some(room) = self.memory.filter(|&room| memory > room) {
            return Err(format!(
                "the training needs {} of memory; {} are promised to others, of {}: stop one first, or \
                 train a smaller network",
                show(new.memory),
                show(promised.memory),
                show(room)
            ));
        }
        let disk = new.disk.saturating_add(promised.disk);
        if disk.saturating_add(kept) > self.quota {
            return Err(format!(
                "the training may need {} of disk; the runs in the folder have {}, of at most {}: delete \
                 some with afterstate runs --delete",
                show(new.disk),
                show(kept.saturating_add(promised.disk)),
                show(self.quota)
            ));
        }
        match self.disk {
            Some(room) if disk.saturating_add(MIN_FREE_DISK) > room => Err(format!(
                "the training may need {} of disk, of which {} must stay free: {} are left",
                show(new.disk),
                show(MIN_FREE_DISK),
                show(room.saturating_sub(promised.disk))
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn promise(memory: u64, disk: u64) -> Promise {
        Promise { memory: memory * GIB, disk: disk * GIB }
    }

    #[test]
    fn what_is_promised_is_counted() {
        let room = Room { memory: Some(24 * GIB), disk: Some(30 * GIB), quota: 20 * GIB };
        let none = Promise::default();
        assert_eq!(room.check(promise(19, 2), none, 0), Ok(()));
        let refused = room.check(promise(19, 2), promise(19, 2), 0).unwrap_err();
        assert!(
            refused.starts_with("the training needs 19.0 GiB of memory; 19.0 GiB"),
            "{refused}"
        );
        assert_eq!(room.check(promise(1, 9), promise(1, 9), GIB), Ok(()));
        let refused = room.check(promise(1, 9), promise(1, 9), 3 * GIB).unwrap_err();
        assert!(refused.contains("have 12.0 GiB, of at most 20.0 GiB"), "{refused}");
        let small = Room { memory: None, disk: Some(10 * GIB), quota: 20 * GIB };
        assert_eq!(small.check(promise(99, 4), promise(0, 5), 0), Ok(()));
        let refused = small.check(promise(1, 5), promise(0, 5), 0).unwrap_err();
        assert!(refused.ends_with("1.0 GiB must stay free: 5.0 GiB are left"), "{refused}");
        let unknown = Room { memory: None, disk: None, quota: 20 * GIB };
        assert_eq!(unknown.check(promise(1_000, 10), none, 0), Ok(()));
    }
}
