//! Agents that play the games of a batch: their moves, their values, and the results of the games.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use afterstate_agents::evaluate::{EvaluateError, PlayedGame, summarise};
use afterstate_agents::{Evaluation, LoadedAgent, OtherRules};
use afterstate_core::{Policy, threads};
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_session::SessionError;

use super::tree::Boards;
use super::{SearchTree, TooManyBoards, TypedBatch};

/// What agents do with the games of a batch.
pub trait AgentBatch {
    /// The actions that an agent plays in some games, from the first on; 0 in one that is over. An
    /// agent that draws at random draws from the stream of the game, as in an episode. Games that come
    /// after `stop` is set are left out.
    fn agent_actions(
        &mut self,
        first: usize,
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
        stop: &AtomicBool,
        actions: &mut [u32],
    ) -> Result<(), SessionError>;

    /// Adds the values to an agent of the moves of some games, in the order of
    /// [`GameBatch::afterstates`](super::GameBatch::afterstates) and rewards included. Returns false if
    /// it has no values.
    fn agent_values(
        &self,
        games: Range<usize>,
        agent: &LoadedAgent,
        values: &mut Vec<f32>,
    ) -> Result<bool, OtherRules>;

    /// The search tree of the games from the first on, of as many as have at most `max` different
    /// boards.
    fn tree(&self, first: usize, plies: u32, max: usize) -> Result<SearchTree, TooManyBoards>;

    /// The results of the games so far; those that have had `max_moves` moves count as truncated.
    fn summary(&self, max_moves: Option<u64>, seconds: f64) -> Result<Evaluation, EvaluateError>;
}

impl<G: Spec> AgentBatch for TypedBatch<G> {
    fn agent_actions(
        &mut self,
        first: usize,
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
        stop: &AtomicBool,
        actions: &mut [u32],
    ) -> Result<(), SessionError> {
        let model = agent.model(&self.game)?;
        agent.check_search(search)?;
        let (game, games) = (&self.game, &mut self.games[first..first + actions.len()]);
        let share = games.len().div_ceil(threads.max(1)).max(1);
        let parts = games.chunks_mut(share).zip(actions.chunks_mut(share));
        threads::scoped(parts, |(games, actions)| {
            let mut policy = model.searching(search);
            for (one, action) in games.iter_mut().zip(actions) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let choice =
                    if one.over { None } else { policy.choose(game, &one.state, &mut one.rng) };
                *action = choice.map_or(0, |(mv, _)| game.action_number(mv) as u32);
            }
        });
        Ok(())
    }

    fn agent_values(
        &self,
        games: Range<usize>,
        agent: &LoadedAgent,
        values: &mut Vec<f32>,
    ) -> Result<bool, OtherRules> {
        let Some(mut evaluator) = agent.model(&self.game)?.evaluator() else { return Ok(false) };
        for one in &self.games[games] {
            evaluator.evaluate_moves(&self.game, &one.state, &mut |_, value| {
                values.push(value.value);
            });
        }
        Ok(true)
    }

    fn tree(&self, first: usize, plies: u32, max: usize) -> Result<SearchTree, TooManyBoards> {
        let (mut tree, mut seen) = (SearchTree::new(plies), Boards::<G>::default());
        for one in &self.games[first..] {
            let state = Some(&one.state).filter(|_| !one.over);
            if !tree.add(&self.game, state, &mut seen, max) {
                if tree.games() == 0 {
                    return Err(TooManyBoards(max, plies));
                }
                break;
            }
        }
        Ok(tree)
    }

    fn summary(&self, max_moves: Option<u64>, seconds: f64) -> Result<Evaluation, EvaluateError> {
        let limit = self.game.limit().unwrap_or(u64::MAX).min(max_moves.unwrap_or(u64::MAX));
        let games = self.games.iter().map(|one| PlayedGame {
            score: one.score,
            moves: one.moves,
            reached: self.game.reached(&one.state),
            truncated: one.moves >= limit,
        });
        summarise(&self.game, &games.collect::<Vec<_>>(), seconds)
    }
}
