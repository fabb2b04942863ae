//! Features of 1010! placements, one file per set.

#[cfg(test)]
mod reference;
mod regions;
mod space;
mod tang;
#[cfg(test)]
mod tests;

use crate::RewardMixture;
use afterstate_core::Features;

pub use space::{Fits, Space};
pub use tang::Tang;

use super::TenTen;

/// All sets, each with a description.
pub(super) const SETS: &[(&str, &str)] = &[
    ("tang", "the 21 of Tang's study; the reward among them is the square of the lines (r2)"),
    ("tang-r1", "the same 21 with the reward r1: the square of the lines and the next moves"),
    ("tang-r3", "the same 21 with the reward r3: the next moves"),
    ("space", "room for what comes: moves left, perimeter, survival"),
];

/// The set with a name.
pub(super) fn named(name: &str) -> Option<Box<dyn Features<TenTen>>> {
    let r3 = RewardMixture { moves: 1.0, ..RewardMixture::default() };
    let r2 = RewardMixture { lines: 1.0, ..RewardMixture::default() };
    Some(match name {
        "tang" => Box::new(Tang::new(r2)),
        "tang-r1" => Box::new(Tang::new(RewardMixture { lines: 1.0, ..r3 })),
        "tang-r3" => Box::new(Tang::new(r3)),
        "space" => Box::new(Space),
        _ => return None,
    })
}
