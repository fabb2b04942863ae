//! The options of a spec as a bag of choices that a game takes from.

use afterstate_core::TextError;
use afterstate_core::text::parse_number;

use super::GameSpec;
use crate::RulesError;
use crate::pieces::{NamedSet, Piece, find_set, parse_pieces};

/// One option of a game's rules.
#[derive(Clone, Copy, Debug)]
pub struct OptionHelp {
    /// How it is written, such as `four=P` or `next`.
    pub usage: &'static str,
    /// What it is when it is not given.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

impl OptionHelp {
    /// The word before `=`.
    fn key(&self) -> &'static str {
        self.usage.split('=').next().unwrap_or(self.usage)
    }
}

/// The usage of the option that every game has.
pub(crate) const SIZE: &str = "WIDTHxHEIGHT";

/// Why a text is not a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no such game.
    #[error("unknown game {name:?}: the games are {games}")]
    UnknownGame {
        /// What stood before the colon.
        name: String,
        /// All that may stand there.
        games: String,
    },
    /// The game has no such option.
    #[error("{game} has no option {option:?}: its options are {options}")]
    UnknownOption {
        /// The game.
        game: &'static str,
        /// What was met.
        option: String,
        /// All that there are.
        options: String,
    },
    /// The option has no such value.
    #[error("{game}: option {option}: {error}")]
    Value {
        /// The game.
        game: &'static str,
        /// The option.
        option: String,
        /// What was met and what was expected.
        error: TextError,
    },
    /// The options are well written, but no game can be played by them.
    #[error("{game}: {error}")]
    Rules {
        /// The game.
        game: &'static str,
        /// What was met and what was expected.
        error: RulesError,
    },
}

impl SpecError {
    pub(super) fn unknown_game(name: &str) -> SpecError {
        let games = GameSpec::ALL.map(|game| game.name).join(", ");
        SpecError::UnknownGame { name: name.chars().take(40).collect(), games }
    }
}

/// The options of one spec, each taken once by the game that understands it.
#[derive(Debug)]
pub struct Choices {
    game: &'static str,
    size: Option<(usize, usize)>,
    /// Key, and the value if there is one.
    rest: Vec<(&'static str, Option<String>)>,
}

impl Choices {
    /// Sorts the options of a spec by the list of what the game takes.
    pub(super) fn parse(
        game: &'static str,
        known: &'static [OptionHelp],
        text: &str,
    ) -> Result<Choices, SpecError> {
        let mut choices = Choices { game, size: None, rest: Vec::new() };
        for option in text.split(',').map(str::trim).filter(|option| !option.is_empty()) {
            if let Some(size) = parse_size(option) {
                if choices.size.replace(size).is_some() {
                    return Err(choices.error(SIZE, TextError::new("it twice", "it once")));
                }
                continue;
            }
            let (key, value) = match option.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim().to_owned())),
                None => (option, None),
            };
            let Some(help) = known.iter().find(|help| help.key() == key) else {
                let options = known.iter().map(|help| help.usage).collect::<Vec<_>>().join(", ");
                let option = option.chars().take(40).collect();
                return Err(SpecError::UnknownOption { game, option, options });
            };
            if value.is_some() != help.usage.contains('=') {
                let met = if value.is_some() { "a value" } else { "no value" };
                return Err(choices.error(key, TextError::new(met, help.usage)));
            }
            if choices.rest.iter().any(|(given, _)| *given == help.key()) {
                return Err(choices.error(key, TextError::new("it twice", "it once")));
            }
            choices.rest.push((help.key(), value));
        }
        Ok(choices)
    }

    /// The size, or `otherwise` if none is given.
    pub fn size(&self, otherwise: (usize, usize)) -> (usize, usize) {
        self.size.unwrap_or(otherwise)
    }

    /// Whether a word is among the options.
    pub fn flag(&mut self, key: &str) -> bool {
        self.take(key).is_some()
    }

    /// The value of an option, read by `parse`, or `otherwise` if it is not given.
    pub fn value<T>(
        &mut self,
        key: &'static str,
        otherwise: T,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, SpecError> {
        let Some(text) = self.take(key) else { return Ok(otherwise) };
        let error = || self.error(key, TextError::new(format!("{text:?}"), expected));
        parse(&text).ok_or_else(error)
    }

    /// The pieces that an option names or draws, if it is given.
    pub fn pieces(&mut self, sets: &[NamedSet]) -> Result<Option<Vec<Piece>>, SpecError> {
        const DRAWN: &str = "drawn pieces such as T:###/.#.*2+I:####";
        let Some(text) = self.take("pieces") else { return Ok(None) };
        if let Some(pieces) = find_set(sets, &text) {
            return Ok(Some(pieces));
        }
        if !text.contains('#') {
            let names = sets.iter().map(|set| set.0).collect::<Vec<_>>().join(", ");
            let error = TextError::new(format!("{text:?}"), format!("{names} or {DRAWN}"));
            return Err(self.error("pieces", error));
        }
        parse_pieces(&text).map(Some).map_err(|error| self.error("pieces", error))
    }

    /// The error that an option has.
    pub fn error(&self, option: &str, error: TextError) -> SpecError {
        SpecError::Value { game: self.game, option: option.to_owned(), error }
    }

    /// The error that the rules as a whole have.
    pub fn rules(&self, error: RulesError) -> SpecError {
        SpecError::Rules { game: self.game, error }
    }

    fn take(&mut self, key: &str) -> Option<String> {
        let found = self.rest.iter().position(|(given, _)| *given == key)?;
        Some(self.rest.swap_remove(found).1.unwrap_or_default())
    }
}

/// `4x3` as (4, 3), and nothing written in another way; sizes that no computer holds are none.
fn parse_size(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once('x')?;
    let number = |digits| parse_number::<u16>(digits).map(usize::from);
    Some((number(width)?, number(height)?))
}
