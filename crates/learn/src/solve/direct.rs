//! `Direct`: any game with numbers for its afterstates, laid out by walking its moves. The slow
//! twin of every faster layout.

use std::ops::ControlFlow;

use afterstate_core::{Index, Symmetry};
use afterstate_games::reward::{expected_moves, survival};
use afterstate_games::transition_model::Size;
use afterstate_games::{Real, RewardMixture, TransitionModel};
use rayon::prelude::*;

/// A game laid out by its own numbers.
pub struct Direct<'a, G> {
    game: &'a G,
    places: usize,
    boards: Vec<u32>,
    size: Size,
}

impl<'a, G: Index + Symmetry> Direct<'a, G> {
    /// Lays out a game, or `None` if its afterstates have no numbers of 32 bits.
    pub fn new(game: &'a G) -> Option<Direct<'a, G>> {
        let places = game.index_len().filter(|&len| len <= 1 << 32)?;
        let smallest = |&place: &u32| {
            let after = game.after_at(u64::from(place));
            after.is_some_and(|after| canonical(game, &after) == Some(u64::from(place)))
        };
        let boards: Vec<u32> =
            (0..places).into_par_iter().map(|place| place as u32).filter(smallest).collect();
        let size = boards.par_iter().map(|&place| size_of(game, place)).reduce(Size::default, add);
        Some(Direct { game, places: places as usize, boards, size })
    }

    fn worth<T: Real>(&self, after: &G::After, worth: &[T::Cell]) -> T {
        let place = self.game.index_of(after).and_then(|place| worth.get(place as usize));
        place.map_or(T::ZERO, T::load)
    }

    fn best_move<T: Real>(
        &self,
        reward: &RewardMixture,
        state: &G::State,
        worth: &[T::Cell],
    ) -> (T, Option<usize>) {
        best_move(self.game, reward, state, |after| self.worth(after, worth))
    }

    fn least<T: Real>(&self, state: &G::State, deaths: &[T::Cell]) -> T {
        let mut least = T::ONE;
        self.game.for_each_move(state, |_, step| {
            let value = self.worth(&step.after, deaths);
            least = if value < least { value } else { least };
        });
        least
    }
}

fn add(a: Size, b: Size) -> Size {
    Size { boards: a.boards + b.boards, edges: a.edges + b.edges }
}

/// A board with all of its images.
fn size_of<G: Index + Symmetry>(game: &G, place: u32) -> Size {
    let Some(after) = game.after_at(u64::from(place)) else { return Size::default() };
    let same = (0..game.symmetries())
        .filter(|&k| game.apply_symmetry_to_after(k, &after) == after)
        .count();
    let images = (game.symmetries() / same.max(1)) as u64;
    let mut edges = 0;
    game.for_each_chance(&after, |state, _| edges += game.count_moves(&state) as u64);
    Size { boards: images, edges: images * edges }
}

/// The smallest number of all images of an afterstate.
pub(super) fn canonical<G: Index + Symmetry>(game: &G, after: &G::After) -> Option<u64> {
    (0..game.symmetries())
        .filter_map(|k| game.index_of(&game.apply_symmetry_to_after(k, after)))
        .min()
}

/// What the best move of a state comes to, and its number among all; nothing if there is none.
pub(super) fn best_move<G: Index, T: Real>(
    game: &G,
    reward: &RewardMixture,
    state: &G::State,
    worth: impl Fn(&G::After) -> T,
) -> (T, Option<usize>) {
    let mut best = (T::LEAST, None);
    game.for_each_move(state, |mv, step| {
        let earned = T::of(f64::from(reward.of_move(game, state, &(mv, step))));
        let value = earned + worth(&step.after);
        if value > best.0 {
            best = (value, Some(game.action_number(mv)));
        }
    });
    if best.1.is_none() { (T::ZERO, None) } else { best }
}

impl<G: Index + Symmetry, T: Real> TransitionModel<T> for Direct<'_, G> {
    fn places(&self) -> usize {
        self.places
    }

    fn boards(&self) -> &[u32] {
        &self.boards
    }

    fn size(&self) -> Size {
        self.size
    }

    fn best(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        worth: &[T::Cell],
        out: &mut [T],
        mut chosen: Option<&mut [u32]>,
    ) {
        for (number, (&board, out)) in boards.iter().zip(out).enumerate() {
            let (mut sum, mut policy) = (T::ZERO, 0u32);
            if let Some(after) = self.game.after_at(u64::from(board)) {
                self.game.for_each_chance(&after, |state, odds| {
                    let (value, best) = self.best_move::<T>(reward, &state, worth);
                    sum = sum + T::of(odds) * value;
                    let first = best.map_or(0, |best| best as u32 + 1);
                    policy = policy.wrapping_mul(0x9e37_79b1).wrapping_add(first);
                });
            }
            *out = sum;
            if let Some(chosen) = chosen.as_deref_mut() {
                chosen[number] = policy;
            }
        }
    }

    fn deaths(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]) {
        for (&board, out) in boards.iter().zip(out) {
            let mut sum = T::ZERO;
            if let Some(after) = self.game.after_at(u64::from(board)) {
                self.game.for_each_chance(&after, |state, odds| {
                    sum = sum + T::of(odds) * self.least::<T>(&state, deaths);
                });
            }
            *out = sum;
        }
    }

    fn spread(&self, boards: &[u32], values: &[T], table: &[T::Cell]) {
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

    fn moves(&self, reward: &RewardMixture, board: u32) -> T {
        let after = self.game.after_at(u64::from(board)).filter(|_| reward.moves != 0.0);
        let moves = after.map_or(0.0, |after| expected_moves(self.game, &after));
        T::of(f64::from(reward.moves) * moves)
    }

    fn alive(&self, board: u32) -> T {
        let after = self.game.after_at(u64::from(board));
        let alive = after.map_or(0.0, |after| survival(self.game, &after));
        // The odds of many deals sum to one only nearly.
        if alive > 1.0 - 1e-12 { T::ONE } else { T::of(alive) }
    }

    fn start_best(&self, reward: &RewardMixture, worth: &[T::Cell]) -> T {
        let mut sum = T::ZERO;
        let _ = self.game.try_start(|state, odds| {
            sum = sum + T::of(odds) * self.best_move::<T>(reward, &state, worth).0;
            ControlFlow::<()>::Continue(())
        });
        sum
    }

    fn start_deaths(&self, deaths: &[T::Cell]) -> T {
        let mut sum = T::ZERO;
        let _ = self.game.try_start(|state, odds| {
            sum = sum + T::of(odds) * self.least::<T>(&state, deaths);
            ControlFlow::<()>::Continue(())
        });
        sum
    }
}
