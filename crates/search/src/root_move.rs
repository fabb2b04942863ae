//! `RootMove`: one move of the position that is searched.

use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;

use crate::tree_search::{Context, TreeSearch, Worker};
use crate::{Algorithm, reference};

/// A move at the root of the tree.
pub(crate) struct RootMove<'a, G: Symmetry> {
    pub(crate) state: &'a G::State,
    pub(crate) choice: &'a Choice<G>,
    pub(crate) immediate_reward: f32,
    pub(crate) plies: u32,
    pub(crate) alpha: f32,
}

impl<G: Symmetry> RootMove<'_, G> {
    /// The value of the move; a result of at most `alpha` is an upper bound.
    pub(crate) fn evaluate(
        self,
        context: Context<G>,
        worker: &mut Worker<G>,
        algorithm: Algorithm,
    ) -> f32 {
        let RootMove { state, choice, immediate_reward, plies, alpha } = self;
        if algorithm == Algorithm::ReferenceMinimax {
            let evaluator = &mut *worker.evaluator;
            return reference::minimax_of_move(context.game, evaluator, state, choice, plies, 0.0);
        }
        let (after, plies) = (&choice.1.after, plies - 1);
        let mut search = TreeSearch { context, worker };
        match algorithm {
            Algorithm::Minimax => {
                search.min_value(after, plies, immediate_reward, alpha, f32::INFINITY)
            }
            _ => {
                let (surprisal, alpha) = (context.max_surprisal, alpha - immediate_reward);
                immediate_reward + search.expected_value(after, plies, surprisal, alpha)
            }
        }
    }
}
