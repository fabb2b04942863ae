//! TD(0) and TD(lambda) on afterstates (Szubert & Jaśkowski 2014; Jaśkowski 2017), online.

use afterstate_core::{Cells, Policy, Rng, Step};
use afterstate_values::Network;
use afterstate_values::memory::prefetch;

use crate::{Played, Update};

/// How far back an error is spread, as a part of it: shares below this are left out.
const SMALLEST_SHARE: f32 = 0.05;

/// Plays games greedily by a network and learns from every move. Each thread has its own learner;
/// they share the network.
pub struct Learner<'a, G: Cells, U: Update> {
    game: &'a G,
    network: &'a Network<G>,
    update: U,
    lambda: f32,
    /// The legal moves of the state at hand, and one after the other what each looks up.
    moves: Vec<(G::Move, Step<G::After>)>,
    numbers: Vec<u32>,
    /// What the last afterstates looked up, the last one first. The first has no target yet.
    trace: Vec<Vec<u32>>,
    /// How many of them belong to this game.
    traced: usize,
    /// What the second of the trace should have been worth.
    target: Option<f32>,
    /// What every afterstate of a game looked up, and the rewards, for learning backwards.
    path: Vec<u32>,
    rewards: Vec<f32>,
    /// Who chooses the moves; without one, the largest reward plus value does.
    chooser: Option<Box<dyn Policy<G> + 'a>>,
}

impl<'a, G: Cells, U: Update> Learner<'a, G, U> {
    /// A learner that changes the network by an update. An error also changes the afterstates
    /// before, each by `lambda` times less than the one after it.
    pub fn new(game: &'a G, network: &'a Network<G>, update: U, lambda: f32) -> Learner<'a, G, U> {
        let shares = std::iter::successors(Some(1.0), |share| Some(share * lambda));
        let reach = shares.take_while(|&share| share > SMALLEST_SHARE).take(100).count();
        let trace = vec![vec![0; network.lookups()]; reach + 1];
        let (moves, numbers) = (Vec::new(), Vec::new());
        let (path, rewards) = (Vec::new(), Vec::new());
        let (traced, target) = (0, None);
        Learner {
            game,
            network,
            update,
            lambda,
            moves,
            numbers,
            trace,
            traced,
            target,
            path,
            rewards,
            chooser: None,
        }
    }

    /// The same with another player of the games, such as a search by the same network. What is
    /// learned is still the value of the move that was made.
    #[must_use]
    pub fn played_by(mut self, chooser: Box<dyn Policy<G> + 'a>) -> Learner<'a, G, U> {
        self.chooser = Some(chooser);
        self
    }

    /// Plays one game without learning, then learns it from its end backwards: what the end was
    /// worth reaches the beginning at once. Slower a move than [`Learner::episode`], for the
    /// weights have left the caches by then, and often better a game. `lambda` plays no part.
    pub fn episode_backwards(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut watch: impl FnMut(&G::State),
    ) -> Played<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let lookups = self.network.lookups();
        let mut played = Played { score: 0.0, moves: 0, last: start };
        self.path.clear();
        self.rewards.clear();
        self.target = None;
        // What the afterstate after the last is worth: nothing, unless the game was cut off.
        let mut target = None;
        loop {
            watch(&played.last);
            self.look_ahead(&played.last);
            let Some((chosen, value)) = self.chosen(&played.last, rng) else { break };
            if played.moves >= limit {
                target = Some(value);
                break;
            }
            let (_, Step { after, reward }) = self.moves[chosen];
            let numbers = &self.numbers[chosen * lookups..(chosen + 1) * lookups];
            self.path.extend_from_slice(numbers);
            self.rewards.push(reward);
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        let mut target = target.unwrap_or(0.0);
        for (numbers, reward) in self.path.chunks_exact(lookups).zip(&self.rewards).rev() {
            let error = target - self.network.sum(numbers);
            self.network.promote(numbers);
            self.update.announce(numbers);
            self.update.apply(self.network.weights(), numbers, error);
            target = reward + self.network.sum(numbers);
        }
        played
    }

    /// The update, to change its rate between games.
    pub fn update_mut(&mut self) -> &mut U {
        &mut self.update
    }

    /// Plays one game from a state to its end and learns from it; `watch` sees every state.
    pub fn episode(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut watch: impl FnMut(&G::State),
    ) -> Played<G::State> {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let mut played = Played { score: 0.0, moves: 0, last: start };
        self.traced = 0;
        while played.moves < limit {
            watch(&played.last);
            self.look_ahead(&played.last);
            // Learned here and not at the end of the loop: the weights of the next afterstates are
            // on their way from memory now, and none of them has been read yet.
            self.learn();
            let Some((chosen, value)) = self.chosen(&played.last, rng) else {
                // Nothing follows the last afterstate.
                self.trace.rotate_right(1);
                self.traced += 1;
                self.target = (played.moves > 0).then_some(0.0);
                self.learn();
                return played;
            };
            let (_, Step { after, reward }) = self.moves[chosen];
            self.target = (played.moves > 0).then_some(value);
            self.remember(chosen);
            played.score += f64::from(reward);
            played.moves += 1;
            played.last = self.game.sample(&after, rng);
        }
        self.learn();
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

    /// The number of the move to make and what it is worth, reward included.
    #[inline]
    fn chosen(&mut self, state: &G::State, rng: &mut Rng) -> Option<(usize, f32)> {
        let Some(chooser) = &mut self.chooser else { return self.best() };
        let (mv, _) = chooser.choose(self.game, state, rng)?;
        let chosen = self.moves.iter().position(|&(other, _)| other == mv)?;
        let lookups = self.network.lookups();
        let numbers = &self.numbers[chosen * lookups..(chosen + 1) * lookups];
        Some((chosen, self.moves[chosen].1.reward + self.network.sum(numbers)))
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

    /// Keeps what the chosen afterstate looked up, in front of those before it.
    #[inline]
    fn remember(&mut self, chosen: usize) {
        let lookups = self.network.lookups();
        self.trace.rotate_right(1);
        self.traced += 1;
        self.trace[0].copy_from_slice(&self.numbers[chosen * lookups..(chosen + 1) * lookups]);
        self.update.announce(&self.trace[0]);
    }

    /// Moves the value of the second afterstate of the trace towards its target, and those before
    /// it by a part of the same error.
    #[inline]
    fn learn(&mut self) {
        let Some(target) = self.target.take() else { return };
        let mut error = target - self.network.sum(&self.trace[1]);
        let known = self.trace.len().min(self.traced);
        for numbers in &self.trace[1..known] {
            self.network.promote(numbers);
            self.update.apply(self.network.weights(), numbers, error);
            error *= self.lambda;
        }
    }
}
