//! `Replay`: a game as a file, verified move by move when it is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use afterstate_games::spec::GameSpec;
use serde::{Deserialize, Serialize};

use super::{GameSession, MAX_RECORDED, SessionError};

/// What stands in the field that tells replays from other files.
const FORMAT: &str = "afterstate replay 1";

/// How many of the moves that could be made are named.
const MAX_NAMED: usize = 6;

/// No replay is larger.
const LARGEST: u64 = 64 << 20;

/// A game: rules, seed and moves, from which everything else follows.
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
    /// The seed of what chance deals.
    pub seed: u64,
    /// The board on which it began, where that was not dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Who played, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How they looked ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The score after the last move.
    pub score: f64,
    /// The text of every move.
    pub moves: Vec<String>,
}

/// A replay that cannot be read, or that does not happen as it says.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// No such file, or none that can be read.
    #[error("cannot read the replay: {0}")]
    Read(#[from] io::Error),
    /// Larger than any game.
    #[error("met a file of more than {} MiB, expected a replay", LARGEST >> 20)]
    TooLarge,
    /// Not JSON, or not that of a replay.
    #[error("met no replay: {0}")]
    Json(String),
    /// Something else, or of another version.
    #[error("met format {0:?}, expected {FORMAT:?}")]
    Format(String),
    /// Rules that nobody knows.
    #[error("{0}")]
    Rules(String),
    /// The rules have changed since.
    #[error("met version {met} of the rules of {game}, expected {expected}")]
    Version {
        /// The game.
        game: String,
        /// The version of the file.
        met: u32,
        /// The version of this program.
        expected: u32,
    },
    /// The board on which it begins is none.
    #[error("its board: {0}")]
    Board(String),
    /// More moves than are ever recorded.
    #[error("met {0} moves, expected at most {MAX_RECORDED}")]
    TooLong(usize),
    /// A move that cannot be made there.
    #[error("move {number} of {moves}: met {met:?} ({why}), expected {expected} on {state}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        moves: usize,
        /// What stands there.
        met: String,
        /// What could stand there.
        expected: String,
        /// The position.
        state: String,
        /// What is wrong.
        why: String,
    },
    /// The moves earn something else.
    #[error("met a score of {met}, expected {expected} after its {moves} moves")]
    Score {
        /// What the file says.
        met: f64,
        /// What the moves earn.
        expected: f64,
        /// How many there are.
        moves: usize,
    },
}

impl Replay {
    pub(super) fn new(
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

    /// The same with who played it.
    #[must_use]
    pub fn by(mut self, agent: &str, search: &str) -> Replay {
        self.agent = Some(agent.to_owned());
        self.search = Some(search.to_owned());
        self
    }

    /// The text of its file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a replay from a file.
    pub fn read(path: &Path) -> Result<Replay, ReplayError> {
        let mut bytes = Vec::new();
        File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Replay::from_bytes(&bytes)
    }

    /// Reads a replay from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Replay, ReplayError> {
        if bytes.len() as u64 > LARGEST {
            return Err(ReplayError::TooLarge);
        }
        /// The format alone, so that another one is told from a broken file.
        #[derive(Deserialize)]
        struct Format {
            format: String,
        }
        let wrong = |error: serde_json::Error| ReplayError::Json(shortened(&error.to_string()));
        let Format { format } = serde_json::from_slice(bytes).map_err(wrong)?;
        if format != FORMAT {
            return Err(ReplayError::Format(shortened(&format)));
        }
        let replay: Replay = serde_json::from_slice(bytes).map_err(wrong)?;
        match replay.moves.len() {
            moves if moves as u64 > MAX_RECORDED => Err(ReplayError::TooLong(moves)),
            _ => Ok(replay),
        }
    }

    /// Plays the whole game, and checks every move and the score. The sitting is at its end;
    /// [`GameSession::rewind`] brings it to its start, and [`GameSession::redo`] shows it move by move.
    pub fn sitting(&self) -> Result<GameSession, ReplayError> {
        let rules: GameSpec =
            self.game.parse().map_err(|error| ReplayError::Rules(format!("{error}")))?;
        let (met, expected) = (self.rules_version, rules.version());
        if met != expected {
            return Err(ReplayError::Version { game: rules.to_string(), met, expected });
        }
        let mut sitting = match &self.board {
            Some(board) => GameSession::from_board(&rules, self.seed, board)
                .map_err(|error| ReplayError::Board(shortened(&error.to_string())))?,
            None => GameSession::new(&rules, self.seed),
        };
        for (number, mv) in self.moves.iter().enumerate() {
            sitting.play(mv).map_err(|error| self.wrong(number, &sitting, &error))?;
        }
        let (met, expected) = (self.score, sitting.score());
        if met != expected {
            return Err(ReplayError::Score { met, expected, moves: self.moves.len() });
        }
        Ok(sitting)
    }

    fn wrong(&self, number: usize, sitting: &GameSession, error: &SessionError) -> ReplayError {
        let view = sitting.view();
        let names: Vec<&str> = view.options.iter().map(|offer| offer.mv.as_str()).collect();
        let expected = match &names[..] {
            [] => "no move".to_owned(),
            few if few.len() <= MAX_NAMED => few.join(", "),
            many => {
                format!("{} or {} others", many[..MAX_NAMED].join(", "), many.len() - MAX_NAMED)
            }
        };
        ReplayError::Move {
            number: number + 1,
            moves: self.moves.len(),
            met: shortened(&self.moves[number]),
            expected,
            state: view.state,
            why: shortened(&error.to_string()),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}
