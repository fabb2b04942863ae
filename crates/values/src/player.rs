//! `NetworkPolicy`: plays greedily by the values of a network.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::Cells;

use crate::Values;

/// Chooses the move with the largest reward plus value; ties go to the first. Each thread has its
/// own player; they share the network.
///
/// ```
/// use afterstate_core::{Game, Policy, Rng, Tuples};
/// use afterstate_games::twenty48::Twenty48;
/// use afterstate_values::{Network, NetworkPolicy};
///
/// let game = Twenty48::standard();
/// let tuples = Tuples::new(&game, &[vec![0, 1, 2, 3], vec![4, 5, 6, 7]])?;
/// let network = Network::new(&game, tuples, 0.0)?;
/// let mut player = NetworkPolicy::new(&network);
/// let mut rng = Rng::stream(1, 0);
/// let state = game.start(&mut rng);
/// assert!(player.choose(&game, &state, &mut rng).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NetworkPolicy<'a, G: Cells, V: Values<G>> {
    values: &'a V,
    /// The legal moves of the state at hand, and one after the other what each looks up.
    moves: Vec<Choice<G>>,
    numbers: Vec<u32>,
}

impl<'a, G: Cells, V: Values<G>> NetworkPolicy<'a, G, V> {
    /// A player by some values.
    pub fn new(values: &'a V) -> NetworkPolicy<'a, G, V> {
        NetworkPolicy { values, moves: Vec::new(), numbers: Vec::new() }
    }

    /// Every legal move of a state, in order, with what it leaves and what it is worth, reward
    /// included.
    #[inline]
    pub fn evaluate_moves(
        &mut self,
        game: &G,
        state: &G::State,
        mut offer: impl FnMut(Choice<G>, f32),
    ) {
        let (values, active_features) = (self.values, self.values.active_features());
        let (moves, numbers) = (&mut self.moves, &mut self.numbers);
        moves.clear();
        // All weights of all moves are on their way before the first one is read.
        game.for_each_move(state, |mv, step| {
            let begin = moves.len() * active_features;
            if numbers.len() < begin + active_features {
                numbers.resize(begin + active_features, 0);
            }
            let own = &mut numbers[begin..begin + active_features];
            values.indices(game, &step.after, own);
            values.prefetch_all(own);
            moves.push((mv, step));
        });
        for (i, &(mv, step)) in moves.iter().enumerate() {
            let value = values.sum(&numbers[i * active_features..(i + 1) * active_features]);
            offer((mv, step), step.reward + value);
        }
    }
}

impl<G: Cells, V: Values<G>> Policy<G> for NetworkPolicy<'_, G, V> {
    #[inline]
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f32)> = None;
        self.evaluate_moves(game, state, |choice, value| {
            if best.is_none_or(|(_, most)| value > most) {
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

    /// The slow twin: the first of the moves whose reward and value are the largest.
    fn plain<G: Cells>(game: &G, values: &impl Values<G>, state: &G::State) -> Option<Choice<G>> {
        let mut all = Vec::new();
        game.for_each_move(state, |mv, step| {
            all.push(((mv, step), step.reward + values.value(game, &step.after)));
        });
        let most = all.iter().map(|&(_, value)| value).max_by(f32::total_cmp)?;
        all.into_iter().find(|&(_, value)| value == most).map(|(choice, _)| choice)
    }

    /// Tuples, and how many states to look at.
    struct ChoosesAsItsTwin<'a>(&'a [Vec<usize>], usize);

    impl Visitor for ChoosesAsItsTwin<'_> {
        type Output = ();

        fn visit<G: Spec>(self, game: &G) {
            let network = random_network(game, self.0, 1);
            let (small, _) = QuantizedNetwork::from_network(&network).unwrap();
            let any = AnyNetwork::Small(QuantizedNetwork::from_network(&network).unwrap().0);
            let mut full_player = NetworkPolicy::new(&network);
            let mut small_player = NetworkPolicy::new(&small);
            let mut any_player = NetworkPolicy::new(&any);
            let mut rng = Rng::stream(1, 0);
            for state in random_states(game, self.1, 2) {
                let chosen = full_player.choose(game, &state, &mut rng);
                assert_eq!(chosen, plain(game, &network, &state), "{state:?}");
                let chosen = small_player.choose(game, &state, &mut rng);
                assert_eq!(chosen, plain(game, &small, &state), "{state:?}");
                assert_eq!(any_player.choose(game, &state, &mut rng), chosen);
            }
            assert_eq!(rng, Rng::stream(1, 0), "greedy play needs no luck");
        }
    }

    #[test]
    fn a_player_chooses_as_its_slow_twin_does() {
        let rows = [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![0, 1, 4, 5], vec![9]];
        let (few, many) = ([vec![0, 1, 2], vec![5]], [(0..9).collect(), vec![20, 12]]);
        for (spec, tuples, states) in [
            ("2048:4x4", &rows[..], 10_000),
            ("2048:3x2", &few, 2_000),
            ("1010:10x10", &many, 500),
            ("tetris:6x8", &many, 2_000),
        ] {
            spec.parse::<GameSpec>().unwrap().with(ChoosesAsItsTwin(tuples, states));
        }
    }

    #[test]
    fn ties_go_to_the_first_move() {
        let game = Twenty48::standard();
        let tuples = afterstate_games::Tuples::new(&game, &[vec![0]]).unwrap();
        let network = crate::Network::new(&game, tuples, 0.0).unwrap();
        let mut player = NetworkPolicy::new(&network);
        let mut rng = Rng::stream(1, 0);
        for state in random_states(&game, 1_000, 3) {
            let greedy = afterstate_core::Greedy.choose(&game, &state, &mut rng);
            assert_eq!(player.choose(&game, &state, &mut rng), greedy);
        }
    }
}
