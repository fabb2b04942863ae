//! `ErasedEvaluator`: an evaluator behind a trait object. Each type of evaluator compiles the whole
//! search again, which is only worth it where evaluation is fast.

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use super::{Evaluator, MoveValue};

/// Any evaluator.
pub struct ErasedEvaluator<'a, G: Game>(Box<dyn Erased<'a, G> + 'a>);

impl<'a, G: Game> ErasedEvaluator<'a, G> {
    /// Erases the type of an evaluator.
    pub fn new(evaluator: impl Evaluator<G> + 'a) -> ErasedEvaluator<'a, G> {
        ErasedEvaluator(Box::new(evaluator))
    }
}

impl<G: Game> Clone for ErasedEvaluator<'_, G> {
    fn clone(&self) -> Self {
        ErasedEvaluator(self.0.boxed_clone())
    }
}

/// An object-safe [`Evaluator`].
trait Erased<'a, G: Game>: Send {
    fn moves(&mut self, game: &G, state: &G::State, each: &mut dyn FnMut(Choice<G>, MoveValue));
    fn best_move(&mut self, game: &G, state: &G::State) -> Option<f32>;
    fn good_move(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32>;
    fn expectation(&mut self, game: &G, after: &G::After) -> (f32, u64);
    fn reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32;
    fn terminal(&self) -> f32;
    fn limits(&self, plies: u32) -> Option<(f32, f32)>;
    fn clear(&mut self);
    fn boxed_clone(&self) -> Box<dyn Erased<'a, G> + 'a>;
}

impl<'a, G: Game, E: Evaluator<G> + 'a> Erased<'a, G> for E {
    fn moves(&mut self, game: &G, state: &G::State, each: &mut dyn FnMut(Choice<G>, MoveValue)) {
        self.evaluate_moves(game, state, each);
    }

    fn best_move(&mut self, game: &G, state: &G::State) -> Option<f32> {
        self.best(game, state)
    }

    fn good_move(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        self.best_until(game, state, enough)
    }

    fn expectation(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.expected_value(game, after)
    }

    fn reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        self.immediate_reward(game, state, choice)
    }

    fn terminal(&self) -> f32 {
        self.terminal_value()
    }

    fn limits(&self, plies: u32) -> Option<(f32, f32)> {
        self.bounds(plies)
    }

    fn clear(&mut self) {
        self.clear_cache();
    }

    fn boxed_clone(&self) -> Box<dyn Erased<'a, G> + 'a> {
        Box::new(self.clone())
    }
}

impl<G: Game> Evaluator<G> for ErasedEvaluator<'_, G> {
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut each: impl FnMut(Choice<G>, MoveValue),
    ) {
        self.0.moves(game, state, &mut each);
    }

    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        self.0.best_move(game, state)
    }

    fn best_until(&mut self, game: &G, state: &G::State, enough: f32) -> Option<f32> {
        self.0.good_move(game, state, enough)
    }

    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.0.expectation(game, after)
    }

    fn immediate_reward(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        self.0.reward(game, state, choice)
    }

    fn terminal_value(&self) -> f32 {
        self.0.terminal()
    }

    fn bounds(&self, plies: u32) -> Option<(f32, f32)> {
        self.0.limits(plies)
    }

    fn clear_cache(&mut self) {
        self.0.clear();
    }
}
