//! How much one server does at once: every number that bounds it, in one place.

use std::time::Duration;

/// Bytes of the largest body of a request.
pub(crate) const LARGEST_BODY: usize = 1 << 16;

/// Bytes of the largest replay: a million moves.
pub(crate) const LARGEST_REPLAY: usize = 16 << 20;

/// Connections at a time; more of them wait to be accepted.
pub(crate) const CONNECTIONS: usize = 4_096;

/// How long a client may take to send the head of a request, and then its body.
pub(crate) const SENT_WITHIN: Duration = Duration::from_secs(10);

/// How long streams and trainings may take to end when the server stops.
pub(crate) const END_WITHIN: Duration = Duration::from_secs(10);

/// Games in progress; the one that was left alone for longest makes room for another.
pub(crate) const GAMES: usize = 100;

/// Computations at a time, besides those that wait.
pub(crate) const AT_WORK: usize = 8;

/// Computations that may wait for their turn.
pub(crate) const WAITING: usize = 128;

/// How long one request may let an agent play or search.
pub(crate) const LONGEST_TURN: Duration = Duration::from_millis(2_000);

/// The deepest search that the page may ask for: deeper ones take minutes a move.
pub(crate) const MAX_PLIES: u32 = 5;

/// Moves that an agent makes within one request.
pub(crate) const MAX_MOVES: u64 = 1_000_000;

/// Agents side by side.
pub(crate) const LANES: usize = 6;

/// Shows at a time.
pub(crate) const SHOWS: usize = 12;

/// Trainings at a time that the page has started.
pub(crate) const TRAININGS: usize = 2;

/// Runs in one chart.
pub(crate) const COMPARED: usize = 7;

/// Characters of anything that is a name or a line: rules, agents, searches, settings.
pub(crate) const LONGEST_WORD: usize = 2_000;
