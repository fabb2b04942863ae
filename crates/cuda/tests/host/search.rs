//! Expectimax of the kernels against the searches of the processor.

use std::ops::Range;
use std::sync::atomic::Ordering;

use afterstate_core::{Episode, Game as _, Policy, RandomPolicy, Rng};
use afterstate_cuda::{
    Expectimax, Finished, Network as KernelNetwork, PLAYING_BYTES, Plays, Program, key,
};
use afterstate_games::Tuples;
use afterstate_games::twenty48::{Board, Slide, Twenty48};
use afterstate_search::{Search, Searcher, reference};
use afterstate_values::{Network, NetworkEvaluator, NetworkPolicy};

use crate::host::Library;
use crate::twenty48::{networks, whole_weights};

/// One search of all warps, for these tests.
const SEARCH_MOVE: &str = "
extern \"C\" int search_move(const float *weights, const u32 *rows, u64 tiles, u32 big, u32 sum,
                           float *values, u32 *nodes) {
    static Tree tree;
    // So small that most values are replaced.
    static u64 words[2 * 1024];
    Selected selected = search(weights, rows, {words, 1023}, {tiles, big}, sum, tree);
    for (int move = 0; move < 4; move++) values[move] = selected.values[move];
    *nodes = tree.listed;
    return selected.any ? selected.move : -1;
}
";

fn compiled(game: &Twenty48, tuples: &Tuples, search: &str) -> (Search, Library) {
    let search: Search = search.parse().unwrap();
    let kernels = KernelNetwork::new(game, tuples).unwrap();
    let program = Program::Evaluate(Expectimax::new(&search).unwrap());
    (search, Library::compile(&(program.source(&kernels) + SEARCH_MOVE)))
}

/// Plays games by a compiled program, in launches of a few moves.
pub(crate) fn play(
    library: &Library,
    game: &Twenty48,
    weights: &[f32],
    seed: u64,
    numbers: Range<u64>,
) -> Vec<Finished> {
    let count = numbers.end - numbers.start;
    let game_count = 5;
    let mut results = vec![Finished::default(); count as usize];
    let mut games = vec![0u64; game_count * PLAYING_BYTES / 8];
    let (rows, mut counters, mut table) = (game.rows(), [0u64; 3], vec![0u64; 2 << 10]);
    while counters[1] < count {
        library.evaluate(&mut Plays {
            weights: weights.as_ptr() as u64,
            rows: rows.as_ptr() as u64,
            games: games.as_mut_ptr() as u64,
            results: results.as_mut_ptr() as u64,
            table: table.as_mut_ptr() as u64,
            table_mask: table.len() as u64 / 2 - 1,
            counters: counters.as_mut_ptr() as u64,
            key: key(seed),
            first: numbers.start,
            count,
            max_moves: u64::from(u32::MAX),
            nanoseconds: u64::MAX,
            game_count: game_count as u32,
            steps: 37,
        });
    }
    assert_eq!(counters[2], results.iter().map(|game| u64::from(game.moves)).sum::<u64>());
    results
}

fn network(game: &Twenty48, tuples: &Tuples, weights: &[f32]) -> Network<Twenty48> {
    let network = Network::new(game, tuples.clone(), 0.0).unwrap();
    for (word, weight) in network.weights().iter().zip(weights) {
        word.store(weight.to_bits(), Ordering::Relaxed);
    }
    network
}

/// Weights of a network whose later stages were hardly updated.
fn weights(tuples: &Tuples, seed: u64) -> Vec<f32> {
    let mut weights = whole_weights(tuples, seed);
    for weight in weights.iter_mut().skip(tuples.stage_weights() as usize).step_by(3) {
        *weight = 0.0;
    }
    weights
}

/// Boards from starting ones to lost ones: those of some games, one in so many, the last of each,
/// and boards with large tiles that are full but for a few cells.
fn positions(game: &Twenty48, network: &Network<Twenty48>, every: usize) -> Vec<Board> {
    let (mut boards, mut rng) = (Vec::new(), Rng::stream(11, 0));
    for number in 0..4 {
        let mut rng = Rng::stream(12, number);
        let mut board = game.start(&mut rng);
        let mut policy: Box<dyn Policy<Twenty48>> = match number % 2 {
            0 => Box::new(RandomPolicy),
            _ => Box::new(NetworkPolicy::new(network)),
        };
        for moves in 0.. {
            let choice = policy.choose(game, &board, &mut rng);
            boards.extend((moves % every == 0 || choice.is_none()).then_some(board));
            let Some((_, step)) = choice else { break };
            board = game.sample(&step.after, &mut rng);
        }
    }
    let large = game.largest_power().min(17);
    for empty in 0..12 * (16 / every).max(1) {
        let mut board = Board::default();
        for row in 0..game.height() {
            for column in 0..game.width() {
                let power = 1 + rng.below(usize::from(large)) as u8;
                board = board.with(row, column, if rng.below(12) < empty % 4 { 0 } else { power });
            }
        }
        boards.push(board);
    }
    boards
}

/// The processor's search selects the same moves with the same values, bit by bit: all sums are
/// taken in one order, and those of whole weights are exact.
fn same_moves(search: &str, every: usize, rules: Range<usize>) -> usize {
    same_moves_by(search, every, networks().drain(rules))
}

fn same_moves_by(
    search: &str,
    every: usize,
    networks: impl Iterator<Item = (Twenty48, Tuples)>,
) -> usize {
    let mut compared = 0;
    for (game, tuples) in networks {
        let (search, library) = compiled(&game, &tuples, search);
        let weights = weights(&tuples, 3);
        let network = network(&game, &tuples, &weights);
        let mut searcher = Searcher::new(NetworkEvaluator::new(&network), search);
        let rows = game.rows();
        for board in positions(&game, &network, every) {
            let (mv, values, _) = library.search_move(&weights, &rows, board);
            let ranking = searcher.rank(&game, &board);
            let best = ranking.best.map(|best| ranking.moves[best].0.0 as usize);
            assert_eq!(mv, best, "{search} on {board:?}: {values:?}");
            for ((slide, _), value) in &ranking.moves {
                assert_eq!(values[*slide as usize], *value, "{search} of {slide:?} on {board:?}");
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn two_plies_select_the_moves_of_the_processor() {
    assert!(same_moves("expectimax:2", 1, 0..5) > 2_000);
}

#[test]
fn three_plies_select_the_moves_of_the_processor() {
    let compared = same_moves("expectimax:3", 8, 0..5);
    assert!(compared > 200, "{compared}");
}

#[test]
fn deeper_and_thinner_searches_select_the_moves_of_the_processor() {
    let compared = same_moves("expectimax:4", 200, 2..5)
        + same_moves("expectimax:3,probability=0.02", 32, 0..3)
        + same_moves("expectimax:4,probability=0.01", 64, 0..3)
        + same_moves("expectimax:5,probability=0.01", 128, 1..4)
        + same_moves("expectimax:3,probability=1", 32, 0..1);
    assert!(compared > 200, "{compared}");
}

/// Every new tile begins another stage on the way to a sum of 60.
#[test]
fn states_of_a_search_have_the_stages_of_their_own_sums() {
    for search in ["expectimax:2", "expectimax:3", "expectimax:4,probability=0.05"] {
        let game = Twenty48::standard();
        let tuples = Tuples::new(&game, &[vec![0, 1, 2, 3], vec![0, 1, 4, 5]]).unwrap();
        let tuples = tuples.with_stages((4..60).step_by(2).collect()).unwrap();
        let compared = same_moves_by(search, 8, [(game, tuples)].into_iter());
        assert!(compared > 20, "{compared}");
    }
}

#[test]
fn large_tiles_are_downgraded_as_on_the_processor() {
    for (text, every) in [("expectimax:2,downgrade=64", 4), ("expectimax:3,downgrade=32", 64)] {
        let compared = same_moves(text, every, 0..3);
        assert!(compared > 50, "{compared}");
    }
}

/// The reference implementation knows neither canonical images nor merged nodes: its values are
/// those of the kernel to rounding.
#[test]
fn values_are_those_of_the_reference_implementation_to_rounding() {
    for (plies, every) in [(2, 8), (3, 32)] {
        for (game, tuples) in networks() {
            let (_, library) = compiled(&game, &tuples, &format!("expectimax:{plies}"));
            let mut rng = Rng::stream(8, 0);
            let weights: Vec<f32> =
                (0..tuples.weights()).map(|_| rng.unit() as f32 * 30.0 - 10.0).collect();
            let network = network(&game, &tuples, &weights);
            let mut evaluator = NetworkEvaluator::new(&network);
            let rows = game.rows();
            for board in positions(&game, &network, every) {
                let (mv, values, _) = library.search_move(&weights, &rows, board);
                let mut expected: Vec<(Slide, f32)> = Vec::new();
                game.for_each_move(&board, |slide, step| {
                    let choice = &(slide, step);
                    let value =
                        reference::expectimax_of_move(&game, &mut evaluator, &board, choice, plies);
                    expected.push((slide, value));
                });
                let best = expected.iter().map(|(_, value)| *value).reduce(f32::max);
                assert_eq!(mv.is_some(), best.is_some(), "{board:?}");
                let close = |a: f32, b: f32| (a - b).abs() <= 1e-2 + 1e-5 * b.abs();
                for (slide, value) in expected {
                    let found = values[slide as usize];
                    assert!(close(found, value), "{found} instead of {value} on {board:?}");
                }
                if let (Some(mv), Some(best)) = (mv, best) {
                    assert!(close(values[mv], best), "{} instead of {best}", values[mv]);
                }
            }
        }
    }
}

#[test]
fn whole_games_are_those_of_the_processor() {
    for (text, games) in [("expectimax:2", 12), ("expectimax:3", 2)] {
        for (game, tuples) in networks().drain(1..4) {
            let (search, library) = compiled(&game, &tuples, text);
            let weights = weights(&tuples, 5);
            let network = network(&game, &tuples, &weights);
            let mut searcher = Searcher::new(NetworkEvaluator::new(&network), search);
            for (number, result) in (40..).zip(play(&library, &game, &weights, 7, 40..40 + games)) {
                let episode = Episode::play(&game, &mut searcher, &mut Rng::stream(7, number));
                let expected = Finished {
                    score: episode.score as u32,
                    moves: episode.moves as u32,
                    largest: u32::from(episode.last.largest()),
                    fresh: 1,
                };
                assert_eq!(result, expected, "{text}, game {number}");
            }
        }
    }
}

/// Of symmetric boards the images of a node are searched once.
#[test]
fn equal_nodes_are_searched_once() {
    let (game, tuples) = networks().swap_remove(0);
    let (_, library) = compiled(&game, &tuples, "expectimax:3");
    let weights = weights(&tuples, 3);
    let board = Board::default().with(0, 0, 1).with(3, 3, 1);
    let (_, _, nodes) = library.search_move(&weights, &game.rows(), board);
    // Four moves, 14 or 15 empty cells, two tiles and four replies make more than 400.
    assert!((10..200).contains(&nodes), "{nodes}");
}

#[test]
fn other_searches_are_refused_by_name() {
    for text in ["expectimax:7", "expectimax:3,beam=2", "expectimax:50ms", "minimax:2"] {
        let search: Search = text.parse().unwrap();
        let error = Expectimax::new(&search).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "--device cuda plays greedily or by expectimax of 2 to 6 plies, with probability=P \
                 and downgrade=TILE, not by {text}: use --device cpu"
            )
        );
    }
}
