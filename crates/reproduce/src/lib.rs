//! Published tables and figures, each measured again.
//!
//! One file an experiment: it opens with what was published and what we do differently, holds the
//! published numbers as data, and says which trainings or games measure them. Trainings are runs of
//! the laboratory in a work folder: experiments share them, and what was stopped goes on; so do
//! games (`tally.rs`).

mod carr;
mod chen;
mod cs3243;
mod curves;
mod experiment;
mod form;
mod learning;
mod machine;
mod marchal;
mod measure;
mod report;
mod session;
mod szita;
mod tally;
mod tang;
mod tetris_controllers;
mod training;
mod write;

pub use experiment::{Experiment, Findings, Published, Quantity};
pub use form::Form;
pub use measure::{Measured, Value};
pub use report::{Report, Row, Unit};
pub use session::{Error, Session};
pub use training::{Cost, Trained, Training};
pub use write::{markdown, write};

/// Every experiment, in the order of its source.
pub const ALL: &[Experiment] = &[
    chen::figure2::EXPERIMENT,
    chen::table1::EXPERIMENT,
    chen::table2::EXPERIMENT,
    chen::figure10::EXPERIMENT,
    chen::figure12::EXPERIMENT,
    chen::networks::EXPERIMENT,
    chen::states::EXPERIMENT,
    marchal::figure1::EXPERIMENT,
    marchal::figure2::EXPERIMENT,
    marchal::figure3::EXPERIMENT,
    marchal::figure4::EXPERIMENT,
    marchal::figure5::EXPERIMENT,
    cs3243::lambda_pi::EXPERIMENT,
    szita::noise::EXPERIMENT,
    carr::states::EXPERIMENT,
    carr::table2_1::EXPERIMENT,
    carr::table2_2::EXPERIMENT,
    carr::figure4_2::EXPERIMENT,
    carr::figure4_3::EXPERIMENT,
    carr::figure4_4::EXPERIMENT,
    carr::figure4_5::EXPERIMENT,
    carr::figure4_6::EXPERIMENT,
    carr::figure4_7::EXPERIMENT,
    carr::figure4_8::EXPERIMENT,
    carr::figure4_9::EXPERIMENT,
    carr::figure5_1::EXPERIMENT,
    carr::figure5_2::EXPERIMENT,
    carr::figure5_4::EXPERIMENT,
    carr::figure5_6::EXPERIMENT,
    carr::figure6_1::EXPERIMENT,
    carr::figure6_2::EXPERIMENT,
    carr::figure6_3::EXPERIMENT,
    carr::figure6_4::EXPERIMENT,
    carr::figure6_5::EXPERIMENT,
    carr::figure6_6::EXPERIMENT,
    carr::figure6_7::EXPERIMENT,
    carr::figure6_8::EXPERIMENT,
    carr::figure6_9::EXPERIMENT,
    carr::exact::EXPERIMENT,
    carr::ntuple::EXPERIMENT,
    tetris_controllers::dellacherie::HALF,
    tetris_controllers::dellacherie::WHOLE,
    tetris_controllers::bcts::HALF,
    tetris_controllers::bcts::WHOLE,
    tetris_controllers::dt_10::HALF,
    tetris_controllers::dt_10::WHOLE,
    tetris_controllers::dt_20::HALF,
    tetris_controllers::dt_20::WHOLE,
    tetris_controllers::rv_ce::HALF,
    tang::figure5::EXPERIMENT,
    tang::figure8::EXPERIMENT,
    tang::figure9::EXPERIMENT,
    tang::figure10::EXPERIMENT,
    tang::figure11::EXPERIMENT,
    tang::figure12::EXPERIMENT,
    tang::figure13::EXPERIMENT,
    tang::table2::EXPERIMENT,
    tang::table3::EXPERIMENT,
    tang::table4::EXPERIMENT,
    tang::learners::EXPERIMENT,
];

/// The experiment of a name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}
