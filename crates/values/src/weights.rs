//! Weights in the words of a [`Memory`](crate::Memory): read, written, added up, and called from far away
//! before they are needed.

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

/// The sum of the weights with some numbers, each below the number of words. Says by the way that the
/// words with other numbers will be read soon: the memory has time for one call while a word that has
/// come is added.
///
/// There are four sums side by side, for one addition would wait for the one before it.
#[inline]
pub fn sum_and_prefetch(words: &[AtomicU32], numbers: &[u32], later: &[u32]) -> f32 {
    check_below(numbers, words.len());
    let (chunks, rest) = numbers.as_chunks::<8>();
    let (calls, last_calls) = later.as_chunks::<8>();
    let together = chunks.len().min(calls.len());
    // SAFETY: all numbers are below the length.
    #[allow(unsafe_code)]
    let plus = |sum: f32, number: u32| unsafe { plus(sum, words, number) };
    let mut sums = [0.0; 4];
    for (chunk, calls) in chunks[..together].iter().zip(&calls[..together]) {
        prefetch_all(words, calls);
        (0..8).for_each(|i| sums[i % 4] = plus(sums[i % 4], chunk[i]));
    }
    for chunk in &chunks[together..] {
        (0..8).for_each(|i| sums[i % 4] = plus(sums[i % 4], chunk[i]));
    }
    let last = rest.iter().fold(0.0, |sum, &number| plus(sum, number));
    calls[together..].iter().for_each(|calls| prefetch_all(words, calls));
    prefetch_all(words, last_calls);
    let [a, b, c, d] = sums;
    ((a + b) + (c + d)) + last
}

/// Adds a number to the weights with some numbers; to one that is there twice, twice. Every number
/// must be below the number of words.
#[inline]
pub fn add(words: &[AtomicU32], numbers: &[u32], more: f32) {
    check_below(numbers, words.len());
    // SAFETY: all numbers are below the length.
    #[allow(unsafe_code)]
    let add = |number: u32| {
        let word = unsafe { words.get_unchecked(number as usize) };
        store(word, load(word) + more);
    };
    let (chunks, rest) = numbers.as_chunks::<8>();
    chunks.iter().for_each(|chunk| chunk.iter().for_each(|&number| add(number)));
    rest.iter().for_each(|&number| add(number));
}

/// Panics unless all numbers are below a length. None is larger than all of their bits together,
/// which are found at once; where those are too many, each is looked at.
#[inline]
fn check_below(numbers: &[u32], length: usize) {
    let bits = numbers.iter().fold(0, |bits, number| bits | number);
    if bits as usize >= length {
        let beyond = numbers.iter().find(|&&number| number as usize >= length);
        assert!(beyond.is_none(), "met weight {} of {length}", beyond.unwrap_or(&0));
    }
}

/// A sum and one more weight. In the processor's own words: the compiler would rather collect eight
/// weights in two registers and add those, which takes twice as long.
///
/// # Safety
/// The number is below the number of words.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn plus(sum: f32, words: &[AtomicU32], number: u32) -> f32 {
    debug_assert!((number as usize) < words.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut sum = sum;
        // SAFETY: reads one aligned word within `words`, which the processor does at once, as a
        // relaxed load would.
        unsafe {
            std::arch::asm!(
                "addss {sum}, dword ptr [{words} + 4 * {number}]",
                sum = inout(xmm_reg) sum,
                words = in(reg) words.as_ptr(),
                number = in(reg) u64::from(number),
                options(readonly, nostack, preserves_flags),
            );
        }
        sum
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's.
    unsafe {
        sum + load(words.get_unchecked(number as usize))
    }
}

/// Tells the processor that the words with some numbers will be read soon. A hint: numbers beyond
/// the last word do no harm.
#[inline]
pub fn prefetch_all<T>(words: &[T], numbers: &[u32]) {
    for &number in numbers {
        prefetch(words.as_ptr().wrapping_add(number as usize));
    }
}

/// Tells the processor that a word will be read soon. A hint: never reads, never faults.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch<T>(word: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect but on caches, whatever the address is.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(word.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn sums_agree_with_plain_ones_whatever_is_called() {
        let memory = Memory::zeroed(4 * 1000).unwrap();
        let words = memory.words();
        words.iter().zip(0..).for_each(|(word, number)| store(word, number as f32));
        // Whole numbers: their sums are exact in any order.
        for length in 0..70 {
            let numbers: Vec<u32> = (0..length).map(|i| i * 7919 % 1000).collect();
            let expected: u32 = numbers.iter().sum();
            for calls in [0, 1, 8, 17, 64, 200] {
                // Calls may be of words that are not there.
                let later: Vec<u32> = (0..calls).map(|i| i * 1_000_003).collect();
                assert_eq!(sum_and_prefetch(words, &numbers, &later), expected as f32, "{length}");
            }
            add(words, &numbers, 2.0);
            add(words, &numbers, -2.0);
        }
        add(words, &[3, 5, 3, 3, 999], 0.5);
        let changed: Vec<f32> = [3, 4, 5, 999].iter().map(|&i: &usize| load(&words[i])).collect();
        assert_eq!(changed, [4.5, 4.0, 5.5, 999.5]);
    }

    /// A thousand words: bits of smaller numbers together may be more than that, one number not.
    #[test]
    fn only_numbers_of_words_are_read_and_changed() {
        let memory = Memory::zeroed(4 * 1000).unwrap();
        assert_eq!(sum_and_prefetch(memory.words(), &[512, 999, 511], &[]), 0.0);
        let read =
            std::panic::catch_unwind(|| sum_and_prefetch(memory.words(), &[1, 2, 1000], &[]));
        let message = read.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(*message, "met weight 1000 of 1000");
        assert!(std::panic::catch_unwind(|| add(memory.words(), &[u32::MAX], 1.0)).is_err());
        assert!(memory.words().iter().all(|word| load(word) == 0.0));
    }
}
