//! `NetworkPolicy`: greedy play by the values of a network.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::Cells;

use crate::Values;

/// Selects the move with the largest reward plus value; ties go to the first. Each thread has its
/// own policy; they share the network.
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
pub struct NetworkPolicy<'a, G: Cells, V: Values<G>> {
    values: &'a V,
    /// The legal moves of a state, and the indices of the weights of each in turn.
    moves: Vec<Choice<G>>,
    indices: Vec<u32>,
}

impl<'a, G: Cells, V: Values<G>> NetworkPolicy<'a, G, V> {
    /// A policy by some values.
    pub fn new(values: &'a V) -> NetworkPolicy<'a, G, V> {
        NetworkPolicy { values, moves: Vec::new(), indices: Vec::new() }
    }

    /// Every legal move of a state, in order, with its reward plus value.
    #[inline]
    pub fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut each: impl FnMut(Choice<G>, f32),
    ) {
        let (values, active_features) = (self.values, self.values.active_features());
        let (moves, indices) = (&mut self.moves, &mut self.indices);
        moves.clear();
        // The weights of all moves are prefetched before the first is read.
        game.for_each_move(state, |mv, step| {
            let begin = moves.len() * active_features;
            if indices.len() < begin + active_features {
                indices.resize(begin + active_features, 0);
            }
            let own = &mut indices[begin..begin + active_features];
            values.indices(game, &step.after, own);
            values.prefetch(own);
            moves.push((mv, step));
        });
        for (i, &(mv, step)) in moves.iter().enumerate() {
            let value = values.sum(&indices[i * active_features..(i + 1) * active_features]);
            each((mv, step), step.reward + value);
        }
    }
}

impl<G: Cells, V: Values<G>> Policy<G> for NetworkPolicy<'_, G, V> {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f32)> = None;
        self.evaluate_moves(game, state, |choice, value| {
            if best.is_none_or(|(_, largest)| value > largest) {
                best = Some((choice, value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Spec, Visitor};
    use afterstate_games::twenty48::Twenty48;

    use super::*;
    use crate::test_networks::{random_network, random_states};
    use crate::{AnyNetwork, QuantizedNetwork};

    /// Reference implementation: the first of the moves with the largest reward plus value.
    fn reference<G: Cells>(
        game: &G,
        values: &impl Values<G>,
        state: &G::State,
    ) -> Option<Choice<G>> {
        let mut all = Vec::new();
        game.for_each_move(state, |mv, step| {
            all.push(((mv, step), step.reward + values.value(game, &step.after)));
        });
        let largest = all.iter().map(|&(_, value)| value).max_by(f32::total_cmp)?;
        all.into_iter().find(|&(_, value)| value == largest).map(|(choice, _)| choice)
    }

    /// Tuples, and the number of states.
    struct AgreesWithReference<'a>(&'a [Vec<usize>], usize);

    impl Visitor for AgreesWithReference<'_> {
        type Output = ();

        fn visit<G: Spec>(self, game: &G) {
            let network = random_network(game, self.0, 1);
            let (quantized, _) = QuantizedNetwork::from_network(&network).unwrap();
            let any = AnyNetwork::Quantized(QuantizedNetwork::from_network(&network).unwrap().0);
            let mut full_policy = NetworkPolicy::new(&network);
            let mut quantized_policy = NetworkPolicy::new(&quantized);
            let mut any_policy = NetworkPolicy::new(&any);
            let mut rng = Rng::stream(1, 0);
            for state in random_states(game, self.1, 2) {
                let chosen = full_policy.choose(game, &state, &mut rng);
                assert_eq!(chosen, reference(game, &network, &state), "{state:?}");
                let chosen = quantized_policy.choose(game, &state, &mut rng);
                assert_eq!(chosen, reference(game, &quantized, &state), "{state:?}");
                assert_eq!(any_policy.choose(game, &state, &mut rng), chosen);
            }
            assert_eq!(rng, Rng::stream(1, 0), "greedy play uses no RNG");
        }
    }

    #[test]
    fn a_policy_selects_the_move_of_the_reference() {
        let rows = [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![0, 1, 4, 5], vec![9]];
        let (few, many) = ([vec![0, 1, 2], vec![5]], [(0..9).collect(), vec![20, 12]]);
        for (spec, tuples, states) in [
            ("2048:4x4", &rows[..], 10_000),
            ("2048:3x2", &few, 2_000),
            ("1010:10x10", &many, 500),
            ("tetris:6x8", &many, 2_000),
        ] {
            spec.parse::<GameSpec>().unwrap().with(AgreesWithReference(tuples, states));
        }
    }

    #[test]
    fn ties_go_to_the_first_move() {
        let game = Twenty48::standard();
        let tuples = afterstate_games::Tuples::new(&game, &[vec![0]]).unwrap();
        let network = crate::Network::new(&game, tuples, 0.0).unwrap();
        let mut policy = NetworkPolicy::new(&network);
        let mut rng = Rng::stream(1, 0);
        for state in random_states(&game, 1_000, 3) {
            let greedy = afterstate_core::Greedy.choose(&game, &state, &mut rng);
            assert_eq!(policy.choose(&game, &state, &mut rng), greedy);
        }
    }
}
