//! TD(0) and TD(lambda) on afterstates (Szubert & Jaśkowski 2014; Jaśkowski 2017), online.

use afterstate_core::processor::has_avx512;
use afterstate_core::{EpisodeLimit, Policy, Rng};
use afterstate_games::Cells;
use afterstate_values::values::TrainableValues;
use afterstate_values::{GreedyGame, Network};

use crate::{EpisodeResult, Update};

/// Smaller eligibilities are dropped from the trace.
const MIN_ELIGIBILITY: f32 = 0.05;

/// How many moves ahead backward learning prefetches weights.
const PREFETCH_DISTANCE: usize = 3;

/// Plays games greedily by a value function and learns from every move. Each thread has its own
/// learner; they share the weights.
///
/// ```
/// use afterstate_core::{Game, Rng};
/// use afterstate_games::{Tuples, twenty48::Twenty48};
/// use afterstate_learn::{Td, TdLearner};
/// use afterstate_values::Network;
///
/// let game = Twenty48::new(2, 2, 0.1)?;
/// let network = Network::new(&game, Tuples::new(&game, &[vec![0, 1, 2, 3]])?, 0.0)?;
/// let mut learner = TdLearner::new(&game, &network, Td { rate: 0.5 }, 0.0);
/// let mut rng = Rng::stream(1, 0);
/// let mut score = 0.0;
/// for _ in 0..1_000 {
///     let start = game.start(&mut rng);
///     score += learner.episode(start, &mut rng, |_| {}).score;
/// }
/// println!("{} points per game", score / 1_000.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TdLearner<'a, G: Cells, U: Update, V: TrainableValues<G> = Network<G>> {
    game: &'a G,
    values: &'a V,
    /// How errors change weights.
    pub update: U,
    lambda: f32,
    /// Interleaved games: the weights of one are prefetched while another is played.
    slots: Vec<EpisodeSlot<G>>,
    /// Whether a game is played first and learned from its last move to its first.
    backwards: bool,
    /// Selects the moves; without one, play is greedy.
    policy: Option<Box<dyn Policy<G> + 'a>>,
    /// When games are truncated.
    limit: EpisodeLimit<'a>,
}

/// A game under way.
struct EpisodeSlot<G: Cells> {
    number: u64,
    game: GreedyGame<G>,
    /// The weight indices of the last afterstates, the newest first.
    trace: Vec<Vec<u32>>,
    /// How many afterstates the game has visited.
    visited: usize,
    /// The weight indices of every afterstate of the game, and the rewards, for backward learning.
    path: Vec<u32>,
    rewards: Vec<f32>,
}

impl<'a, G: Cells, U: Update, V: TrainableValues<G>> TdLearner<'a, G, U, V> {
    /// A learner that changes the weights by an update. An error also changes the afterstates
    /// before, each by `lambda` times less than the one after it.
    pub fn new(game: &'a G, values: &'a V, update: U, lambda: f32) -> TdLearner<'a, G, U, V> {
        let (slots, backwards, policy) = (Vec::new(), false, None);
        let limit = EpisodeLimit::of(game);
        TdLearner { game, values, update, lambda, slots, backwards, policy, limit }
    }

    /// Plays each game without learning, then learns from its last move to its first, so that the
    /// value of the end reaches the beginning at once. Often learns more per game; `lambda` is
    /// ignored. Threads that learn so contend less for the same weights.
    #[must_use]
    pub fn backwards(mut self) -> TdLearner<'a, G, U, V> {
        self.backwards = true;
        self
    }

    /// Selects moves by a policy, such as a search by the same values. The value of the selected
    /// move is still what is learned.
    #[must_use]
    pub fn with_policy(mut self, policy: Box<dyn Policy<G> + 'a>) -> TdLearner<'a, G, U, V> {
        self.policy = Some(policy);
        self
    }

    /// Truncates games at a limit instead of that of the rules.
    #[must_use]
    pub fn with_limit(mut self, limit: EpisodeLimit<'a>) -> TdLearner<'a, G, U, V> {
        self.limit = limit;
        self
    }

    /// The index of the selected move and its value, reward included. Prefetches the weights of the
    /// next slot.
    #[inline(always)]
    fn select(
        &mut self,
        slot: &mut EpisodeSlot<G>,
        next: Option<&EpisodeSlot<G>>,
    ) -> Option<(usize, f32)> {
        let later =
            next.map_or(&[][..], |next| next.game.all_indices(self.values.active_features()));
        let Some(policy) = &mut self.policy else { return slot.game.best(self.values, later) };
        let (mv, _) = policy.choose(self.game, &slot.game.state, &mut slot.game.rng)?;
        let moves = slot.game.moves();
        let chosen = moves.iter().position(|&(other, _)| other == mv)?;
        let indices = slot.game.move_indices(chosen, self.values.active_features());
        Some((chosen, moves[chosen].1.reward + self.values.sum(indices)))
    }

    /// Plays one game from a state to its end and learns from it; `observe` sees every state.
    pub fn episode(
        &mut self,
        start: G::State,
        rng: &mut Rng,
        mut observe: impl FnMut(&G::State),
    ) -> EpisodeResult<G::State> {
        let mut slot = self.slots.pop().unwrap_or_else(|| self.slot(start, rng));
        slot.begin(self.game, self.values, 0, start, rng.clone());
        observe(&start);
        while self.step(&mut slot, None) {
            observe(&slot.game.state);
        }
        rng.clone_from(&slot.game.rng);
        let played = slot.played();
        self.slots.push(slot);
        played
    }

    /// Plays games from their starts to their ends, `at_once` of them interleaved move by move, and
    /// learns from all. `next` gives the number, the start and the RNG of the next game; `ended`
    /// gets the number and the result of a game.
    ///
    /// Interleaving hides the memory latency of networks that do not fit into the caches: the
    /// weights of one game are prefetched while the other is played.
    pub fn episodes(
        &mut self,
        at_once: usize,
        next: impl FnMut(&mut U) -> Option<(u64, G::State, Rng)>,
        ended: impl FnMut(u64, EpisodeResult<G::State>),
    ) {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if has_avx512() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            return unsafe { self.episodes_avx512(at_once, next, ended) };
        }
        self.episodes_baseline(at_once, next, ended);
    }

    /// The same code, compiled for AVX-512.
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
    fn episodes_avx512(
        &mut self,
        at_once: usize,
        next: impl FnMut(&mut U) -> Option<(u64, G::State, Rng)>,
        ended: impl FnMut(u64, EpisodeResult<G::State>),
    ) {
        self.episodes_baseline(at_once, next, ended);
    }

    #[inline(always)]
    fn episodes_baseline(
        &mut self,
        at_once: usize,
        mut next: impl FnMut(&mut U) -> Option<(u64, G::State, Rng)>,
        mut ended: impl FnMut(u64, EpisodeResult<G::State>),
    ) {
        let mut busy: Vec<EpisodeSlot<G>> = Vec::with_capacity(at_once);
        while busy.len() < at_once {
            let Some((number, start, rng)) = next(&mut self.update) else { break };
            let mut slot = self.slots.pop().unwrap_or_else(|| self.slot(start, &rng));
            slot.begin(self.game, self.values, number, start, rng);
            busy.push(slot);
        }
        while !busy.is_empty() {
            let mut i = 0;
            while i < busy.len() {
                let next_slot = (i + 1) % busy.len();
                let (slot, other) = match busy.get_disjoint_mut([i, next_slot]) {
                    Ok([slot, other]) => (slot, Some(&*other)),
                    Err(_) => (&mut busy[i], None),
                };
                if self.step(slot, other) {
                    i += 1;
                    continue;
                }
                ended(slot.number, slot.played());
                if let Some((number, start, rng)) = next(&mut self.update) {
                    slot.begin(self.game, self.values, number, start, rng);
                    i += 1;
                } else {
                    self.slots.push(busy.remove(i));
                }
            }
        }
    }

    fn slot(&self, start: G::State, rng: &Rng) -> EpisodeSlot<G> {
        let eligibilities = std::iter::successors(Some(1.0), |e| Some(e * self.lambda));
        let length = eligibilities.take_while(|&e| e > MIN_ELIGIBILITY).take(100).count();
        EpisodeSlot {
            number: 0,
            game: GreedyGame::new(start, rng.clone()),
            trace: vec![vec![0; self.values.active_features()]; length],
            visited: 0,
            path: Vec::new(),
            rewards: Vec::new(),
        }
    }

    /// Makes a move and learns; `false` if the game has ended. The slot before in turn prefetches
    /// the weights of the next move; a single slot prefetches its own.
    #[inline(always)]
    fn step(&mut self, slot: &mut EpisodeSlot<G>, next: Option<&EpisodeSlot<G>>) -> bool {
        let continues =
            if self.backwards { self.play(slot, next) } else { self.play_and_learn(slot, next) };
        if next.is_none() {
            self.values.prefetch(slot.game.all_indices(self.values.active_features()));
        }
        continues
    }

    #[inline(always)]
    fn play_and_learn(&mut self, slot: &mut EpisodeSlot<G>, next: Option<&EpisodeSlot<G>>) -> bool {
        if self.limit.is_reached(slot.game.length) {
            return false;
        }
        let selected = self.select(slot, next);
        // The next moves are found before anything is learned: neither depends on the other, so that
        // the processor does both at once.
        if let Some((chosen, _)) = selected {
            slot.game.make(chosen, self.game);
        }
        if slot.visited > 0 {
            // TD(0) target; 0 if the state is terminal.
            let target = selected.map_or(0.0, |(_, value)| value);
            self.learn(slot, target);
        }
        let Some((chosen, _)) = selected else { return false };
        slot.visit(chosen, self.values.active_features());
        self.update.prefetch(&slot.trace[0]);
        slot.game.find_indices(self.game, self.values);
        true
    }

    /// Makes a move; at the end of the game, learns from all of it.
    #[inline]
    fn play(&mut self, slot: &mut EpisodeSlot<G>, next: Option<&EpisodeSlot<G>>) -> bool {
        let selected = self.select(slot, next);
        let truncated = self.limit.is_reached(slot.game.length);
        let Some((chosen, _)) = selected.filter(|_| !truncated) else {
            // A truncated game bootstraps from the value of its next move.
            self.learn_backwards(slot, selected.map_or(0.0, |(_, value)| value));
            return false;
        };
        let count = self.values.active_features();
        slot.path.extend_from_slice(slot.game.move_indices(chosen, count));
        slot.rewards.push(slot.game.moves()[chosen].1.reward);
        slot.game.make(chosen, self.game);
        slot.game.find_indices(self.game, self.values);
        true
    }

    /// Moves the value of the last afterstate towards a target, and those before it by their
    /// eligibility times the same error.
    #[inline(always)]
    fn learn(&self, slot: &EpisodeSlot<G>, target: f32) {
        let mut error = target - self.values.sum(&slot.trace[0]);
        let length = slot.trace.len().min(slot.visited);
        for indices in &slot.trace[..length] {
            self.values.promote(indices);
            self.update.apply(self.values.weights(), indices, error);
            error *= self.lambda;
        }
    }

    /// Moves the value of every afterstate of a game towards its TD(0) target, the last one first.
    fn learn_backwards(&self, slot: &EpisodeSlot<G>, mut target: f32) {
        let weights = self.values.weights();
        let indices_of = |i: usize| {
            let active_features = self.values.active_features();
            &slot.path[i * active_features..(i + 1) * active_features]
        };
        for (i, reward) in slot.rewards.iter().enumerate().rev() {
            if let Some(earlier) = i.checked_sub(PREFETCH_DISTANCE) {
                self.values.prefetch(indices_of(earlier));
                self.update.prefetch(indices_of(earlier));
            }
            let indices = indices_of(i);
            self.values.promote(indices);
            self.update.apply(weights, indices, target - self.values.sum(indices));
            target = reward + self.values.sum(indices);
        }
    }
}

impl<G: Cells> EpisodeSlot<G> {
    fn begin(
        &mut self,
        game: &G,
        values: &impl TrainableValues<G>,
        number: u64,
        start: G::State,
        rng: Rng,
    ) {
        (self.number, self.visited) = (number, 0);
        self.path.clear();
        self.rewards.clear();
        self.game.begin(game, values, start, rng);
    }

    /// What has been played so far.
    fn played(&self) -> EpisodeResult<G::State> {
        EpisodeResult { score: self.game.score, moves: self.game.length, last: self.game.state }
    }

    /// Puts the afterstate of a move at the front of the trace.
    #[inline(always)]
    fn visit(&mut self, chosen: usize, active_features: usize) {
        if self.trace.len() > 1 {
            self.trace.rotate_right(1);
        }
        self.visited += 1;
        self.trace[0].copy_from_slice(self.game.move_indices(chosen, active_features));
    }
}
