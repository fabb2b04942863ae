//! Agents embedded in the program, so that hints and demonstrations need no file.

use std::fmt;

use afterstate_values::file::Source;

/// An embedded agent.
pub struct Embedded {
    /// Its name: that of its file in `agents/`.
    pub name: &'static str,
    /// The name of its game.
    pub game: &'static str,
    bytes: &'static [u8],
}

macro_rules! embedded {
    ($($name:literal, $game:literal, $train:literal;)*) => {
        /// The embedded agents; the first of a game is its default. Without the feature `embedded`
        /// there is none, and a package from crates.io has only the small ones.
        pub static EMBEDDED: &[Embedded] = &[$(
            #[cfg(agent = $name)]
            Embedded {
                name: $name,
                game: $game,
                bytes: include_bytes!(concat!("../agents/", $name, ".safetensors")),
            },
        )*];

        /// Every agent in `agents/`, and the command that trains one for the same rules.
        const ALL: &[(&str, &str)] = &[$(($name, $train)),*];
    };
}

embedded! {
    "2048", "2048", "afterstate train 2048-small";
    "tetris-10x20", "tetris", "afterstate train tetris-record";
    "tetris-10x10", "tetris", "afterstate train tetris-cmaes";
    "1010", "1010", "afterstate train 1010";
    "1010-without-3x3", "1010", "afterstate train 1010 --set game=1010:10x10,pieces=18";
}

impl Embedded {
    /// The bytes of its file.
    pub fn source(&self) -> Source<'static> {
        Source::Bytes(self.name, self.bytes)
    }
}

/// The agent with a name; the name of a game stands for its first agent.
pub fn find(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|agent| agent.name == name).or_else(|| of_game(name))
}

/// An agent of the project that this build does not have: its name and the command that trains one.
pub(crate) fn absent(name: &str) -> Option<(&'static str, &'static str)> {
    ALL.iter().copied().find(|agent| agent.0 == name)
}

/// The first agent of a game.
pub fn of_game(game: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|agent| agent.game == game)
}

impl PartialEq for Embedded {
    fn eq(&self, other: &Embedded) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedded({})", self.name)
    }
}
