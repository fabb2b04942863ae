//! Hands of 1010! within a beam: fast paths select the moves of a plain search.

use std::ops::ControlFlow;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::Tuples;
use afterstate_games::spec::parse_rules;
use afterstate_games::tenten::TenTen;
use afterstate_search::{Evaluator, MoveValue, Search, Searcher};
use afterstate_values::weights::store;
use afterstate_values::{BatchEvaluator, Network, NetworkEvaluator, QuantizedNetwork};

type Moves = Vec<(Choice<TenTen>, MoveValue)>;

/// Reference implementation: every move is evaluated in full, sorted by value, and the first ones of
/// the beam are followed.
struct Reference<'a> {
    game: &'a TenTen,
    evaluator: BatchEvaluator<'a, TenTen, QuantizedNetwork<TenTen>>,
    beam: usize,
}

impl Reference<'_> {
    /// The moves in the beam with their values.
    fn moves(&mut self, state: &<TenTen as Game>::State) -> Moves {
        let mut moves = Moves::new();
        let each = &mut |choice, value| moves.push((choice, value));
        self.evaluator.evaluate_moves(self.game, state, each);
        if self.game.known_moves(state) > 1 {
            moves.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
            moves.truncate(self.beam);
            for (choice, value) in &mut moves {
                let mut next = 0.0;
                let _ = self.game.try_chance(&choice.1.after, |state, _| {
                    let replies = self.moves(&state);
                    next = replies
                        .iter()
                        .map(|(_, reply)| reply.value)
                        .reduce(f32::max)
                        .unwrap_or(0.0);
                    ControlFlow::<()>::Break(())
                });
                value.value = value.immediate_reward + next;
            }
        }
        moves
    }

    /// The best move; ties go to the first in the order of the rules.
    fn choose(&mut self, state: &<TenTen as Game>::State) -> Option<Choice<TenTen>> {
        let mut moves = self.moves(state);
        moves.sort_by_key(|(choice, _)| self.game.action_number(choice.0));
        let largest = moves.iter().map(|(_, value)| value.value).reduce(f32::max)?;
        moves.into_iter().find(|(_, value)| value.value == largest).map(|(choice, _)| choice)
    }
}

/// Squares, lines and scattered cells with three stages, the last without weights of its own.
fn random_network(game: &TenTen, seed: u64) -> QuantizedNetwork<TenTen> {
    let width = game.width();
    let square = |side: usize, corner: usize| {
        (0..side * side).map(|i| corner + i / side * width + i % side).collect::<Vec<_>>()
    };
    let line = |row: usize| (row * width..(row + 1) * width).collect();
    let tuples = [square(2, 0), square(3, 0), square(3, 1), square(4, 0), square(4, 1)];
    let others = [line(0), line(width / 2), vec![0, width + 2, 2 * width + 1]];
    let tuples = Tuples::new(game, &[&tuples[..], &others].concat()).unwrap();
    let area = (width * game.height()) as u64;
    let tuples = tuples.with_stages(vec![area / 5, area / 3]).unwrap();
    let network = Network::new(game, tuples, 0.0).unwrap();
    let mut rng = Rng::stream(seed, 0);
    let stage = network.tuples().stage_weights() as usize;
    for word in &network.weights()[..2 * stage] {
        // Whole weights of tuples of several sizes make ties.
        store(word, rng.below(9) as f32 - 4.0);
    }
    QuantizedNetwork::from_network(&network).unwrap().0
}

/// Games of a search; the reference selects the same move at every position.
fn check(rules: &str, beam: usize, positions: usize) {
    let game: TenTen = parse_rules(rules).unwrap();
    let network = random_network(&game, 1);
    let search: Search = format!("expectimax:hand,beam={beam}").parse().unwrap();
    let mut searcher = Searcher::new(NetworkEvaluator::new(&network), search);
    let mut reference = Reference { game: &game, evaluator: BatchEvaluator::new(&network), beam };
    let mut rng = Rng::stream(2, 0);
    let mut state = game.start(&mut rng);
    let (mut ends, mut clears) = (0, 0);
    for _ in 0..positions {
        let expected = reference.choose(&state);
        assert_eq!(searcher.choose(&game, &state, &mut rng), expected, "{rules}: {state:?}");
        state = match expected {
            Some(choice) => {
                clears += game.lines(&state, &choice).unwrap();
                game.sample(&choice.1.after, &mut rng)
            }
            None => {
                ends += 1;
                game.start(&mut rng)
            }
        };
    }
    assert!(ends > 0 && clears > 0, "{rules}: {ends} ends, {clears} lines");
}

#[test]
fn the_move_of_a_hand_is_that_of_a_plain_search() {
    check("1010:10x10,pieces=19,hand=3", 4, 1_500);
    check("1010:5x5,pieces=7,hand=3", 3, 3_000);
    check("1010:5x6,pieces=7,hand=2", 1, 1_000);
    check("1010:6x6,pieces=18,hand=3", 1_000, 60);
}
