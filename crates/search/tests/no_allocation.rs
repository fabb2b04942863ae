//! No allocation per move: a counting allocator watches searches of every game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../games/tests/counting_allocator/mod.rs"]
mod counting_allocator;

use afterstate_core::{Policy, Rng};
use afterstate_games::Tuples;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::{Search, Searcher};
use afterstate_values::{Network, NetworkEvaluator};
use counting_allocator::allocations;

/// Allocations of the same searches when they run for the first and for the second time.
struct SearchTwice(&'static str);

impl Visitor for SearchTwice {
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let tuples = Tuples::new(game, &[vec![0, 1], vec![2]]).unwrap();
        let network = Network::new(game, tuples, 1.0).unwrap();
        let search: Search = self.0.parse().unwrap();
        let mut searcher = Searcher::new(NetworkEvaluator::new(&network), search);
        [(); 2].map(|()| {
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            let before = allocations();
            for _ in 0..20 {
                state = match searcher.choose(game, &state, &mut rng) {
                    Some((_, step)) => game.sample(&step.after, &mut rng),
                    None => game.start(&mut rng),
                };
            }
            allocations() - before
        })
    }
}

#[test]
fn a_searcher_that_is_warm_allocates_nothing() {
    for search in ["greedy", "expectimax:2", "minimax:2", "expectimax:3,beam=3", "minimax:3"] {
        for text in ["2048:3x3", "tetris:4x6,pieces=melax", "1010:4x4,pieces=3,hand=2"] {
            let spec: GameSpec = text.parse().unwrap();
            let [cold, warm] = spec.with(SearchTwice(search));
            assert!(cold > 0, "the counter counts");
            assert_eq!(warm, 0, "allocations of {search} in {text}");
        }
    }
}
