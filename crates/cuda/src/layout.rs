//! The structures that the host and the kernels share.

use crate::source::CAROUSEL;

/// The settings and addresses of a launch of the training kernel: `Training` in `train.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// The weights.
    pub weights: u64,
    /// The sums of temporal coherence, or 0.
    pub coherence: u64,
    /// The rows of a board, slid.
    pub rows: u64,
    /// The games in progress.
    pub games: u64,
    /// The first states of each game, or 0.
    pub history: u64,
    /// Where results are written.
    pub results: u64,
    /// The next game, the results, the moves.
    pub counters: u64,
    /// The seed of all games, mixed once.
    pub key: u64,
    /// How many results there is room for.
    pub capacity: u64,
    /// The number of games at once.
    pub game_count: u32,
    /// The moves of each game.
    pub steps: u32,
    /// Weights of fewer tiles stay as they are.
    pub min_tiles: u32,
    /// Where games start: a number of [`Starts`].
    pub starts: u32,
    /// The afterstates that an error changes.
    pub trace: u32,
    /// The learning rate of one weight.
    pub rate: f32,
    /// The decay of the trace.
    pub lambda: f32,
    /// Sums of coherence change at moves whose random bits have none of these: 2^n - 1 for one move
    /// in 2^n.
    pub skipped: u32,
    /// Weights of few tiles change at moves whose random bits have none of these.
    pub crowded: u32,
    /// How many states of a game there is room for.
    pub history_length: u32,
    /// 1 if later stages learn weights of their own, 0 if all boards learn those of the first.
    pub staged: u32,
}

/// Where games start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Starts {
    /// At a starting state.
    Fresh = 0,
    /// Every second one in the middle of the game before.
    Restart = 1,
    /// In turn at a starting state and at every later stage that the warp has reached.
    Carousel = 2,
}

impl Starts {
    /// The states that are kept of each game for restarts: half the length of the longest games.
    pub const HISTORY: usize = 1 << 15;

    /// The bytes of such a state.
    pub const STATE_BYTES: usize = 16;
}

/// The settings and addresses of a launch of the evaluation kernel: `Evaluation` in `evaluate.cu` and
/// `evaluate_tenten.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plays {
    /// The weights.
    pub weights: u64,
    /// The tables of the rules: in 2048 the rows of a board, slid.
    pub rows: u64,
    /// The games in progress.
    pub games: u64,
    /// Where results are written, in the order of the games.
    pub results: u64,
    /// The transposition table of a search: two words per entry.
    pub table: u64,
    /// The number of its entries, a power of two, less one.
    pub table_mask: u64,
    /// The games taken so far, those that are over, and the moves.
    pub counters: u64,
    /// The seed of all games, mixed once.
    pub key: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games are played.
    pub count: u64,
    /// Games are truncated after so many moves.
    pub max_moves: u64,
    /// The launch ends after this time.
    pub nanoseconds: u64,
    /// The number of games at once.
    pub game_count: u32,
    /// The moves of each game in the launch.
    pub steps: u32,
}

/// The bytes of a game in progress: `Playing` in `evaluate.cu`. All zero is none.
pub const PLAYING_BYTES: usize = 8 * (4 + 2) + 4 * 6;

/// A game that has ended: `Result` in `ntuple.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// The sum of its rewards.
    pub score: u32,
    /// Its moves.
    pub moves: u32,
    /// The power of its largest tile.
    pub largest: u32,
    /// In training, 1 if it began at a starting state; in an evaluation, 0 if it was truncated.
    pub fresh: u32,
}

/// A game in progress: `Game` in `train.cu`. All zero is a game that has not begun.
#[derive(Clone, Copy, Debug)]
pub struct Game;

impl Game {
    /// The newest afterstate comes after the generator and the board, in words of 64 bits.
    pub const AFTERSTATE: usize = 5;

    /// Its bytes, with a trace of this length.
    pub const fn bytes(trace: usize) -> usize {
        let long = 4 + 1 + trace + CAROUSEL.len();
        let short = 1 + trace + CAROUSEL.len() + trace + 8;
        (8 * long + 4 * short).next_multiple_of(8)
    }
}

/// The settings and addresses of a launch of 1010!: `Evaluation` in `evaluate_tenten.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TenTenPlays {
    /// The weights.
    pub weights: u64,
    /// The tables of the rules.
    pub tables: u64,
    /// Where results are written, in the order of the games.
    pub results: u64,
    /// The number of games taken so far.
    pub counters: u64,
    /// The seed of all games, mixed once.
    pub key: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games are played.
    pub count: u64,
    /// Games are truncated after so many moves.
    pub max_moves: u64,
}

/// The settings and addresses of a launch of Tetris: `Population` in `play_tetris.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TetrisPlays {
    /// The weights of each candidate, one after the other.
    pub weights: u64,
    /// The placements of each piece.
    pub stamps: u64,
    /// The games to play.
    pub jobs: u64,
    /// The games in progress.
    pub games: u64,
    /// Where results are written: as many as jobs.
    pub results: u64,
    /// The next job, the results, the moves.
    pub counters: u64,
    /// The seed of all games, mixed once.
    pub key: u64,
    /// Games are truncated when they reach this score.
    pub max_score: u64,
    /// Games are truncated after so many moves.
    pub max_moves: u64,
    /// The number of jobs.
    pub job_count: u32,
    /// The number of games at once.
    pub game_count: u32,
    /// The moves of each game.
    pub steps: u32,
    /// The weight of the reward.
    pub reward: f32,
}

/// A game of Tetris to play: `Job` in `play_tetris.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TetrisJob {
    /// It draws from the stream (seed, game).
    pub game: u64,
    /// Whose weights play it.
    pub candidate: u32,
    /// The end of the structure is aligned.
    pub padding: u32,
}

/// A game of Tetris that is over: `Result` in `play_tetris.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TetrisResult {
    /// The lines.
    pub score: u64,
    /// Its moves.
    pub moves: u64,
    /// The number of its job.
    pub job: u32,
    /// 1 if it was lost, 0 if it was truncated.
    pub lost: u32,
}

/// A game of Tetris in progress: `Game` in `play_tetris.cu`. All zero is none.
#[derive(Clone, Copy, Debug)]
pub struct TetrisGame;

impl TetrisGame {
    /// Its bytes, in a well of this width.
    pub const fn bytes(width: usize) -> usize {
        (8 * (4 + 2) + 4 * (width + 3)).next_multiple_of(8)
    }
}

/// The settings and addresses of a batch of 1010!: `Batch` in `train_tenten.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BatchParams {
    /// The weights.
    pub weights: u64,
    /// The sums of temporal coherence, or 0.
    pub coherence: u64,
    /// The sums of errors and their numbers, all zero between batches.
    pub errors: u64,
    /// The last batch that changed each weight.
    pub stamps: u64,
    /// The tables of the rules.
    pub tables: u64,
    /// The games in progress.
    pub games: u64,
    /// Where results are written.
    pub results: u64,
    /// The second is the number of games that have ended.
    pub counters: u64,
    /// The seed of all games, mixed once.
    pub key: u64,
    /// The number of the first game of the first warp.
    pub first: u64,
    /// How many results there is room for.
    pub capacity: u64,
    /// The number of games at once.
    pub game_count: u32,
    /// The number of the batch, from 1.
    pub number: u32,
    /// The learning rate of one weight.
    pub rate: f32,
    /// The discount factor of survival.
    pub discount: f32,
    /// The points of a round to come.
    pub survival: f32,
    /// Whether survival is learned (1) or points (0).
    pub survives: u32,
}

/// A game of 1010! in progress: `Game` in `train_tenten.cu`. All zero is a game that has not begun.
#[derive(Clone, Copy, Debug)]
pub struct TenTenGame;

impl TenTenGame {
    /// The words of the board come after the generator, in words of 32 bits.
    pub const BOARD: usize = 8;

    /// Its bytes, on a board of this height.
    pub const fn bytes(height: usize) -> usize {
        (8 * 4 + 4 * (2 * height.div_ceil(2) + 7)).next_multiple_of(8)
    }
}

/// The settings and addresses of a launch of `average.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AverageParams {
    /// The mean so far.
    pub mean: u64,
    /// The weights.
    pub weights: u64,
    /// Their number.
    pub count: u64,
    /// The share of this sample.
    pub share: f32,
    /// The end of the structure is aligned.
    pub padding: u32,
}

/// The key of a seed: `Rng::stream` in `core` mixes it once.
pub fn key(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
