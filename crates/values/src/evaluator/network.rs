//! `NetworkEvaluator`: judges by an n-tuple network, many afterstates at once.

use std::ops::ControlFlow;

use crate::Values;
use afterstate_core::Game;
use afterstate_core::policy::Choice;
use afterstate_games::Cells;

use super::leaves::{Found, Leaves};
use afterstate_search::{Evaluator, MoveValue};

/// Judges by the values of a network. All weights of all replies to all deals are called from
/// memory before the first one is read, and an afterstate that several replies lead to is summed
/// once.
pub struct NetworkEvaluator<'a, G: Game, V> {
    values: &'a V,
    leaves: Option<Leaves<G::After>>,
    /// What each reply earns, and where its value stands or what it is.
    replies: Vec<Reply>,
    /// Where the replies of each deal end, and its odds.
    deals: Vec<(u32, f32)>,
    /// What each afterstate of the batch looks up, and what it is worth.
    numbers: Vec<u32>,
    worth: Vec<f32>,
    moves: Vec<Choice<G>>,
}

#[derive(Clone, Copy)]
struct Reply {
    reward: f32,
    /// The value, if `place` is [`KNOWN`].
    value: f32,
    place: u32,
}

/// The place of a value that is known already.
const KNOWN: u32 = u32::MAX;

impl<'a, G: Cells, V: Values<G>> NetworkEvaluator<'a, G, V> {
    /// Judges by some values.
    pub fn new(values: &'a V) -> NetworkEvaluator<'a, G, V> {
        NetworkEvaluator {
            values,
            leaves: None,
            replies: Vec::new(),
            deals: Vec::new(),
            numbers: Vec::new(),
            worth: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Room for the numbers of one more afterstate.
    #[inline]
    fn own(numbers: &mut Vec<u32>, place: usize, active_features: usize) -> &mut [u32] {
        let (begin, end) = (place * active_features, (place + 1) * active_features);
        if numbers.len() < end {
            numbers.resize(end, 0);
        }
        &mut numbers[begin..end]
    }

    /// Sums the first `count` afterstates of the batch.
    #[inline]
    fn sum(&mut self, count: usize) {
        self.worth.clear();
        let own = self.numbers.chunks_exact(self.values.active_features().max(1)).take(count);
        self.worth.extend(own.map(|numbers| self.values.sum(numbers)));
    }
}

impl<G: Cells, V> Clone for NetworkEvaluator<'_, G, V>
where
    V: Values<G>,
{
    fn clone(&self) -> Self {
        NetworkEvaluator::new(self.values)
    }
}

impl<G: Cells, V: Values<G>> Evaluator<G> for NetworkEvaluator<'_, G, V> {
    #[inline]
    fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut offer: impl FnMut(Choice<G>, MoveValue),
    ) {
        let (values, active_features) = (self.values, self.values.active_features());
        let (moves, numbers) = (&mut self.moves, &mut self.numbers);
        moves.clear();
        game.for_each_move(state, |mv, step| {
            let own = Self::own(numbers, moves.len(), active_features);
            values.indices(game, &step.after, own);
            values.prefetch_all(own);
            moves.push((mv, step));
        });
        self.sum(self.moves.len());
        for (&(mv, step), value) in self.moves.iter().zip(&self.worth) {
            offer(
                (mv, step),
                MoveValue { value: step.reward + value, immediate_reward: step.reward },
            );
        }
    }

    #[inline]
    fn expect(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        let (values, active_features) = (self.values, self.values.active_features());
        let leaves = self.leaves.get_or_insert_with(|| Leaves::new(*after));
        let (replies, deals, numbers) = (&mut self.replies, &mut self.deals, &mut self.numbers);
        replies.clear();
        deals.clear();
        let mut count = 0;
        let _ = game.try_next_turn(after, |state, odds| {
            game.for_each_move(&state, |_, step| {
                let (value, place) = match leaves.find(&step.after) {
                    Found::Value(value) => (value, KNOWN),
                    Found::Place(place) => (0.0, place),
                    Found::New(place) => {
                        let own = Self::own(numbers, place as usize, active_features);
                        values.indices(game, &step.after, own);
                        values.prefetch_all(own);
                        count += 1;
                        (0.0, place)
                    }
                };
                replies.push(Reply { reward: step.reward, value, place });
            });
            deals.push((replies.len() as u32, odds as f32));
            ControlFlow::<()>::Continue(())
        });
        self.sum(count);
        if let Some(leaves) = &mut self.leaves {
            leaves.close(&self.worth);
        }
        let (mut mean, mut begin) = (0.0, 0);
        for &(end, odds) in &self.deals {
            let mut best = f32::NEG_INFINITY;
            for reply in &self.replies[begin..end as usize] {
                let known = reply.place == KNOWN;
                let value = if known { reply.value } else { self.worth[reply.place as usize] };
                best = best.max(reply.reward + value);
            }
            mean += odds * if begin == end as usize { self.terminal_value() } else { best };
            begin = end as usize;
        }
        (mean, self.deals.len() as u64)
    }

    fn forget(&mut self) {
        if let Some(leaves) = &mut self.leaves {
            leaves.forget();
        }
    }
}
