//! `NetworkEvaluator`: evaluates by an n-tuple network, many afterstates at once.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::{Cells, Replies};
use afterstate_search::evaluator::reference_expected_value;
use afterstate_search::{EachMove, Evaluator, MoveValue};

use super::distinct::Distinct;
use super::incremental::Incremental;
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
    distinct: Option<Distinct<G::After>>,
    replies: Replies<G::After>,
    /// Where the outcomes of each afterstate end among the replies.
    ends: Vec<usize>,
    /// The value of each afterstate of the batch.
    found: Vec<f32>,
    /// The indices of the weights of the last afterstates.
    indices: Vec<u32>,
    moves: Vec<Choice<G>>,
}

/// Greedy play by the values of a network: the largest reward plus value, ties to the first move.
pub type NetworkPolicy<'a, G, V> = NetworkEvaluator<'a, G, V>;

/// How many afterstates the weights are prefetched ahead of their sum.
const AHEAD: usize = 8;

/// Afterstates whose indices are kept: a power of two above [`AHEAD`].
const RING: usize = 16;

impl<'a, G: Cells, V: Values<G>> NetworkEvaluator<'a, G, V> {
    /// An evaluator by some values.
    pub fn new(values: &'a V) -> NetworkEvaluator<'a, G, V> {
        NetworkEvaluator {
            values,
            incremental: values.quantized().and_then(Incremental::new),
            distinct: None,
            replies: Replies::new(),
            ends: Vec::new(),
            found: Vec::new(),
            indices: Vec::new(),
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

    /// The expected value of each of some afterstates, in order; returns the number of states.
    #[inline]
    fn for_each_expected_value(
        &mut self,
        game: &G,
        afters: &[G::After],
        mut each: impl FnMut(f32),
    ) -> u64 {
        if self.incremental.is_some() {
            let values = afters.iter().map(|after| reference_expected_value(self, game, after));
            return values.map(|(value, states)| (each(value), states).1).sum();
        }
        let Some(any) = afters.first() else { return 0 };
        let (values, active_features) = (self.values, self.values.active_features());
        let distinct = self.distinct.get_or_insert_with(|| Distinct::of(*any));
        let (replies, ends) = (&mut self.replies, &mut self.ends);
        replies.clear();
        ends.clear();
        for after in afters {
            game.add_replies(after, replies);
            ends.push(replies.outcomes.len());
        }
        distinct.find(&replies.afters);
        let (found, new) = (&mut self.found, &distinct.new[..]);
        found.clear();
        // The last value is that of illegal moves.
        found.resize(replies.afters.len() + 1, f32::NEG_INFINITY);
        let ring = &mut self.indices;
        ring.resize(RING * active_features, 0);
        let part = |number: usize| {
            let begin = number % RING * active_features;
            begin..begin + active_features
        };
        for (number, &after) in new.iter().enumerate() {
            values.indices(game, &replies.afters[after as usize], &mut ring[part(number)]);
            let own = &ring[part(number)];
            if number < AHEAD {
                values.prefetch(own);
            } else {
                let sum = values.sum_and_prefetch(&ring[part(number - AHEAD)], own);
                found[new[number - AHEAD] as usize] = sum;
            }
        }
        for number in new.len().saturating_sub(AHEAD)..new.len() {
            found[new[number] as usize] = values.sum(&ring[part(number)]);
        }
        for (number, &first) in distinct.first.iter().enumerate() {
            found[number] = found[first as usize];
        }
        let illegal = found.len() - 1;
        let (mut outcome, mut begin) = (0, 0);
        for &end in ends.iter() {
            let mut mean = 0.0;
            for &(end, probability) in &replies.outcomes[outcome..end] {
                let mut best = f32::NEG_INFINITY;
                for reply in &replies.moves[begin..end as usize] {
                    best = best.max(reply.reward + found[(reply.after as usize).min(illegal)]);
                }
                // A terminal state has the value 0.
                mean += probability * if best == f32::NEG_INFINITY { 0.0 } else { best };
                begin = end as usize;
            }
            outcome = end;
            each(mean);
        }
        replies.outcomes.len() as u64
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
        let mut value = 0.0;
        let states =
            self.for_each_expected_value(game, std::slice::from_ref(after), |mean| value = mean);
        (value, states)
    }

    #[inline]
    fn expected_values(&mut self, game: &G, afters: &[G::After], values: &mut Vec<f32>) -> u64 {
        self.for_each_expected_value(game, afters, |value| values.push(value))
    }

    fn evaluates_batches(&self) -> bool {
        self.incremental.is_none()
    }

    fn clear_cache(&mut self) {
        if let Some(incremental) = &mut self.incremental {
            incremental.clear();
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
