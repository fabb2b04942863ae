//! `RulesError`: why some rules cannot be played.

/// Rules that make no game: what was met and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("met {met}, expected {expected}")]
pub struct RulesError {
    met: String,
    expected: String,
}

impl RulesError {
    /// The error that says: met this, expected that.
    pub fn new(met: impl Into<String>, expected: impl Into<String>) -> RulesError {
        RulesError {
            met: met.into(),
            expected: expected.into(),
        }
    }
}
