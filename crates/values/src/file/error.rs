//! `AgentFileError`: what is wrong with an agent file, as one sentence.

use std::io;
use std::path::{Path, PathBuf};

use super::AgentInfo;
use crate::MemoryError;
use crate::memory::show;

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
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The file cannot be written. A file that was to be replaced is unchanged; a header that was to
    /// be overwritten may be damaged.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// A folder, a pipe or a device.
    #[error("is {0}, not an agent file")]
    NotAFile(&'static str),
    /// Zero bytes.
    #[error("is an empty file, not an agent")]
    Empty,
    /// Something else entirely.
    #[error("is not an agent: the file is not in the safetensors format")]
    NotSafetensors,
    /// The header is safetensors in part only.
    #[error("has a damaged safetensors header: {0}")]
    Header(String),
    /// The header and the file disagree about its length.
    #[error("is damaged: it has {found} bytes, its header says {expected}")]
    Length {
        /// Bytes of the file.
        found: u64,
        /// Bytes by its header.
        expected: u64,
    },
    /// Tensors of another program.
    #[error("is a safetensors file without the key \"afterstate\", not an agent")]
    NotAnAgent,
    /// Our key, but not what belongs there.
    #[error("has a damaged description: {0}")]
    Info(String),
    /// The description cannot be written.
    #[error("cannot be written: its description could not be read back ({0})")]
    Unreadable(String),
    /// The description is too long to be read back.
    #[error(
        "cannot be written: its description has {}, at most {} are allowed",
        show(*.found),
        show(*.max)
    )]
    TooLong {
        /// Its bytes.
        found: u64,
        /// The maximum.
        max: u64,
    },
    /// Written by another version of the program, or by none.
    #[error(
        "has version {found} of the agent format, this program reads version {}; {}",
        AgentInfo::FORMAT,
        advice(*.found)
    )]
    Format {
        /// The version of the file.
        found: u32,
    },
    /// A model of a newer program.
    #[error("has a model of the unknown kind \"{kind}\"; the kinds are {}", crate::model::names())]
    UnknownKind {
        /// Its name.
        kind: String,
    },
    /// An agent for other rules.
    #[error("is an agent for {found}, not for {expected}")]
    Game {
        /// The rules of the file.
        found: String,
        /// The rules at hand.
        expected: String,
    },
    /// The rules have changed since.
    #[error(
        "was trained under version {found} of the rules, this program plays version {expected}"
    )]
    RulesVersion {
        /// The version in the file.
        found: u32,
        /// The version at hand.
        expected: u32,
    },
    /// The model does not fit the rules or its own fields; its kind says how.
    #[error("{0}")]
    Model(String),
    /// Some tensor is not there.
    #[error("has no tensor {0}")]
    Missing(String),
    /// A tensor of another type or shape.
    #[error("has a tensor {name} of {found}, its model needs {expected}")]
    Tensor {
        /// The tensor.
        name: String,
        /// Its type and shape.
        found: String,
        /// The type and shape that the model needs.
        expected: String,
    },
    /// A weight that would spoil every sum.
    #[error("has {value} as entry {at} of tensor {name}: weights must be finite")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The index of the entry.
        at: usize,
        /// The entry.
        value: f32,
    },
    /// A tensor of coded weights that no encoder has made.
    #[error("is damaged: the coded weights in tensor {0} cannot be decoded")]
    Coded(String),
    /// Another file has taken its place since it was read.
    #[error("was replaced while its strength was measured: measure it again")]
    Replaced,
    /// There is no memory for the weights.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl Problem {
    pub(crate) fn of(self, path: &Path) -> AgentFileError {
        AgentFileError { path: path.to_owned(), problem: self }
    }

    /// What a kind of model finds wrong with its own fields.
    #[allow(clippy::needless_pass_by_value, reason = "for map_err")]
    pub(crate) fn model(error: impl ToString) -> Problem {
        Problem::Model(shown(error.to_string()))
    }
}

fn advice(found: u32) -> &'static str {
    match found {
        0 => "the file is damaged",
        found if found < AgentInfo::FORMAT => "an older program wrote it: train it again",
        _ => "a newer program wrote it",
    }
}

/// Text from a file, fit to be shown: shortened, control characters escaped.
pub(crate) fn shown(text: impl AsRef<str>) -> String {
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
