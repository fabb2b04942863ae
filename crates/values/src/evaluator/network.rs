//! `NetworkEvaluator`: evaluates by an n-tuple network, many afterstates at once.

use std::ops::ControlFlow;

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::Cells;
use afterstate_search::evaluator::reference_expected_value;
use afterstate_search::{EachMove, Evaluator, MoveValue};

use super::incremental::Incremental;
use super::leaf_cache::{LeafCache, Lookup};
use crate::Values;

/// Evaluates by the values of a network. The weights of all replies to all chance outcomes are
/// prefetched before the first is read, and an afterstate that several replies lead to is summed
/// once. As a [`Policy`] it plays greedily. Each thread has its own; they share the network.
///
/// ```
/// use afterstate_core::{Game, Policy, Rng};
/// use afterstate_games::Tuples;
/// use afterstate_games::twenty48::Twenty48;
/// use afterstate_values::{Network, NetworkPolicy};
///
/// let game = Twenty48::standard();
/// let tuples = Tuples::new(&game, &[vec![0, 1, 2, 3], vec![4, 5, 6, 7]])?;
/// let network = Network::new(&game, tuples, 0.0)?;
/// let mut policy = NetworkPolicy::new(&network);
/// let mut rng = Rng::stream(1, 0);
/// let state = game.start(&mut rng);
/// assert!(policy.choose(&game, &state, &mut rng).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NetworkEvaluator<'a, G: Cells, V> {
    values: &'a V,
    /// Values of moves by what they change, where that is possible.
    incremental: Option<Incremental<'a, G>>,
    cache: Option<LeafCache<G::After>>,
    replies: Vec<Reply>,
    /// Where the replies to each chance outcome end, and its probability.
    outcomes: Vec<(u32, f32)>,
    /// The indices of the weights of each afterstate of the batch, and its value.
    indices: Vec<u32>,
    sums: Vec<f32>,
    moves: Vec<Choice<G>>,
}

/// Greedy play by the values of a network: the largest reward plus value, ties to the first move.
pub type NetworkPolicy<'a, G, V> = NetworkEvaluator<'a, G, V>;

/// A reply to a chance outcome.
#[derive(Clone, Copy)]
struct Reply {
    reward: f32,
    /// The value, if `index` is [`CACHED`].
    value: f32,
    /// The index of its afterstate in the batch.
    index: u32,
}

/// The index of a reply whose value was cached.
const CACHED: u32 = u32::MAX;

impl<'a, G: Cells, V: Values<G>> NetworkEvaluator<'a, G, V> {
    /// An evaluator by some values.
    pub fn new(values: &'a V) -> NetworkEvaluator<'a, G, V> {
        NetworkEvaluator {
            values,
            incremental: values.quantized().and_then(Incremental::new),
            cache: None,
            replies: Vec::new(),
            outcomes: Vec::new(),
            indices: Vec::new(),
            sums: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// The part of `indices` for one afterstate of the batch.
    #[inline]
    fn own(indices: &mut Vec<u32>, index: usize, active_features: usize) -> &mut [u32] {
        let (begin, end) = (index * active_features, (index + 1) * active_features);
        if indices.len() < end {
            indices.resize(end, 0);
        }
        &mut indices[begin..end]
    }

    /// Every legal move of a state, in order, with the value of its afterstate. The weights of all
    /// moves are prefetched before the first is read.
    #[inline]
    fn for_each_value(&mut self, game: &G, state: &G::State, mut each: impl FnMut(Choice<G>, f32)) {
        if let Some(incremental) = &mut self.incremental {
            incremental.start(game, state);
            return game.for_each_move(state, |mv, step| {
                each((mv, step), incremental.value(game, state, &(mv, step)));
            });
        }
        let (values, active_features) = (self.values, self.values.active_features());
        let (moves, indices) = (&mut self.moves, &mut self.indices);
        moves.clear();
        game.for_each_move(state, |mv, step| {
            let own = Self::own(indices, moves.len(), active_features);
            values.indices(game, &step.after, own);
            values.prefetch(own);
            moves.push((mv, step));
        });
        for (i, &choice) in moves.iter().enumerate() {
            each(choice, values.sum(&indices[i * active_features..(i + 1) * active_features]));
        }
    }

    /// Sums the first `count` afterstates of the batch.
    #[inline]
    fn sum(&mut self, count: usize) {
        self.sums.clear();
        let own = self.indices.chunks_exact(self.values.active_features().max(1)).take(count);
        self.sums.extend(own.map(|indices| self.values.sum(indices)));
    }
}

impl<G: Cells, V: Values<G>> Clone for NetworkEvaluator<'_, G, V> {
    fn clone(&self) -> Self {
        NetworkEvaluator::new(self.values)
    }
}

impl<G: Cells, V: Values<G>> Evaluator<G> for NetworkEvaluator<'_, G, V> {
    #[inline]
    fn evaluate_moves(&mut self, game: &G, state: &G::State, each: EachMove<G>) {
        self.for_each_value(game, state, |choice, value| {
            let immediate_reward = choice.1.reward;
            each(choice, MoveValue { value: immediate_reward + value, immediate_reward });
        });
    }

    #[inline]
    fn best(&mut self, game: &G, state: &G::State) -> Option<f32> {
        let mut best = None;
        self.for_each_value(game, state, |choice, value| {
            let value = choice.1.reward + value;
            if best.is_none_or(|largest| value > largest) {
                best = Some(value);
            }
        });
        best
    }

    #[inline]
    fn expected_value(&mut self, game: &G, after: &G::After) -> (f32, u64) {
        if self.incremental.is_some() {
            return reference_expected_value(self, game, after);
        }
        let (values, active_features) = (self.values, self.values.active_features());
        let cache = self.cache.get_or_insert_with(|| LeafCache::new(*after));
        let (replies, outcomes) = (&mut self.replies, &mut self.outcomes);
        let indices = &mut self.indices;
        replies.clear();
        outcomes.clear();
        let mut count = 0;
        let _ = game.try_next_turn(after, |state, probability| {
            game.for_each_move(&state, |_, step| {
                let (value, index) = match cache.find(&step.after) {
                    Lookup::Value(value) => (value, CACHED),
                    Lookup::Pending(index) => (0.0, index),
                    Lookup::New(index) => {
                        let own = Self::own(indices, index as usize, active_features);
                        values.indices(game, &step.after, own);
                        values.prefetch(own);
                        count += 1;
                        (0.0, index)
                    }
                };
                replies.push(Reply { reward: step.reward, value, index });
            });
            outcomes.push((replies.len() as u32, probability as f32));
            ControlFlow::<()>::Continue(())
        });
        self.sum(count);
        if let Some(cache) = &mut self.cache {
            cache.close(&self.sums);
        }
        let (mut mean, mut begin) = (0.0, 0);
        for &(end, probability) in &self.outcomes {
            let mut best = f32::NEG_INFINITY;
            for reply in &self.replies[begin..end as usize] {
                let cached = reply.index == CACHED;
                let value = if cached { reply.value } else { self.sums[reply.index as usize] };
                best = best.max(reply.reward + value);
            }
            mean += probability * if begin == end as usize { self.terminal_value() } else { best };
            begin = end as usize;
        }
        (mean, self.outcomes.len() as u64)
    }

    fn clear_cache(&mut self) {
        if let Some(incremental) = &mut self.incremental {
            incremental.clear();
        }
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }
}

impl<G: Cells, V: Values<G>> Policy<G> for NetworkEvaluator<'_, G, V> {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f32)> = None;
        self.for_each_value(game, state, |choice, value| {
            let value = choice.1.reward + value;
            if best.is_none_or(|(_, largest)| value > largest) {
                best = Some((choice, value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}
