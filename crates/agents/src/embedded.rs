//! Agents embedded in the program: a small one for every game, so that hints and demonstrations
//! need no file.

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
    ($name:literal, $game:literal) => {
        Embedded {
            name: $name,
            game: $game,
            bytes: include_bytes!(concat!("../../../agents/", $name, ".safetensors")),
        }
    };
}

/// All embedded agents; the first of a game is its default.
pub static EMBEDDED: [Embedded; 4] = [
    embedded!("2048", "2048"),
    embedded!("tetris-10x20", "tetris"),
    embedded!("tetris-10x10", "tetris"),
    embedded!("1010", "1010"),
];

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
