//! `AgentFileError`: what is wrong with an agent file, in one sentence.

use std::io;
use std::path::{Path, PathBuf};

use afterstate_games::TuplesError;

use crate::memory::show;
use crate::{LinearError, MemoryError, SolvedTableError};

/// A file that cannot be read as an agent, or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct AgentFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with an agent file.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The system does not give the file or what is in it.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The system does not take the file. What was there before is untouched.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A folder, a pipe or a device.
    #[error("met {0}, expected a file")]
    NotAFile(&'static str),
    /// Nothing in it.
    #[error("met an empty file, expected an agent")]
    Empty,
    /// Something else entirely.
    #[error("met a file that is not in the safetensors format, expected an agent")]
    NotSafetensors,
    /// The header is safetensors in part only.
    #[error("met a damaged safetensors header: {0}")]
    Header(String),
    /// The header and the file disagree about its length.
    #[error("met {met} bytes, expected {expected}: the file is not whole")]
    Length {
        /// Bytes of the file.
        met: u64,
        /// Bytes by its header.
        expected: u64,
    },
    /// Tensors of another program.
    #[error("met a safetensors file without the key \"afterstate\", expected an agent")]
    NotAnAgent,
    /// Our key, but not what belongs there.
    #[error("met a damaged description of the agent: {0}")]
    Info(String),
    /// The description cannot be written.
    #[error("met a description that could not be read back ({0}), expected finite numbers")]
    Unreadable(String),
    /// The description is too long to be read back.
    #[error("met a description of {}, expected at most {}", show(*.met), show(*.most))]
    TooLong {
        /// Its bytes.
        met: u64,
        /// The most that are read.
        most: u64,
    },
    /// ExplicitMdp by another version of the program, or by none.
    #[error("met version {met} of the agent format, expected {expected}; {}", advice(*.met))]
    Format {
        /// The version of the file.
        met: u32,
        /// The version of this program.
        expected: u32,
    },
    /// An agent for other rules.
    #[error("the agent plays {met}, expected one for {expected}")]
    Game {
        /// The rules of the file.
        met: String,
        /// The rules at hand.
        expected: String,
    },
    /// The rules have changed since.
    #[error("the agent was trained under version {met} of the rules, expected version {expected}")]
    RulesVersion {
        /// The version in the file.
        met: u32,
        /// The version at hand.
        expected: u32,
    },
    /// The tuples are none for this game.
    #[error("{}", shown(.0.to_string()))]
    Tuples(#[from] TuplesError),
    /// The order of the cells is the order of the weights, and there is one that networks use.
    #[error("met tuple {met:?}, expected it in the form {expected:?}, which orders its weights")]
    Form {
        /// The tuple.
        met: Vec<usize>,
        /// The form that `Tuples` gives it.
        expected: Vec<usize>,
    },
    /// A network where weighted_sum features belong, or the other way round.
    #[error("met {0}, expected {1}")]
    Kind(&'static str, &'static str),
    /// A set that the game does not have under these rules.
    #[error("met features {0}, expected a set of this game")]
    UnknownSet(String),
    /// Features of other rules, or of a newer program.
    #[error("met {met} as feature {number}, expected {expected} under these rules")]
    Feature {
        /// Which, from 1.
        number: usize,
        /// Its name in the file.
        met: String,
        /// Its name in the set.
        expected: String,
    },
    /// A table that does not belong to these rules.
    #[error("{0}")]
    StateAggregation(String),
    /// Weights that cannot be used.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Boards that make no table.
    #[error(transparent)]
    Table(#[from] SolvedTableError),
    /// Some weights are not there.
    #[error("met no tensor {0}, expected one")]
    Missing(String),
    /// Weights of another kind or number.
    #[error("tensor {name}: met {met}, expected {expected}")]
    Tensor {
        /// The tensor.
        name: String,
        /// Its type and shape.
        met: String,
        /// The type and shape that the tuples ask for.
        expected: String,
    },
    /// A weight that would spoil every sum.
    #[error("tensor {name}: met {value} as number {at}, expected finite numbers")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Which of its numbers, from 0.
        at: usize,
        /// What it is.
        value: f32,
    },
    /// There is no memory for the weights.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl Problem {
    pub(super) fn of(self, path: &Path) -> AgentFileError {
        AgentFileError { path: path.to_owned(), problem: self }
    }
}

fn advice(met: u32) -> &'static str {
    match met {
        0 => "the file is damaged",
        met if met < super::AgentInfo::FORMAT => "an older program wrote it: train it again",
        _ => "a newer program wrote it",
    }
}

/// Text from a file, fit to be shown: not too long, and nothing that a terminal would obey.
pub(super) fn shown(text: impl AsRef<str>) -> String {
    let mut shown = String::new();
    for c in text.as_ref().chars().take(160) {
        match c {
            '"' | '\'' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    if text.as_ref().chars().nth(160).is_some() {
        shown.push_str("...");
    }
    shown
}
