//! Weights in the words of a [`Memory`](crate::Memory): load, store, prefetch, sum and update.

use std::sync::atomic::{AtomicU32, Ordering};

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

/// The sum of the weights with some indices, each below the number of words. Meanwhile prefetches
/// the words with other indices, in chunks of eight: more would exhaust the line-fill buffers.
///
/// Four partial sums hide the latency of the additions.
#[inline(always)]
pub fn sum_and_prefetch(words: &[AtomicU32], indices: &[u32], later: &[u32]) -> f32 {
    check_below(indices, words.len());
    let (chunks, rest) = indices.as_chunks::<8>();
    let (fetches, last_fetches) = later.as_chunks::<8>();
    let together = chunks.len().min(fetches.len());
    // SAFETY: all indices are below the length.
    #[allow(unsafe_code)]
    let plus = |sum: f32, index: u32| unsafe { plus(sum, words, index) };
    let mut sums = [0.0; 4];
    for (chunk, fetches) in chunks[..together].iter().zip(&fetches[..together]) {
        prefetch_all(words, fetches);
        (0..8).for_each(|i| sums[i % 4] = plus(sums[i % 4], chunk[i]));
    }
    for chunk in &chunks[together..] {
        (0..8).for_each(|i| sums[i % 4] = plus(sums[i % 4], chunk[i]));
    }
    let last = rest.iter().fold(0.0, |sum, &index| plus(sum, index));
    fetches[together..].iter().for_each(|fetches| prefetch_all(words, fetches));
    prefetch_all(words, last_fetches);
    let [a, b, c, d] = sums;
    ((a + b) + (c + d)) + last
}

/// The sum of the weights with some indices, for few of them: no partial sum has a tail of its own.
///
/// # Safety
/// All indices are below the number of words.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) unsafe fn sum_of_few(words: &[AtomicU32], indices: &[u32]) -> f32 {
    // SAFETY: the caller's.
    let plus = |sum: f32, index: u32| unsafe { plus(sum, words, index) };
    let [mut a, mut b, mut c, mut d] = [0.0; 4];
    let (chunks, rest) = indices.as_chunks::<4>();
    for chunk in chunks {
        (a, b) = (plus(a, chunk[0]), plus(b, chunk[1]));
        (c, d) = (plus(c, chunk[2]), plus(d, chunk[3]));
    }
    if let [first, rest @ ..] = rest {
        a = plus(a, *first);
        if let [second, rest @ ..] = rest {
            b = plus(b, *second);
            if let [third, ..] = rest {
                c = plus(c, *third);
            }
        }
    }
    (a + b) + (c + d)
}

/// Adds a number to the weights with some indices, as often as an index occurs. Every index must be
/// below the number of words.
#[inline(always)]
pub fn add(words: &[AtomicU32], indices: &[u32], delta: f32) {
    check_below(indices, words.len());
    // SAFETY: all indices are below the length.
    #[allow(unsafe_code)]
    let add = |index: u32| {
        let word = unsafe { words.get_unchecked(index as usize) };
        store(word, load(word) + delta);
    };
    let (chunks, rest) = indices.as_chunks::<8>();
    chunks.iter().for_each(|chunk| chunk.iter().for_each(|&index| add(index)));
    rest.iter().for_each(|&index| add(index));
}

/// Panics unless all indices are below a length. Their bitwise or is an upper bound of all of them;
/// only if it is too large, each index is compared.
#[inline(always)]
pub(crate) fn check_below(indices: &[u32], length: usize) {
    let bits = indices.iter().fold(0, |bits, index| bits | index);
    if bits as usize >= length {
        let beyond = indices.iter().find(|&&index| index as usize >= length);
        assert!(beyond.is_none(), "weight {} of {length}", beyond.unwrap_or(&0));
    }
}

/// A sum and one more weight. The empty assembly keeps additions apart: the compiler would gather eight
/// weights into two vector registers first, which takes twice as long. The addition itself is the
/// compiler's, which encodes it as the function around it is compiled: an `addss` of SSE within code
/// for AVX-512 makes Intel's processors wait for the upper halves of registers, at every weight.
///
/// # Safety
/// The index is below the number of words.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn plus(sum: f32, words: &[AtomicU32], index: u32) -> f32 {
    debug_assert!((index as usize) < words.len());
    // SAFETY: the caller's.
    apart(sum + load(unsafe { words.get_unchecked(index as usize) }))
}

/// The number itself, which the compiler does not see through.
#[inline(always)]
#[allow(unsafe_code)]
fn apart(number: f32) -> f32 {
    #[cfg(all(target_arch = "x86_64", not(any(portable, miri))))]
    {
        let mut number = number;
        // SAFETY: there is no instruction.
        unsafe {
            std::arch::asm!(
                "/* {number} */",
                number = inout(xmm_reg) number,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        number
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(portable, miri)))))]
    number
}

/// Prefetches the words with some indices. A hint: indices beyond the last word do no harm.
#[inline(always)]
pub fn prefetch_all<T>(words: &[T], indices: &[u32]) {
    for &index in indices {
        prefetch(words.as_ptr().wrapping_add(index as usize));
    }
}

/// Prefetches the cache line of a word. A hint: never reads, never faults.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(word: *const T) {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    // SAFETY: prefetching has no effect but on caches, whatever the address is.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(word.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    let _ = word;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn sums_agree_with_plain_ones_whatever_is_prefetched() {
        let memory = Memory::zeroed(4 * 1000).unwrap();
        let words = memory.words();
        words.iter().zip(0..).for_each(|(word, number)| store(word, number as f32));
        // Whole indices: their sums are exact in any order.
        for length in 0..70 {
            let indices: Vec<u32> = (0..length).map(|i| i * 7919 % 1000).collect();
            let expected: u32 = indices.iter().sum();
            for prefetches in [0, 1, 8, 17, 64, 200] {
                // Words that do not exist may be prefetched.
                let later: Vec<u32> = (0..prefetches).map(|i| i * 1_000_003).collect();
                assert_eq!(sum_and_prefetch(words, &indices, &later), expected as f32, "{length}");
            }
            add(words, &indices, 2.0);
            add(words, &indices, -2.0);
        }
        add(words, &[3, 5, 3, 3, 999], 0.5);
        let changed: Vec<f32> = [3, 4, 5, 999].iter().map(|&i: &usize| load(&words[i])).collect();
        assert_eq!(changed, [4.5, 4.0, 5.5, 999.5]);
    }

    /// The bitwise or of valid indices may exceed the length.
    #[test]
    fn only_existing_words_are_read_and_changed() {
        let memory = Memory::zeroed(4 * 1000).unwrap();
        assert_eq!(sum_and_prefetch(memory.words(), &[512, 999, 511], &[]), 0.0);
        let read =
            std::panic::catch_unwind(|| sum_and_prefetch(memory.words(), &[1, 2, 1000], &[]));
        let message = read.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(*message, "weight 1000 of 1000");
        assert!(std::panic::catch_unwind(|| add(memory.words(), &[u32::MAX], 1.0)).is_err());
        assert!(memory.words().iter().all(|word| load(word) == 0.0));
    }
}
