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

/// Concurrent computations.
pub(crate) const WORKERS: usize = 8;

/// Computations that wait for a worker.
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

/// Concurrent trainings that the page has started.
pub(crate) const MAX_TRAININGS: usize = 2;

/// Runs in one chart.
pub(crate) const MAX_CHART_RUNS: usize = 7;

/// Games that measure the agent of a training.
pub(crate) const MAX_MEASURE_GAMES: u64 = 10_000;

/// Bytes of rules, of an agent's name and of a recipe's setting.
pub(crate) const MAX_TEXT: usize = 2_000;
