//! State aggregation of Tetris by contours, following Carr's five assumptions, and the reward of
//! its learners.
//!
//! ```
//! use afterstate_games::tetris::contour::View;
//! // Heights, their differences, capped at three, in a subwell four wide, mirrored: 175 states.
//! let view: View = "heights,differences,cap=3,window=4,mirror".parse().unwrap();
//! assert_eq!(view.sizes(10, 20).last().unwrap().to_string(), "175");
//! ```

mod aggregation;
mod reward;
mod size;
mod subwell;
mod table;
mod view;
mod windows;

pub use aggregation::{ContourActionAggregation, ContourAggregation};
pub use reward::ContourReward;
pub use size::Size;
pub use subwell::{SubwellActionPolicy, SubwellAfterstatePolicy};
pub use table::ContourTable;
pub use view::{Step, View, ViewError};
pub use windows::Windows;
