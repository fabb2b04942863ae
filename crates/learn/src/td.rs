//! TD(0) and TD(lambda) on afterstates (Szubert & Jaśkowski 2014; Jaśkowski 2017), online.

use std::hint::select_unpredictable;

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng, Step};
use afterstate_games::Cells;
use afterstate_values::Network;
use afterstate_values::weights::prefetch_all;

use crate::{EpisodeResult, Update};

/// How far back an error is spread, as a part of it: shares below this are left out.
const SMALLEST_SHARE: f32 = 0.05;

/// How many moves before they are needed the weights of a game learned backwards are called.
const AHEAD: usize = 3;

/// Plays games greedily by a network and learns from every move. Each thread has its own learner;
/// they share the network.
pub struct TdLearner<'a, G: Cells, U: Update> {
    game: &'a G,
    network: &'a Network<G>,
    update: U,
    lambda: f32,
    /// Games under way that take turns: the weights of one are on their way from memory while
    /// another is played.
    seats: Vec<Seat<G>>,
    /// Whether a game is played first and learned from its end.
    backwards: bool,
    /// Who chooses the moves; without one, the largest reward plus value does.
    chooser: Option<Box<dyn Policy<G> + 'a>>,
}

/// A game under way.
struct Seat<G: Cells> {
    number: u64,
    rng: Rng,
    played: EpisodeResult<G::State>,
    /// The legal moves of the state at hand, and one after the other what each looks up.
    moves: Vec<Choice<G>>,
    numbers: Vec<u32>,
    /// What the last afterstates looked up, the last one first.
    trace: Vec<Vec<u32>>,
    /// How many of them belong to this game.
    traced: usize,
    /// What every afterstate of the game looked up, and the rewards, for learning backwards.
    path: Vec<u32>,
    rewards: Vec<f32>,
}

impl<'a, G: Cells, U: Update> TdLearner<'a, G, U> {
    /// A learner that changes the network by an update. An error also changes the afterstates
    /// before, each by `lambda` times less than the one after it.
    pub fn new(
        game: &'a G,
        network: &'a Network<G>,
        update: U,
        lambda: f32,
    ) -> TdLearner<'a, G, U> {
        let (seats, backwards, chooser) = (Vec::new(), false, None);
        TdLearner { game, network, update, lambda, seats, backwards, chooser }
    }

    /// The same, but each game is played without learning, then learned from its end: what the end
    /// was worth reaches the beginning at once. Often better a game; `lambda` plays no part. Threads
    /// that learn so meet less often at the same weights.
    #[must_use]
    pub fn backwards(mut self) -> TdLearner<'a, G, U> {
        self.backwards = true;
        self
    }

    /// The same with another player of the games, such as a search by the same network. What is
    /// learned is still the value of the move that was made.
    #[must_use]
    pub fn played_by(mut self, chooser: Box<dyn Policy<G> + 'a>) -> TdLearner<'a, G, U> {
        self.chooser = Some(chooser);
        self
    }

    /// The number of the move to make and what it is worth, reward included. Calls the weights of
    /// the game that is next meanwhile.
    #[inline]
    fn chosen(&mut self, seat: &mut Seat<G>, next: Option<&Seat<G>>) -> Option<(usize, f32)> {
        let later = next.map_or(&[][..], |next| next.all_looked_up(self.network.active_features()));
        let Some(chooser) = &mut self.chooser else { return seat.best(self.network, later) };
        let (mv, _) = chooser.choose(self.game, &seat.played.last, &mut seat.rng)?;
        let chosen = seat.moves.iter().position(|&(other, _)| other == mv)?;
        let numbers = seat.looked_up(chosen, self.network.active_features());
        Some((chosen, seat.moves[chosen].1.reward + self.network.sum(numbers)))
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
    ) -> EpisodeResult<G::State> {
        let mut seat = self.seats.pop().unwrap_or_else(|| self.seat(start, rng));
        seat.begin(self.game, self.network, 0, start, rng.clone());
        watch(&start);
        while self.step(&mut seat, None) {
            watch(&seat.played.last);
        }
        rng.clone_from(&seat.rng);
        let played = seat.played;
        self.seats.push(seat);
        played
    }

    /// Plays games from their starts to their ends, `at_once` of them in turn, one move each, and
    /// learns from all. `next` gives the number, the start and the luck of the next game; `ended`
    /// gets the number of a game and what it came to.
    ///
    /// A network that does not fit into the caches is read faster so: the weights of one game are
    /// on their way while the other is played.
    pub fn episodes(
        &mut self,
        at_once: usize,
        mut next: impl FnMut(&mut U) -> Option<(u64, G::State, Rng)>,
        mut ended: impl FnMut(u64, EpisodeResult<G::State>),
    ) {
        let mut busy: Vec<Seat<G>> = Vec::with_capacity(at_once);
        while busy.len() < at_once {
            let Some((number, start, rng)) = next(&mut self.update) else { break };
            let mut seat = self.seats.pop().unwrap_or_else(|| self.seat(start, &rng));
            seat.begin(self.game, self.network, number, start, rng);
            busy.push(seat);
        }
        while !busy.is_empty() {
            let mut place = 0;
            while place < busy.len() {
                let next_place = (place + 1) % busy.len();
                let (seat, other) = match busy.get_disjoint_mut([place, next_place]) {
                    Ok([seat, other]) => (seat, Some(&*other)),
                    Err(_) => (&mut busy[place], None),
                };
                if self.step(seat, other) {
                    place += 1;
                    continue;
                }
                ended(seat.number, seat.played);
                if let Some((number, start, rng)) = next(&mut self.update) {
                    seat.begin(self.game, self.network, number, start, rng);
                    place += 1;
                } else {
                    self.seats.push(busy.remove(place));
                }
            }
        }
    }

    fn seat(&self, start: G::State, rng: &Rng) -> Seat<G> {
        let shares = std::iter::successors(Some(1.0), |share| Some(share * self.lambda));
        let reach = shares.take_while(|&share| share > SMALLEST_SHARE).take(100).count();
        Seat {
            number: 0,
            rng: rng.clone(),
            played: EpisodeResult { score: 0.0, moves: 0, last: start },
            moves: Vec::new(),
            numbers: Vec::new(),
            trace: vec![vec![0; self.network.active_features()]; reach],
            traced: 0,
            path: Vec::new(),
            rewards: Vec::new(),
        }
    }

    /// Makes the best move and learns as this learner does; `false` if the game is over. The weights
    /// that the game needs next are called by the game before it in turn, or at once if there is
    /// no other.
    #[inline]
    fn step(&mut self, seat: &mut Seat<G>, next: Option<&Seat<G>>) -> bool {
        let goes_on =
            if self.backwards { self.play(seat, next) } else { self.play_and_learn(seat, next) };
        if next.is_none() {
            prefetch_all(
                self.network.weights(),
                seat.all_looked_up(self.network.active_features()),
            );
        }
        goes_on
    }

    #[inline]
    fn play_and_learn(&mut self, seat: &mut Seat<G>, next: Option<&Seat<G>>) -> bool {
        if seat.played.moves >= self.game.limit().unwrap_or(u64::MAX) {
            return false;
        }
        let best = self.chosen(seat, next);
        if seat.traced > 0 {
            // Nothing follows the last afterstate.
            let target = best.map_or(0.0, |(_, value)| value);
            self.learn(seat, target);
        }
        let Some((chosen, _)) = best else { return false };
        seat.remember(chosen, self.network.active_features());
        self.update.prefetch_all(&seat.trace[0]);
        seat.make(chosen, self.game, self.network);
        true
    }

    /// Makes the best move; when the game is over, learns all of it.
    #[inline]
    fn play(&mut self, seat: &mut Seat<G>, next: Option<&Seat<G>>) -> bool {
        let best = self.chosen(seat, next);
        let cut_off = seat.played.moves >= self.game.limit().unwrap_or(u64::MAX);
        let Some((chosen, _)) = best.filter(|_| !cut_off) else {
            // Nothing follows the last afterstate, unless the game was cut off.
            self.learn_backwards(seat, best.map_or(0.0, |(_, value)| value));
            return false;
        };
        let active_features = self.network.active_features();
        seat.path.extend_from_slice(
            &seat.numbers[chosen * active_features..(chosen + 1) * active_features],
        );
        seat.rewards.push(seat.moves[chosen].1.reward);
        seat.make(chosen, self.game, self.network);
        true
    }

    /// Moves the value of the last afterstate towards a target, and those before it by a part of
    /// the same error.
    #[inline]
    fn learn(&self, seat: &Seat<G>, target: f32) {
        let mut error = target - self.network.sum(&seat.trace[0]);
        let known = seat.trace.len().min(seat.traced);
        for numbers in &seat.trace[..known] {
            self.network.promote(numbers);
            self.update.apply(self.network.weights(), numbers, error);
            error *= self.lambda;
        }
    }

    /// Moves the value of every afterstate of a game towards what followed it, the last one first.
    fn learn_backwards(&self, seat: &Seat<G>, mut target: f32) {
        let weights = self.network.weights();
        let looked_up = |place: usize| {
            let active_features = self.network.active_features();
            &seat.path[place * active_features..(place + 1) * active_features]
        };
        for (place, reward) in seat.rewards.iter().enumerate().rev() {
            if let Some(earlier) = place.checked_sub(AHEAD) {
                prefetch_all(weights, looked_up(earlier));
                self.update.prefetch_all(looked_up(earlier));
            }
            let numbers = looked_up(place);
            self.network.promote(numbers);
            self.update.apply(weights, numbers, target - self.network.sum(numbers));
            target = reward + self.network.sum(numbers);
        }
    }
}

impl<G: Cells> Seat<G> {
    fn begin(&mut self, game: &G, network: &Network<G>, number: u64, start: G::State, rng: Rng) {
        (self.number, self.rng, self.traced) = (number, rng, 0);
        self.path.clear();
        self.rewards.clear();
        self.played = EpisodeResult { score: 0.0, moves: 0, last: start };
        self.look_ahead(game, network);
    }

    /// Makes a move, lets chance deal, and looks ahead.
    #[inline]
    fn make(&mut self, chosen: usize, game: &G, network: &Network<G>) {
        let Step { after, reward } = self.moves[chosen].1;
        self.played.score += f64::from(reward);
        self.played.moves += 1;
        self.played.last = game.sample(&after, &mut self.rng);
        self.look_ahead(game, network);
    }

    /// Finds the legal moves and what each looks up.
    #[inline]
    fn look_ahead(&mut self, game: &G, network: &Network<G>) {
        let active_features = network.active_features();
        self.moves.clear();
        game.for_each_move(&self.played.last, |mv, step| self.moves.push((mv, step)));
        let needed = self.moves.len() * active_features;
        if self.numbers.len() < needed {
            self.numbers.resize(needed, 0);
        }
        let mut rest = &mut self.numbers[..];
        for (_, step) in &self.moves {
            if let Some(numbers) = rest.split_off_mut(..active_features) {
                network.indices(game, &step.after, numbers);
            }
        }
    }

    /// What all moves looked up.
    #[inline]
    fn all_looked_up(&self, active_features: usize) -> &[u32] {
        &self.numbers[..self.moves.len() * active_features]
    }

    /// What a move looked up.
    #[inline]
    fn looked_up(&self, chosen: usize, active_features: usize) -> &[u32] {
        &self.numbers[chosen * active_features..(chosen + 1) * active_features]
    }

    /// The number of the best move and what it is worth, reward included; ties go to the first.
    /// Calls other weights meanwhile, for each move as many as it has itself.
    #[inline]
    fn best(&self, network: &Network<G>, later: &[u32]) -> Option<(usize, f32)> {
        let (mut best, mut most) = (0, f32::NEG_INFINITY);
        let active_features = network.active_features();
        let mut later = later;
        for (i, (_, step)) in self.moves.iter().enumerate() {
            let calls = later.split_off(..active_features.min(later.len())).unwrap_or(&[]);
            let numbers = self.looked_up(i, active_features);
            let value = step.reward + network.sum_and_prefetch(numbers, calls);
            // Which move is the best is beyond the processor's guessing.
            let better = i == 0 || value > most;
            best = select_unpredictable(better, i, best);
            most = select_unpredictable(better, value, most);
        }
        prefetch_all(network.weights(), later);
        (!self.moves.is_empty()).then_some((best, most))
    }

    /// Keeps what the chosen afterstate looked up, in front of those before it.
    #[inline]
    fn remember(&mut self, chosen: usize, active_features: usize) {
        if self.trace.len() > 1 {
            self.trace.rotate_right(1);
        }
        self.traced += 1;
        let numbers = &self.numbers[chosen * active_features..(chosen + 1) * active_features];
        self.trace[0].copy_from_slice(numbers);
    }
}
