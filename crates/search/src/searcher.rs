//! `Searcher`: chooses moves by looking ahead, on one thread or on many, to a depth or for a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use afterstate_core::Symmetry;
use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};

use crate::expectimax::allowance;
use crate::spec::MAX_PLIES;
use crate::walk::{Frame, Walk, Worker};
use crate::{Algorithm, Clock, Deadline, Depth, Evaluator, Search, TranspositionTable, reference};

/// Bytes of the table of a searcher: what three plies meet is little, and should stay in the caches.
const TABLE_BYTES: [usize; 2] = [1 << 20, 1 << 24];

/// Lines that a search of what is known looks at without a beam.
const MAX_LINES: usize = 50_000;

/// The beam where that would be too wide.
const BEAM: usize = 12;

/// The moves of a state with what a search found.
#[derive(Clone, Debug)]
pub struct Ranking<G: Symmetry> {
    /// Every move in the order of the rules, and what it is worth: less than any number, where a
    /// beam did not follow it.
    pub moves: Vec<(Choice<G>, f32)>,
    /// The place of the best: ties go to the first.
    pub best: Option<usize>,
    /// How many plies deep the search was complete.
    pub plies: u32,
    /// States that were looked at.
    pub nodes: u64,
}

/// Chooses moves by search.
///
/// ```
/// use afterstate_core::{Game, Policy, Rng};
/// use afterstate_games::twenty48::Twenty48;
/// use afterstate_search::{AfterstateFn, Search, Searcher};
///
/// let game = Twenty48::standard();
/// let points = AfterstateFn(|_: &Twenty48, _: &_| 0.0);
/// let mut searcher = Searcher::new(points, "expectimax:2".parse::<Search>()?);
/// let mut rng = Rng::stream(1, 0);
/// let state = game.start(&mut rng);
/// assert!(searcher.choose(&game, &state, &mut rng).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Searcher<G: Symmetry, J> {
    search: Search,
    workers: Vec<Worker<G, J>>,
    table: Option<TranspositionTable>,
    fresh: bool,
    ranking: Ranking<G>,
    /// What each move of the ranking counts before what follows it.
    immediate_reward: Vec<f32>,
    spare: Vec<(Choice<G>, f32)>,
    /// The places of the moves, the most promising first.
    order: Vec<usize>,
}

impl<G: Symmetry, J: Evaluator<G>> Searcher<G, J> {
    /// A searcher on one thread.
    pub fn new(evaluator: J, search: Search) -> Searcher<G, J> {
        let deep = !matches!(search.depth, Depth::Plies(..=2));
        let bytes = TABLE_BYTES[usize::from(search.depth != Depth::Plies(3))];
        let table = (deep && search.method == Algorithm::Expectimax)
            .then(|| TranspositionTable::new(bytes));
        let ranking = Ranking { moves: Vec::new(), best: None, plies: 0, nodes: 0 };
        Searcher {
            search,
            workers: vec![Worker::new(evaluator)],
            table,
            fresh: false,
            ranking,
            immediate_reward: Vec::new(),
            spare: Vec::new(),
            order: Vec::new(),
        }
    }

    /// The same on so many threads, which share the moves of the state. To a fixed depth they
    /// choose what one thread chooses.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Searcher<G, J> {
        let evaluator = self.workers[0].evaluator.clone();
        self.workers.resize_with(threads.max(1), || Worker::new(evaluator.clone()));
        self
    }

    /// The same without the table of transpositions.
    #[must_use]
    pub fn without_table(mut self) -> Searcher<G, J> {
        self.table = None;
        self
    }

    /// The same for values that change between moves: nothing is remembered from one to the next.
    #[must_use]
    pub fn forgetful(mut self) -> Searcher<G, J> {
        self.fresh = true;
        self
    }

    /// States that were looked at since the searcher was made.
    pub fn nodes(&self) -> u64 {
        self.workers.iter().map(|worker| worker.nodes).sum()
    }

    /// All moves of a state with what the search finds, exact ones all of them.
    pub fn rank(&mut self, game: &G, state: &G::State) -> &Ranking<G> {
        self.look(game, state, &Instant::now(), true);
        &self.ranking
    }

    /// The best move, by a clock that begins now, of those that the beam follows. Values of other
    /// moves are only known not to be better, and nothing is known of those beyond the beam.
    pub fn look_for(&mut self, game: &G, state: &G::State, clock: &dyn Clock) -> &Ranking<G> {
        self.look(game, state, clock, false);
        &self.ranking
    }

    fn look(&mut self, game: &G, state: &G::State, clock: &dyn Clock, all: bool) {
        if self.fresh {
            self.workers.iter_mut().for_each(|worker| worker.evaluator.forget());
            if let Some(table) = &self.table {
                table.forget();
            }
        }
        let state = match self.search.downgrade {
            Some(beyond) => &game.downgraded(state, beyond),
            None => state,
        };
        let before = self.nodes();
        self.first_ply(game, state);
        let (plies, time) = match (self.search.depth, self.search.within) {
            (Depth::Plies(plies), within) => (plies, within),
            (Depth::Known, within) => (game.known_moves(state), within),
            // The only move needs no thought.
            (Depth::Time(_), _) if self.ranking.moves.len() <= 1 => (1, None),
            (Depth::Time(time), within) => (MAX_PLIES, Some(within.unwrap_or(time).min(time))),
        };
        match time {
            Some(time) => self.deepen(game, state, plies, &Deadline::new(clock, time), all),
            None => self.ply(game, state, plies, None, all),
        }
        self.ranking.nodes = self.nodes() - before;
    }

    /// The moves by what they leave.
    fn first_ply(&mut self, game: &G, state: &G::State) {
        let (moves, immediate_reward) = (&mut self.ranking.moves, &mut self.immediate_reward);
        let worker = &mut self.workers[0];
        moves.clear();
        immediate_reward.clear();
        worker.evaluator.evaluate_moves(game, state, |choice, worth| {
            moves.push((choice, worth.value));
            immediate_reward.push(worth.immediate_reward);
        });
        worker.nodes += 1;
        self.ranking.plies = 1;
        self.ranking.best = best(moves);
    }

    /// Ever deeper, until the time is over or the depth is reached. What the time cut short counts
    /// for nothing.
    fn deepen(&mut self, game: &G, state: &G::State, most: u32, deadline: &Deadline, all: bool) {
        for plies in 2..=most {
            if deadline.check() {
                break;
            }
            self.spare.clone_from(&self.ranking.moves);
            let before = (self.ranking.best, self.nodes());
            self.ply(game, state, plies, Some(deadline), all);
            if deadline.is_over() {
                self.ranking.moves.clone_from(&self.spare);
                self.ranking.best = before.0;
                self.ranking.plies = plies - 1;
                break;
            }
        }
    }

    /// Weighs all moves so many plies deep.
    fn ply(
        &mut self,
        game: &G,
        state: &G::State,
        plies: u32,
        deadline: Option<&Deadline>,
        all: bool,
    ) {
        if plies <= 1 || self.ranking.best.is_none() {
            return;
        }
        let bounds = self.workers[0].evaluator.bounds(plies);
        // Two plies meet few afterstates twice.
        let shared = plies > 2;
        let frame = Frame {
            game,
            table: self.table.as_ref().filter(|_| shared),
            shared,
            deadline,
            beam: self.beam(plies),
            unlikely: allowance(self.search.min_probability),
            slack: bounds.map_or(0.0, |(low, high)| 1e-4 * (high - low).abs().max(1.0)),
        };
        self.workers.iter_mut().for_each(|worker| worker.prepare(plies));
        let method = self.search.method;
        let threads = self.workers.len().min(self.ranking.moves.len());
        // The most promising move first: what the others have to beat.
        let (moves, immediate_reward) = (&mut self.ranking.moves, &self.immediate_reward);
        self.order.clear();
        self.order.extend(0..moves.len());
        self.order.sort_unstable_by(|&a, &b| moves[b].1.total_cmp(&moves[a].1).then(a.cmp(&b)));
        // Who only wants the best move follows the beam from the start.
        if !all && self.order.len() > frame.beam {
            self.order.drain(frame.beam..).for_each(|number| moves[number].1 = f32::NEG_INFINITY);
        }
        let (order, first) = (&self.order, self.order[0]);
        let evaluate =
            &|worker: &mut Worker<G, J>, choice: &Choice<G>, number: usize, beat: f32| {
                let immediate_reward = immediate_reward[number];
                let follow = Follow { state, choice, immediate_reward, plies, beat };
                follow.evaluate_moves(frame, worker, method)
            };
        let value = evaluate(&mut self.workers[0], &moves[first].0, first, f32::NEG_INFINITY);
        moves[first].1 = value;
        let mut leader = (first, value);
        let bound = |leader: (usize, f32), number: usize| match all {
            true => f32::NEG_INFINITY,
            // Before the leader a tie is enough, behind it not.
            false if number < leader.0 => leader.1.next_down(),
            false => leader.1,
        };
        if threads <= 1 {
            for &number in &order[1..] {
                let beat = bound(leader, number);
                let value = evaluate(&mut self.workers[0], &moves[number].0, number, beat);
                moves[number].1 = value;
                if value > leader.1 || value == leader.1 && number < leader.0 {
                    leader = (number, value);
                }
            }
        } else {
            // Every thread takes the next move that none has taken; all of them have to beat the
            // first, whatever the others find meanwhile.
            let next = AtomicUsize::new(1);
            let shared: &[(Choice<G>, f32)] = moves;
            let work = &|worker: &mut Worker<G, J>| {
                let mut found = Vec::new();
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&number) = order.get(turn) else { return found };
                    let value = evaluate(worker, &shared[number].0, number, bound(leader, number));
                    found.push((number, value));
                }
            };
            let found: Vec<(usize, f32)> = std::thread::scope(|scope| {
                let workers = self.workers[..threads].iter_mut();
                let threads: Vec<_> =
                    workers.map(|worker| scope.spawn(move || work(worker))).collect();
                let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
                joined.flat_map(|f| f.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
            });
            found.into_iter().for_each(|(number, value)| moves[number].1 = value);
        }
        self.ranking.best = best(&self.ranking.moves);
        self.ranking.plies = plies;
    }

    /// How many moves of a state are followed.
    fn beam(&self, plies: u32) -> usize {
        match self.search.beam {
            Some(beam) => beam,
            None if self.search.depth == Depth::Known => {
                let lines = self.ranking.moves.len().saturating_pow(plies);
                if lines > MAX_LINES { BEAM } else { usize::MAX }
            }
            None => usize::MAX,
        }
    }
}

/// One move of the state that is searched.
struct Follow<'a, G: Symmetry> {
    state: &'a G::State,
    choice: &'a Choice<G>,
    immediate_reward: f32,
    plies: u32,
    beat: f32,
}

impl<G: Symmetry> Follow<'_, G> {
    /// What the move is worth; at most `beat` is only known to be no better.
    fn evaluate_moves<J: Evaluator<G>>(
        self,
        frame: Frame<G>,
        worker: &mut Worker<G, J>,
        method: Algorithm,
    ) -> f32 {
        let Follow { state, choice, immediate_reward, plies, beat } = self;
        if method == Algorithm::ReferenceMinimax {
            let evaluator = &mut worker.evaluator;
            return reference::minimax_of_move(frame.game, evaluator, state, choice, plies, 0.0);
        }
        let (after, plies) = (&choice.1.after, plies - 1);
        let mut walk = Walk { frame, worker };
        match method {
            Algorithm::Minimax => walk.least(after, plies, immediate_reward, beat, f32::INFINITY),
            _ => {
                immediate_reward
                    + walk.expect(after, plies, frame.unlikely, beat - immediate_reward)
            }
        }
    }
}

/// The place of the largest value, the first of them.
fn best<T>(moves: &[(T, f32)]) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (number, &(_, value)) in moves.iter().enumerate() {
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((number, value));
        }
    }
    best.map(|(number, _)| number)
}

/// A searcher by whatever value function.
pub trait Ranker<G: Symmetry>: Policy<G> + Send {
    /// All moves of a state with what the search finds, exact ones all of them.
    fn rank(&mut self, game: &G, state: &G::State) -> &Ranking<G>;

    /// States that were looked at since the searcher was made.
    fn nodes(&self) -> u64;
}

impl<G: Symmetry, J: Evaluator<G>> Ranker<G> for Searcher<G, J> {
    fn rank(&mut self, game: &G, state: &G::State) -> &Ranking<G> {
        self.rank(game, state)
    }

    fn nodes(&self) -> u64 {
        self.nodes()
    }
}

impl<G: Symmetry, J: Evaluator<G>> Policy<G> for Searcher<G, J> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.look(game, state, &Instant::now(), false);
        let (mv, step) = self.ranking.moves[self.ranking.best?].0;
        match self.search.downgrade {
            // The move of the downgraded board, on the real one.
            Some(_) => game.play(state, mv).ok().map(|step| (mv, step)),
            None => Some((mv, step)),
        }
    }
}
