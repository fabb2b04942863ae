//! Tables against the truth: Melax's well is small enough to be solved, and every fast way plays
//! the same games as its slow twin.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use afterstate_core::{Game, Rng};
use afterstate_games::tetris::contour::{Pay, Seen, SeenMoves, View};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};
use afterstate_games::{
    Points, RewardFunction, RewardMixture, StateActionAggregation, StateAggregation,
};
use afterstate_learn::Td;
use afterstate_learn::exact::policy_value;
use afterstate_learn::solve::{Direct, Limits, Settings, iterate, survive};
use afterstate_learn::table::{
    Control, ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, ExplicitReward,
    Exploration, Sarsa, Schedule, TableTd, Task, best,
};
use afterstate_values::Table;

const PIECES: u64 = 10_000;

fn melax() -> Tetris {
    Tetris::new(Setup::melax()).unwrap()
}

/// Four columns of Melax's well: small enough for every learner to find the best play.
fn small() -> Tetris {
    Tetris::new(Setup { width: 4, limit: Some(1_000), ..Setup::melax() }).unwrap()
}

fn seen(view: &str, game: &Tetris) -> Seen {
    Seen::new(&view.parse::<View>().unwrap(), game).unwrap()
}

fn task<'a, E: ?Sized, R: ?Sized>(
    table: &'a Table,
    entries: &'a E,
    reward: &'a R,
) -> Task<'a, E, R> {
    Task { table, entries, reward, discount: 0.8, end: Some(0.0), max_moves: u64::MAX }
}

/// The best that can be expected of so many moves.
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
    // The same, backed up for every piece: nothing is gained by stopping early.
    let (few, more) = (-optimum(&game, 50), -optimum(&game, 51));
    assert!(few < more && more - few < 0.05, "{few} {more}");
}

/// The policy that is greedy by a table of afterstates, for every state.
fn greedy<G: Game>(
    game: &ExplicitMdp<G>,
    task: &Task<'_, ExplicitAggregation, impl RewardFunction<ExplicitMdp<G>>>,
) -> Vec<usize> {
    let choose = |state: u32| {
        let mut values = Vec::new();
        game.for_each_move(&state, |mv, step| {
            let mut number = [0];
            task.entries.indices(game, &step.after, &mut number);
            let pay = task.reward.reward(game, &state, &(mv, step));
            values.push(pay + task.discount * task.table.get(number[0]));
        });
        best(&values).unwrap()
    };
    (0..game.states().len() as u32).map(choose).collect()
}

#[test]
fn td_comes_close_to_the_optimum_and_never_beats_it() {
    let well = melax();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let most = optimum(&well, PIECES);
    let entries = ExplicitAggregation::new(&game, &seen("cells,mirror", &well));
    let size = StateAggregation::<ExplicitMdp<Tetris>>::size(&entries);
    let table = Table::new(size, 0.0).unwrap();
    let task = task(&table, &entries, &Points(100.0));
    let untrained = policy_value(&game, PIECES, &greedy(&game, &task));
    let mut learner = TableTd::new(&game, task, Td { rate: 0.02 }, Exploration::Greedy);
    for number in 0..150 {
        let mut rng = Rng::stream(1, number);
        let start = game.start(&mut rng);
        learner.episode(start, &mut rng);
    }
    let trained = policy_value(&game, PIECES, &greedy(&game, &task));
    assert!(untrained < 3.0 * most && trained <= most, "{untrained} {trained} {most}");
    assert!(trained > 1.12 * most, "{trained} rows, optimum {most}");
}

/// The table and the score after some games.
type Learned = (Vec<u32>, f64);

fn td<G: Game>(
    game: &G,
    entries: &impl StateAggregation<G>,
    reward: &impl RewardFunction<G>,
) -> Learned {
    let table = Table::new(entries.size(), 0.0).unwrap();
    let task = task(&table, entries, reward);
    let mut learner = TableTd::new(game, task, Td { rate: 0.2 }, Exploration::Epsilon(0.05));
    let mut score = 0.0;
    for number in 0..20 {
        let mut rng = Rng::stream(7, number);
        let start = game.start(&mut rng);
        score += learner.episode(start, &mut rng).score;
    }
    (bits(&table), score)
}

fn bits(table: &Table) -> Vec<u32> {
    let words = table.entries().iter();
    words.map(|word| word.load(std::sync::atomic::Ordering::Relaxed)).collect()
}

fn sarsa<G: Game>(
    game: &G,
    entries: &impl StateActionAggregation<G>,
    reward: &impl RewardFunction<G>,
) -> Learned {
    let table = Table::new(entries.size(), 0.0).unwrap();
    let task = task(&table, entries, reward);
    let explore = Exploration::Softmax(5.0);
    let mut learner = Sarsa::new(game, task, Control::Sarsa, 0.2, 0.9, explore);
    let mut score = 0.0;
    for number in 0..20 {
        let mut rng = Rng::stream(7, number);
        let start = game.start(&mut rng);
        score += learner.episode(start, &mut rng).score;
    }
    (bits(&table), score)
}

/// 200,000 moves of each, bit by bit.
#[test]
fn a_game_written_out_learns_as_the_game_itself() {
    let well = melax();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let pay = Pay { point: 100.0, hole: -3.0, most_holes: 2, ..Pay::default() };
    let written_pay = ExplicitReward::new(&game, &pay);
    for view in ["cells", "cells,mirror", "heights,differences,cap=1,mirror"] {
        let seen = seen(view, &well);
        let entries = ExplicitAggregation::new(&game, &seen);
        assert!(td(&game, &entries, &written_pay) == td(&well, &seen, &pay), "{view}");
        let seen = SeenMoves(seen);
        let pairs = ExplicitActionAggregation::new(&game, &seen);
        assert!(sarsa(&game, &pairs, &written_pay) == sarsa(&well, &seen, &pay), "{view}");
    }
}

/// Sarsa(lambda) as it stands in the textbook: an eligibility for every entry of the table.
fn plain_sarsa(game: &Tetris, entries: &SeenMoves, pay: &Pay, rate: f32, lambda: f32) -> Learned {
    let mut table = vec![0.0f32; entries.size() as usize];
    let mut score = 0.0;
    for number in 0..20 {
        let mut rng = Rng::stream(3, number);
        let mut state = game.start(&mut rng);
        let mut eligible = vec![0.0f32; table.len()];
        let choose = |table: &[f32], state, rng: &mut Rng| {
            let mut moves = Vec::new();
            game.for_each_move(&state, |mv, _| moves.push(mv));
            let mut numbers = vec![0; moves.len()];
            entries.indices(game, &state, &moves, &mut numbers);
            let values: Vec<f32> = numbers.iter().map(|&n| table[n as usize]).collect();
            let chosen = Exploration::Epsilon(0.1).choose(&values, rng);
            chosen.map(|chosen| (moves[chosen], numbers[chosen] as usize))
        };
        let mut chosen = choose(&table, state, &mut rng);
        for _ in 0..300 {
            let Some((mv, entry)) = chosen else { break };
            let step = game.play(&state, mv).unwrap();
            let reward = pay.reward(game, &state, &(mv, step));
            score += f64::from(step.reward);
            state = game.sample(&step.after, &mut rng);
            chosen = choose(&table, state, &mut rng);
            let later = chosen.map_or(0.0, |(_, entry)| table[entry]);
            let error = reward + 0.8 * later - table[entry];
            eligible[entry] = 1.0;
            for (value, share) in table.iter_mut().zip(&mut eligible) {
                *value += rate * error * *share;
                *share *= 0.8 * lambda;
            }
        }
    }
    (table.iter().map(|value| value.to_bits()).collect(), score)
}

#[test]
fn sparse_traces_learn_as_whole_tables_of_them() {
    let setup = Setup { pieces: melax_pieces(), ..Setup::sized(4, 8) };
    let game = Tetris::new(setup).unwrap();
    let entries = SeenMoves(seen("heights,differences,cap=2,mirror", &game));
    for (lambda, nearly) in [(0.0, 0.0), (0.5, 0.5), (0.9, 2.0)] {
        let (plain, plain_score) = plain_sarsa(&game, &entries, &Pay::CARR, 0.2, lambda);
        let table = Table::new(entries.size(), 0.0).unwrap();
        let task = Task { max_moves: 300, ..task(&table, &entries, &Pay::CARR) };
        let explore = Exploration::Epsilon(0.1);
        let mut learner = Sarsa::new(&game, task, Control::Sarsa, 0.2, lambda, explore);
        let mut score = 0.0;
        for number in 0..20 {
            let mut rng = Rng::stream(3, number);
            let start = game.start(&mut rng);
            score += learner.episode(start, &mut rng).score;
        }
        // Shares below a thousandth are left out, which may change a choice much later.
        let met = bits(&table);
        let far = |(a, b): (&u32, &u32)| (f32::from_bits(*a) - f32::from_bits(*b)).abs();
        let furthest = met.iter().zip(&plain).map(far).fold(0.0, f32::max);
        assert!(furthest <= nearly, "lambda {lambda}: {furthest}");
        assert_eq!(score, plain_score, "lambda {lambda}");
    }
}

/// What greedy play by a table of moves comes to.
fn greedy_pairs(
    game: &ExplicitMdp<Tetris>,
    table: &Table,
    pairs: &ExplicitActionAggregation,
) -> Vec<usize> {
    let choose = |state: u32| {
        let count = game.steps(state).len();
        let (mut numbers, moves) = (vec![0; count], Vec::new());
        pairs.indices(game, &state, &moves, &mut numbers);
        best(&numbers.iter().map(|&n| table.get(n)).collect::<Vec<_>>()).unwrap()
    };
    (0..game.states().len() as u32).map(choose).collect()
}

#[test]
fn every_learner_of_moves_plays_a_small_well_almost_perfectly() {
    let well = small();
    let game = ExplicitMdp::new(&well, 1 << 20).unwrap();
    let most = optimum(&well, 1_000);
    let cooling = Schedule { first: 0.2, last: 0.002, games: 2_000 };
    for view in ["cells", "cells,mirror"] {
        let pairs = ExplicitActionAggregation::new(&game, &SeenMoves(seen(view, &well)));
        for (control, lambda, explore) in [
            (Control::Sarsa, 0.0, Exploration::Epsilon(0.02)),
            (Control::Sarsa, 0.5, Exploration::Softmax(3.0)),
            (Control::QLearning, 0.0, Exploration::Epsilon(0.1)),
            (Control::QLearning, 0.7, Exploration::Epsilon(0.1)),
        ] {
            let size = StateActionAggregation::<ExplicitMdp<Tetris>>::size(&pairs);
            let table = Table::new(size, 0.0).unwrap();
            let task = Task { discount: 0.95, ..task(&table, &pairs, &Points(100.0)) };
            let mut learner = Sarsa::new(&game, task, control, 0.1, lambda, explore);
            for number in 0..2_000 {
                let mut rng = Rng::stream(1, number);
                learner.rate = cooling.at(number);
                let start = game.start(&mut rng);
                learner.episode(start, &mut rng);
            }
            let found = policy_value(&game, 1_000, &greedy_pairs(&game, &table, &pairs));
            assert!(found <= most, "{found} of {most}");
            assert!(found > 1.15 * most, "{view} {control:?} {lambda}: {found} of {most}");
        }
    }
}

/// Carr asks whether the game with reduced pieces could be played for ever four columns wide. Not
/// against any luck in up to five rows, though four kinds of pieces alone could; in five columns
/// squares alone end it.
#[test]
fn some_luck_ends_every_low_well() {
    // Whether a board is safe is known before the first sweep.
    let few = Limits { tolerance: 1.0, most_sweeps: 1 };
    let all = melax_pieces();
    let safe = |width, height, kinds: &[usize]| {
        let pieces = kinds.iter().map(|&kind| all[kind].clone()).collect();
        let setup = Setup { pieces, ..Setup::sized(width, height) };
        let game = Tetris::new(setup).unwrap();
        survive::<f64, _>(&Direct::new(&game).unwrap(), &few, |_, _, _| {}).never_dies
    };
    for (kinds, width, found) in [
        (&[2][..], 4, [true, true, true]),
        (&[2, 4], 4, [false, false, true]),
        (&[0, 1, 2, 3], 4, [false, true, true]),
        (&[0, 1, 3, 4], 4, [false, true, true]),
        (&[0, 1, 2, 3, 4], 4, [false, false, false]),
        (&[4], 5, [false, false, false]),
    ] {
        let met = [3, 4, 5].map(|height| safe(width, height.min(9 - width), kinds));
        assert_eq!(met, found, "{kinds:?}");
    }
}
