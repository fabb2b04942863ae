//! `Values`: what play and search need of a network, whatever its weights are made of.

use afterstate_core::Cells;

/// Values of afterstates as sums of looked-up weights, in steps that a search may set apart: look
/// up, announce, do something else while the weights come from memory, sum.
pub trait Values<G: Cells>: Send + Sync {
    /// How many weights one afterstate looks up.
    fn lookups(&self) -> usize;

    /// The numbers of the weights of an afterstate; `out` is [`Values::lookups`] long.
    fn look_up(&self, game: &G, after: &G::After, out: &mut [u32]);

    /// Says that these weights will be summed soon.
    fn announce(&self, numbers: &[u32]);

    /// What an afterstate with these numbers is worth.
    fn sum(&self, numbers: &[u32]) -> f32;

    /// What an afterstate is worth. Takes new memory for the numbers: a hot loop keeps its own.
    fn value(&self, game: &G, after: &G::After) -> f32 {
        let mut numbers = vec![0; self.lookups()];
        self.look_up(game, after, &mut numbers);
        self.sum(&numbers)
    }
}
