//! Every limit of the server.

use std::time::Duration;

/// Bytes in the body of a request.
pub(crate) const MAX_BODY: usize = 1 << 16;

/// Bytes of a replay: enough for a million moves.
pub(crate) const MAX_REPLAY: usize = 16 << 20;

/// Open connections; further ones wait to be accepted.
pub(crate) const MAX_CONNECTIONS: usize = 4_096;

/// Time for a client to send the headers of a request, and again for its body.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for streams and trainings to end when the server stops.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Games in progress; a new one evicts the least recently used.
pub(crate) const MAX_GAMES: usize = 100;

/// Time for a client to take more of a response, or none is sent any more.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Replays that are received or read at once; further ones wait.
pub(crate) const MAX_UPLOADS: usize = 4;

/// Concurrent computations of one kind: short ones, and those in which agents think.
pub(crate) const WORKERS: usize = 8;

/// Computations of one kind that wait for a worker.
pub(crate) const MAX_QUEUE: usize = 128;

/// Time for an agent to play or search in one request.
pub(crate) const MAX_COMPUTE_TIME: Duration = Duration::from_millis(2_000);

/// Plies of a search: deeper ones take minutes per move.
pub(crate) const MAX_PLIES: u32 = 5;

/// Moves by an agent in one request.
pub(crate) const MAX_MOVES: u64 = 1_000_000;

/// Boards of a stream.
pub(crate) const MAX_BOARDS: usize = 6;

/// Streams that are being watched.
pub(crate) const MAX_STREAMS: usize = 12;

/// Streams that are kept, watched or not; a new one evicts the least recently used.
pub(crate) const MAX_STORED_STREAMS: usize = 48;

/// Agents that stay loaded.
pub(crate) const MAX_LOADED: usize = 12;

/// Browsers that a link has let in; a new one evicts the first.
pub(crate) const MAX_COOKIES: usize = 64;

/// Concurrent trainings that the page has started.
pub(crate) const MAX_TRAININGS: usize = 2;

/// Runs in the folder of runs; with more, the page starts no training.
pub(crate) const MAX_RUNS: usize = 1_000;

/// Bytes of disk that all runs in the folder of runs may take, with what trainings that run may write.
pub(crate) const MAX_TRAINING_DISK: u64 = 20 << 30;

/// Bytes of disk that a training leaves free.
pub(crate) const MIN_FREE_DISK: u64 = 1 << 30;

/// Bytes of disk for the metrics of a training, in two formats: more is thinned out.
pub(crate) const METRICS_DISK: u64 = 512 << 20;

/// Runs in one chart.
pub(crate) const MAX_CHART_RUNS: usize = 7;

/// Games that measure the agent of a training.
pub(crate) const MAX_MEASURE_GAMES: u64 = 10_000;

/// Settings of a training.
pub(crate) const MAX_SETTINGS: usize = 64;

/// Bytes of rules, of an agent's name and of a recipe's setting.
pub(crate) const MAX_TEXT: usize = 2_000;
