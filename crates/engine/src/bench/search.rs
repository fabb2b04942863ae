//! Benchmarks of search: moves per second on positions of whole games, and nodes (states) per
//! second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use afterstate_agents::{Agent, controllers};
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::spec::{Spec, parse_rules};
use afterstate_games::tenten::TenTen;
use afterstate_games::tetris::{Setup, Tetris};
use afterstate_games::twenty48::Twenty48;
use afterstate_search::{LinearEvaluator, Search, Searcher};
use afterstate_values::{NetworkEvaluator, NetworkPolicy};

use super::{Benchmark, networks};

/// Searches of 2048 by the 4x6 network, and on how many threads.
const TWENTY48: [(&str, Search, usize); 5] = [
    ("2048/search_4x6_2ply", Search::expectimax(2), 1),
    ("2048/search_4x6_3ply", Search::expectimax(3), 1),
    ("2048/search_4x6_3ply_two_threads", Search::expectimax(3), 2),
    ("2048/search_4x6_4ply", Search::expectimax(4), 1),
    ("2048/search_4x6_4ply_two_threads", Search::expectimax(4), 2),
];

/// Searches of Tetris on 10x10 by the published DT-10 weights.
const TETRIS: [(&str, Search); 2] = [
    ("tetris/search_dt_2ply", Search::expectimax(2)),
    ("tetris/minimax_dt_2ply", Search::minimax(2)),
];

/// A search of hands of three in 1010! by the agent `1010`.
const TENTEN: &str = "1010/hand_beam4";

/// The names of all searches.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TWENTY48.iter().map(|row| row.0).chain(TETRIS.iter().map(|row| row.0)).chain([TENTEN])
}

/// Positions to search, and moves of a game between two of them.
const POSITIONS: usize = 1_000;
const APART: usize = 37;

/// Moves played from one position.
const MOVES: u64 = 64;

/// The searches whose names contain a filter.
pub(super) fn benchmarks(filter: &str, seconds: f64, seed: u64) -> Vec<Benchmark> {
    let mut benchmarks = Vec::new();
    if TWENTY48.iter().any(|row| row.0.contains(filter)) {
        benchmarks.extend(twenty48(seconds, seed).unwrap_or_default());
    }
    if TETRIS.iter().any(|row| row.0.contains(filter)) {
        benchmarks.extend(tetris(seconds, seed).unwrap_or_default());
    }
    if TENTEN.contains(filter) {
        benchmarks.extend(tenten(seconds, seed));
    }
    benchmarks
}

fn twenty48(seconds: f64, seed: u64) -> Option<Vec<Benchmark>> {
    let game = Twenty48::standard();
    let network = Arc::new(networks::trained(&game, "4x6", seconds, seed)?);
    let states = positions(&game, &mut NetworkPolicy::new(&*network), seconds, seed);
    let benchmarks = TWENTY48.map(|(name, search, threads)| {
        let (network, states) = (network.clone(), states.clone());
        let searching = move |game: &_, play: &mut dyn FnMut(&mut Searcher<_>, &_)| {
            let searcher = Searcher::new(NetworkEvaluator::new(&*network), search);
            play(&mut searcher.on_threads(threads), game);
        };
        benchmark(name, "moves/s", game.clone(), states, seed, searching)
    });
    Some(benchmarks.into())
}

fn tetris(seconds: f64, seed: u64) -> Option<Vec<Benchmark>> {
    let game = Tetris::new(Setup::sized(10, 10)).ok()?;
    let known = controllers::find("dt-10")?;
    let features = Arc::new(game.features(known.set)?);
    let evaluator = LinearEvaluator::new(&**features, known.weights, 0.0);
    let mut player = Searcher::new(evaluator, Search::GREEDY);
    let states = positions(&game, &mut player, seconds, seed);
    let benchmarks = TETRIS.map(|(name, search)| {
        let (features, states) = (features.clone(), states.clone());
        let searching = move |game: &_, play: &mut dyn FnMut(&mut Searcher<_>, &_)| {
            let evaluator = LinearEvaluator::new(&**features, known.weights, 0.0);
            play(&mut Searcher::new(evaluator, search), game);
        };
        benchmark(name, "pieces/s", game.clone(), states, seed, searching)
    });
    drop(player);
    Some(benchmarks.into())
}

fn tenten(seconds: f64, seed: u64) -> Option<Benchmark> {
    let game: TenTen = parse_rules("1010:10x10,pieces=19,hand=3").ok()?;
    let model = "1010".parse::<Agent>().ok()?.load(&game).ok()?;
    let search: Search = "expectimax:hand,beam=4".parse().ok()?;
    let states = positions(&game, &mut model.policy(), seconds, seed);
    let searching = move |game: &_, play: &mut dyn FnMut(&mut Searcher<_>, &_)| {
        if let Some(mut searcher) = model.searcher(&search, 1) {
            play(&mut searcher, game);
        }
    };
    Some(benchmark(TENTEN, "moves/s", game, states, seed, searching))
}

/// Positions from whole games of a player.
pub(super) fn positions<G: Game>(
    game: &G,
    player: &mut impl Policy<G>,
    seconds: f64,
    seed: u64,
) -> Arc<Vec<G::State>> {
    let mut rng = Rng::stream(seed ^ 4, 0);
    let mut state = game.start(&mut rng);
    let mut states = Vec::new();
    let count = if seconds > 0.0 { POSITIONS } else { 1 };
    while states.len() < count {
        states.push(state);
        for _ in 0..APART {
            state = match player.choose(game, &state, &mut rng) {
                Some((_, step)) => game.sample(&step.after, &mut rng),
                None => game.start(&mut rng),
            };
        }
    }
    Arc::new(states)
}

/// Plays some moves from one position after the other. Each position has a new searcher, whose
/// construction costs little compared to the search.
fn benchmark<G: Spec>(
    name: &'static str,
    unit: &'static str,
    game: G,
    states: Arc<Vec<G::State>>,
    seed: u64,
    searching: impl Fn(&G, &mut dyn FnMut(&mut Searcher<G>, &G)) + 'static,
) -> Benchmark {
    // Visited nodes and moves.
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let (counted, mut number) = (counts.clone(), 0);
    let run = move || {
        number += 1;
        let mut rng = Rng::stream(seed ^ 5, number);
        // The stride is coprime to the number of positions.
        let mut state = states[(number as usize * 617) % states.len()];
        let mut moves = 0;
        searching(&game, &mut |searcher, game| {
            while moves < MOVES {
                let Some((_, step)) = searcher.choose(game, &state, &mut rng) else { break };
                state = game.sample(&step.after, &mut rng);
                moves += 1;
            }
            counted.0.fetch_add(searcher.nodes(), Ordering::Relaxed);
        });
        counted.1.fetch_add(moves, Ordering::Relaxed);
        moves
    };
    let nodes = move || {
        let moves = counts.1.load(Ordering::Relaxed).max(1);
        counts.0.load(Ordering::Relaxed) as f64 / moves as f64
    };
    Benchmark { nodes: Some(Box::new(nodes)), ..Benchmark::new(name, unit, run) }
}
