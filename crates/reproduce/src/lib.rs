//! Published tables and figures, each measured again.
//!
//! One module per source: its experiments are data (what was published, what differs, which
//! trainings and games measure it), and a function measures each shape of experiment. Trainings are
//! runs of the laboratory in a folder: experiments share them, and a stopped one is resumed; so are
//! games.

mod at_once;
mod cache;
mod carr;
mod charts;
mod chen;
mod cs3243;
mod error;
mod experiment;
mod files;
mod marchal;
mod measure;
mod memory_queue;
pub mod on_cluster;
mod own_agents;
mod published;
mod records;
mod report;
mod scale;
mod szita;
mod tang;
mod tetris_controllers;
mod values;
mod verdict;
mod weights;
mod write;

pub use cache::{Cost, TrainingCache};
pub use carr::{FIGURES_OF_OTHER_PAGES, TableCache};
pub use error::Error;
pub use experiment::{Experiment, Published, Quantity};
pub use measure::Value;
pub use records::records;
pub use report::{Report, ReportChart, Row, Unit};
pub use scale::Scale;
pub use values::{GamePoint, ValuePoint};
pub use verdict::{Figures, Finding, Statement, Verdict, findings, summary};
pub use write::{all_pages, markdown, read_all, table, write, write_pages};

/// The experiments of each source.
const SOURCES: [&[Experiment]; 15] = [
    chen::EXPERIMENTS,
    marchal::EXPERIMENTS,
    cs3243::EXPERIMENTS,
    szita::EXPERIMENTS,
    carr::MELAX_WELL,
    carr::MELAX_RULES,
    carr::CONTOUR_WELLS,
    carr::SUBWELLS,
    carr::FOREVER,
    carr::STUDIES,
    carr::ASIDES,
    tetris_controllers::EXPERIMENTS,
    tang::EXPERIMENTS,
    own_agents::EXPERIMENTS,
    values::EXPERIMENTS,
];

/// Every experiment, in the order of its source.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    SOURCES.into_iter().flatten()
}

/// The experiment of a name.
///
/// ```
/// let experiment = afterstate_reproduce::find("chen-table1").ok_or("no such experiment")?;
/// for published in experiment.published {
///     println!("{}: {:?} {:?}", published.case, published.quantity, published.value);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(name: &str) -> Option<&'static Experiment> {
    experiments().find(|experiment| experiment.name == name)
}

/// The examples of the README, compiled and run as tests.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Readme;
