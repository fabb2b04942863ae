//! Every instruction set against the reference implementation, on a million positions of wells of
//! all sizes.

use afterstate_core::features::reference_best;
use afterstate_core::{Features, Game, Rng};

use super::super::super::tests::reference::random_board;
use super::super::super::tests::variants;
use super::super::super::{After, Overflow, Setup, State, Tetris};
use super::super::{Dt, Wells};
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

/// Weights of a published controller, random integers, or random reals.
fn weights(rng: &mut Rng, count: usize) -> Vec<f32> {
    let dt_10 = [-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65, 1.27];
    let kind = rng.below(3);
    let random = (0..count).map(|i| match kind {
        0 => dt_10[i],
        1 => rng.below(5) as f32 - 2.0,
        _ => ((rng.unit() - 0.5) * 20.0) as f32,
    });
    random.collect()
}

fn same(a: Option<f32>, b: Option<f32>) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}

#[test]
fn a_million_positions_have_the_reference_argmax_and_value() {
    let mut rng = Rng::stream(31, 0);
    let sets = [Dt::nine(Wells::FromTop), Dt::nine(Wells::EachCell), Dt::six()];
    let instruction_sets = instruction_sets();
    let mut compared = 0;
    let mut number = 0;
    let games = games();
    while compared < POSITIONS {
        let (game, set) = (&games[number % games.len()], sets[number / games.len() % 3]);
        number += 1;
        let weights = weights(&mut rng, set.names().len());
        let reward = [0.0, 1.0, -0.5][rng.below(3)];
        let mut state = State { board: random_board(game, &mut rng), ..game.start(&mut rng) };
        // Continues the game from a random board, because rows clear more often in play.
        for _ in 0..400 {
            let expected = reference_best(&set, game, &state, reward, &weights);
            for &instructions in &instruction_sets {
                let set = set.with_instructions(instructions);
                let found = set.best(game, &state, reward, &weights);
                let values = (found.map(|best| best.1), expected.map(|best| best.1));
                assert!(
                    found == expected && same(values.0, values.1),
                    "{set:?} {weights:?} {:?}\n{state:?}\n{found:?}\n{expected:?}",
                    game.setup()
                );
            }
            compared += 1;
            let Some(((_, step), _)) = expected else { break };
            state = game.sample(&step.after, &mut rng);
        }
    }
}

#[test]
fn the_best_of_each_chance_outcome_is_the_best_of_its_state() {
    let mut rng = Rng::stream(32, 0);
    for game in games() {
        for (number, set) in
            [Dt::nine(Wells::FromTop), Dt::nine(Wells::EachCell), Dt::six()].iter().enumerate()
        {
            let weights = weights(&mut rng, set.names().len());
            for _ in 0..60 {
                let board = random_board(&game, &mut rng);
                let next = game.setup().preview.then_some(number as u8);
                let after = After { board, next };
                let mut expected = Vec::new();
                game.for_each_chance(&after, |state, probability| {
                    let best = reference_best(set, &game, &state, 1.0, &weights);
                    expected.push((probability, best.map(|best| best.1)));
                });
                for instructions in instruction_sets() {
                    let set = set.with_instructions(instructions);
                    let mut found = Vec::new();
                    let mut outcome = |probability, value| found.push((probability, value));
                    set.best_of_each(&game, &after, 1.0, &weights, &mut outcome);
                    assert_eq!(found, expected, "{set:?} {after:?}");
                }
            }
        }
    }
}
