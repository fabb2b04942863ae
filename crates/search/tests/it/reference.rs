//! Every search agrees with its reference implementation, with and without a transposition table,
//! on any number of threads.

use crate::random::{network, states};
use afterstate_core::{Policy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::evaluator::reference_expected_value;
use afterstate_search::{
    AfterstateFn, EachMove, Evaluator, LinearEvaluator, Search, Searcher, reference,
};
use afterstate_values::NetworkEvaluator;

const GAMES: [(&str, u32); 7] = [
    ("2048:4x4", 2),
    ("2048:3x2", 3),
    ("2048:2x2", 4),
    ("tetris:4x6,pieces=melax", 3),
    ("tetris:5x6,next", 2),
    ("1010:4x4,pieces=3", 3),
    ("1010:4x4,pieces=3,hand=2", 3),
];

/// Values of symmetric boards are sums in another order, which round differently.
pub(crate) fn alike<C: PartialEq + std::fmt::Debug>(
    found: &[(C, f32)],
    expected: &[(C, f32)],
) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
    let same = |(a, b): (&(C, f32), &(C, f32))| a.0 == b.0 && near(a.1, b.1);
    found.len() == expected.len() && found.iter().zip(expected).all(same)
}

/// Compares the values and the choice of a search with those of the reference, that many plies
/// deep.
fn compare<G: Spec, E: Evaluator<G> + Clone>(game: &G, evaluator: &E, plies: u32, count: usize) {
    let mut rng = Rng::stream(0, 0);
    let mut own = evaluator.clone();
    let searcher = |search| Searcher::new(evaluator.clone(), search);
    for state in states(game, count, 5) {
        let mut expected = (Vec::new(), Vec::new());
        game.for_each_move(&state, |mv, step| {
            let choice = (mv, step);
            let value = reference::expectimax_of_move(game, &mut own, &state, &choice, plies);
            expected.0.push((choice, value));
            let value = reference::minimax_of_move(game, &mut own, &state, &choice, plies, 0.0);
            expected.1.push((choice, value));
        });
        let search = Search::expectimax(plies);
        let ranked = searcher(search).rank(game, &state).clone();
        let text = || format!("{}: {state:?}, {:?}, {expected:?}", game.spec(), ranked.moves);
        assert!(alike(&ranked.moves, &expected.0), "{}", text());
        let chosen = searcher(search).choose(game, &state, &mut rng);
        assert_eq!(chosen, ranked.best.map(|best| ranked.moves[best].0));
        let off = searcher(search).without_table().rank(game, &state).clone();
        assert_eq!(off.moves, ranked.moves, "{}: no table, {state:?}", game.spec());
        let many = searcher(search).on_threads(3).rank(game, &state).clone();
        assert_eq!((many.moves, many.best), (ranked.moves, ranked.best));

        let search = Search::minimax(plies);
        let ranked = searcher(search).rank(game, &state).clone();
        assert_eq!(ranked.moves, expected.1, "{}: {state:?}", game.spec());
        let best = ranked.best.map(|best| ranked.moves[best].0);
        assert_eq!(searcher(search).choose(game, &state, &mut rng), best, "{state:?}");
        assert_eq!(searcher(search).on_threads(3).choose(game, &state, &mut rng), best);
    }
}

struct ByNetwork(u32);

impl Visitor for ByNetwork {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = network(game, 1);
        let evaluator = NetworkEvaluator::new(&network);
        for plies in 2..=self.0 {
            compare(game, &evaluator, plies, 12);
        }
        let (mut fast, mut slow) = (evaluator.clone(), evaluator.clone());
        for state in states(game, 300, 6) {
            game.for_each_move(&state, |_, step| {
                let each = reference_expected_value(&mut slow, game, &step.after);
                assert_eq!(fast.expected_value(game, &step.after), each);
            });
        }
    }
}

#[test]
fn searches_by_networks_agree_with_the_reference() {
    for (spec, plies) in GAMES {
        spec.parse::<GameSpec>().unwrap().with(ByNetwork(plies));
    }
}

struct ByFeatures;

impl Visitor for ByFeatures {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        // Quarters, so that sums are exact.
        let dt = vec![-2.25, 2.5, -2.25, -3.25, 1.0, -2.25, -0.75, -9.75, 1.25];
        let count = game.features("cs3243").unwrap().names().len();
        let cs3243 = (0..count).map(|i| 0.75 - 0.25 * (i % 7) as f32).collect();
        for (set, weights) in [("dt", dt), ("cs3243", cs3243)] {
            let features = game.features(set).unwrap();
            let evaluator = LinearEvaluator::new(&*features, &weights, 0.5);
            compare(game, &evaluator, 2, 12);
        }
    }
}

#[test]
fn searches_by_features_agree_with_the_reference() {
    for spec in ["tetris:5x8", "tetris:10x10", "tetris:6x8,next"] {
        spec.parse::<GameSpec>().unwrap().with(ByFeatures);
    }
}

/// The rewards of the next moves, between 0 and a bound.
#[derive(Clone, Copy)]
struct BoundedRewards(f32);

impl<G: Spec> Evaluator<G> for BoundedRewards {
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        AfterstateFn(|_: &G, _: &G::After| 0.0).evaluate_moves(game, state, each);
    }

    fn bounds(&self, _: u32) -> Option<(f32, f32)> {
        Some((0.0, self.0))
    }
}

/// Plies, and the bound of the rewards.
struct Cutoffs(u32, f32);

impl Visitor for Cutoffs {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let mut rng = Rng::stream(0, 0);
        let evaluator = AfterstateFn(|_: &G, _: &G::After| 0.0);
        let bounded = BoundedRewards(self.1);
        let (mut all, mut visited) = (0, 0);
        for state in states(game, 40, 7) {
            let search = Search::expectimax(self.0);
            let mut without_bounds = Searcher::new(evaluator, search).without_table();
            let mut star = Searcher::new(bounded, search).without_table();
            let expected = without_bounds.choose(game, &state, &mut rng);
            assert_eq!(star.choose(game, &state, &mut rng), expected, "{state:?}");
            (all, visited) = (all + without_bounds.nodes(), visited + star.nodes());
            let mut star = Searcher::new(bounded, search);
            assert_eq!(star.choose(game, &state, &mut rng), expected, "{state:?}");
            assert_eq!(star.rank(game, &state).moves, without_bounds.rank(game, &state).moves);
        }
        assert!(visited < all, "{visited} of {all}");
    }
}

#[test]
fn star1_cutoffs_change_no_choice_and_visit_fewer_states() {
    "tetris:4x6,pieces=melax".parse::<GameSpec>().unwrap().with(Cutoffs(4, 8.0));
    "1010:3x3,pieces=3".parse::<GameSpec>().unwrap().with(Cutoffs(4, 120.0));
}
