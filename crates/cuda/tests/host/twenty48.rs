//! The kernels of 2048 against the rules and learners of the processor.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use afterstate_core::{Game as _, Rng};
use afterstate_cuda::{
    CAROUSEL, Expectimax, Finished, Game, Network as KernelNetwork, Params, Program, Starts,
};
use afterstate_games::twenty48::{Board, Twenty48};
use afterstate_games::{Cells as _, ReferenceTuples, Tuples};
use afterstate_learn::warp::{Replay, TcAtOnce};
use afterstate_learn::{Td, TdLearner, Update};
use afterstate_values::Network;
use afterstate_values::weights::load;

use crate::host::Library;
use crate::search::play;

/// A game with tuples of every kind of layout: permuted and not, with and without stages.
pub(crate) fn networks() -> Vec<(Twenty48, Tuples)> {
    let tuples = |width, height, four, cells: &[&[usize]]| {
        let game = Twenty48::new(width, height, four).unwrap();
        let cells: Vec<Vec<usize>> = cells.iter().map(|cells| cells.to_vec()).collect();
        let tuples = Tuples::new(&game, &cells).unwrap();
        (game, tuples)
    };
    let (game, staged) = tuples(4, 4, 0.1, &[&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 4, 5, 8]]);
    let staged = staged.with_stages(vec![200, 400, 1_000]).unwrap();
    vec![
        tuples(4, 4, 0.1, &[&[0, 1, 2, 3], &[0, 1, 4, 5, 6], &[5], &[1, 2, 5, 6], &[3, 7, 11]]),
        (game, staged),
        tuples(3, 3, 0.25, &[&[0, 1, 2, 3], &[4, 5, 7], &[0, 1, 2, 3, 4]]),
        tuples(4, 3, 0.1, &[&[0, 1, 2, 3], &[0, 4, 8], &[1, 2, 5, 6]]),
        tuples(2, 4, 1.0, &[&[0, 1, 2, 3, 4, 5]]),
    ]
}

/// Weights that are small whole numbers: their sums are exact in every order.
pub(crate) fn whole_weights(tuples: &Tuples, seed: u64) -> Vec<f32> {
    let mut rng = Rng::stream(seed, 0);
    (0..tuples.weights()).map(|_| rng.below(2_000) as f32 - 500.0).collect()
}

/// The value of an afterstate, cell by cell, with weight promotion.
struct Reference<'a> {
    game: &'a Twenty48,
    tuples: &'a Tuples,
    compiled: ReferenceTuples,
    weights: &'a [f32],
}

impl Reference<'_> {
    fn value(&self, after: &Board) -> f32 {
        let mut indices = vec![0; self.tuples.active_features()];
        self.compiled.indices(self.game, after, &mut indices);
        self.tuples.add_stage(|| after.sum(), &mut indices);
        let stage = self.tuples.stage_weights() as usize;
        let weight = |&index: &u32| {
            let mut index = index as usize;
            while self.weights[index].to_bits() == 0 && index >= stage {
                index -= stage;
            }
            self.weights[index]
        };
        indices.iter().map(weight).sum()
    }

    /// One game, played greedily.
    fn play(&self, seed: u64, number: u64) -> Finished {
        let mut rng = Rng::stream(seed, number);
        let mut board = self.game.start(&mut rng);
        let (mut score, mut moves) = (0.0, 0);
        loop {
            let mut best: Option<(f32, f32, Board)> = None;
            let _ = self.game.try_moves(&board, |_, step| {
                let value = step.reward + self.value(&step.after);
                if best.is_none_or(|(max, _, _)| value > max) {
                    best = Some((value, step.reward, step.after));
                }
                ControlFlow::<()>::Continue(())
            });
            let Some((_, reward, after)) = best else { break };
            score += reward;
            moves += 1;
            board = self.game.sample(&after, &mut rng);
        }
        let largest = u32::from(board.largest());
        Finished { score: score as u32, moves, largest, fresh: 1 }
    }
}

#[test]
fn games_are_those_of_the_processor() {
    for (game, tuples) in networks() {
        let kernels = KernelNetwork::new(&game, &tuples).unwrap();
        let library = Library::compile(&Program::Evaluate(Expectimax::GREEDY).source(&kernels));
        let mut weights = whole_weights(&tuples, 3);
        // Later stages were hardly updated.
        for weight in weights.iter_mut().skip(tuples.stage_weights() as usize).step_by(3) {
            *weight = 0.0;
        }
        let results = play(&library, &game, &weights, 7, 1_000..1_300);
        let compiled = ReferenceTuples::new(&game, &tuples);
        let reference = Reference { game: &game, tuples: &tuples, compiled, weights: &weights };
        for (number, result) in (1_000..).zip(results) {
            assert_eq!(result, reference.play(7, number), "game {number}");
        }
    }
}

/// What one warp learned: its games, the weights and the sums.
struct Learned {
    games: Vec<Finished>,
    /// The afterstates of all games, one after the other.
    afters: Vec<Board>,
    weights: Vec<f32>,
    coherence: Vec<(f32, f32)>,
}

/// One warp plays so many games and learns.
fn learn_on_host(
    game: &Twenty48,
    tuples: &Tuples,
    launch: &Settings,
    weights: Vec<f32>,
) -> Learned {
    let kernels = KernelNetwork::new(game, tuples).unwrap();
    let program = Program::Train { coherent: launch.coherent, trace: launch.trace };
    let library = Library::compile(&program.source(&kernels));
    let mut weights = weights;
    let mut coherence = vec![(0f32, 0f32); weights.len()];
    let mut games = vec![0u64; Game::bytes(launch.trace).div_ceil(8)];
    let mut history = vec![0u64; 2 * 4_000];
    let mut results = vec![Finished::default(); launch.games];
    let (rows, mut counters) = (game.rows(), [0u64; 3]);
    let mut afters = Vec::new();
    while counters[1] < launch.games as u64 {
        counters[2] = 0;
        library.train(&mut Params {
            weights: weights.as_mut_ptr() as u64,
            coherence: coherence.as_mut_ptr() as u64,
            rows: rows.as_ptr() as u64,
            games: games.as_mut_ptr() as u64,
            history: history.as_mut_ptr() as u64,
            results: results.as_mut_ptr() as u64,
            counters: counters.as_mut_ptr() as u64,
            key: afterstate_cuda::key(5),
            capacity: launch.games as u64,
            game_count: 1,
            // One move per launch: nothing is lost between launches, and the last game ends one.
            steps: 1,
            min_tiles: launch.min_tiles,
            starts: launch.starts as u32,
            trace: launch.trace as u32,
            rate: launch.rate / tuples.active_features() as f32,
            lambda: launch.lambda,
            skipped: 0,
            crowded: launch.crowded,
            history_length: history.len() as u32 / 2,
            staged: u32::from(launch.staged),
        });
        afters.extend((counters[2] > 0).then(|| Board::from_nibbles(games[Game::AFTERSTATE])));
    }
    assert_eq!(afters.len(), results.iter().map(|result| result.moves as usize).sum::<usize>());
    assert_eq!(counters[0], launch.games as u64);
    Learned { games: results, afters, weights, coherence }
}

struct Settings {
    coherent: bool,
    trace: usize,
    lambda: f32,
    rate: f32,
    min_tiles: u32,
    crowded: u32,
    starts: Starts,
    staged: bool,
    games: usize,
}

const PLAIN: Settings = Settings {
    coherent: false,
    trace: 1,
    lambda: 0.0,
    rate: 0.1,
    min_tiles: 0,
    crowded: u32::MAX,
    starts: Starts::Fresh,
    staged: true,
    games: 12,
};

/// Weights that make no ties.
fn real_weights(tuples: &Tuples) -> Vec<f32> {
    let mut rng = Rng::stream(2, 0);
    let first = tuples.stage_weights() as usize;
    (0..tuples.weights() as usize)
        .map(|at| if at < first { rng.unit() as f32 * 30.0 } else { 0.0 })
        .collect()
}

/// As many games as one warp plays, learned by the processor.
fn games<U: Update>(game: &Twenty48, mut learner: TdLearner<Twenty48, U>) -> Vec<Finished> {
    let episode = |number| {
        let mut rng = Rng::stream(5, number);
        let start = game.start(&mut rng);
        let played = learner.episode(start, &mut rng, |_| {});
        let largest = u32::from(played.last.largest());
        Finished { score: played.score as u32, moves: played.moves as u32, largest, fresh: 1 }
    };
    (0..PLAIN.games as u64).map(episode).collect()
}

#[test]
fn one_warp_learns_as_the_processor_does() {
    for (game, tuples) in networks() {
        for settings in [
            PLAIN,
            Settings { trace: 6, lambda: 0.6, ..PLAIN },
            Settings { coherent: true, rate: 1.0, ..PLAIN },
            Settings { coherent: true, rate: 0.5, trace: 5, lambda: 0.5, ..PLAIN },
            Settings { staged: false, ..PLAIN },
        ] {
            let weights = real_weights(&tuples);
            let mut network = Network::new(&game, tuples.clone(), 0.0).unwrap();
            network.use_stages(settings.staged);
            for (word, weight) in network.weights().iter().zip(&weights) {
                word.store(weight.to_bits(), Ordering::Relaxed);
            }
            let learned = learn_on_host(&game, &tuples, &settings, weights);
            let sums = RefCell::new(vec![(0.0, 0.0); learned.weights.len()]);
            let worst = Cell::new(0.0);
            let afters = learned.afters.iter();
            let policy = Box::new(Replay { network: &network, afters, worst: &worst });
            let (rate, lambda) = (settings.rate, settings.lambda);
            let expected = if settings.coherent {
                let update = TcAtOnce { rate, sums: &sums };
                games(&game, TdLearner::new(&game, &network, update, lambda).with_policy(policy))
            } else {
                let update = Td { rate };
                games(&game, TdLearner::new(&game, &network, update, lambda).with_policy(policy))
            };
            assert!(worst.get() <= 1e-5, "a move that loses {}", worst.get());
            assert_eq!(learned.games, expected);
            let mut changed = 0;
            for (at, (found, word)) in learned.weights.iter().zip(network.weights()).enumerate() {
                let expected = load(word);
                let close = (found - expected).abs() <= 2e-3 + 1e-4 * expected.abs();
                assert!(close, "weight {at}: {found} instead of {expected}");
                changed += u32::from(expected != 0.0);
            }
            assert!(changed > 1_000);
            if !settings.staged {
                let later = &learned.weights[tuples.stage_weights() as usize..];
                assert!(later.iter().all(|&weight| weight == 0.0));
            }
            for (found, expected) in learned.coherence.iter().zip(&*sums.borrow()) {
                let close = |a: f32, b: f32| (a - b).abs() <= 1e-2 + 1e-3 * b.abs();
                assert!(close(found.0, expected.0) && close(found.1, expected.1));
            }
        }
    }
}

#[test]
fn weights_of_few_tiles_change_rarely_or_never() {
    let (game, tuples) = networks().swap_remove(0);
    let weights = real_weights(&tuples);
    // The indices with fewer than three tiles, by the plain definition of an index.
    let mut crowded = vec![false; weights.len()];
    let layout = tuples.cells().iter().zip(tuples.offsets()).zip(tuples.permutations());
    for ((cells, begin), permutation) in layout {
        for index in 0..16u32.pow(cells.len() as u32) {
            let tiles = (0..cells.len()).filter(|&digit| index >> (4 * digit) & 15 != 0).count();
            crowded[begin as usize + permutation.place(index) as usize] = tiles < 3;
        }
    }
    // At all moves, at one in 64, never.
    let changed = [0, 63, u32::MAX].map(|mask| {
        let settings = Settings { min_tiles: 3, crowded: mask, ..PLAIN };
        let learned = learn_on_host(&game, &tuples, &settings, weights.clone());
        let changed = |at: &usize| learned.weights[*at] != weights[*at];
        let (many, few): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).filter(changed).partition(|&at| !crowded[at]);
        assert!(many.len() > 1_000);
        few.len()
    });
    assert!(changed[0] > 2 * changed[1] && changed[1] > 0 && changed[2] == 0, "{changed:?}");
}

#[test]
fn a_carousel_starts_games_at_every_stage_in_turn() {
    let (game, tuples) = networks().swap_remove(0);
    let settings = Settings { starts: Starts::Carousel, games: 400, rate: 0.5, ..PLAIN };
    let learned = learn_on_host(&game, &tuples, &settings, vec![0.0; tuples.weights() as usize]);
    let late = learned.games.iter().filter(|result| result.fresh == 0).count();
    // Games soon reach the first stage, so that every second one starts there.
    assert!(late > 50, "{late}");
    let reached = |result: &&Finished| 1u64 << result.largest >= CAROUSEL[0] / 2;
    let later = learned.games.iter().filter(|result| result.fresh == 0);
    assert_eq!(later.clone().filter(reached).count(), later.count());
}

#[test]
fn every_second_game_restarts_in_the_middle_of_the_one_before() {
    let (game, tuples) = networks().swap_remove(0);
    let settings = Settings { starts: Starts::Restart, games: 40, ..PLAIN };
    let learned = learn_on_host(&game, &tuples, &settings, real_weights(&tuples));
    let fresh: Vec<u32> = learned.games.iter().map(|result| result.fresh).collect();
    assert_eq!(fresh, [1, 0].repeat(20));
    // The first afterstate of a restarted game is one move after the middle of the game before.
    let mut first = 0;
    let sum = |board: &Board| game.progress(board);
    for pair in learned.games.chunks(2) {
        let [before, after] = pair else { panic!() };
        let restarted = first + before.moves as usize;
        let middle = first + before.moves.div_ceil(2) as usize - 1;
        // Between these afterstates one tile was dealt, and a move makes none.
        let dealt = sum(&learned.afters[restarted]) - sum(&learned.afters[middle]);
        assert!(dealt == 2 || dealt == 4, "{dealt}");
        first = restarted + after.moves as usize;
    }
}

/// Boards with tiles of 65,536 and beyond, and those that make one.
#[test]
fn large_tiles_slide_by_the_rules() {
    let (game, tuples) = networks().swap_remove(0);
    let kernels = KernelNetwork::new(&game, &tuples).unwrap();
    let source = Program::Evaluate(Expectimax::GREEDY).source(&kernels) + SLIDE;
    let library = Library::compile(&source);
    let rows = game.rows();
    let mut rng = Rng::stream(4, 0);
    for _ in 0..1_000_000 {
        let powers: [u8; 16] = std::array::from_fn(|_| match rng.below(3) {
            0 => 0,
            1 => 14 + rng.below(4) as u8,
            _ => rng.below(18) as u8,
        });
        let mut board = Board::default();
        for (cell, &power) in powers.iter().enumerate() {
            board = board.with(cell / 4, cell % 4, power);
        }
        let mut expected = [None; 4];
        let _ = game.try_moves(&board, |mv, step| {
            expected[mv as usize] = Some((step.after, step.reward));
            ControlFlow::<()>::Continue(())
        });
        for (mv, expected) in expected.into_iter().enumerate() {
            assert_eq!(library.slide(&rows, board, mv), expected, "{board:?} {mv}");
        }
    }
}

/// One move of one lane, for the test above.
const SLIDE: &str = "
extern \"C\" int slide(const u32 *rows, u64 tiles, u32 big, int move, u64 *after, u32 *after_big, u32 *points) {
    Board view = {turned(tiles, move), gathered(turned(spread(big), move))};
    Slid slid = slide_rows(rows, view);
    *after = turned_back(slid.board.tiles, move);
    *after_big = gathered(turned_back(spread(slid.board.big), move));
    *points = slid.points;
    return slid.legal;
}
";
