//! `SolvedTable`: what it is worth to leave each board of a solved game, and the player that
//! follows it.

use afterstate_core::policy::Choice;
use afterstate_core::{Index, Policy, Rng, Symmetry};
use afterstate_games::RewardMixture;

/// A number for every board of a small game, one for all images.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedTable {
    reward: RewardMixture,
    numbers: Vec<u64>,
    worth: Vec<f32>,
}

/// What makes no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolvedTableError {
    /// Not a number for each board.
    #[error("met {boards} boards and {values} values, expected as many of both")]
    Count {
        /// Boards.
        boards: usize,
        /// Values.
        values: usize,
    },
    /// Boards are found by halving.
    #[error("met board {board} after board {before}, expected ascending numbers")]
    Order {
        /// The board.
        board: u64,
        /// The one before it.
        before: u64,
    },
}

impl SolvedTable {
    /// What it is worth to leave each of some boards, given by ascending numbers; `reward` is what
    /// a move earns besides.
    pub fn new(
        reward: RewardMixture,
        numbers: Vec<u64>,
        worth: Vec<f32>,
    ) -> Result<SolvedTable, SolvedTableError> {
        if numbers.len() != worth.len() {
            return Err(SolvedTableError::Count { boards: numbers.len(), values: worth.len() });
        }
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SolvedTableError::Order { board: pair[1], before: pair[0] });
        }
        Ok(SolvedTable { reward, numbers, worth })
    }

    /// What a move earns besides the worth of what it leaves.
    pub fn reward(&self) -> &RewardMixture {
        &self.reward
    }

    /// The boards, by ascending numbers.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// What it is worth to leave each of them.
    pub fn values(&self) -> &[f32] {
        &self.worth
    }

    /// What it is worth to leave a board; nothing if the table does not have it.
    pub fn worth<G: Index + Symmetry>(&self, game: &G, after: &G::After) -> f32 {
        let images = (0..game.symmetries())
            .filter_map(|k| game.index_of(&game.apply_symmetry_to_after(k, after)));
        let place = images.min().and_then(|number| self.numbers.binary_search(&number).ok());
        place.map_or(0.0, |place| self.worth[place])
    }

    /// Every move with what it earns and what it is worth to leave its board.
    pub fn evaluate_moves<G: Index + Symmetry>(
        &self,
        game: &G,
        state: &G::State,
        mut offer: impl FnMut(Choice<G>, f32),
    ) {
        game.for_each_move(state, |mv, step| {
            let earned = self.reward.of_move(game, state, &(mv, step));
            offer((mv, step), earned + self.worth(game, &step.after));
        });
    }
}

/// Chooses the move of the largest worth; ties go to the first.
pub struct SolvedPolicy<'a>(&'a SolvedTable);

impl<'a> SolvedPolicy<'a> {
    /// A player by a table.
    pub fn new(table: &'a SolvedTable) -> SolvedPolicy<'a> {
        SolvedPolicy(table)
    }
}

impl<G: Index + Symmetry> Policy<G> for SolvedPolicy<'_> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f32)> = None;
        self.0.evaluate_moves(game, state, |choice, value| {
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((choice, value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}
