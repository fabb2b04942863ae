//! `Memory`: one large table of weights that many threads read and write without locks.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use memmap2::MmapMut;

/// Zeroed memory from the system, in huge pages where the system gives them.
///
/// Weights are bit patterns in atomics, read and written with relaxed ordering: on every common
/// processor that costs what a plain load and store cost, and it is defined behaviour. Two threads
/// that update one weight at the same moment may lose one of the updates; learning does not mind.
pub struct Memory {
    map: MmapMut,
    huge: bool,
}

/// The system has no memory for a table.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// More than the machine has to give.
    #[error("the weights need {} but {} of memory are free", show(*.needed), show(*.free))]
    TooLarge {
        /// Bytes that the table needs.
        needed: u64,
        /// Bytes that the system could give.
        free: u64,
    },
    /// The system refused.
    #[error("the system gave no memory for {}: {source}", show(*.needed))]
    Refused {
        /// Bytes that the table needs.
        needed: u64,
        /// What it said.
        source: std::io::Error,
    },
}

/// A number of bytes as people say it.
pub fn show(bytes: u64) -> String {
    let (mib, gib) = (bytes as f64 / (1u64 << 20) as f64, bytes as f64 / (1u64 << 30) as f64);
    if gib >= 1.0 { format!("{gib:.1} GiB") } else { format!("{mib:.1} MiB") }
}

/// Bytes of memory that the system could give without swapping, where it tells.
pub fn free() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

impl Memory {
    /// Takes memory for some bytes, all zero. Asks first whether there is enough, so that a
    /// network that is too large gets an error and not a kill.
    pub fn zeroed(bytes: u64) -> Result<Memory, MemoryError> {
        let needed = bytes.max(8);
        if let Some(free) = free().filter(|&free| needed > free) {
            return Err(MemoryError::TooLarge { needed, free });
        }
        let refused = |source| MemoryError::Refused { needed, source };
        let length =
            usize::try_from(needed).map_err(|_| refused(std::io::ErrorKind::OutOfMemory.into()))?;
        let map = MmapMut::map_anon(length).map_err(refused)?;
        #[cfg(target_os = "linux")]
        let huge = map.advise(memmap2::Advice::HugePage).is_ok();
        #[cfg(not(target_os = "linux"))]
        let huge = false;
        Ok(Memory { map, huge })
    }

    /// Whether the system agreed to use huge pages.
    pub fn huge_pages(&self) -> bool {
        self.huge
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Never: there is at least one word.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The memory as 32-bit words.
    #[inline]
    #[allow(unsafe_code)]
    pub fn words(&self) -> &[AtomicU32] {
        let bytes: &[u8] = &self.map;
        // SAFETY: the map is page-aligned, its length in words fits in its length in bytes, any
        // bits are an AtomicU32, and nothing ever borrows the bytes mutably while `self` is
        // borrowed: all access goes through atomics.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / 4) }
    }

    /// The memory as 64-bit words.
    #[inline]
    #[allow(unsafe_code)]
    pub fn long_words(&self) -> &[AtomicU64] {
        let bytes: &[u8] = &self.map;
        // SAFETY: as for `words`.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / 8) }
    }
}

/// Reads a weight.
#[inline]
pub fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Ordering::Relaxed))
}

/// Writes a weight.
#[inline]
pub fn store(word: &AtomicU32, weight: f32) {
    word.store(weight.to_bits(), Ordering::Relaxed);
}

/// Tells the processor that a word will be read soon. A hint: never reads, never faults.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch<T>(word: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect but on caches, and the address is that of a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_keeps_what_is_written() {
        let memory = Memory::zeroed(4 << 20).unwrap();
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
    fn what_does_not_fit_is_refused_in_words() {
        let error = Memory::zeroed(1 << 50).err().unwrap().to_string();
        assert!(error.starts_with("the weights need 1048576.0 GiB but "), "{error}");
    }
}
