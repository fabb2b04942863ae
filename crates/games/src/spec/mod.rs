//! `GameSpec`: the rules syntax, such as `tetris:10x20` or `2048:3x3`.
//!
//! A spec is `game[:option,option,...]`; an option is a size `WIDTHxHEIGHT`, a word, or
//! `key=value`. Each game lists its options in its own `spec.rs`; the parser, the error messages
//! and `afterstate games` use that list.

mod options;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use afterstate_core::{Features, Game, Puzzle};

pub use options::{Choices, OptionHelp, SpecError};

use crate::picture::Picture;
use crate::tenten::TenTen;
use crate::tetris::Tetris;
use crate::twenty48::Twenty48;
use crate::{Aggregation, AggregationSpec, Cells, TransitionModels};

/// A game with a rules syntax, its feature sets, tables and solvers: what programs use of a game.
pub trait Spec: Puzzle + Cells + Picture {
    /// The word before the colon.
    const NAME: &'static str;
    /// A description of the game in one sentence.
    const SUMMARY: &'static str;
    /// All options.
    const OPTIONS: &'static [OptionHelp];
    /// Documented rules, each with a description.
    const EXAMPLES: &'static [(&'static str, &'static str)];
    /// All named feature sets, each with a description.
    const FEATURE_SETS: &'static [(&'static str, &'static str)] = &[];

    /// The feature set with a name; `None` if there is none for these rules.
    fn features(&self, name: &str) -> Option<Box<dyn Features<Self>>> {
        let _ = name;
        None
    }

    /// The spec of other rules whose networks can also play these, because they evaluate the same
    /// boards: in 1010! with a hand of several pieces, the rules with one piece at a time.
    fn served_by(&self) -> Option<String> {
        None
    }

    /// The value table that a spec describes, or the error in the spec.
    fn aggregation(&self, spec: &AggregationSpec) -> Result<Box<dyn Aggregation<Self>>, String> {
        let _ = spec;
        Err(format!("{} has no state aggregation: use another learner", Self::NAME))
    }

    /// Whether [`Spec::transition_model`] returns a model.
    fn has_transition_model(&self) -> bool {
        false
    }

    /// A transition model that is faster than enumerating the moves, if these rules have one. It
    /// needs 4 bytes of memory per board.
    fn transition_model(&self) -> Option<Box<dyn TransitionModels>> {
        None
    }

    /// The number of values of a cell as a player sees it: that of [`Cells::cell_values`], or more
    /// where networks do not tell large values apart.
    fn board_values(&self) -> u32 {
        self.cell_values()
    }

    /// Writes the cells of a board as a player sees them, each below [`Spec::board_values`].
    fn write_board(&self, after: &Self::After, cells: &mut [u8]) {
        for (number, cell) in cells.iter_mut().enumerate() {
            *cell = self.cell(after, number) as u8;
        }
    }

    /// The board with these cells, without pieces: the inverse of [`Spec::write_board`]. `None` if a
    /// cell has a value of [`Spec::board_values`] or more.
    fn read_board(&self, cells: &[u8]) -> Option<Self::After>;

    /// How many pieces a player sees at most: the piece to drop and the known next one, or the hand;
    /// 0 in games without pieces.
    fn piece_slots(&self) -> usize {
        0
    }

    /// The number of different pieces.
    fn piece_kinds(&self) -> usize {
        0
    }

    /// Writes the pieces that the player sees, [`Spec::piece_slots`] of them: one more than the
    /// number of the piece, or 0 for an empty place of the hand.
    fn write_pieces(&self, state: &Self::State, pieces: &mut [u8]) {
        let _ = (state, pieces);
    }

    /// The rules that the options choose.
    fn from_choices(choices: &mut Choices) -> Result<Self, SpecError>;

    /// The options that choose these rules, in their shortest form.
    fn choices(&self) -> String;

    /// The rules as text, in their shortest form.
    fn spec(&self) -> String {
        format!("{}:{}", Self::NAME, self.choices())
    }

    /// Whether the hazard rate of long games is nearly constant, so that their lengths are nearly
    /// exponential. The mean score is then estimated as the sum of scores over the number of
    /// terminal games, which also uses truncated games.
    fn ends_by_chance(&self) -> bool {
        false
    }

    /// The milestone that a game reached, by its last state: the largest tile of 2048.
    fn reached(&self, last: &Self::State) -> Option<u64> {
        let _ = last;
        None
    }
}

/// A generic function of the rules of any game.
pub trait Visitor {
    /// Its result.
    type Output;

    /// Calls it.
    fn visit<G: Spec>(self, game: &G) -> Self::Output;
}

/// The constants of [`Spec`] of one game.
#[derive(Clone, Copy, Debug)]
pub struct GameHelp {
    /// The word before the colon.
    pub name: &'static str,
    /// A description of the game in one sentence.
    pub summary: &'static str,
    /// All options.
    pub options: &'static [OptionHelp],
    /// Documented rules, each with a description.
    pub examples: &'static [(&'static str, &'static str)],
    /// All named feature sets, each with a description.
    pub feature_sets: &'static [(&'static str, &'static str)],
}

impl GameHelp {
    const fn of<G: Spec>() -> GameHelp {
        let (options, examples) = (G::OPTIONS, G::EXAMPLES);
        let feature_sets = G::FEATURE_SETS;
        GameHelp { name: G::NAME, summary: G::SUMMARY, options, examples, feature_sets }
    }
}

/// The list of games: the only place that names all of them.
macro_rules! games {
    ($($game:ident),* $(,)?) => {
        /// The rules of any of the games.
        ///
        /// ```
        /// use afterstate_games::spec::GameSpec;
        ///
        /// let rules: GameSpec = "tetris:10x20,next".parse()?;
        /// assert_eq!((rules.to_string().as_str(), rules.unit()), ("tetris:10x20,next", "lines"));
        /// let error = "2048:9x9".parse::<GameSpec>().unwrap_err();
        /// assert!(error.to_string().contains("9x9"), "{error}");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone)]
        #[allow(missing_docs, reason = "each is documented by its rules")]
        #[non_exhaustive]
        pub enum GameSpec {
            $($game($game)),*
        }

        impl GameSpec {
            /// All games.
            pub const ALL: &'static [GameHelp] = &[$(GameHelp::of::<$game>()),*];

            /// Calls a visitor with the rules.
            pub fn with<V: Visitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(GameSpec::$game(game) => visitor.visit(game)),*
                }
            }

            /// The rules with their type, if they are of that game.
            pub fn typed<G: Spec>(&self) -> Option<&G> {
                match self {
                    $(GameSpec::$game(game) => (game as &dyn Any).downcast_ref()),*
                }
            }

            /// The unit of the score under these rules.
            pub fn unit(&self) -> &'static str {
                match self {
                    $(GameSpec::$game(game) => game.unit()),*
                }
            }

            /// The version of the game's rules.
            pub fn version(&self) -> u32 {
                match self {
                    $(GameSpec::$game(_) => $game::VERSION),*
                }
            }
        }

        impl FromStr for GameSpec {
            type Err = SpecError;

            fn from_str(text: &str) -> Result<GameSpec, SpecError> {
                let (name, options) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
                match name {
                    $($game::NAME => parse(options).map(GameSpec::$game),)*
                    other => Err(SpecError::unknown_game(other)),
                }
            }
        }

        impl fmt::Display for GameSpec {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(GameSpec::$game(game) => f.write_str(&game.spec())),*
                }
            }
        }
    };
}

games!(Twenty48, Tetris, TenTen);

impl GameSpec {
    /// The specs of all documented rules.
    pub fn documented() -> impl Iterator<Item = &'static str> {
        GameSpec::ALL.iter().flat_map(|game| game.examples).map(|example| example.0)
    }
}

/// Parses rules of a known game, such as `tetris:10x12`.
pub fn parse_rules<G: Spec>(text: &str) -> Result<G, SpecError> {
    let (name, options) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    if name == G::NAME { parse(options) } else { Err(SpecError::unknown_game(name)) }
}

fn parse<G: Spec>(options: &str) -> Result<G, SpecError> {
    let mut choices = Choices::parse(G::NAME, G::OPTIONS, options)?;
    G::from_choices(&mut choices)
}

impl PartialEq for GameSpec {
    fn eq(&self, other: &GameSpec) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Debug for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameSpec({self})")
    }
}
