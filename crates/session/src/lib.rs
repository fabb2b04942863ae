//! A game in progress, for everyone who shows one: terminal, page, animation and replay.
//!
//! A session undoes and redoes moves: chance outcomes are the same after the same moves. It keeps
//! the last thousand snapshots for undo, and four bytes for each of the first million moves, from
//! which it recovers earlier positions and makes a [`Replay`]; a longer game continues without a
//! replay. So a session never takes more than a few MiB.

pub mod board_json;
mod hints;
mod replay;
mod session;
mod snapshot;
mod tally;
mod typed;
mod view;

pub use hints::{Hint, Hints};
pub use replay::{Replay, ReplayError};
pub use session::{GameSession, Session, SessionError, open};
pub use snapshot::agent_rng;
pub use tally::{Tally, TallySummary};
pub use typed::{KEPT, MAX_RECORDED};
pub use view::{Last, Offer, View};

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
