//! `GreedyGame`: a game in progress that takes the best move by the values of a network; several take
//! turns, so that the weights of one arrive while another is played.

use std::hint::select_unpredictable;

use afterstate_core::policy::Choice;
use afterstate_core::processor::has_avx512;
use afterstate_core::{Ending, Episode, Game, Rng, Step};
use afterstate_games::Cells;

use crate::Values;

/// Games that take turns: more would displace each other's weights from the first-level cache.
const AT_ONCE: usize = 2;

/// A game in progress, with the moves of its state and the indices of their weights.
pub struct GreedyGame<G: Cells> {
    /// Chance.
    pub rng: Rng,
    /// The current state.
    pub state: G::State,
    /// The sum of rewards.
    pub score: f64,
    /// Moves made.
    pub length: u64,
    moves: Vec<Choice<G>>,
    indices: Vec<u32>,
}

impl<G: Cells> GreedyGame<G> {
    /// A game that has not begun.
    pub fn new(state: G::State, rng: Rng) -> GreedyGame<G> {
        let (moves, indices) = (Vec::new(), Vec::new());
        GreedyGame { rng, state, score: 0.0, length: 0, moves, indices }
    }

    /// Begins at a state.
    pub fn begin(&mut self, game: &G, values: &impl Values<G>, start: G::State, rng: Rng) {
        (self.rng, self.state, self.score, self.length) = (rng, start, 0.0, 0);
        self.find_moves(game);
        self.find_indices(game, values);
    }

    /// The legal moves of the state.
    #[inline(always)]
    pub fn moves(&self) -> &[Choice<G>] {
        &self.moves
    }

    /// The weight indices of all moves.
    #[inline(always)]
    pub fn all_indices(&self, active_features: usize) -> &[u32] {
        &self.indices[..self.moves.len() * active_features]
    }

    /// The weight indices of one move.
    #[inline(always)]
    pub fn move_indices(&self, chosen: usize, active_features: usize) -> &[u32] {
        &self.indices[chosen * active_features..(chosen + 1) * active_features]
    }

    /// The index of the best move and its value, reward included; ties go to the first. Prefetches
    /// other weights, for each move as many as it has itself.
    #[inline(always)]
    pub fn best(&self, values: &impl Values<G>, later: &[u32]) -> Option<(usize, f32)> {
        let (mut best, mut max) = (0, f32::NEG_INFINITY);
        let active_features = values.active_features();
        let mut later = later;
        for (i, (_, step)) in self.moves.iter().enumerate() {
            let prefetched = later.split_off(..active_features.min(later.len())).unwrap_or(&[]);
            let indices = self.move_indices(i, active_features);
            let value = step.reward + values.sum_and_prefetch(indices, prefetched);
            // The argmax branch is unpredictable, so use a conditional move.
            let better = i == 0 || value > max;
            best = select_unpredictable(better, i, best);
            max = select_unpredictable(better, value, max);
        }
        values.prefetch(later);
        (!self.moves.is_empty()).then_some((best, max))
    }

    /// Makes a move, samples the next state and finds its moves, but not their indices yet.
    #[inline(always)]
    pub fn make(&mut self, chosen: usize, game: &G) {
        let Step { after, reward } = self.moves[chosen].1;
        self.score += f64::from(reward);
        self.length += 1;
        self.state = game.sample(&after, &mut self.rng);
        self.find_moves(game);
    }

    #[inline(always)]
    fn find_moves(&mut self, game: &G) {
        self.moves.clear();
        game.for_each_move(&self.state, |mv, step| self.moves.push((mv, step)));
    }

    /// Finds the weight indices of the moves.
    #[inline(always)]
    pub fn find_indices(&mut self, game: &G, values: &impl Values<G>) {
        values.indices_of_moves(game, &self.moves, &mut self.indices);
    }
}

/// The number and the chance of the next game to play.
pub type NextGame<'a> = &'a mut dyn FnMut() -> Option<(u64, Rng)>;

/// Gets the number of a game that has ended, and the game.
pub type GameEnded<'a, S> = &'a mut dyn FnMut(u64, Episode<S>);

/// Plays whole games greedily, several in turn on one thread. Each is the game that
/// [`Episode::play_up_to`] plays alone.
pub trait PlaysGames<G: Game>: Send + Sync {
    /// Plays games, each up to `max_moves`, until there is no next one.
    fn play_games(
        &self,
        game: &G,
        max_moves: u64,
        next: NextGame<'_>,
        ended: GameEnded<'_, G::State>,
    );
}

impl<G: Cells, V: Values<G>> PlaysGames<G> for V {
    fn play_games(
        &self,
        game: &G,
        max_moves: u64,
        next: NextGame<'_>,
        ended: GameEnded<'_, G::State>,
    ) {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if has_avx512() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            return unsafe { play_games_avx512(self, game, max_moves, next, ended) };
        }
        play_games(self, game, max_moves, next, ended);
    }
}

/// The same code, compiled for AVX-512.
#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
fn play_games_avx512<G: Cells>(
    values: &impl Values<G>,
    game: &G,
    max_moves: u64,
    next: NextGame<'_>,
    ended: GameEnded<'_, G::State>,
) {
    play_games(values, game, max_moves, next, ended);
}

#[inline(always)]
fn play_games<G: Cells>(
    values: &impl Values<G>,
    game: &G,
    max_moves: u64,
    next: NextGame<'_>,
    ended: GameEnded<'_, G::State>,
) {
    let limit = game.limit().unwrap_or(u64::MAX).min(max_moves);
    let active_features = values.active_features();
    let mut busy: Vec<(u64, GreedyGame<G>)> = Vec::with_capacity(AT_ONCE);
    while busy.len() < AT_ONCE
        && let Some((number, mut rng)) = next()
    {
        let start = game.start(&mut rng);
        let mut own = GreedyGame::new(start, rng.clone());
        own.begin(game, values, start, rng);
        busy.push((number, own));
    }
    let mut turn = 0;
    while !busy.is_empty() {
        turn = if turn + 1 < busy.len() { turn + 1 } else { 0 };
        let other = if turn + 1 < busy.len() { turn + 1 } else { 0 };
        let ((number, own), other) = match busy.get_disjoint_mut([turn, other]) {
            Ok([own, other]) => (own, Some(&other.1)),
            Err(_) => (&mut busy[turn], None),
        };
        let later = other.map_or(&[][..], |other| other.all_indices(active_features));
        let truncated = own.length >= limit;
        if !truncated && let Some((chosen, _)) = own.best(values, later) {
            own.make(chosen, game);
            own.find_indices(game, values);
            if other.is_none() {
                values.prefetch(own.all_indices(active_features));
            }
            continue;
        }
        let ending = if truncated { Ending::Truncated } else { Ending::Terminal };
        let (score, moves, last) = (own.score, own.length, own.state);
        ended(*number, Episode { score, moves, last, ending });
        if let Some((next, mut rng)) = next() {
            *number = next;
            let start = game.start(&mut rng);
            own.begin(game, values, start, rng);
        } else {
            busy.remove(turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Spec, Visitor};

    use super::*;
    use crate::test_networks::random_network;
    use crate::{NetworkPolicy, QuantizedNetwork};

    struct InTurn;

    impl InTurn {
        fn check<G: Spec>(game: &G, values: &impl Values<G>, games: u64, max_moves: u64) {
            let mut waiting = (0..games).map(|number| (number, Rng::stream(7, number)));
            let mut played = vec![None; games as usize];
            values.play_games(game, max_moves, &mut || waiting.next(), &mut |number, episode| {
                assert!(played[number as usize].replace(episode).is_none(), "{number} twice");
            });
            for (number, found) in played.into_iter().enumerate() {
                let (mut policy, mut rng) =
                    (NetworkPolicy::new(values), Rng::stream(7, number as u64));
                let alone = Episode::play_up_to(max_moves, game, &mut policy, &mut rng);
                assert_eq!(found, Some(alone), "game {number} of {}", game.spec());
            }
        }
    }

    impl Visitor for InTurn {
        type Output = ();

        fn visit<G: Spec>(self, game: &G) {
            let network = random_network(game, &[vec![0, 1, 2], vec![2, 5], vec![1, 3]], 1);
            let even = random_network(game, &[vec![0, 1, 2], vec![2, 3]], 2);
            let staged = network.tuples().clone().with_stages(vec![5, 40]).unwrap();
            let staged = crate::Network::new(game, staged, 3.0).unwrap();
            let (quantized, _) = QuantizedNetwork::from_network(&even).unwrap();
            for (games, max_moves) in [(0, 10), (1, 200), (2, 200), (25, 200), (5, 7), (3, 0)] {
                InTurn::check(game, &network, games, max_moves);
                InTurn::check(game, &even, games, max_moves);
                InTurn::check(game, &staged, games, max_moves);
                InTurn::check(game, &quantized, games, max_moves);
            }
        }
    }

    #[test]
    fn games_in_turn_are_those_played_alone() {
        for spec in ["2048:4x4", "2048:3x3", "tetris:10x20", "1010:10x10"] {
            spec.parse::<GameSpec>().unwrap().with(InTurn);
        }
    }
}
