//! On small games a search equals value iteration over all afterstates.

use crate::random::states;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::{AfterstateFn, Algorithm, Depth, Search, Searcher};

/// The value of an afterstate; 0 for one that no game reaches.
fn at<G: Spec>(game: &G, values: &[f64], after: &G::After) -> f64 {
    game.index_of(after).map_or(0.0, |index| values[index as usize])
}

/// Finite-horizon value iteration: the value of every afterstate with that many moves left.
fn iterate<G: Spec>(game: &G, moves: u32) -> Vec<f64> {
    let len = game.index_len().unwrap();
    let mut values = vec![0.0; len as usize];
    for _ in 0..moves {
        let next = (0..len).map(|index| {
            let mut mean = 0.0;
            if let Some(after) = game.after_at(index) {
                game.for_each_chance(&after, |state, probability| {
                    let mut best = None;
                    game.for_each_move(&state, |_, step| {
                        let later = at(game, &values, &step.after);
                        let value = f64::from(step.reward) + later;
                        best = Some(best.map_or(value, |best: f64| best.max(value)));
                    });
                    mean += probability * best.unwrap_or(0.0);
                });
            }
            mean
        });
        values = next.collect();
    }
    values
}

struct Horizon(u32);

impl Visitor for Horizon {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let plies = self.0;
        let values = iterate(game, plies - 1);
        let points = AfterstateFn(|_: &G, _: &G::After| 0.0);
        finds(game, Searcher::new(points, Search::expectimax(plies)), &values, 3);
        // A search by exact values gives the exact values of a longer horizon.
        let evaluator = AfterstateFn(|game: &G, after: &G::After| at(game, &values, after) as f32);
        let searcher = Searcher::new(evaluator, Search::expectimax(3));
        finds(game, searcher, &iterate(game, plies + 1), 4);
    }
}

/// Whether a search finds rewards plus these values of afterstates.
fn finds<G: Spec>(game: &G, mut searcher: Searcher<G>, values: &[f64], seed: u64) {
    for state in states(game, 30, seed) {
        for ((_, step), found) in &searcher.rank(game, &state).moves {
            let exact = f64::from(step.reward) + at(game, values, &step.after);
            assert!((f64::from(*found) - exact).abs() < 1e-3, "{found} for {exact}");
        }
    }
}

#[test]
fn a_search_equals_value_iteration() {
    for (spec, plies) in [
        ("tetris:4x3,pieces=melax", 5),
        ("tetris:6x2,melax", 4),
        ("1010:3x3,pieces=3", 5),
        ("2048:2x2", 8),
    ] {
        spec.parse::<GameSpec>().unwrap().with(Horizon(plies));
    }
}

struct ToTheEnd;

impl Visitor for ToTheEnd {
    type Output = f64;

    fn visit<G: Spec>(self, game: &G) -> f64 {
        let points = AfterstateFn(|_: &G, _: &G::After| 0.0);
        let search = Search::new(Algorithm::Expectimax, Depth::Plies(64));
        let mut searcher = Searcher::new(points, search);
        let mut mean = 0.0;
        game.for_each_start(|state, probability| {
            let ranking = searcher.rank(game, &state);
            mean += probability * ranking.best.map_or(0.0, |best| f64::from(ranking.moves[best].1));
        });
        mean
    }
}

/// The optimum is that of `afterstate solve 2048:2x2`.
#[test]
fn a_search_to_the_end_of_2048_on_2x2_finds_the_optimum() {
    let mean = "2048:2x2".parse::<GameSpec>().unwrap().with(ToTheEnd);
    assert!((mean - 66.96415).abs() < 1e-4, "{mean}");
}
