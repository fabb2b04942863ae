//! `Direct`: the transition model of any game with indexed afterstates, by generating its moves. The
//! reference implementation of every faster model.

use afterstate_core::{Index, Symmetry};
use afterstate_games::reward::{expected_moves, survival};
use afterstate_games::transition_model::Size;
use afterstate_games::{Real, RewardMixture, TransitionModel};

use super::parallel;

/// A transition model by the game's own indices.
pub struct Direct<'a, G> {
    game: &'a G,
    places: usize,
    boards: Vec<u32>,
    size: Size,
}

impl<'a, G: Index + Symmetry> Direct<'a, G> {
    /// The model of a game, or `None` if its afterstates have no indices of 32 bits.
    pub fn new(game: &'a G) -> Option<Direct<'a, G>> {
        let places = game.index_len().filter(|&len| len <= 1 << 32)?;
        let smallest = |place: usize| {
            let after = game.after_at(place as u64)?;
            let smallest = canonical(game, &after) == Some(place as u64);
            smallest.then(|| (place as u32, size_of(game, &after)))
        };
        let found = parallel::filter_map(places as usize, smallest);
        let size = found.iter().map(|found| found.1).fold(Size::default(), add);
        let boards = found.iter().map(|found| found.0).collect();
        Some(Direct { game, places: places as usize, boards, size })
    }

    fn load<T: Real>(&self, after: &G::After, table: &[T::Cell]) -> T {
        let cell = self.game.index_of(after).and_then(|index| table.get(index as usize));
        cell.map_or(T::ZERO, T::load)
    }

    /// The expectation over the chance outcomes of a board.
    fn expect<T: Real>(&self, board: u32, mut value: impl FnMut(&G::State) -> T) -> T {
        let mut sum = T::ZERO;
        if let Some(after) = self.game.after_at(u64::from(board)) {
            self.game.for_each_chance(&after, |state, probability| {
                sum = sum + T::of(probability) * value(&state);
            });
        }
        sum
    }

    /// The expectation over the starting states.
    fn expect_at_start<T: Real>(&self, value: impl Fn(&G::State) -> T) -> T {
        let mut sum = T::ZERO;
        self.game.for_each_start(|state, probability| {
            sum = sum + T::of(probability) * value(&state);
        });
        sum
    }

    fn best_move<T: Real>(
        &self,
        reward: &RewardMixture,
        state: &G::State,
        after_values: &[T::Cell],
    ) -> (T, Option<usize>) {
        best_move(self.game, reward, state, |after| self.load(after, after_values))
    }

    fn min_deaths<T: Real>(&self, state: &G::State, deaths: &[T::Cell]) -> T {
        let mut min = T::ONE;
        self.game.for_each_move(state, |_, step| {
            let value = self.load(&step.after, deaths);
            min = if value < min { value } else { min };
        });
        min
    }
}

fn add(a: Size, b: Size) -> Size {
    Size { boards: a.boards + b.boards, edges: a.edges + b.edges }
}

/// A board with all of its symmetric images.
fn size_of<G: Index + Symmetry>(game: &G, after: &G::After) -> Size {
    let same = (0..game.symmetries())
        .filter(|&k| game.apply_symmetry_to_after(k, after) == *after)
        .count();
    let images = (game.symmetries() / same.max(1)) as u64;
    let mut edges = 0;
    game.for_each_chance(after, |state, _| edges += game.count_moves(&state) as u64);
    Size { boards: images, edges: images * edges }
}

/// The smallest index of all symmetric images of an afterstate.
pub(super) fn canonical<G: Index + Symmetry>(game: &G, after: &G::After) -> Option<u64> {
    (0..game.symmetries())
        .filter_map(|k| game.index_of(&game.apply_symmetry_to_after(k, after)))
        .min()
}

/// The value of the best move of a state and its action number; 0 and `None` if it is terminal.
pub(super) fn best_move<G: Index, T: Real>(
    game: &G,
    reward: &RewardMixture,
    state: &G::State,
    after_value: impl Fn(&G::After) -> T,
) -> (T, Option<usize>) {
    let mut best = (T::NEG_INFINITY, None);
    game.for_each_move(state, |mv, step| {
        let own_reward = T::of(f64::from(reward.of_move(game, state, &(mv, step))));
        let value = own_reward + after_value(&step.after);
        if value > best.0 {
            best = (value, Some(game.action_number(mv)));
        }
    });
    if best.1.is_none() { (T::ZERO, None) } else { best }
}

impl<G: Index + Symmetry, T: Real> TransitionModel<T> for Direct<'_, G> {
    fn table_len(&self) -> usize {
        self.places
    }

    fn boards(&self) -> &[u32] {
        &self.boards
    }

    fn size(&self) -> Size {
        self.size
    }

    fn bellman_backup(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        after_values: &[T::Cell],
        out: &mut [T],
        mut chosen: Option<&mut [u32]>,
    ) {
        for (number, (&board, out)) in boards.iter().zip(out).enumerate() {
            let mut policy = 0u32;
            *out = self.expect(board, |state| {
                let (value, best) = self.best_move(reward, state, after_values);
                let first = best.map_or(0, |best| best as u32 + 1);
                policy = policy.wrapping_mul(0x9e37_79b1).wrapping_add(first);
                value
            });
            if let Some(chosen) = chosen.as_deref_mut() {
                chosen[number] = policy;
            }
        }
    }

    fn min_death_probability(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        for (&board, out) in boards.iter().zip(out) {
            *out = self.expect(board, |state| self.min_deaths(state, deaths));
        }
    }

    fn write_to_images(&self, boards: &[u32], values: &[T], table: &[T::Cell]) {
        for (&board, value) in boards.iter().zip(values) {
            let Some(after) = self.game.after_at(u64::from(board)) else { continue };
            for k in 0..self.game.symmetries() {
                let place = self.game.index_of(&self.game.apply_symmetry_to_after(k, &after));
                if let Some(cell) = place.and_then(|place| table.get(place as usize)) {
                    value.store(cell);
                }
            }
        }
    }

    fn expected_moves(&self, reward: &RewardMixture, board: u32) -> T {
        let after = self.game.after_at(u64::from(board)).filter(|_| reward.moves != 0.0);
        let moves = after.map_or(0.0, |after| expected_moves(self.game, &after));
        T::of(f64::from(reward.moves) * moves)
    }

    fn survival_probability(&self, board: u32) -> T {
        let after = self.game.after_at(u64::from(board));
        let alive = after.map_or(0.0, |after| survival(self.game, &after));
        // Sums of many probabilities are inexact.
        if alive > 1.0 - 1e-12 { T::ONE } else { T::of(alive) }
    }

    fn start_value(&self, reward: &RewardMixture, after_values: &[T::Cell]) -> T {
        self.expect_at_start(|state| self.best_move(reward, state, after_values).0)
    }

    fn start_death_probability(&self, deaths: &[T::Cell]) -> T {
        self.expect_at_start(|state| self.min_deaths(state, deaths))
    }
}
