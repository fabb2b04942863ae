//! Tabular learners against exact solutions of Melax's well, and fast paths against reference
//! implementations.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Rng};
use afterstate_games::tetris::contour::{
    ContourActionAggregation, ContourAggregation, ContourReward, View,
};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};
use afterstate_games::{
    Points, RewardFunction, RewardMixture, StateActionAggregation, StateAggregation,
};
use afterstate_learn::Td;
use afterstate_learn::solve::{Chain, Direct, Limits, Settings, iterate, survive};
use afterstate_learn::table::{
    Control, ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, ExplicitReward,
    Exploration, Sarsa, Schedule, TableTd, Task, argmax,
};
use afterstate_values::ValueTable;

use crate::{bits, episodes};

const PIECES: u64 = 10_000;

fn melax() -> Tetris {
    Tetris::new(Setup::melax()).unwrap()
}

/// Four columns of Melax's well: small enough for every learner to find the optimal policy.
fn small() -> Tetris {
    Tetris::new(Setup { width: 4, limit: Some(1_000), ..Setup::melax() }).unwrap()
}

fn seen(view: &str, game: &Tetris) -> ContourAggregation {
    ContourAggregation::new(&view.parse::<View>().unwrap(), game).unwrap()
}

fn task<'a, E: ?Sized, R: ?Sized>(
    table: &'a ValueTable,
    aggregation: &'a E,
    reward: &'a R,
) -> Task<'a, E, R> {
    let (discount, terminal_value, max_moves) = (0.8, Some(0.0), u64::MAX);
    Task { table, aggregation, reward, discount, terminal_value, max_moves }
}

/// The optimal expected score over so many moves.
fn optimum(game: &Tetris, moves: u64) -> f64 {
    let settings =
        Settings { horizon: Some(moves), ..Settings::new::<f64>(RewardMixture::SCORE, 1.0) };
    iterate::<f64, _>(&Direct::new(game).unwrap(), &settings, |_| {}).start
}

/// 449.2 rows for every 10,000 pieces in the long run, and a little less from an empty well.
#[test]
fn the_optimum_of_melax_s_well_is_449_2_rows() {
    let game = melax();
    let rows = -optimum(&game, PIECES);
    assert!((rows - 449.130_520).abs() < 1e-5, "{rows}");
    let long_run = -optimum(&game, 2 * PIECES) - rows;
    assert!((long_run - 449.206_451).abs() < 1e-5, "{long_run}");
    // The same, backed up for every piece.
    let (few, more) = (-optimum(&game, 50), -optimum(&game, 51));
    assert!(few < more && more - few < 0.05, "{few} {more}");
}

/// The exact score over so many moves of the policy that is greedy by values of moves.
fn greedy_score(
    game: &Tetris,
    moves: u64,
    value: impl Fn(&<Tetris as Game>::State, &Choice<Tetris>) -> f32,
) -> f64 {
    let chain = Chain::new(game, |state, offer| {
        let mut choices = Vec::new();
        game.for_each_move(state, |mv, step| choices.push((mv, step)));
        let values: Vec<f32> = choices.iter().map(|choice| value(state, choice)).collect();
        argmax(&values).into_iter().for_each(|best| offer(choices[best], 1.0));
    });
    chain.unwrap().first(moves).0
}

#[test]
fn td_comes_close_to_the_optimum_and_never_beats_it() {
    let well = melax();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let max = optimum(&well, PIECES);
    let seen = seen("cells,mirror", &well);
    let aggregation = ExplicitAggregation::new(&game, &seen);
    let size = StateAggregation::<ExplicitMdp<Tetris>>::size(&aggregation);
    let table = ValueTable::new(size, 0.0).unwrap();
    let task = task(&table, &aggregation, &Points(100.0));
    let score = || {
        greedy_score(&well, PIECES, |state, choice| {
            let mut index = [0];
            seen.indices(&well, &choice.1.after, &mut index);
            Points(100.0).reward(&well, state, choice) + task.discount * table.get(index[0])
        })
    };
    let untrained = score();
    let mut learner = TableTd::new(&game, task, Td { rate: 0.02 }, Exploration::Greedy);
    episodes(&game, 1, 150, |start, rng| learner.episode(start, rng).score);
    let trained = score();
    assert!(untrained < 3.0 * max && trained <= max, "{untrained} {trained} {max}");
    assert!(trained > 1.12 * max, "{trained} rows, optimum {max}");
}

/// The table and the score after some games.
type Learned = (Vec<u32>, f64);

fn td<G: Game>(
    game: &G,
    aggregation: &impl StateAggregation<G>,
    reward: &impl RewardFunction<G>,
) -> Learned {
    let table = ValueTable::new(aggregation.size(), 0.0).unwrap();
    let task = task(&table, aggregation, reward);
    let mut learner = TableTd::new(game, task, Td { rate: 0.2 }, Exploration::Epsilon(0.05));
    let score = episodes(game, 7, 20, |start, rng| learner.episode(start, rng).score);
    (bits(table.entries()), score)
}

fn sarsa<G: Game>(
    game: &G,
    aggregation: &impl StateActionAggregation<G>,
    reward: &impl RewardFunction<G>,
) -> Learned {
    let table = ValueTable::new(aggregation.size(), 0.0).unwrap();
    let task = task(&table, aggregation, reward);
    let explore = Exploration::Softmax(5.0);
    let mut learner = Sarsa::new(game, task, Control::Sarsa, 0.2, 0.9, explore);
    let score = episodes(game, 7, 20, |start, rng| learner.episode(start, rng).score);
    (bits(table.entries()), score)
}

/// 200,000 moves of each, bit by bit.
#[test]
fn an_explicit_mdp_learns_as_the_game_itself() {
    let well = melax();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let task_reward =
        ContourReward { point: 100.0, hole: -3.0, max_holes: 2, ..ContourReward::default() };
    let explicit_reward = ExplicitReward::new(&game, &task_reward);
    for view in ["cells", "cells,mirror", "heights,differences,cap=1,mirror"] {
        let seen = seen(view, &well);
        let aggregation = ExplicitAggregation::new(&game, &seen);
        assert!(
            td(&game, &aggregation, &explicit_reward) == td(&well, &seen, &task_reward),
            "{view}"
        );
        let seen = ContourActionAggregation(seen);
        let pairs = ExplicitActionAggregation::new(&game, &seen);
        assert!(
            sarsa(&game, &pairs, &explicit_reward) == sarsa(&well, &seen, &task_reward),
            "{view}"
        );
    }
}

/// Reference implementation of Sarsa(lambda): one eligibility per table entry.
fn reference_sarsa(
    game: &Tetris,
    aggregation: &ContourActionAggregation,
    task_reward: &ContourReward,
    rate: f32,
    lambda: f32,
) -> Learned {
    let mut table = vec![0.0f32; aggregation.size() as usize];
    let score = episodes(game, 3, 20, |mut state, rng| {
        let mut score = 0.0;
        let mut eligibilities = vec![0.0f32; table.len()];
        let choose = |table: &[f32], state, rng: &mut Rng| {
            let mut moves = Vec::new();
            game.for_each_move(&state, |mv, _| moves.push(mv));
            let mut indices = vec![0; moves.len()];
            aggregation.indices(game, &state, &moves, &mut indices);
            let values: Vec<f32> = indices.iter().map(|&i| table[i as usize]).collect();
            let chosen = Exploration::Epsilon(0.1).choose(&values, rng);
            chosen.map(|chosen| (moves[chosen], indices[chosen] as usize))
        };
        let mut chosen = choose(&table, state, rng);
        for _ in 0..300 {
            let Some((mv, entry)) = chosen else { break };
            let step = game.play(&state, mv).unwrap();
            let reward = task_reward.reward(game, &state, &(mv, step));
            score += f64::from(step.reward);
            state = game.sample(&step.after, rng);
            chosen = choose(&table, state, rng);
            let next_value = chosen.map_or(0.0, |(_, entry)| table[entry]);
            let error = reward + 0.8 * next_value - table[entry];
            eligibilities[entry] = 1.0;
            for (value, eligibility) in table.iter_mut().zip(&mut eligibilities) {
                *value += rate * error * *eligibility;
                *eligibility *= 0.8 * lambda;
            }
        }
        score
    });
    (table.iter().map(|value| value.to_bits()).collect(), score)
}

#[test]
fn sparse_traces_agree_with_the_reference() {
    let setup = Setup { pieces: melax_pieces(), ..Setup::sized(4, 8) };
    let game = Tetris::new(setup).unwrap();
    let aggregation = ContourActionAggregation(seen("heights,differences,cap=2,mirror", &game));
    for (lambda, tolerance) in [(0.0, 0.0), (0.5, 0.5), (0.9, 2.0)] {
        let (expected, expected_score) =
            reference_sarsa(&game, &aggregation, &ContourReward::CARR, 0.2, lambda);
        let table = ValueTable::new(aggregation.size(), 0.0).unwrap();
        let task = Task { max_moves: 300, ..task(&table, &aggregation, &ContourReward::CARR) };
        let explore = Exploration::Epsilon(0.1);
        let mut learner = Sarsa::new(&game, task, Control::Sarsa, 0.2, lambda, explore);
        let score = episodes(&game, 3, 20, |start, rng| learner.episode(start, rng).score);
        // Dropped eligibilities may change a move much later.
        let found = bits(table.entries());
        let far = |(a, b): (&u32, &u32)| (f32::from_bits(*a) - f32::from_bits(*b)).abs();
        let furthest = found.iter().zip(&expected).map(far).fold(0.0, f32::max);
        assert!(furthest <= tolerance, "lambda {lambda}: {furthest}");
        assert_eq!(score, expected_score, "lambda {lambda}");
    }
}

#[test]
fn every_learner_of_moves_plays_a_small_well_almost_perfectly() {
    let well = small();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let max = optimum(&well, 1_000);
    let cooling = Schedule { first: 0.2, last: 0.002, games: 2_000 };
    for view in ["cells", "cells,mirror"] {
        let seen = ContourActionAggregation(seen(view, &well));
        let pairs = ExplicitActionAggregation::new(&game, &seen);
        for (control, lambda, explore) in [
            (Control::Sarsa, 0.0, Exploration::Epsilon(0.02)),
            (Control::Sarsa, 0.5, Exploration::Softmax(3.0)),
            (Control::QLearning, 0.0, Exploration::Epsilon(0.1)),
            (Control::QLearning, 0.7, Exploration::Epsilon(0.1)),
        ] {
            let size = StateActionAggregation::<ExplicitMdp<Tetris>>::size(&pairs);
            let table = ValueTable::new(size, 0.0).unwrap();
            let task = Task { discount: 0.95, ..task(&table, &pairs, &Points(100.0)) };
            let mut learner = Sarsa::new(&game, task, control, 0.1, lambda, explore);
            let mut number = 0;
            episodes(&game, 1, 2_000, |start, rng| {
                learner.rate = cooling.at(number);
                number += 1;
                learner.episode(start, rng).score
            });
            let found = greedy_score(&well, 1_000, |state, (mv, _)| {
                let mut index = [0];
                seen.indices(&well, state, &[*mv], &mut index);
                table.get(index[0])
            });
            assert!(found <= max, "{found} of {max}");
            assert!(found > 1.15 * max, "{view} {control:?} {lambda}: {found} of {max}");
        }
    }
}

/// Carr asks whether the game with reduced pieces could be played forever in four columns. In up to
/// five rows some sequence of all pieces ends it, though four kinds of pieces alone need not; in five
/// columns squares alone end it.
#[test]
fn some_sequence_of_pieces_ends_every_low_well() {
    // Safe boards are known before the first sweep.
    let few = Limits { tolerance: 1.0, max_sweeps: 1 };
    let all = melax_pieces();
    let safe = |width, height, kinds: &[usize]| {
        let pieces = kinds.iter().map(|&kind| all[kind].clone()).collect();
        let setup = Setup { pieces, ..Setup::sized(width, height) };
        let game = Tetris::new(setup).unwrap();
        survive::<f64, _>(&Direct::new(&game).unwrap(), &few, |_| {}).never_dies
    };
    // The lowest well that need not end: none above it must.
    for (kinds, width, lowest) in [
        (&[2][..], 4, Some(3)),
        (&[2, 4], 4, Some(5)),
        (&[0, 1, 2, 3], 4, Some(4)),
        (&[0, 1, 3, 4], 4, Some(4)),
        (&[0, 1, 2, 3, 4], 4, None),
        (&[4], 5, None),
    ] {
        let mut heights = 3..=9 - width;
        assert_eq!(heights.find(|&height| safe(width, height, kinds)), lowest, "{kinds:?}");
    }
}

/// TD(lambda) against the reference implementation: one eligibility per table entry.
#[test]
fn traces_of_td_agree_with_a_table_of_eligibilities() {
    let game = small();
    let (view, reward, lambda, rate) = (seen("cells", &game), Points(100.0), 0.6, 0.1);
    let size = StateAggregation::<Tetris>::size(&view);
    let table = ValueTable::new(size, 0.0).unwrap();
    let update = Td { rate };
    let learner = TableTd::new(&game, task(&table, &view, &reward), update, Exploration::Greedy);
    let mut learner = learner.with_traces(lambda);
    let mut rng = Rng::stream(1, 0);
    let start = game.start(&mut rng);
    learner.episode(start, &mut rng);
    let (mut values, mut eligible) = (vec![0.0f32; size as usize], vec![0.0f32; size as usize]);
    let mut rng = Rng::stream(1, 0);
    let (mut state, mut before) = (game.start(&mut rng), None);
    for _ in 0..game.limit().unwrap() {
        let (mut steps, mut found, mut entry) = (Vec::new(), Vec::new(), [0]);
        game.for_each_move(&state, |mv, step| {
            view.indices(&game, &step.after, &mut entry);
            let own = reward.reward(&game, &state, &(mv, step));
            found.push(own + 0.8 * values[entry[0] as usize]);
            steps.push((step.after, entry[0] as usize));
        });
        let best = argmax(&found).unwrap();
        if let Some(before) = before {
            eligible.iter_mut().for_each(|eligibility| *eligibility *= 0.8 * lambda);
            eligible[before] = 1.0;
            let error: f32 = found[best] - values[before];
            for (value, eligibility) in values.iter_mut().zip(&eligible) {
                // The learner drops what is below a thousandth.
                if *eligibility >= 1e-3 {
                    *value += rate * error * eligibility;
                }
            }
        }
        before = Some(steps[best].1);
        state = game.sample(&steps[best].0, &mut rng);
    }
    let largest = (0..size as u32).map(|entry| (table.get(entry) - values[entry as usize]).abs());
    assert!(largest.fold(0.0, f32::max) < 1e-2, "values differ");
    assert!(values.iter().any(|value| *value < -1.0), "nothing was learned");
}
