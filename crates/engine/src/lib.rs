//! Every game with every method behind object-safe types. The generic code of games, models,
//! learners and search is instantiated in this crate only: the command line, the server and the
//! experiments use an [`Engine`].
//!
//! ```
//! use afterstate_agents::{Agent, EvaluationSettings};
//! use afterstate_search::Search;
//!
//! let engine = afterstate_engine::open(&"2048:3x3".parse()?);
//! let settings = EvaluationSettings { games: 100, ..EvaluationSettings::default() };
//! let evaluation = engine.evaluate(&Agent::Greedy, &Search::GREEDY, &settings)?;
//! assert!(evaluation.score.mean > 100.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyzer;
mod batch;
pub mod bench;
pub mod catalogue;
pub mod cluster;
pub mod cs3243;
mod engine;
pub mod fingerprint;
mod new_run;
mod replay;
mod values;
pub mod verify_device;

pub use analyzer::AnalyzeBoard;
pub use batch::{
    Afterstates, AgentBatch, Autoreset, GameBatch, Observed, SearchTree, Stepped, TooManyBoards,
    draw_legal,
};
pub use engine::{Engine, open};
pub use new_run::new_run;
pub use replay::verify;
pub use values::ValuesError;

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
