//! No allocation per move: a counting allocator watches random and greedy play of every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`, which is the same there.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the system's allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// Plays many moves, game after game, and returns what they allocated.
struct PlayMoves;

impl Visitor for PlayMoves {
    type Output = u64;

    fn visit<G: Spec>(self, game: &G) -> u64 {
        let mut rng = Rng::stream(1, 0);
        let mut state = game.start(&mut rng);
        let before = allocations();
        for number in 0..20_000 {
            let choice = match number % 2 {
                0 => RandomPolicy.choose(game, &state, &mut rng),
                _ => Greedy.choose(game, &state, &mut rng),
            };
            state = match choice {
                Some((_, step)) => {
                    let mut sum = 0.0;
                    game.for_each_chance(&step.after, |_, odds| sum += odds);
                    assert!(sum > 0.99);
                    game.sample(&step.after, &mut rng)
                }
                None => game.start(&mut rng),
            };
        }
        allocations() - before
    }
}

#[test]
fn a_move_allocates_nothing() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        assert_eq!(spec.with(PlayMoves), 0, "allocations in 20,000 moves of {text}");
    }
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(vec![1]));
    assert_eq!(allocations() - before, 1);
}
