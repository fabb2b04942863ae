//! `RulesError`: why a size, a piece set or an option makes no rules value.

use afterstate_core::TextError;

/// One sentence that names what was met and what was expected.
///
/// ```
/// use afterstate_games::RulesError;
/// let error = RulesError::new("a hand of 4 pieces", "1 to 3");
/// assert_eq!(error.to_string(), "met a hand of 4 pieces, expected 1 to 3");
/// ```
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
#[error("{0}")]
pub struct RulesError(String);

impl RulesError {
    /// The error of one part of the rules.
    pub fn new(met: impl Into<String>, expected: impl Into<String>) -> RulesError {
        TextError::new(met, expected).into()
    }
}

impl From<TextError> for RulesError {
    fn from(error: TextError) -> RulesError {
        RulesError(error.to_string())
    }
}
