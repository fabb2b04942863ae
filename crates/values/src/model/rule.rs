//! Rules as models: random play, the largest immediate reward, and Tang's greedy rules. No file
//! holds them.

use afterstate_core::policy::Choice;
use afterstate_core::{Greedy, Policy, RandomPolicy};
use afterstate_games::spec::Spec;
use afterstate_search::{AfterstateFn, ErasedEvaluator};

use super::{Model, Part};
use crate::GreedyRule;

impl<G: Spec> Model<G> for RandomPolicy {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(*self)
    }
}

impl<G: Spec> Model<G> for GreedyRule {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(*self)
    }
}

impl<G: Spec> Model<G> for Greedy {
    fn policy(&self) -> Box<dyn Policy<G> + '_> {
        Box::new(*self)
    }

    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        Some(ErasedEvaluator::new(AfterstateFn(|_: &G, _: &G::After| 0.0)))
    }

    fn explain(&self, _: &G, _: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        Some(vec![Part::Reward { share: choice.1.reward }])
    }
}
