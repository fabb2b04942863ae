//! `SolvedTable`: the optimal values of a solved game, and play by them.

use afterstate_core::policy::Choice;
use afterstate_core::{Index, Policy, Rng, Symmetry};
use afterstate_games::RewardMixture;

/// The value of every afterstate of a small game, one for all symmetric images.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedTable {
    reward: RewardMixture,
    gamma: Option<f64>,
    indices: Vec<u64>,
    values: Vec<f32>,
}

/// Why indices and values make no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolvedTableError {
    /// There is not one value per index.
    #[error("a solved table has {boards} boards but {values} values")]
    Count {
        /// Boards.
        boards: usize,
        /// Values.
        values: usize,
    },
    /// Boards are found by binary search.
    #[error("board {board} comes after board {before}: the indices of a solved table must ascend")]
    Order {
        /// The board.
        board: u64,
        /// The one before it.
        before: u64,
    },
}

impl SolvedTable {
    /// The values of afterstates, given by ascending indices. `reward` is the immediate reward that
    /// the values were computed for.
    pub fn new(
        reward: RewardMixture,
        indices: Vec<u64>,
        values: Vec<f32>,
    ) -> Result<SolvedTable, SolvedTableError> {
        if indices.len() != values.len() {
            return Err(SolvedTableError::Count { boards: indices.len(), values: values.len() });
        }
        if let Some(pair) = indices.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SolvedTableError::Order { board: pair[1], before: pair[0] });
        }
        Ok(SolvedTable { reward, gamma: None, indices, values })
    }

    /// The same table, whose values were computed with this discount factor.
    #[must_use]
    pub fn with_gamma(self, gamma: Option<f64>) -> SolvedTable {
        SolvedTable { gamma, ..self }
    }

    /// The immediate reward.
    pub fn reward(&self) -> &RewardMixture {
        &self.reward
    }

    /// The discount factor per move, where it is known: files of older programs do not have it.
    pub fn gamma(&self) -> Option<f64> {
        self.gamma
    }

    /// The ascending indices of the afterstates.
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }

    /// The value of each of them.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The value of an afterstate; 0 if the table does not have it.
    pub fn value<G: Index + Symmetry>(&self, game: &G, after: &G::After) -> f32 {
        let images = (0..game.symmetries())
            .filter_map(|k| game.index_of(&game.apply_symmetry_to_after(k, after)));
        let place = images.min().and_then(|index| self.indices.binary_search(&index).ok());
        place.map_or(0.0, |place| self.values[place])
    }

    /// The reward of a move plus the value of its afterstate.
    pub fn move_value<G: Index + Symmetry>(
        &self,
        game: &G,
        state: &G::State,
        choice: &Choice<G>,
    ) -> f32 {
        self.reward.of_move(game, state, choice) + self.value(game, &choice.1.after)
    }
}

/// A reference to a table is optimal play: the largest reward plus value, ties to the first move.
impl<G: Index + Symmetry> Policy<G> for &SolvedTable {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let best = game.best_move(state, |choice| self.move_value(game, state, choice));
        best.map(|(choice, _)| choice)
    }
}
