//! The kernels of 1010! against the rules and the batch learner of the processor.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use afterstate_core::{Rng, Symmetry as _};
use afterstate_cuda::{
    Average, AverageParams, BatchParams, Finished, TenTenGame, TenTenNetwork, TenTenPlays,
    UnsupportedTenTen, key,
};
use afterstate_games::reward::{Objective, survival};
use afterstate_games::tenten::{After, Board, Placement, TenTen};
use afterstate_games::{Cells as _, ReferenceTuples, Tuples};
use afterstate_learn::{Batch, BatchGame, BatchLearner, Coherence};
use afterstate_values::weights::load;
use afterstate_values::{Network, NetworkPolicy};

use crate::host::Library;

/// Rules with all symmetries and with few, with tuples of every kind of layout: permuted and not,
/// with and without stages, of one cell and with gaps.
fn networks() -> Vec<(TenTen, Tuples)> {
    let network = |spec: &str, stages: &[u64]| {
        let game: TenTen = afterstate_games::spec::parse_rules(&format!("1010:{spec}")).unwrap();
        let (width, cells) = (game.width(), game.cells());
        let square = (0..3).flat_map(|row| (0..3).map(move |column| row * width + column));
        let lists: Vec<Vec<usize>> = vec![
            (0..width).collect(),
            square.collect(),
            (0..cells).step_by(cells / 3).collect(),
            vec![cells - 1, 1],
            vec![cells / 2],
            (0..cells).step_by(cells.div_ceil(17)).collect(),
        ];
        let tuples = Tuples::new(&game, &lists).unwrap().with_stages(stages.to_vec()).unwrap();
        (game, tuples)
    };
    let many: Vec<String> = (0..40).map(|i| format!("p{i}:{}", "#".repeat(1 + i % 5))).collect();
    vec![
        network("10x10,pieces=19", &[32, 42]),
        network("10x10,pieces=18,score=square", &[]),
        network("7x7,pieces=18", &[10, 20, 25]),
        network("5x6,pieces=7", &[12]),
        network(
            "9x10,pieces=dot:#*3+bridge:#.#/###+gap:#.#*2+long:#########+tall:#/#/#/#/#/#",
            &[],
        ),
        network(&format!("6x5,pieces={}", many.join("+")), &[9]),
    ]
}

/// The cells of a board as the kernels have them.
fn words(game: &TenTen, board: Board) -> [u32; 5] {
    let mut words = [0; 5];
    for cell in (0..game.cells()).filter(|&cell| board.get(cell)) {
        let (row, column) = (cell / game.width(), cell % game.width());
        words[row / 2] |= 1 << (16 * (row % 2) + column);
    }
    words
}

fn board_of(game: &TenTen, words: &[u32]) -> Board {
    let full = |&cell: &usize| {
        let (row, column) = (cell / game.width(), cell % game.width());
        words[row / 2] >> (16 * (row % 2) + column) & 1 == 1
    };
    let bits = (0..game.cells()).filter(full).fold(0, |bits, cell| bits | 1 << cell);
    game.board(bits).unwrap()
}

/// A board without full lines; on some, one cell completes a row and a column.
fn random_board(game: &TenTen, rng: &mut Rng) -> Board {
    loop {
        let (density, crossing) = (rng.unit() * 0.8, rng.below(game.cells()));
        let crossed = rng.below(2) == 0;
        let (row, column) = (crossing / game.width(), crossing % game.width());
        let mut full = |cell: usize| {
            let line = cell / game.width() == row || cell % game.width() == column;
            rng.unit() < density && !(crossed && line) || crossed && line && cell != crossing
        };
        let bits = (0..game.cells()).fold(0, |bits, cell| bits | u128::from(full(cell)) << cell);
        if let Some(board) = game.board(bits) {
            return board;
        }
    }
}

#[test]
fn placements_features_and_fits_are_those_of_the_processor() {
    for (game, tuples) in networks() {
        let kernels = TenTenNetwork::new(&game, &tuples).unwrap();
        let library = Library::compile(&(kernels.evaluation_source() + INSPECT));
        let reference = ReferenceTuples::new(&game, &tuples);
        let mut rng = Rng::stream(1, 0);
        let (mut placed, mut cleared, mut terminal) = (0, 0, 0);
        while placed < 10_000 {
            let board = random_board(&game, &mut rng);
            let own = words(&game, board);
            let piece = rng.below(game.pieces().len()) as u8;
            let (probability, places) = library.fit(kernels.tables(), &own, piece);
            let expected = survival(&game, &game.board_after(board));
            assert!((f64::from(probability) - expected).abs() < 1e-6, "{board:?}");
            terminal += u32::from(expected < 1.0);
            let origins = game.origins(board, piece);
            for cell in 0..game.cells() {
                let (row, column) = (cell / game.width(), cell % game.width());
                let bit = places[row / 2] >> (16 * (row % 2) + column) & 1;
                assert_eq!(bit == 1, origins >> cell & 1 == 1, "{board:?} {piece} {cell}");
            }
            assert_eq!(places.map(u32::count_ones).iter().sum::<u32>(), origins.count_ones());
            for at in (0..game.cells() as u8).filter(|at| origins >> at & 1 == 1) {
                let mut found = vec![0; tuples.active_features()];
                let (after, lines) = library.place(kernels.tables(), &own, (piece, at), &mut found);
                let (expected, own_lines) = game.place_unchecked(board, Placement { piece, at });
                assert_eq!(
                    (after, lines),
                    (words(&game, expected), own_lines),
                    "{board:?} {piece} {at}"
                );
                let after = game.board_after(expected);
                let mut indices = vec![0; tuples.active_features()];
                reference.indices(&game, &after, &mut indices);
                tuples.add_stage(|| game.progress(&after), &mut indices);
                found.sort_unstable();
                indices.sort_unstable();
                assert_eq!(found, indices, "{board:?} {piece} {at}");
                placed += 1;
                cleared += u32::from(lines > 1);
            }
        }
        assert!(cleared > 10 && terminal > 100, "{cleared} {terminal}");
    }
}

trait BoardAfter {
    fn board_after(&self, board: Board) -> After;
}

impl BoardAfter for TenTen {
    fn board_after(&self, board: Board) -> After {
        After { board, hand: afterstate_games::tenten::Hand::EMPTY }
    }
}

fn network_with(game: &TenTen, tuples: &Tuples, weights: &[f32]) -> Network<TenTen> {
    let network = Network::new(game, tuples.clone(), 0.0).unwrap();
    for (word, weight) in network.weights().iter().zip(weights) {
        word.store(weight.to_bits(), Ordering::Relaxed);
    }
    network
}

#[test]
fn games_are_those_of_the_processor() {
    for (game, tuples) in networks() {
        let kernels = TenTenNetwork::new(&game, &tuples).unwrap();
        let library = Library::compile(&kernels.evaluation_source());
        // Small whole numbers, whose sums are exact in every order; later stages were hardly updated.
        let mut rng = Rng::stream(3, 0);
        let mut weights: Vec<f32> =
            (0..tuples.weights()).map(|_| rng.below(60) as f32 - 20.0).collect();
        for weight in weights.iter_mut().skip(tuples.stage_weights() as usize).step_by(3) {
            *weight = 0.0;
        }
        let mut results = vec![Finished::default(); 200];
        let mut next = 0u64;
        library.evaluate_tenten(&mut TenTenPlays {
            weights: weights.as_ptr() as u64,
            tables: kernels.tables().as_ptr() as u64,
            results: results.as_mut_ptr() as u64,
            counters: (&raw mut next) as u64,
            key: key(7),
            first: 1_000,
            count: results.len() as u64,
            max_moves: 400,
        });
        let network = network_with(&game, &tuples, &weights);
        let mut ends = 0;
        for (number, result) in (1_000..).zip(results) {
            let (mut rng, mut policy) = (Rng::stream(7, number), NetworkPolicy::new(&network));
            let played = afterstate_core::Episode::play_up_to(400, &game, &mut policy, &mut rng);
            let fresh = u32::from(played.ending == afterstate_core::Ending::Terminal);
            let (score, moves) = (played.score as u32, played.moves as u32);
            assert_eq!(result, Finished { score, moves, largest: 0, fresh }, "game {number}");
            ends += fresh;
        }
        assert!(ends > 50, "{ends} games ended");
    }
}

/// How a network learns.
#[derive(Clone, Copy)]
struct Settings {
    coherent: bool,
    rate: f32,
    objective: Objective,
}

const GAMES: u32 = 24;
const BATCHES: u32 = 120;

#[test]
fn batches_are_learned_as_on_the_processor() {
    let survival = Objective::Survival { points: 20.0, discount: 0.9 };
    for (game, tuples) in networks() {
        for settings in [
            Settings { coherent: true, rate: 1.0, objective: survival },
            Settings { coherent: false, rate: 0.3, objective: survival },
            Settings { coherent: true, rate: 0.7, objective: Objective::Points },
        ] {
            learned_alike(&game, &tuples, settings);
        }
    }
}

fn learned_alike(game: &TenTen, tuples: &Tuples, settings: Settings) {
    let kernels = TenTenNetwork::new(game, tuples).unwrap();
    let library = Library::compile(&kernels.training_source(settings.coherent));
    let first = tuples.stage_weights() as usize;
    let mut rng = Rng::stream(2, 0);
    let weight = |at| if at < first { rng.unit() as f32 * 5.0 } else { 0.0 };
    let mut weights: Vec<f32> = (0..tuples.weights() as usize).map(weight).collect();
    let network = network_with(game, tuples, &weights);
    let mut coherence = vec![(0f32, 0f32); weights.len()];
    let mut errors = vec![0u64; kernels.errors() as usize];
    let mut stamps = vec![0u32; weights.len()];
    let words = kernels.game_bytes() / 4;
    let mut memory = vec![0u32; words * GAMES as usize];
    let mut results = vec![Finished::default(); 10_000];
    let mut counters = [0u64; 3];

    let mut own_coherence = Coherence::new(tuples.weights()).unwrap();
    let mut learner = BatchLearner::new(network.weights().len());
    let new = |number| BatchGame::new(game, number, Rng::stream(5, number));
    let mut games: Vec<BatchGame<TenTen>> = (0..u64::from(GAMES)).map(new).collect();
    let (mut ended, mut moves) = (Vec::new(), 0);
    let worst = Mutex::new(Cell::new(0f32));
    for number in 1..=BATCHES {
        library.batch(&mut BatchParams {
            weights: weights.as_mut_ptr() as u64,
            coherence: coherence.as_mut_ptr() as u64,
            errors: errors.as_mut_ptr() as u64,
            stamps: stamps.as_mut_ptr() as u64,
            tables: kernels.tables().as_ptr() as u64,
            games: memory.as_mut_ptr() as u64,
            results: results.as_mut_ptr() as u64,
            counters: counters.as_mut_ptr() as u64,
            key: key(5),
            first: 0,
            capacity: results.len() as u64,
            game_count: GAMES,
            number,
            rate: settings.rate / tuples.active_features() as f32,
            discount: 0.9,
            survival: 20.0,
            survives: u32::from(settings.objective != Objective::Points),
        });
        // Rounding decides between images of a placement: the processor makes the kernel's moves,
        // if they lose nothing.
        let select =
            |i: usize, choices: &[afterstate_core::policy::Choice<TenTen>], values: &[f32]| {
                let after = board_of(
                    game,
                    &memory[i * words + TenTenGame::BOARD..][..words - TenTenGame::BOARD],
                );
                let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let chosen = choices.iter().position(|(_, step)| step.after.board == after);
                let worst = worst.lock().unwrap();
                let lost = chosen
                    .map_or(f32::INFINITY, |chosen| (best - values[chosen]) / best.abs().max(10.0));
                worst.set(worst.get().max(lost));
                chosen.unwrap_or(0)
            };
        let batch = Batch {
            game,
            network: &network,
            rate: settings.rate,
            coherence: settings.coherent.then_some(&own_coherence),
            objective: settings.objective,
            threads: 1,
        };
        let before = ended.len();
        learner.step_by(&batch, &mut games, select, |number, result| {
            ended.push((result.score as u32, result.moves as u32));
            new(number + u64::from(GAMES))
        });
        moves += u64::from(GAMES) - (ended.len() - before) as u64;
    }
    let worst = worst.lock().unwrap().get();
    assert!(worst <= 1e-4, "a move that loses {worst}");
    let found: Vec<(u32, u32)> =
        results[..counters[1] as usize].iter().map(|game| (game.score, game.moves)).collect();
    assert_eq!(found, ended);
    assert_eq!(u64::from(GAMES * BATCHES) - counters[1], moves);
    assert!(!ended.is_empty());
    assert!(errors.iter().all(|&sum| sum == 0), "errors are left from a batch");
    let mut changed = 0;
    for (at, (found, word)) in weights.iter().zip(network.weights()).enumerate() {
        let expected = load(word);
        let close = (found - expected).abs() <= 2e-3 + 2e-4 * expected.abs();
        assert!(close, "weight {at}: {found} instead of {expected}");
        changed += u32::from(stamps[at] != 0);
    }
    assert!(changed > 500, "{changed}");
    if settings.coherent {
        let sums = own_coherence.memory_mut().bytes_mut().as_chunks::<4>().0;
        let sums = sums.as_chunks::<2>().0.iter().map(|pair| pair.map(f32::from_le_bytes));
        for (found, [signed, absolute]) in coherence.iter().zip(sums) {
            let close = |a: f32, b: f32| (a - b).abs() <= 1e-2 + 1e-3 * b.abs();
            assert!(
                close(found.0, signed) && close(found.1, absolute),
                "{found:?} {signed} {absolute}"
            );
        }
    }
}

#[test]
fn the_mean_of_weights_counts_every_sample_since_a_weight_is_in_use() {
    let library = Library::compile(&Average::source());
    let samples = [[1.0f32, 0.0, -2.0], [3.0, 0.0, -2.5], [8.0, 6.0, -3.0], [0.0, 2.0, -3.5]];
    let mut mean = [0f32; 3];
    for (number, weights) in (1..).zip(samples) {
        library.average(&mut AverageParams {
            mean: mean.as_mut_ptr() as u64,
            weights: weights.as_ptr() as u64,
            count: 3,
            share: 1.0 / number as f32,
            padding: 0,
        });
    }
    assert_eq!(mean, [3.0, 5.0, -2.75]);
}

#[test]
fn other_rules_are_refused_by_name() {
    let rules = |spec: &str| afterstate_games::spec::parse_rules::<TenTen>(spec).unwrap();
    let (three, one) = (rules("1010:10x10,hand=3"), rules("1010:10x10"));
    let tuples = |game: &TenTen| Tuples::new(game, &[vec![0, 1]]).unwrap();
    let refused = |game, tuples| TenTenNetwork::new(game, &tuples).unwrap_err();
    assert_eq!(refused(&three, tuples(&three)), UnsupportedTenTen::Hand(3));
    let other = rules("1010:5x6,pieces=7");
    assert_ne!(other.symmetries(), one.symmetries());
    assert_eq!(refused(&one, tuples(&other)), UnsupportedTenTen::Tuples);
}

/// The parts of one move, for the first test.
const INSPECT: &str = "
extern \"C\" float fit(const u32 *tables, const u32 *rows, u32 piece, u32 *places) {
    Board board;
    for (int i = 0; i < WORDS; i++) board.rows[i] = rows[i];
    Fit fit = fit_of(tables_at(tables), board, piece);
    for (int i = 0; i < WORDS; i++) places[i] = fit.places.rows[i];
    return fit.probability;
}
extern \"C\" u32 place_on(const u32 *tables, const u32 *rows, u32 piece, u32 cell, u32 *after,
                        u32 *indices) {
    Board board;
    for (int i = 0; i < WORDS; i++) board.rows[i] = rows[i];
    Lanes<Board> images = images_of(board);
    u32 lines = 0;
    for (int k = 0; k < SYMMETRIES; k++) {
        Board image = images[k];
        Mask mask = tables_at(tables).masks[(piece * CELLS + cell) * 8 + k];
        u32 filled = filled_cells(board) + tables_at(tables).cells[piece];
        for (int i = 0; i < WORDS; i++) image.rows[i] |= mask.rows[i];
        lines = clear_lines(image, filled);
        if (filled != filled_cells(image)) return 1000;
        tuple_indices(image.rows, stage_of(filled) * STAGE_WEIGHTS, indices + k * TUPLES);
        if (k == 0) for (int i = 0; i < WORDS; i++) after[i] = image.rows[i];
    }
    return lines;
}
";
