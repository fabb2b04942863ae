//! `Bounded`: a judge whose values are known to lie in a range, so that a search may cut off.

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use super::{Judge, Worth};

/// A judge with the range of its values.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<J> {
    /// Who judges.
    pub judge: J,
    /// No state is worth less, at any depth.
    pub low: f32,
    /// No state is worth more, at any depth.
    pub high: f32,
}

impl<G: Game, J: Judge<G>> Judge<G> for Bounded<J> {
    #[inline]
    fn weigh(&mut self, game: &G, state: &G::State, offer: impl FnMut(Choice<G>, Worth)) {
        self.judge.weigh(game, state, offer);
    }

    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        self.judge.best(game, state)
    }

    #[inline]
    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        self.judge.best_until(game, state, enough)
    }

    #[inline]
    fn passing(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        self.judge.passing(game, state, choice)
    }

    fn lost(&self) -> f32 {
        self.judge.lost()
    }

    #[inline]
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.judge.expect(game, after)
    }

    fn bounds(&self, _: u32) -> Option<(f32, f32)> {
        Some((self.low, self.high))
    }

    fn forget(&mut self) {
        self.judge.forget();
    }
}
