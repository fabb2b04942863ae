//! Coverage-guided inputs for the target `text_pipe` of the tests.
#![no_main]

#[allow(dead_code, clippy::unwrap_used, reason = "all targets share a file; an unwrap is a found bug")]
#[path = "../../crates/serve/tests/fuzz/targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::text_pipe(bytes));
