//! Searches of likely lines only agree with their reference implementation, whether the last two plies
//! are one batch or not.

use crate::random::{network, states};
use crate::reference::alike;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_search::{EachMove, Evaluator, Search, Searcher, max_surprisal, reference};
use afterstate_values::NetworkEvaluator;

/// An evaluator without batches: a search evaluates one afterstate after the other.
#[derive(Clone)]
struct OneByOne<E>(E);

impl<G: Spec, E: Evaluator<G>> Evaluator<G> for OneByOne<E> {
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        self.0.evaluate_moves(game, state, each);
    }
}

/// Plies, and the least probability of a line.
struct Likely(u32, f64);

impl Visitor for Likely {
    /// Nodes of the search, and of one of all lines.
    type Output = [u64; 2];

    fn visit<G: Spec>(self, game: &G) -> [u64; 2] {
        let Likely(plies, probability) = self;
        let network = network(game, 1);
        let mut evaluator = NetworkEvaluator::new(&network);
        let search: Search =
            format!("expectimax:{plies},probability={probability}").parse().unwrap();
        let text = || format!("{}: {search}", game.spec());
        let mut fast = Searcher::new(evaluator.clone(), search);
        let mut without = Searcher::new(evaluator.clone(), search).without_table();
        let mut single = Searcher::new(OneByOne(evaluator.clone()), search);
        let mut all = Searcher::new(evaluator.clone(), Search::expectimax(plies));
        for state in states(game, 25, 9) {
            let mut expected = Vec::new();
            let left = max_surprisal(probability);
            game.for_each_move(&state, |mv, step| {
                let choice = (mv, step);
                let value = reference::likely_expectimax_of_move(
                    game,
                    &mut evaluator,
                    &state,
                    &choice,
                    plies,
                    left,
                );
                expected.push((choice, value));
            });
            let found = fast.rank(game, &state).moves.clone();
            assert!(alike(&found, &expected), "{}: {state:?}, {found:?}, {expected:?}", text());
            assert_eq!(single.rank(game, &state).moves, found, "{}: {state:?}", text());
            assert_eq!(without.rank(game, &state).moves, found, "{}: {state:?}", text());
            let mut many = Searcher::new(evaluator.clone(), search).on_threads(3);
            assert_eq!(many.rank(game, &state).moves, found, "{}: {state:?}", text());
            all.rank(game, &state);
        }
        [fast.nodes(), all.nodes()]
    }
}

/// Some outcomes are cut in every ply, so that a batch has outcomes with moves and without. In the last
/// search, a line of two pieces has just the surprisal that it may have.
#[test]
fn searches_of_likely_lines_agree_with_the_reference() {
    let mut nodes = [0, 0];
    for (spec, plies, probability) in [
        ("2048:3x3", 3, 0.1),
        ("2048:3x2", 4, 0.1),
        ("2048:3x2", 4, 0.01),
        ("tetris:4x6,pieces=melax", 4, 0.05),
        ("1010:4x4,pieces=3", 4, 0.2),
        ("1010:4x4,pieces=3", 4, 0.105),
    ] {
        let found = spec.parse::<GameSpec>().unwrap().with(Likely(plies, probability));
        nodes = [nodes[0] + found[0], nodes[1] + found[1]];
    }
    assert!(nodes[0] < nodes[1], "{nodes:?}");
}

/// Lines that must be certain end at the first chance outcome.
struct Unlikely;

impl Visitor for Unlikely {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let network = network(game, 2);
        let search = |text: &str| {
            Searcher::new(NetworkEvaluator::new(&network), text.parse::<Search>().unwrap())
        };
        let (mut none, mut two) = (search("expectimax:4,probability=1"), search("expectimax:2"));
        let (mut some, mut four) = (search("expectimax:4,probability=0.1"), search("expectimax:4"));
        let mut all = search("expectimax:4,probability=0.0000001");
        for state in states(game, 20, 8) {
            assert!(alike(&none.rank(game, &state).moves, &two.rank(game, &state).moves));
            assert_eq!(all.rank(game, &state).moves, four.rank(game, &state).moves);
            some.rank(game, &state);
        }
        assert!(two.nodes() < some.nodes() && some.nodes() < four.nodes());
    }
}

#[test]
fn unlikely_lines_are_not_searched_further() {
    "2048:3x2".parse::<GameSpec>().unwrap().with(Unlikely);
}
