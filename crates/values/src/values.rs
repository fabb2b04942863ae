//! `Values`: what play and search need of a network, whatever its weights are made of.

use afterstate_games::Cells;

/// Values of afterstates as sums of looked-up weights, in steps that a search may set apart: look
/// up, prefetch_all, do something else while the weights come from memory, sum.
pub trait Values<G: Cells>: Send + Sync {
    /// How many weights one afterstate looks up.
    fn active_features(&self) -> usize;

    /// The numbers of the weights of an afterstate; `out` is [`Values::active_features`] long.
    fn indices(&self, game: &G, after: &G::After, out: &mut [u32]);

    /// Says that these weights will be summed soon.
    fn prefetch_all(&self, numbers: &[u32]);

    /// What an afterstate with these numbers is worth.
    fn sum(&self, numbers: &[u32]) -> f32;

    /// What an afterstate is worth. Takes new memory for the numbers: a hot loop keeps its own.
    fn value(&self, game: &G, after: &G::After) -> f32 {
        let mut numbers = vec![0; self.active_features()];
        self.indices(game, after, &mut numbers);
        self.sum(&numbers)
    }
}
