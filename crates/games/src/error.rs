//! `RulesError`: why a size, a piece set or an option makes no rules value.

use afterstate_core::TextError;

/// One sentence that names the invalid part of the rules and what is valid.
///
/// ```
/// use afterstate_games::twenty48::Twenty48;
/// let error = Twenty48::new(9, 9, 0.1).err().unwrap();
/// assert_eq!(error.to_string(), "invalid board size 9x9: 2048 supports 2x2 to 4x4");
/// ```
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
#[error("{0}")]
pub struct RulesError(String);

impl RulesError {
    /// The error with a sentence.
    pub fn new(sentence: impl Into<String>) -> RulesError {
        RulesError(sentence.into())
    }
}

impl From<TextError> for RulesError {
    fn from(error: TextError) -> RulesError {
        RulesError(error.to_string())
    }
}
