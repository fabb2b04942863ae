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
    /// Whether games start at later stages, too.
    pub carousel: u32,
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
    /// The end of the structure is aligned.
    pub padding: u32,
}

/// The settings and addresses of a launch of the evaluation kernel: `Evaluation` in `evaluate.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plays {
    /// The weights.
    pub weights: u64,
    /// The rows of a board, slid.
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

/// The key of a seed: `Rng::stream` in `core` mixes it once.
pub fn key(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
