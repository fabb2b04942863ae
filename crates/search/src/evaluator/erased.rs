//! `ErasedEvaluator`: an evaluator behind a trait object. Each type of evaluator would compile the
//! whole search again.

use std::ops::{Deref, DerefMut};

use afterstate_core::Game;

use super::Evaluator;

/// Any evaluator.
pub struct ErasedEvaluator<'a, G: Game>(Box<dyn Erased<'a, G> + 'a>);

/// An evaluator that can be cloned behind a trait object.
trait Erased<'a, G: Game>: Evaluator<G> {
    fn boxed_clone(&self) -> Box<dyn Erased<'a, G> + 'a>;
}

impl<'a, G: Game, E: Evaluator<G> + Clone + 'a> Erased<'a, G> for E {
    fn boxed_clone(&self) -> Box<dyn Erased<'a, G> + 'a> {
        Box::new(self.clone())
    }
}

impl<'a, G: Game> ErasedEvaluator<'a, G> {
    /// Erases the type of an evaluator.
    pub fn new(evaluator: impl Evaluator<G> + Clone + 'a) -> ErasedEvaluator<'a, G> {
        ErasedEvaluator(Box::new(evaluator))
    }
}

impl<G: Game> Clone for ErasedEvaluator<'_, G> {
    fn clone(&self) -> Self {
        ErasedEvaluator(self.0.boxed_clone())
    }
}

impl<'a, G: Game> Deref for ErasedEvaluator<'a, G> {
    type Target = dyn Evaluator<G> + 'a;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl<G: Game> DerefMut for ErasedEvaluator<'_, G> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}
