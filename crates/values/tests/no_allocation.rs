//! No allocation per move or evaluation: a counting allocator watches networks in every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use afterstate_core::{Policy, Rng};
use afterstate_games::Tuples;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::{
    AfterstateValues, AnyNetwork, BatchEvaluator, Network, NetworkPolicy, QuantizedNetwork, Scratch,
};

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

/// Allocations of the same moves when they are played for the first and for the second time.
struct PlayTwice;

impl Visitor for PlayTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let tuples = Tuples::new(game, &[vec![0, 1], vec![2]]).unwrap();
        let network = Network::new(game, tuples, 1.0).unwrap();
        let quantized = AnyNetwork::Quantized(QuantizedNetwork::from_network(&network).unwrap().0);
        let mut policies = (
            NetworkPolicy::new(&network),
            NetworkPolicy::new(&quantized),
            BatchEvaluator::new(&network),
        );
        [(); 2].map(|()| {
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            let before = ALLOCATIONS.with(Cell::get);
            for number in 0..2_000 {
                let choice = match number % 3 {
                    0 => policies.0.choose(game, &state, &mut rng),
                    1 => policies.1.choose(game, &state, &mut rng),
                    _ => policies.2.choose(game, &state, &mut rng),
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
fn a_policy_that_is_warm_allocates_nothing() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let [cold, warm] = spec.with(PlayTwice);
        assert!(cold > 0, "the counter counts");
        assert_eq!(warm, 0, "allocations in 2,000 moves of {text}");
    }
}

/// Allocations of batches of all sizes, when they are evaluated for the first and for the second
/// time.
struct EvaluateTwice;

impl Visitor for EvaluateTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let tuples = Tuples::new(game, &[vec![0, 1], vec![2]]).unwrap();
        let network = Network::new(game, tuples, 1.0).unwrap();
        let quantized = QuantizedNetwork::from_network(&network).unwrap().0;
        let networks: [&dyn AfterstateValues<G>; 2] = [&network, &quantized];
        let mut afters = Vec::new();
        while afters.len() < 1000 {
            let state = game.start(&mut Rng::stream(1, afters.len() as u64));
            game.for_each_move(&state, |_, step| afters.push(step.after));
        }
        let (mut scratch, mut values) = (Scratch::default(), vec![0.0; 1000]);
        [(); 2].map(|()| {
            let before = ALLOCATIONS.with(Cell::get);
            for length in [0, 1, 15, 16, 17, 1000] {
                for network in networks {
                    network.evaluate(game, &afters[..length], &mut scratch, &mut values[..length]);
                }
            }
            ALLOCATIONS.with(Cell::get) - before
        })
    }
}

#[test]
fn evaluation_allocates_nothing_once_its_scratch_has_grown() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        let [cold, warm] = spec.with(EvaluateTwice);
        assert!(cold > 0, "the scratch grows");
        assert_eq!(warm, 0, "allocations in {text}");
    }
}
