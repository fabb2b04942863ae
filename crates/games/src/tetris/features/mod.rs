//! Features of Tetris placements: the sets of the literature, one file per set.

mod bertsekas;
mod counts;
mod cs3243;
mod dt;
mod fast;
mod heights;
mod pieces;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use afterstate_core::Features;

pub use bertsekas::Bertsekas;
pub use cs3243::Cs3243;
pub use dt::{Dt, Wells};
pub use fast::InstructionSet;

use super::Tetris;

/// All sets, each with a description.
pub(super) const SETS: &[(&str, &str)] = &[
    ("dt", "nine of Dellacherie and Thiery; wells counted from the top of each (version -6)"),
    ("dt6", "the same nine; wells counted as Dellacherie did (version 6)"),
    ("dellacherie", "Dellacherie's six: the first of dt6"),
    ("bertsekas", "22 of Bertsekas & Tsitsiklis: heights, differences, largest height, holes"),
    ("cs3243", "those 22, sum of heights, height range, groups of holes, squares above holes"),
];

/// The set with a name.
pub(super) fn named(game: &Tetris, name: &str) -> Option<Box<dyn Features<Tetris>>> {
    let width = game.setup().width;
    Some(match name {
        "dt" => Box::new(Dt::nine(Wells::FromTop)),
        "dt6" => Box::new(Dt::nine(Wells::EachCell)),
        "dellacherie" => Box::new(Dt::six()),
        "bertsekas" => Box::new(Bertsekas::new(width)),
        "cs3243" => Box::new(Cs3243::new(width)),
        _ => return None,
    })
}
