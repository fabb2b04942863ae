//! What the processor at hand can do beyond the baseline of its architecture.

/// The instructions that [`has_avx512`] asks for, as a list for `#[target_feature]`: what is compiled
/// for them may be called only where it says yes.
///
/// `avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2`
#[inline]
pub fn has_avx512() -> bool {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    false
}

/// Whether bits are counted by single instructions, `popcnt,lzcnt,bmi1`, and vectors have eight floats,
/// `avx2`, as a list for `#[target_feature]`.
#[inline]
pub fn has_bit_counts() -> bool {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    {
        is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("avx2")
    }
    #[cfg(not(all(target_arch = "x86_64", not(portable))))]
    false
}
