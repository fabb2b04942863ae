//! The 22 features of Bertsekas & Tsitsiklis (Neuro-Dynamic Programming, 1996) and of CS3243's
//! learners, for a well of any width, and the four more of Marchal et al.
//!
//! In the order of their weights: the constant 1; the height of each column; the absolute height
//! difference of each two neighbours; the largest height; the number of holes. Ten columns have
//! 1 + 10 + 9 + 1 + 1 = 22. All are features of the afterstate.
//!
//! Those of Marchal et al.:
//! - sum of heights: of all columns;
//! - height range: the highest column less the lowest ("maximum height difference");
//! - hole groups: the number of groups of holes that share an edge ("grouped holes"; the report
//!   does not define the count, it only prefers grouped holes to separate ones);
//! - squares above holes: the full cells above the lowest hole of each column.

use afterstate_core::Features;
use afterstate_core::policy::Choice;

use super::super::{State, Tetris};
use super::heights::{self, HeightCounts};

/// The set for a well of one width.
#[derive(Clone, Copy, Debug)]
pub struct Bertsekas {
    width: usize,
    /// Whether the features of Marchal et al. follow.
    pub(super) marchal: bool,
}

impl Bertsekas {
    /// The set for a well.
    pub fn new(width: usize) -> Bertsekas {
        Bertsekas { width, marchal: false }
    }

    /// The set of Marchal et al. for a well.
    pub fn with_marchal(width: usize) -> Bertsekas {
        Bertsekas { width, marchal: true }
    }
}

impl Features<Tetris> for Bertsekas {
    fn names(&self) -> Vec<String> {
        let mut names = vec!["constant".to_owned()];
        names.extend((1..=self.width).map(|column| format!("height {column}")));
        names.extend((1..self.width).map(|column| format!("difference {column}")));
        names.extend(["largest height", "holes"].map(str::to_owned));
        if self.marchal {
            let own = ["sum of heights", "height range", "hole groups", "squares above holes"];
            names.extend(own.map(str::to_owned));
        }
        names
    }

    #[inline]
    fn describe(&self, _: &Tetris, _: &State, choice: &Choice<Tetris>, out: &mut [f32]) {
        let columns = &choice.1.after.board.columns()[..self.width];
        HeightCounts::new(columns, self.marchal).write(self.width, self.marchal, out);
    }

    fn best(
        &self,
        game: &Tetris,
        state: &State,
        reward: f32,
        weights: &[f32],
    ) -> Option<(Choice<Tetris>, f32)> {
        heights::best(self, game, state, reward, weights)
    }
}
