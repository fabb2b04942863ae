//! What a table of Tetris looks at: the well in fewer and fewer words, as Carr's five assumptions
//! leave them, and what its learners are paid.
//!
//! ```
//! use afterstate_games::tetris::contour::View;
//! // Heights, their differences, capped at three, in a subwell four wide, mirrored: 175 states.
//! let view: View = "heights,differences,cap=3,window=4,mirror".parse().unwrap();
//! assert_eq!(view.sizes(10, 20).last().unwrap().to_string(), "175");
//! ```

mod pay;
mod seen;
mod size;
mod subwell;
mod table;
mod view;
mod windows;

pub use pay::Pay;
pub use seen::{Seen, SeenMoves};
pub use size::Size;
pub use subwell::{SubwellAfters, SubwellPairs};
pub use table::ContourTable;
pub use view::{Step, View, ViewError};
pub use windows::Windows;
