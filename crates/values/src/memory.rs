//! `Memory`: a large table of weights that threads read and write without locks.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI16, AtomicU32, AtomicU64};

use memmap2::{MmapMut, MmapOptions, MmapRaw};
#[cfg(target_os = "linux")]
use rustix::mm::Advice;

/// Zeroed memory, in huge pages where the system provides them, or a mapped part of a file.
///
/// Weights are bit patterns in atomics, read and written with relaxed ordering, which compiles to
/// plain loads and stores and is defined behaviour. If two threads update one weight at the same
/// time, one update may be lost; learning tolerates that (Hogwild).
pub struct Memory {
    /// Raw, so that no reference to the bytes exists while threads write them.
    map: MmapRaw,
    /// Bytes in use; the map has at least one, because an empty map is an error.
    len: usize,
    huge: bool,
}

/// Less than this needs no huge pages.
const HUGE: usize = 4 << 20;

/// There is no memory for a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// More than the available memory.
    #[error("the weights need {} but {} of memory are free", show(*.needed), show(*.free))]
    TooLarge {
        /// Bytes that the table needs.
        needed: u64,
        /// Bytes available.
        free: u64,
    },
    /// The system refused.
    #[error("the system refused {} of memory: {source}", show(*.needed))]
    Refused {
        /// Bytes that the table needs.
        needed: u64,
        /// Its error.
        source: std::io::Error,
    },
}

/// A number of bytes in MiB or GiB.
pub fn show(bytes: u64) -> String {
    let (mib, gib) = (bytes as f64 / (1u64 << 20) as f64, bytes as f64 / (1u64 << 30) as f64);
    if gib >= 1.0 { format!("{gib:.1} GiB") } else { format!("{mib:.1} MiB") }
}

/// Bytes of memory that are available without swapping, where the system tells.
pub fn free() -> Option<u64> {
    bytes_in("/proc/meminfo", "MemAvailable:")
}

/// Bytes that are free on the disk of a folder, where the system tells.
pub fn free_disk(folder: &std::path::Path) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let disk = rustix::fs::statvfs(folder).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

/// The memory of this process in bytes that is no file, where the system tells.
pub fn own() -> Option<u64> {
    bytes_in("/proc/self/status", "RssAnon:")
}

/// The peak resident memory of this process in bytes, where the system tells.
pub fn peak() -> Option<u64> {
    bytes_in("/proc/self/status", "VmHWM:")
}

/// The entry of a file of the system that is given in KiB.
fn bytes_in(file: &str, key: &str) -> Option<u64> {
    // Read at once: the system makes up the file anew for every part of it.
    let mut text = String::with_capacity(1 << 13);
    File::open(file).ok()?.read_to_string(&mut text).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// Whether the system provides huge pages on request. It accepts the advice even where its setting
/// is `never`.
#[cfg(target_os = "linux")]
fn provides_huge_pages() -> bool {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    setting.is_ok_and(|setting| !setting.contains("[never]"))
}

impl Memory {
    /// Allocates zeroed memory. Compares with the available memory first, so that a network that is
    /// too large is an error and not a kill by the system.
    pub fn zeroed(bytes: u64) -> Result<Memory, MemoryError> {
        let needed = bytes.max(8);
        if let Some(free) = free().filter(|&free| needed > free) {
            return Err(MemoryError::TooLarge { needed, free });
        }
        let refused = |source| MemoryError::Refused { needed, source };
        let length =
            usize::try_from(needed).map_err(|_| refused(io::ErrorKind::OutOfMemory.into()))?;
        let map = MmapMut::map_anon(length).map_err(refused)?;
        #[cfg(target_os = "linux")]
        let huge = map.advise(memmap2::Advice::HugePage).is_ok() && provides_huge_pages();
        #[cfg(not(target_os = "linux"))]
        let huge = false;
        Ok(Memory { map: map.into(), len: bytes as usize, huge })
    }

    /// A part of a file as private memory: writes do not reach the file.
    ///
    /// The file must not be truncated while it is mapped: access would raise SIGBUS. So files are
    /// replaced (written beside and renamed), never truncated.
    #[allow(unsafe_code)]
    pub(crate) fn of_file(file: &File, begin: u64, bytes: u64) -> io::Result<Memory> {
        let end = begin.checked_add(bytes).filter(|_| begin.is_multiple_of(8) && bytes > 0);
        let length = file.metadata()?.len();
        let (Some(_), Ok(len)) = (end.filter(|&end| end <= length), usize::try_from(bytes)) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        // SAFETY: the map is private, so what this program writes is seen by nobody else. What
        // others write to the file may be seen here, but shared references are to atomics, for
        // which that is a value like any other.
        let map = unsafe { MmapOptions::new().offset(begin).len(len).map_copy(file)? };
        Ok(Memory { map: map.into(), len, huge: false })
    }

    /// Has the system provide the first bytes now, zeroed, instead of at the first use of each page.
    /// It affects only when that time is spent.
    pub fn populate(&self, bytes: u64) {
        #[cfg(target_os = "linux")]
        if let Ok(bytes) = usize::try_from(bytes) {
            let _ = self.map.advise_range(memmap2::Advice::PopulateWrite, 0, bytes.min(self.len));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = bytes;
    }

    /// Copies a large mapped file into huge pages, where the system provides them and has the room:
    /// reading weights here and there is then faster.
    pub fn move_to_huge_pages(&mut self) {
        if self.huge || self.len < HUGE {
            return;
        }
        if let Ok(mut copy) = Memory::zeroed(self.len as u64)
            && copy.huge
        {
            copy.bytes_mut().copy_from_slice(self.bytes());
            *self = copy;
        }
    }

    /// Whether huge pages were requested and the system provides them.
    pub fn huge_pages(&self) -> bool {
        self.huge
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The memory as 16-bit words.
    #[inline]
    #[allow(unsafe_code)]
    pub fn short_words(&self) -> &[AtomicI16] {
        // SAFETY: as for `words`.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), self.len / 2) }
    }

    /// The memory as 32-bit words.
    #[inline]
    #[allow(unsafe_code)]
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: the map begins at a page, or at a multiple of 8 within one, so every word is
        // aligned; it is at least `len` bytes long; any bits are an AtomicU32; and while `self`
        // is borrowed shared all access goes through atomics, as plain references to the bytes
        // come from exclusive borrows only.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), self.len / 4) }
    }

    /// The memory as 64-bit words.
    #[inline]
    #[allow(unsafe_code)]
    pub fn long_words(&self) -> &[AtomicU64] {
        // SAFETY: as for `words`.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast(), self.len / 8) }
    }

    /// The memory as plain bytes, to be written to a file. The borrow is exclusive, so no thread
    /// changes them meanwhile.
    #[allow(unsafe_code)]
    pub fn bytes(&mut self) -> &[u8] {
        // SAFETY: the map is at least `len` bytes long, and nobody else has a reference into it.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr(), self.len) }
    }

    /// The memory as plain bytes, to be read from a file.
    #[allow(unsafe_code)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`; the map may be written to.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr(), self.len) }
    }
}

/// Advises the system to back memory that was never touched by huge pages. It affects only speed.
pub fn advise_huge_pages<T>(room: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let range = room.as_mut_ptr_range();
        let (begin, end) =
            (range.start.addr().next_multiple_of(PAGE), range.end.addr() / PAGE * PAGE);
        if begin < end {
            let first = range.start.with_addr(begin).cast();
            // SAFETY: these are whole pages within the room, and the advice keeps what is in them.
            #[allow(unsafe_code)]
            let _ = unsafe { rustix::mm::madvise(first, end - begin, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = room;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::weights::{load, store};

    #[test]
    fn memory_is_zero_and_keeps_writes() {
        let memory = Memory::zeroed(4 << 20).unwrap();
        memory.populate(3 << 20);
        memory.populate(u64::MAX);
        assert!(memory.words().iter().all(|word| load(word) == 0.0));
        store(&memory.words()[12_345], 1.5);
        assert_eq!(load(&memory.words()[12_345]), 1.5);
        assert_eq!(memory.long_words().len() * 2, memory.words().len());
    }

    #[test]
    fn threads_share_it() {
        let memory = Memory::zeroed(4096).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let words = memory.words();
                scope.spawn(move || {
                    for word in &words[256 * thread..256 * (thread + 1)] {
                        store(word, thread as f32);
                    }
                });
            }
        });
        assert!((0..1024).all(|i| load(&memory.words()[i]) == (i / 256) as f32));
    }

    #[test]
    fn words_and_bytes_are_the_same_memory() {
        let mut memory = Memory::zeroed(20).unwrap();
        assert_eq!((memory.words().len(), memory.short_words().len()), (5, 10));
        memory.bytes_mut()[4..8].copy_from_slice(&1.5f32.to_le_bytes());
        assert_eq!(load(&memory.words()[1]), 1.5);
        memory.short_words()[9].store(-2, Ordering::Relaxed);
        assert_eq!(memory.bytes()[16..], [0, 0, 0xfe, 0xff]);
    }

    #[test]
    fn a_mapped_file_is_read_but_never_written() {
        let path = std::env::temp_dir().join(format!("afterstate-memory-{}", std::process::id()));
        std::fs::write(&path, [7; 100]).unwrap();
        let file = File::open(&path).unwrap();
        let mut memory = Memory::of_file(&file, 8, 92).unwrap();
        assert_eq!((memory.words().len(), memory.long_words().len()), (23, 11));
        store(&memory.words()[3], 0.0);
        assert_eq!(memory.bytes()[8..20], [7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7]);
        assert_eq!(std::fs::read(&path).unwrap(), [7; 100]);
        for (begin, bytes) in [(8, 93), (4, 8), (8, 0), (u64::MAX - 7, 8), (8, u64::MAX)] {
            assert!(Memory::of_file(&file, begin, bytes).is_err(), "{bytes} bytes at {begin}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_large_mapped_file_can_move_to_huge_pages() {
        let name = format!("afterstate-huge-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        for length in [100, HUGE + 100] {
            let bytes: Vec<u8> = (0..length).map(|i| (i / 7) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let file = File::open(&path).unwrap();
            let mut memory = Memory::of_file(&file, 8, length as u64 - 8).unwrap();
            memory.move_to_huge_pages();
            assert_eq!(memory.bytes(), &bytes[8..]);
            assert_eq!(memory.huge_pages(), length > HUGE && provides_huge_pages());
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn advice_changes_nothing() {
        for length in [0, 1, 1000, 1 << 20] {
            let mut words: Vec<u32> = Vec::with_capacity(length);
            advise_huge_pages(words.spare_capacity_mut());
            words.extend(0..length as u32);
            assert!(words.iter().enumerate().all(|(i, &n)| i as u32 == n));
        }
    }

    #[test]
    fn a_table_beyond_the_memory_is_an_error() {
        let error = Memory::zeroed(1 << 50).err().unwrap().to_string();
        assert!(error.starts_with("the weights need 1048576.0 GiB but "), "{error}");
    }
}
