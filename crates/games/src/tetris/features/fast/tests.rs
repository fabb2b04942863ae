//! Every instruction set against the reference implementation, on a million positions of wells of
//! all sizes.

use std::ops::ControlFlow;

use afterstate_core::features::{MAX_FEATURES, reference_best, weighted_sum};
use afterstate_core::policy::Choice;
use afterstate_core::{Features, Game, Rng};

use super::super::super::tests::reference::random_board;
use super::super::super::tests::variants;
use super::super::super::{After, Overflow, Setup, State, Tetris};
use super::super::{Bertsekas, Cs3243, Dt, Wells};
use super::InstructionSet;

/// The number of compared positions.
const POSITIONS: usize = 1_000_000;

fn instruction_sets() -> Vec<InstructionSet> {
    [
        Some(InstructionSet::baseline()),
        Some(InstructionSet::scalar()),
        InstructionSet::avx2(),
        InstructionSet::avx512(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The variants of all tests, and wells of every width and of many heights.
fn games() -> Vec<Tetris> {
    let sized = (4..=16).flat_map(|width| {
        let overflow = [Overflow::Lose, Overflow::ClearFirst, Overflow::Push][width % 3];
        [5, 10, 20, 31, 32].map(|height| Setup { overflow, ..Setup::sized(width, height) })
    });
    let standard = [10, 20].map(|height| Setup::sized(10, height));
    let all = variants().into_iter().chain(sized).chain(standard);
    all.map(|setup| Tetris::new(setup).unwrap()).collect()
}

/// Weights of a published controller for nine features, random integers, or random reals.
fn weights(rng: &mut Rng, count: usize) -> Vec<f32> {
    let dt_10 = [-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65, 1.27];
    let kind = rng.below(3);
    let random = (0..count).map(|i| match kind {
        0 => dt_10[i % 9],
        1 => rng.below(5) as f32 - 2.0,
        _ => ((rng.unit() - 0.5) * 20.0) as f32,
    });
    random.collect()
}

fn same(a: Option<f32>, b: Option<f32>) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}

/// A set with each instruction set.
type Forms = Vec<Box<dyn Features<Tetris>>>;

fn forms<F: Features<Tetris> + Copy + 'static>(set: F, with: fn(F, InstructionSet) -> F) -> Forms {
    let all = instruction_sets().into_iter().map(|instructions| with(set, instructions));
    all.map(|set| Box::new(set) as Box<dyn Features<_>>).collect()
}

/// The sets that evaluate all placements at once, in a well of some columns.
fn dt_sets(_: usize) -> Vec<Forms> {
    let sets = [Dt::nine(Wells::FromTop), Dt::nine(Wells::EachCell), Dt::six()];
    sets.map(|set| forms(set, Dt::with_instructions)).into()
}

fn height_sets(width: usize) -> Vec<Forms> {
    vec![
        forms(Bertsekas::new(width), Bertsekas::with_instructions),
        forms(Cs3243::new(width), Cs3243::with_instructions),
    ]
}

/// Compares the argmax, and the value of every move, of each form of a set on that many positions.
fn compare(seed: u64, positions: usize, sets: fn(usize) -> Vec<Forms>) {
    let mut rng = Rng::stream(seed, 0);
    let (mut compared, mut number) = (0, 0);
    let games = games();
    while compared < positions {
        let game = &games[number % games.len()];
        let sets = sets(game.setup().width);
        let forms = &sets[number / games.len() % sets.len()];
        number += 1;
        let weights = weights(&mut rng, forms[0].names().len());
        let reward = [0.0, 1.0, -0.5][rng.below(3)];
        let mut state = State { board: random_board(game, &mut rng), ..game.start(&mut rng) };
        // Continues the game from a random board, because rows clear more often in play.
        for _ in 0..400 {
            let expected = reference_best(&*forms[0], game, &state, reward, &weights);
            let all = compared % 16 == 0;
            let mut every = Vec::new();
            if all {
                let each = &mut |choice: (_, _), value: f32| every.push((choice, value.to_bits()));
                reference_each(&*forms[0], game, &state, (reward, &weights), each);
            }
            for set in forms {
                let found = set.best(game, &state, reward, &weights);
                let values = (found.map(|best| best.1), expected.map(|best| best.1));
                assert!(
                    found == expected && same(values.0, values.1),
                    "{:?} {weights:?} {:?}\n{state:?}\n{found:?}\n{expected:?}",
                    set.names(),
                    game.setup()
                );
                if all {
                    let mut found = Vec::new();
                    let each =
                        &mut |choice: (_, _), value: f32| found.push((choice, value.to_bits()));
                    set.evaluate_each(game, &state, reward, &weights, each);
                    assert_eq!(found, every, "{:?} {weights:?} {state:?}", set.names());
                }
            }
            compared += 1;
            let Some(((_, step), _)) = expected else { break };
            state = game.sample(&step.after, &mut rng);
        }
    }
}

/// The reference implementation of [`Features::evaluate_each`].
fn reference_each(
    set: &dyn Features<Tetris>,
    game: &Tetris,
    state: &State,
    (reward, weights): (f32, &[f32]),
    each: &mut dyn FnMut(Choice<Tetris>, f32),
) {
    let mut out = [0.0; MAX_FEATURES];
    game.for_each_move(state, |mv, step| {
        set.describe(game, state, &(mv, step), &mut out[..weights.len()]);
        each((mv, step), weighted_sum(reward * step.reward, weights, &out));
    });
}

#[test]
fn a_million_positions_have_the_reference_argmax_and_value() {
    compare(31, POSITIONS, dt_sets);
}

#[test]
fn a_million_positions_by_height_based_features() {
    compare(33, POSITIONS, height_sets);
}

#[test]
fn the_best_of_each_chance_outcome_is_the_best_of_its_state() {
    let mut rng = Rng::stream(32, 0);
    let mut in_order = 0;
    for game in games() {
        let width = game.setup().width;
        for (number, forms) in dt_sets(width).into_iter().chain(height_sets(width)).enumerate() {
            let weights = weights(&mut rng, forms[0].names().len());
            for _ in 0..60 {
                let board = random_board(&game, &mut rng);
                let next = game.setup().preview.then_some(number as u8 % 3);
                let after = After { board, next };
                let mut expected = Vec::new();
                game.for_each_chance(&after, |state, probability| {
                    let best = reference_best(&*forms[0], &game, &state, 1.0, &weights);
                    expected.push((probability, best.map(|best| best.1)));
                });
                for set in &forms {
                    let mut found = Vec::new();
                    let mut outcome = |probability, value| found.push((probability, value));
                    set.best_of_each(&game, &after, 1.0, &weights, &mut outcome);
                    assert_eq!(found, expected, "{:?} {after:?}", set.names());
                    // From the last to the second, where the set evaluates them in any order.
                    let order: Vec<usize> = (0..expected.len()).rev().collect();
                    let mut left = order.iter();
                    let outcome = &mut |state: &State, value: Option<f32>| {
                        let &piece = left.next().unwrap();
                        assert_eq!((usize::from(state.piece), value), (piece, expected[piece].1));
                        if piece == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    };
                    if set.best_in_order(&game, &after, 1.0, &weights, &order, outcome) {
                        assert_eq!(left.len(), usize::from(expected.len() > 1));
                        in_order += 1;
                    }
                }
            }
        }
    }
    assert_eq!(in_order > 0, InstructionSet::avx2().is_some(), "{in_order}");
}
