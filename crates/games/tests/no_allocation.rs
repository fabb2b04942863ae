//! No allocation per move: a counting allocator checks random, greedy and batched play.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod counting_allocator;

use afterstate_core::batch::{afterstates_batch, legal_actions_batch, start_batch, step_batch};
use afterstate_core::{Greedy, Policy, RandomPolicy, Rng, StepOutcome};
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

/// Steps batches of games on grown buffers and returns the number of allocations.
struct StepBatches;

impl Visitor for StepBatches {
    type Output = u64;

    fn visit<G: Spec>(self, game: &G) -> u64 {
        const GAMES: usize = 16;
        let mut rngs: Vec<Rng> = (0..GAMES as u64).map(|n| Rng::stream(1, n)).collect();
        let mut states: Vec<G::State> = rngs.iter_mut().map(|rng| game.start(rng)).collect();
        let (mut rewards, mut outcomes) = ([0.0; GAMES], [StepOutcome::default(); GAMES]);
        let mut offsets = [0; GAMES + 1];
        let largest = GAMES * game.actions();
        let mut listed = Vec::with_capacity(largest);
        let (mut afters, mut listed_rewards) =
            (Vec::with_capacity(largest), Vec::with_capacity(largest));
        let mut mask = vec![false; largest];
        let before = allocations();
        for number in 0..1_000 {
            afterstates_batch(
                game,
                &states,
                &mut offsets,
                &mut listed,
                &mut afters,
                &mut listed_rewards,
            );
            legal_actions_batch(game, &states, &mut mask);
            let action = |i: usize| listed.get(offsets[i] as usize + number % 3).copied();
            let actions: [u32; GAMES] = std::array::from_fn(|i| action(i).unwrap_or(u32::MAX));
            step_batch(game, &mut states, &actions, &mut rngs, &mut rewards, &mut outcomes);
            for i in (0..GAMES).filter(|&i| outcomes[i] == StepOutcome::Terminal) {
                start_batch(game, &mut rngs[i..=i], &mut states[i..=i]);
            }
        }
        allocations() - before
    }
}

#[test]
fn a_batch_allocates_nothing() {
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().unwrap();
        assert_eq!(spec.with(StepBatches), 0, "allocations in 1,000 batches of {text}");
    }
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(vec![1]));
    assert_eq!(allocations() - before, 1);
}
