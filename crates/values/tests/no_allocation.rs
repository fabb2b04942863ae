//! No allocation per move: a counting allocator watches a network play every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use afterstate_core::{Policy, Rng};
use afterstate_games::Tuples;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::{AnyNetwork, Network, NetworkPolicy, QuantizedNetwork};

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

/// What the same moves allocate when they are made for the first and for the second time.
struct PlayTwice;

impl Visitor for PlayTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let tuples = Tuples::new(game, &[vec![0, 1], vec![2]]).unwrap();
        let network = Network::new(game, tuples, 1.0).unwrap();
        let small = AnyNetwork::Small(QuantizedNetwork::from_network(&network).unwrap().0);
        let mut players = (NetworkPolicy::new(&network), NetworkPolicy::new(&small));
        [(); 2].map(|()| {
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            let before = ALLOCATIONS.with(Cell::get);
            for number in 0..2_000 {
                let choice = match number % 2 {
                    0 => players.0.choose(game, &state, &mut rng),
                    _ => players.1.choose(game, &state, &mut rng),
                };
                state = match choice {
                    Some((_, step)) => game.sample(&step.after, &mut rng),
                    None => game.start(&mut rng),
                };
            }
            ALLOCATIONS.with(Cell::get) - before
        })
    }
}

#[test]
fn a_player_that_is_warm_allocates_nothing() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let [cold, warm] = spec.with(PlayTwice);
        assert!(cold > 0, "the counter counts");
        assert_eq!(warm, 0, "allocations in 2,000 moves of {text}");
    }
}
