//! The options of a spec, parsed against the list of a game's options.

use afterstate_core::TextError;
use afterstate_core::text::parse_number;
use serde::Serialize;

use super::GameSpec;
use crate::RulesError;
use crate::pieces::{NamedSet, Piece, find_set, parse_pieces};

/// One option of a game's rules.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptionHelp {
    /// Its syntax, such as `four=P` or `next`.
    pub usage: &'static str,
    /// Its default.
    pub default: &'static str,
    /// Its meaning.
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
#[non_exhaustive]
pub enum SpecError {
    /// There is no such game.
    #[error("unknown game {name:?}: the games are {games}")]
    UnknownGame {
        /// The unknown name.
        name: String,
        /// All names.
        games: String,
    },
    /// The game has no such option.
    #[error("{game} has no option {option:?}: its options are {options}")]
    UnknownOption {
        /// The game.
        game: &'static str,
        /// The unknown option.
        option: String,
        /// All options.
        options: String,
    },
    /// The option has no such value.
    #[error("{game}: option {option}: {error}")]
    Value {
        /// The game.
        game: &'static str,
        /// The option.
        option: String,
        /// The error in its value.
        error: TextError,
    },
    /// The options are valid, but not together.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

impl SpecError {
    pub(super) fn unknown_game(name: &str) -> SpecError {
        let games = GameSpec::ALL.iter().map(|game| game.name).collect::<Vec<_>>().join(", ");
        SpecError::UnknownGame { name: name.chars().take(40).collect(), games }
    }
}

/// The options of one spec. A game takes each of them once.
#[derive(Debug)]
pub struct Choices {
    game: &'static str,
    size: Option<(usize, usize)>,
    /// Key, and the value if there is one.
    rest: Vec<(&'static str, Option<String>)>,
}

impl Choices {
    /// Parses the options of a spec by the list of the game's options.
    pub(super) fn parse(
        game: &'static str,
        known: &'static [OptionHelp],
        text: &str,
    ) -> Result<Choices, SpecError> {
        let mut choices = Choices { game, size: None, rest: Vec::new() };
        for option in text.split(',').map(str::trim).filter(|option| !option.is_empty()) {
            if let Some(size) = parse_size(option) {
                if choices.size.replace(size).is_some() {
                    return Err(choices.error(SIZE, TextError::sentence("given twice")));
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
                let found = if value.is_some() { "a value" } else { "no value" };
                return Err(choices.error(key, TextError::new(found, help.usage)));
            }
            if choices.rest.iter().any(|(given, _)| *given == help.key()) {
                return Err(choices.error(key, TextError::sentence("given twice")));
            }
            choices.rest.push((help.key(), value));
        }
        Ok(choices)
    }

    /// The size, or `default` if none is given.
    pub fn size(&self, default: (usize, usize)) -> (usize, usize) {
        self.size.unwrap_or(default)
    }

    /// Takes an option without a value; whether it is given.
    pub fn flag(&mut self, key: &str) -> bool {
        self.take(key).is_some()
    }

    /// Takes the value of an option, or `default` if it is not given.
    pub fn value<T>(
        &mut self,
        key: &'static str,
        default: T,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, SpecError> {
        let Some(text) = self.take(key) else { return Ok(default) };
        let error = || self.error(key, TextError::new(format!("{text:?}"), expected));
        parse(&text).ok_or_else(error)
    }

    /// Takes the named or drawn pieces of the option `pieces`, if it is given.
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

    /// The error of an option.
    pub fn error(&self, option: &str, error: TextError) -> SpecError {
        SpecError::Value { game: self.game, option: option.to_owned(), error }
    }

    fn take(&mut self, key: &str) -> Option<String> {
        let found = self.rest.iter().position(|(given, _)| *given == key)?;
        Some(self.rest.swap_remove(found).1.unwrap_or_default())
    }
}

/// Parses `4x3` as (4, 3); both numbers are canonical and at most 65535.
fn parse_size(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once('x')?;
    let number = |digits| parse_number::<u16>(digits).map(usize::from);
    Some((number(width)?, number(height)?))
}
