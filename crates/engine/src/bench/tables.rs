//! Benchmarks of tables: TD(0) on Melax's well as an explicit MDP, and Sarsa(lambda) on the
//! contours of a well of four columns, both greedy.

use std::hint::black_box;

use afterstate_core::{Game, Rng};
use afterstate_games::tetris::contour::{
    ContourActionAggregation, ContourAggregation, ContourReward,
};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};
use afterstate_games::{Points, StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{
    Control, ExplicitAggregation, ExplicitMdp, Exploration, Sarsa, TableTd, Task,
};
use afterstate_values::ValueTable;

use super::{Benchmark, Work};

/// The names of TD(0) and of Sarsa(lambda).
pub(super) const NAMES: [&str; 2] = ["tetris/td_melax", "tetris/sarsa_contour4"];

/// Games are truncated after this many pieces, so that one takes a short time.
const MAX_MOVES: u64 = 10_000;

/// A benchmark; `None` if memory is short.
pub(super) fn benchmark(name: &'static str, seed: u64) -> Option<Benchmark> {
    let run = if name == NAMES[0] { td(seed) } else { sarsa(seed) };
    Some(Benchmark::new(name, "pieces/s", run?))
}

fn task<'a, E: ?Sized, R: ?Sized>(
    table: &'a ValueTable,
    aggregation: &'a E,
    reward: &'a R,
) -> Task<'a, E, R> {
    let (discount, terminal_value, max_moves) = (0.8, Some(0.0), MAX_MOVES);
    Task { table, aggregation, reward, discount, terminal_value, max_moves }
}

fn td(seed: u64) -> Option<Work> {
    let well = Tetris::new(Setup::melax()).ok()?;
    let seen = ContourAggregation::new(&"cells,mirror".parse().ok()?, &well).ok()?;
    let game = ExplicitMdp::new(&well, 1 << 20)?;
    let entries = ExplicitAggregation::new(&game, &seen);
    let table = ValueTable::new(StateAggregation::<Tetris>::size(&seen), 0.0).ok()?;
    let mut number = 0;
    Some(Box::new(move || {
        let task = task(&table, &entries, &Points(100.0));
        let mut learner = TableTd::new(&game, task, Td { rate: 0.02 }, Exploration::Greedy);
        number += 1;
        let mut rng = Rng::stream(seed, number);
        let start = game.start(&mut rng);
        black_box(learner.episode(start, &mut rng)).moves
    }))
}

fn sarsa(seed: u64) -> Option<Work> {
    let setup = Setup { pieces: melax_pieces(), ..Setup::sized(4, 20) };
    let game = Tetris::new(setup).ok()?;
    let seen =
        ContourAggregation::new(&"heights,differences,cap=3,mirror".parse().ok()?, &game).ok()?;
    let entries = ContourActionAggregation(seen);
    let table = ValueTable::new(entries.size(), 0.0).ok()?;
    let mut number = 0;
    Some(Box::new(move || {
        let (control, explore) = (Control::Sarsa, Exploration::Greedy);
        let task = task(&table, &entries, &ContourReward::CARR);
        let mut learner = Sarsa::new(&game, task, control, 0.2, 0.9, explore);
        number += 1;
        let mut rng = Rng::stream(seed, number);
        let start = game.start(&mut rng);
        black_box(learner.episode(start, &mut rng)).moves
    }))
}
