//! `BatchEvaluator`: searches by any [`AfterstateValues`], all afterstates of a node in one call.

use std::ops::ControlFlow;

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_search::{EachMove, Evaluator, MoveValue};

use crate::{AfterstateValues, Scratch};

/// Evaluates all moves of a state, or all replies to all chance outcomes, in one call. As a
/// [`Policy`] it plays greedily.
pub struct BatchEvaluator<'a, G: Game, V: ?Sized> {
    values: &'a V,
    scratch: Scratch,
    moves: Vec<Choice<G>>,
    afters: Vec<G::After>,
    rewards: Vec<f32>,
    /// Where the replies to each chance outcome end, and its probability.
    outcomes: Vec<(usize, f32)>,
    evaluated: Vec<f32>,
}

impl<'a, G: Game, V: AfterstateValues<G> + ?Sized> BatchEvaluator<'a, G, V> {
    /// An evaluator by some values.
    pub fn new(values: &'a V) -> BatchEvaluator<'a, G, V> {
        BatchEvaluator {
            values,
            scratch: Scratch::default(),
            moves: Vec::new(),
            afters: Vec::new(),
            rewards: Vec::new(),
            outcomes: Vec::new(),
            evaluated: Vec::new(),
        }
    }

    fn evaluate(&mut self, game: &G) {
        self.evaluated.resize(self.afters.len(), 0.0);
        self.values.evaluate(game, &self.afters, &mut self.scratch, &mut self.evaluated);
    }
}

impl<G: Game, V: AfterstateValues<G> + ?Sized> Clone for BatchEvaluator<'_, G, V> {
    fn clone(&self) -> Self {
        BatchEvaluator::new(self.values)
    }
}

impl<G: Game, V: AfterstateValues<G> + ?Sized> Evaluator<G> for BatchEvaluator<'_, G, V> {
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        self.moves.clear();
        self.afters.clear();
        game.for_each_move(state, |mv, step| {
            self.moves.push((mv, step));
            self.afters.push(step.after);
        });
        self.evaluate(game);
        for (&(mv, step), value) in self.moves.iter().zip(&self.evaluated) {
            let immediate_reward = step.reward;
            each((mv, step), MoveValue { value: step.reward + value, immediate_reward });
        }
    }

    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        self.afters.clear();
        self.rewards.clear();
        self.outcomes.clear();
        let _ = game.try_next_turn(after, |state, probability| {
            game.for_each_move(&state, |_, step| {
                self.afters.push(step.after);
                self.rewards.push(step.reward);
            });
            self.outcomes.push((self.afters.len(), probability as f32));
            ControlFlow::<()>::Continue(())
        });
        self.evaluate(game);
        let (mut mean, mut begin) = (0.0, 0);
        for &(end, probability) in &self.outcomes {
            let replies = self.rewards[begin..end].iter().zip(&self.evaluated[begin..end]);
            let best = replies.map(|(reward, value)| reward + value).reduce(f32::max);
            mean += probability * best.unwrap_or(self.terminal_value());
            begin = end;
        }
        (mean, self.outcomes.len() as u64)
    }
}

impl<G: Game, V: AfterstateValues<G> + ?Sized> Policy<G> for BatchEvaluator<'_, G, V> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f32)> = None;
        self.evaluate_moves(game, state, &mut |choice, MoveValue { value, .. }| {
            if best.is_none_or(|(_, largest)| value > largest) {
                best = Some((choice, value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}
