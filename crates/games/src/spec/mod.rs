//! `GameSpec`: rules chosen in one syntax everywhere, such as `tetris:10x20` or `2048:3x3`.
//!
//! A spec is `game[:option,option,...]`; an option is a size `WIDTHxHEIGHT`, a word, or
//! `key=value`. Each game lists its options beside its rules (`spec.rs` in its folder), and what
//! is listed there is what the parser takes, what errors show and what `afterstate games` prints.

mod options;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::{Aggregation, AggregationSpec, TransitionModels};
use afterstate_core::{Features, Puzzle};

pub use options::{Choices, OptionHelp, SpecError};

use crate::Cells;
use crate::picture::Picture;
use crate::tenten::TenTen;
use crate::tetris::Tetris;
use crate::twenty48::Twenty48;

/// What a game tells about its rules syntax.
pub trait Spec: Puzzle + Cells + Picture {
    /// The word before the colon.
    const NAME: &'static str;
    /// What the game is, in one sentence.
    const SUMMARY: &'static str;
    /// Every option, with its values and what it does.
    const OPTIONS: &'static [OptionHelp];
    /// Rules worth naming, each with a reason.
    const EXAMPLES: &'static [(&'static str, &'static str)];
    /// Every named set of features, each with what it is.
    const FEATURE_SETS: &'static [(&'static str, &'static str)] = &[];

    /// The set of features with a name, or `None` if there is none for these rules.
    fn features(&self, name: &str) -> Option<Box<dyn Features<Self>>> {
        let _ = name;
        None
    }

    /// Other rules whose networks serve these as well, because they value the same boards.
    fn served_by(&self) -> Option<String> {
        None
    }

    /// A table of this game, or what is wrong with its plan.
    fn table(&self, rules: &AggregationSpec) -> Result<Box<dyn Aggregation<Self>>, String> {
        let _ = rules;
        Err(format!("met a table, expected another learner: {} has none", Self::NAME))
    }

    /// Whether [`Spec::transition_model`] has something to give.
    fn has_transition_model(&self) -> bool {
        false
    }

    /// A layout for solving that is faster than walking the moves, where there is one for these
    /// rules. Takes as much memory as 4 bytes a board.
    fn transition_model(&self) -> Option<Box<dyn TransitionModels>> {
        None
    }

    /// The rules that the options choose.
    fn from_choices(choices: &mut Choices) -> Result<Self, SpecError>;

    /// The options that choose these rules, in their shortest form.
    fn choices(&self) -> String;

    /// The rules as text, in their shortest form.
    fn spec(&self) -> String {
        format!("{}:{}", Self::NAME, self.choices())
    }

    /// Whether games may end at any moment alike, so that their lengths are nearly exponential and
    /// the mean score is best told as all scores over all ends.
    fn ends_by_chance(&self) -> bool {
        false
    }

    /// What a game is said to have reached when it ends in a state: the largest tile of 2048.
    fn reached(&self, last: &Self::State) -> Option<u64> {
        let _ = last;
        None
    }
}

/// The rules of any of the games.
#[derive(Clone)]
pub enum GameSpec {
    /// 2048.
    Twenty48(Twenty48),
    /// Tetris.
    Tetris(Tetris),
    /// 1010!.
    TenTen(TenTen),
}

/// Something to do with the rules of a game, whichever it is.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<G: Spec>(self, game: &G) -> Self::Output;
}

/// What can be said of a game without rules: its options and examples.
#[derive(Clone, Copy, Debug)]
pub struct GameHelp {
    /// The word before the colon.
    pub name: &'static str,
    /// What the game is, in one sentence.
    pub summary: &'static str,
    /// Every option, with its values and what it does.
    pub options: &'static [OptionHelp],
    /// Rules worth naming, each with a reason.
    pub examples: &'static [(&'static str, &'static str)],
    /// Every named set of features, each with what it is.
    pub feature_sets: &'static [(&'static str, &'static str)],
}

impl GameHelp {
    const fn of<G: Spec>() -> GameHelp {
        let (options, examples) = (G::OPTIONS, G::EXAMPLES);
        let feature_sets = G::FEATURE_SETS;
        GameHelp { name: G::NAME, summary: G::SUMMARY, options, examples, feature_sets }
    }
}

impl GameSpec {
    /// Every game there is.
    pub const ALL: [GameHelp; 3] =
        [GameHelp::of::<Twenty48>(), GameHelp::of::<Tetris>(), GameHelp::of::<TenTen>()];

    /// Does something with the rules. This is the only place that tells the games apart.
    pub fn with<V: Visitor>(&self, visitor: V) -> V::Output {
        match self {
            GameSpec::Twenty48(game) => visitor.visit(game),
            GameSpec::Tetris(game) => visitor.visit(game),
            GameSpec::TenTen(game) => visitor.visit(game),
        }
    }

    /// What a sum of rewards counts under these rules.
    pub fn unit(&self) -> &'static str {
        struct Unit;
        impl Visitor for Unit {
            type Output = &'static str;
            fn visit<G: Spec>(self, game: &G) -> &'static str {
                game.unit()
            }
        }
        self.with(Unit)
    }

    /// The version of the game's rules.
    pub fn version(&self) -> u32 {
        struct Version;
        impl Visitor for Version {
            type Output = u32;
            fn visit<G: Spec>(self, _: &G) -> u32 {
                G::VERSION
            }
        }
        self.with(Version)
    }

    /// Every spec that the documentation names.
    pub fn documented() -> impl Iterator<Item = &'static str> {
        GameSpec::ALL.into_iter().flat_map(|game| game.examples).map(|example| example.0)
    }
}

/// Rules of a game that is already known, such as `tetris:10x12`.
pub fn parse_rules<G: Spec>(text: &str) -> Result<G, SpecError> {
    let (name, options) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    if name == G::NAME { parse(options) } else { Err(SpecError::unknown_game(name)) }
}

fn parse<G: Spec>(options: &str) -> Result<G, SpecError> {
    let mut choices = Choices::parse(G::NAME, G::OPTIONS, options)?;
    G::from_choices(&mut choices)
}

impl FromStr for GameSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<GameSpec, SpecError> {
        let (name, options) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        match name {
            Twenty48::NAME => parse(options).map(GameSpec::Twenty48),
            Tetris::NAME => parse(options).map(GameSpec::Tetris),
            TenTen::NAME => parse(options).map(GameSpec::TenTen),
            other => Err(SpecError::unknown_game(other)),
        }
    }
}

impl fmt::Display for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Canonical;
        impl Visitor for Canonical {
            type Output = String;
            fn visit<G: Spec>(self, game: &G) -> String {
                game.spec()
            }
        }
        f.write_str(&self.with(Canonical))
    }
}

impl fmt::Debug for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameSpec({self})")
    }
}
