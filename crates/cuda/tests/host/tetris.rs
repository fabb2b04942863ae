//! The kernel of Tetris against the features and games of the processor, bit by bit.

use std::ops::ControlFlow;

use afterstate_core::{Game as _, Rng};
use afterstate_cuda::{
    LinearTetris, TetrisGame, TetrisJob, TetrisPlays, TetrisResult, UnsupportedTetris, key,
};
use afterstate_games::pieces::parse_pieces;
use afterstate_games::spec::Spec as _;
use afterstate_games::tetris::{Board, Overflow, Setup, State, Tetris};
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};

use crate::host::Library;

/// Pieces with gaps, of up to five columns, and of different probability.
const PIECES: &str = "dot:#*3+bridge:#.#/###+gap:#.#*2+five:#####+T:###/.#.+fork:#.#.#/#####";

fn well(width: usize, height: usize) -> Tetris {
    Tetris::new(Setup::sized(width, height)).unwrap()
}

fn other_pieces(width: usize, height: usize) -> Tetris {
    let pieces = parse_pieces(PIECES).unwrap();
    Tetris::new(Setup { pieces, ..Setup::sized(width, height) }).unwrap()
}

/// A board whose columns have about the same height, without full rows. Some boards have rows that
/// all lack the same cell, so that a piece clears several of them.
fn random_board(game: &Tetris, rng: &mut Rng) -> Board {
    let &Setup { width, height, .. } = game.setup();
    let (fill, gap) = (rng.below(height + 1), rng.below(width));
    let dense = rng.below(3) == 0;
    let density = if dense { 0.99 } else { rng.unit() };
    let mut board = Board::default();
    for row in 0..height {
        let full = |rng: &mut Rng, column: usize| {
            row < fill + rng.below(5) && rng.unit() < density && !(dense && column == gap)
        };
        let mut cells: Vec<bool> = (0..width).map(|column| full(rng, column)).collect();
        cells[gap] &= cells.contains(&false);
        for column in (0..width).filter(|&column| cells[column]) {
            board = board.with(row, column);
        }
    }
    board
}

fn ten(board: &Board) -> [u32; 10] {
    std::array::from_fn(|column| board.columns()[column])
}

/// Every placement on random boards: half a million for each set.
#[test]
fn features_are_those_of_the_processor() {
    let mut rng = Rng::stream(1, 0);
    for set in ["dt", "dt6"] {
        let wells = [well(10, 20), well(10, 10), well(4, 5), well(7, 28), other_pieces(9, 12)];
        for game in wells {
            let features = game.features(set).unwrap();
            let kernel = LinearTetris::new(&game, set).unwrap();
            let library = Library::compile(&(kernel.source() + DROP));
            let (mut seen, mut cleared) = (0, 0);
            while seen < 100_000 {
                let board = random_board(&game, &mut rng);
                let piece = rng.below(game.setup().pieces.len()) as u8;
                let state = State { board, piece, next: None };
                let stamps = &game.form(piece).stamps;
                let found = |number| library.drop(kernel.stamps(), &ten(&board), piece, number);
                let mut found = (0..stamps.len()).filter_map(found);
                let _ = game.try_moves(&state, |mv, step| {
                    let (after, lines, own) = found.next().unwrap();
                    let mut expected = [0.0; 9];
                    features.describe(&game, &state, &(mv, step), &mut expected);
                    let (own, expected) = (own.map(f32::to_bits), expected.map(f32::to_bits));
                    let text = || game.setup().clone();
                    assert_eq!(after, ten(&step.after.board), "{:?} {board:?} {mv:?}", text());
                    assert_eq!(lines as f32, step.reward);
                    assert_eq!(own, expected, "{:?} {board:?} {mv:?}", text());
                    seen += 1;
                    cleared += u32::from(lines > 1);
                    ControlFlow::<()>::Continue(())
                });
                assert!(found.next().is_none(), "a drop that loses the game");
            }
            assert!(cleared > 100, "{cleared} placements cleared rows at once");
        }
    }
}

/// What plays: weights of the nine features, and the weight of the reward.
struct Plan {
    reward: f32,
    max_score: f64,
    max_moves: u64,
    candidates: Vec<[f32; 9]>,
}

/// Weights of published and of random controllers, and those that make every placement equal.
fn candidates() -> Vec<[f32; 9]> {
    let mut rng = Rng::stream(9, 0);
    let good = [-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48, 0.89];
    let mut all = vec![good, [0.0; 9], [-0.0; 9]];
    all.push([-1.0, 1.0, -1.0, -1.0, -4.0, -1.0, 0.0, 0.0, 0.0]);
    for _ in 0..4 {
        all.push(good.map(|weight| weight + 3.0 * (rng.unit() as f32 - 0.5)));
    }
    all
}

/// As many games per candidate, on so many warps with so many moves per launch.
fn play(game: &Tetris, set: &str, plan: &Plan, games: u64, shape: (u32, u32)) -> Vec<TetrisResult> {
    let kernel = LinearTetris::new(game, set).unwrap();
    let library = Library::compile(&kernel.source());
    let (game_count, steps) = shape;
    let weights: Vec<f32> =
        plan.candidates.iter().flat_map(|all| &all[..kernel.features()]).copied().collect();
    let candidates = 0..plan.candidates.len() as u32;
    let jobs: Vec<TetrisJob> = candidates
        .flat_map(|candidate| (0..games).map(move |game| TetrisJob { game, candidate, padding: 0 }))
        .collect();
    let mut memory = vec![0u64; TetrisGame::bytes(game.setup().width) / 8 * game_count as usize];
    let mut results = vec![TetrisResult::default(); jobs.len()];
    let mut all = Vec::new();
    let mut next = 0;
    while all.len() < jobs.len() {
        let mut counters = [next, 0u64, 0];
        library.play_tetris(&mut TetrisPlays {
            weights: weights.as_ptr() as u64,
            stamps: kernel.stamps().as_ptr() as u64,
            jobs: jobs.as_ptr() as u64,
            games: memory.as_mut_ptr() as u64,
            results: results.as_mut_ptr() as u64,
            counters: counters.as_mut_ptr() as u64,
            key: key(11),
            max_score: plan.max_score.ceil() as u64,
            max_moves: plan.max_moves,
            job_count: jobs.len() as u32,
            game_count,
            steps,
            reward: plan.reward,
        });
        next = counters[0];
        all.extend_from_slice(&results[..counters[1] as usize]);
    }
    all.sort_by_key(|result| result.job);
    all
}

/// The same games on the processor.
fn expected(game: &Tetris, set: &str, plan: &Plan, games: u64) -> Vec<TetrisResult> {
    let features = game.features(set).unwrap();
    let count = features.names().len();
    let mut results = Vec::new();
    for weights in &plan.candidates {
        let policy = WeightedFeatures {
            features: &*features,
            reward: plan.reward,
            weights: &weights[..count],
        };
        for number in 0..games {
            let mut own = ResumableGame::new(game, Rng::stream(11, number));
            let ended = own.advance(game, &policy, plan.max_moves, plan.max_score, |_, _| {});
            let lost = ended && own.score < plan.max_score;
            let job = results.len() as u32;
            let score = own.score as u64;
            results.push(TetrisResult { score, moves: own.moves, job, lost: u32::from(lost) });
        }
    }
    results
}

#[test]
fn games_are_those_of_the_processor() {
    let lines = |all: &[TetrisResult]| all.iter().map(|result| result.score).sum::<u64>();
    let plan = |reward, max_score, max_moves| Plan {
        reward,
        max_score,
        max_moves,
        candidates: candidates(),
    };
    let endless = f64::INFINITY;
    // The set, the well, the plan and the games of each of eight candidates.
    let cases = [
        ("dt", well(10, 20), plan(0.0, endless, 150), 20),
        ("dt6", well(10, 20), plan(-3.5, endless, 150), 10),
        ("dt", well(10, 10), plan(0.0, 30.0, 2_000), 20),
        ("dt6", well(10, 6), plan(1.5, endless, 2_000), 25),
        ("dt", well(6, 8), plan(0.0, 25.5, 2_000), 20),
        ("dt6", well(4, 4), plan(0.0, endless, 2_000), 15),
        ("dellacherie", well(8, 9), plan(0.0, endless, 300), 10),
        ("dt", other_pieces(9, 9), plan(0.5, endless, 300), 10),
    ];
    for (set, game, plan, games) in cases {
        let found = play(&game, set, &plan, games, (5, 1_000));
        let expected = expected(&game, set, &plan, games);
        assert_eq!(found, expected, "{set} on {:?}", game.setup());
        assert!(lines(&found) > 100, "{} lines", lines(&found));
    }
}

/// Games that are left after every few moves, with more or fewer warps than games.
#[test]
fn unfinished_games_continue_in_the_next_launch() {
    let game = well(10, 6);
    let plan = Plan { reward: 0.0, max_score: 12.0, max_moves: 60, candidates: candidates() };
    let expected = expected(&game, "dt", &plan, 4);
    for shape in [(1, 1), (3, 7), (40, 2), (32, 1_000)] {
        assert_eq!(play(&game, "dt", &plan, 4, shape), expected, "{shape:?}");
    }
    let lost = expected.iter().filter(|result| result.lost == 1).count();
    assert!(lost > 0 && lost < expected.len(), "{lost} games were lost");
}

#[test]
fn other_rules_are_refused_by_name() {
    let refused = |setup, set| LinearTetris::new(&Tetris::new(setup).unwrap(), set).unwrap_err();
    let sized = Setup::sized(10, 20);
    assert_eq!(refused(Setup::sized(11, 20), "dt"), UnsupportedTetris::Size(11, 20));
    assert_eq!(refused(Setup::sized(10, 29), "dt"), UnsupportedTetris::Size(10, 29));
    let clear = Setup { overflow: Overflow::ClearFirst, ..sized.clone() };
    assert_eq!(refused(clear, "dt"), UnsupportedTetris::Overflow);
    let preview = Setup { preview: true, ..sized.clone() };
    assert_eq!(refused(preview, "dt"), UnsupportedTetris::Preview);
    let other = UnsupportedTetris::Features("bertsekas".to_owned());
    assert_eq!(refused(sized, "bertsekas"), other);
}

/// One placement of one lane, for the first test.
const DROP: &str = "
extern \"C\" int drop_on(const u32 *stamps, const u32 *board, u32 piece, u32 number, u32 *after,
                       u32 *lines, float *features) {
    const u32 *stamp = stamps_of(stamps, piece) + number / LANES * (STAMP * LANES) + number % LANES;
    Landed landed = {};
    Features found = {};
    if (!drop(stamp, measured(board), landed, found)) return 0;
    for (int i = 0; i < WIDTH; i++) after[i] = landed.well.columns[i];
    for (int k = 0; k < 9; k++) features[k] = found.of[k];
    *lines = landed.lines;
    return measured(landed.well.columns).heights == landed.well.heights ? 1 : -1;
}
";
