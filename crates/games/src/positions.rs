//! How many random positions are compared with a reference implementation: few in the test command, and
//! as many as `cargo xtask rules` asks for.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use afterstate_core::Rng;

/// Compares as many parts as a share in percent of all positions of a long run takes, on all processors;
/// one part in the test command. Each part has so many positions and a stream of its own of a seed.
pub(crate) fn compare_parts(
    seed: u64,
    positions: usize,
    percent: usize,
    compare: impl Fn(Rng) + Sync,
) {
    let asked = std::env::var("RULES_POSITIONS").ok();
    let parts = asked.map_or(1, |all| {
        let all: usize = all.parse().expect("a number of positions");
        (all / 100 * percent).div_ceil(positions)
    });
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(parts);
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return;
            }
            compare(Rng::stream(seed, part as u64));
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
}
