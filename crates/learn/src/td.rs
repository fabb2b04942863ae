//! TD(0) and TD(lambda) on afterstates (Szubert & Jaśkowski 2014), online.

use afterstate_core::{Cells, Rng, Step};
use afterstate_values::Network;
use afterstate_values::memory::prefetch;

use crate::Update;

/// What one game of learning came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played<S> {
    /// The sum of all rewards.
    pub score: f64,
    /// How many moves were made.
    pub moves: u64,
    /// The state in which it ended.
    pub last: S,
}

/// Plays games greedily by a network and learns from every move. Each thread has its own learner;
/// they share the network.
pub struct Learner<'a, G: Cells, U: Update> {
    game: &'a G,
    network: &'a Network<G>,
    update: U,
    /// The legal moves of the state at hand, and one after the other what each looks up.
    moves: Vec<(G::Move, Step<G::After>)>,
    numbers: Vec<u32>,
    /// What the last afterstate looked up.
    last: Vec<u32>,
    /// What the afterstate before it looked up, and what that one should have been worth.
    before: Vec<u32>,
    target: Option<f32>,
}

impl<'a, G: Cells, U: Update> Learner<'a, G, U> {
    /// A learner that changes the network by an update.
    pub fn new(game: &'a G, network: &'a Network<G>, update: U) -> Learner<'a, G, U> {
        let last = vec![0; network.lookups()];
        let before = last.clone();
        let (moves, numbers) = (Vec::new(), Vec::new());
        Learner { game, network, update, moves, numbers, last, before, target: None }
    }

    /// Plays one game from a state to its end and learns from it.
    pub fn episode(&mut self, start: G::State, rng: &mut Rng) -> Played<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let mut played = Played { score: 0.0, moves: 0, last: start };
        while played.moves < limit {
            self.look_ahead(&played.last);
            // Learned here and not at the end of the loop: the weights of the next afterstates are
            // on their way from memory now, and none of them has been read yet.
            self.learn_before();
            let Some((chosen, value)) = self.best() else {
                if played.moves > 0 {
                    std::mem::swap(&mut self.before, &mut self.last);
                    self.target = Some(0.0);
                    self.learn_before();
                }
                return played;
            };
            let (_, Step { after, reward }) = self.moves[chosen];
            self.remember(chosen);
            self.target = (played.moves > 0).then_some(value);
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        self.learn_before();
        played
    }

    /// Finds the legal moves and what each looks up, and calls those weights from memory.
    #[inline]
    fn look_ahead(&mut self, state: &G::State) {
        let lookups = self.network.lookups();
        let weights = self.network.weights();
        self.moves.clear();
        let (game, network) = (self.game, self.network);
        let (moves, numbers) = (&mut self.moves, &mut self.numbers);
        game.for_each_move(state, |mv, step| {
            let begin = moves.len() * lookups;
            if numbers.len() < begin + lookups {
                numbers.resize(begin + lookups, 0);
            }
            let own = &mut numbers[begin..begin + lookups];
            network.look_up(game, &step.after, own);
            for &number in own.iter() {
                prefetch(&weights[number as usize]);
            }
            moves.push((mv, step));
        });
    }

    /// The number of the best move and what it is worth, reward included; ties go to the first.
    #[inline]
    fn best(&self) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        let looked_up = self.numbers.chunks_exact(self.network.lookups());
        for (i, ((_, step), numbers)) in self.moves.iter().zip(looked_up).enumerate() {
            let value = step.reward + self.network.sum(numbers);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((i, value));
            }
        }
        best
    }

    /// Keeps what the chosen afterstate looked up, and what the one before it did.
    #[inline]
    fn remember(&mut self, chosen: usize) {
        let lookups = self.network.lookups();
        std::mem::swap(&mut self.before, &mut self.last);
        self.last.copy_from_slice(&self.numbers[chosen * lookups..(chosen + 1) * lookups]);
        self.update.announce(&self.last);
    }

    /// Moves the value of the afterstate before the last towards what followed it.
    #[inline]
    fn learn_before(&mut self) {
        if let Some(target) = self.target.take() {
            let error = target - self.network.sum(&self.before);
            self.update.apply(self.network.weights(), &self.before, error);
        }
    }
}
