//! Replays are verified by the engine of their rules.

use afterstate_session::{GameSession, Replay, ReplayError};

use crate::open;

/// Verifies a replay: plays it and checks every move and the score. The session is at its end.
pub fn verify(replay: &Replay) -> Result<GameSession, ReplayError> {
    replay.verify(|rules, seed, board| open(rules).session(seed, board))
}
