//! `Replay`: a game as a file, verified move by move when it is read.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use afterstate_games::spec::{GameSpec, SpecError};
use afterstate_values::read_json;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{GameSession, MAX_RECORDED, SessionError};

/// The value of the field `format`, which tells replays from other files.
const FORMAT: &str = "afterstate replay 1";

/// How many legal moves an error names.
const MAX_NAMED: usize = 6;

/// The most bytes of a replay.
const MAX_BYTES: u64 = 64 << 20;

/// A game: rules, seed and moves, which determine everything else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The format with its version.
    pub format: String,
    /// The version of the program that wrote it.
    pub program: String,
    /// The rules.
    pub game: String,
    /// The version of the rules.
    pub rules_version: u32,
    /// The seed of the chance outcomes.
    pub seed: u64,
    /// The board on which it began, if that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The agent that played, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The score after the last move.
    pub score: f64,
    /// The text of every move.
    #[serde(deserialize_with = "recorded_moves")]
    pub moves: Vec<String>,
}

/// A replay that cannot be read or verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("cannot read the replay: {0}")]
    Read(#[from] io::Error),
    /// The file is larger than any replay.
    #[error("the file is larger than {} MiB: it is not a replay", MAX_BYTES >> 20)]
    TooLarge,
    /// The file is not the JSON of a replay.
    #[error("the file is not a replay: {0}")]
    Json(String),
    /// The format is another one, or of another version.
    #[error("the file has format {0:?}, not {FORMAT:?}")]
    Format(String),
    /// The rules are unknown.
    #[error(transparent)]
    Rules(#[from] SpecError),
    /// The rules have changed since then.
    #[error(
        "the replay uses version {found} of the rules of {game}, this program version {expected}"
    )]
    Version {
        /// The game.
        game: String,
        /// The version of the file.
        found: u32,
        /// The version of this program.
        expected: u32,
    },
    /// The board on which it begins is invalid.
    #[error("the replay's board: {0}")]
    Board(String),
    /// A move is illegal.
    #[error(
        "move {number} of {moves}, {found:?}: {why}; the legal moves of {state} are {expected}"
    )]
    Move {
        /// Its number, from 1.
        number: usize,
        /// The number of moves.
        moves: usize,
        /// The move in the file.
        found: String,
        /// The legal moves.
        expected: String,
        /// The position.
        state: String,
        /// Why it is illegal.
        why: String,
    },
    /// The score is not that of the moves.
    #[error("the replay states a score of {found}, but its {moves} moves score {expected}")]
    Score {
        /// The score in the file.
        found: f64,
        /// The score of the moves.
        expected: f64,
        /// The number of moves.
        moves: usize,
    },
}

impl Replay {
    pub(crate) fn new(
        (game, rules_version): (String, u32),
        seed: u64,
        board: Option<String>,
        moves: Vec<String>,
        score: f64,
    ) -> Replay {
        let (format, program) = (FORMAT.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let (agent, search) = (None, None);
        Replay { format, program, game, rules_version, seed, board, agent, search, score, moves }
    }

    /// The same with the agent that played it.
    #[must_use]
    pub fn by(mut self, agent: &str, search: &str) -> Replay {
        self.agent = Some(agent.to_owned());
        self.search = Some(search.to_owned());
        self
    }

    /// The text of its file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a replay is plain data") + "\n"
    }

    /// Reads a replay from a file.
    pub fn read(path: &Path) -> Result<Replay, ReplayError> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Replay::from_bytes(&bytes)
    }

    /// Reads a replay from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Replay, ReplayError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(ReplayError::TooLarge);
        }
        /// The format alone, to tell another format from a damaged file.
        #[derive(Deserialize)]
        struct Format {
            format: String,
        }
        let invalid = |error: String| ReplayError::Json(shortened(&error));
        let Format { format } = read_json(bytes).map_err(invalid)?;
        if format != FORMAT {
            return Err(ReplayError::Format(shortened(&format)));
        }
        read_json(bytes).map_err(invalid)
    }

    /// Plays the whole game and checks every move and the score. `open` makes the session, which is
    /// at its end afterwards; [`Session::rewind`](crate::Session::rewind) brings it to its start.
    pub fn verify(
        &self,
        open: impl FnOnce(&GameSpec, u64, Option<&str>) -> Result<GameSession, SessionError>,
    ) -> Result<GameSession, ReplayError> {
        let rules: GameSpec = self.game.parse()?;
        let (found, expected) = (self.rules_version, rules.version());
        if found != expected {
            return Err(ReplayError::Version { game: rules.to_string(), found, expected });
        }
        let mut session = open(&rules, self.seed, self.board.as_deref())
            .map_err(|error| ReplayError::Board(shortened(&error.to_string())))?;
        for (number, mv) in self.moves.iter().enumerate() {
            session.play(mv).map_err(|error| self.illegal(number, &session, &error))?;
        }
        let (found, expected) = (self.score, session.score());
        if found != expected {
            return Err(ReplayError::Score { found, expected, moves: self.moves.len() });
        }
        Ok(session)
    }

    fn illegal(&self, number: usize, session: &GameSession, error: &SessionError) -> ReplayError {
        let view = session.view();
        let names: Vec<&str> = view.options.iter().map(|offer| offer.mv.as_str()).collect();
        let expected = match &names[..] {
            [] => "none".to_owned(),
            few if few.len() <= MAX_NAMED => few.join(", "),
            many => {
                format!("{} and {} others", many[..MAX_NAMED].join(", "), many.len() - MAX_NAMED)
            }
        };
        ReplayError::Move {
            number: number + 1,
            moves: self.moves.len(),
            found: shortened(&self.moves[number]),
            expected,
            state: view.state,
            why: shortened(&error.to_string()),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Reads the moves of a replay: as many as a session records, so that a hostile file takes no more
/// memory than a long game.
fn recorded_moves<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Moves;

    impl<'de> Visitor<'de> for Moves {
        type Value = Vec<String>;

        fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
            to.write_str("a list of moves")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Vec<String>, A::Error> {
            let mut moves: Vec<String> = Vec::new();
            while let Some(mv) = all.next_element::<String>()? {
                if moves.len() as u64 >= MAX_RECORDED {
                    let error = format!("it has more than {MAX_RECORDED} moves");
                    return Err(serde::de::Error::custom(error));
                }
                moves.push(mv);
            }
            Ok(moves)
        }
    }

    from.deserialize_seq(Moves)
}
