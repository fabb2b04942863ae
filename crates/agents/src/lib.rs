//! Agents by name, by weights or by file, their evaluation with statistics, and the analysis of
//! boards.

pub mod agent;
pub mod analysis;
pub mod controllers;
pub mod embedded;
pub mod evaluate;
pub mod loaded;
pub mod machine;
pub mod name;
mod neural_on_device;
pub mod on_cluster;
pub mod on_device;
pub mod random_play;
pub mod report;
pub mod statistics;
#[cfg(test)]
mod tests;

pub use agent::{Agent, AgentError};
pub use analysis::{Analysis, Analyzer};
pub use evaluate::{
    Evaluation, EvaluationProgress, EvaluationSettings, evaluate, evaluate_loaded,
    evaluate_observed, evaluate_policy, evaluation_seed,
};
pub use loaded::{LoadedAgent, NotSearchable, OtherRules};
pub use machine::machine;
pub use name::{AgentName, InProgram, NotInProgram};
pub use report::{ComparisonReport, EvaluationReport};
pub use statistics::Summary;

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
