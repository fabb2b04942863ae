//! Coverage-guided inputs for the target `requests` of the tests.
#![no_main]

#[allow(dead_code, clippy::unwrap_used, reason = "all targets share a file; an unwrap is a found bug")]
#[path = "../../crates/serve/tests/fuzz/targets/mod.rs"]
mod targets;

// The server is started before the clock of an input runs.
libfuzzer_sys::fuzz_target!(init: targets::requests(b"\0"), |bytes: &[u8]| targets::requests(bytes));
