//! No allocation per move: a counting allocator checks random and greedy play.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod counting_allocator;

use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use counting_allocator::allocations;

/// Plays many moves, game after game, and returns the number of allocations.
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
                    game.for_each_chance(&step.after, |_, probability| sum += probability);
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
