//! `Searcher`: selects moves by search, on one thread or several, to a depth or for a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng, Symmetry};

use crate::expectimax::max_surprisal;
use crate::leaves::Leaves;
use crate::pooled::pooled;
use crate::root_move::RootMove;
use crate::spec::MAX_PLIES;
use crate::tree_search::{Context, Worker};
use crate::{
    Algorithm, Clock, Deadline, Depth, ErasedEvaluator, Evaluator, Search, TranspositionTable,
    parallel,
};

/// Bytes of the transposition table for three plies or a hand, which fits into the caches, and for
/// more.
const TABLE_BYTES: [usize; 2] = [1 << 20, 1 << 24];

/// The number of lines above which a search of the known moves gets a beam.
const MAX_LINES: usize = 50_000;

/// The width of that beam.
const BEAM: usize = 12;

/// The number of nodes from which on a search uses several threads: between three plies of 2048, which
/// two threads do not make faster, and four of likely lines (`results/search.md`).
const MIN_NODES: u64 = 1_000;

/// The moves of a state with the values that a search found.
#[derive(Clone, Debug)]
pub struct Ranking<G: Symmetry> {
    /// Every move in the order of the rules, and its value; negative infinity if the beam left it
    /// out.
    pub moves: Vec<(Choice<G>, f32)>,
    /// The index of the best: ties go to the first.
    pub best: Option<usize>,
    /// The depth of the last complete search.
    pub plies: u32,
    /// States visited.
    pub nodes: u64,
}

/// Selects moves by search.
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
pub struct Searcher<'e, G: Symmetry> {
    search: Search,
    workers: Vec<Worker<'e, G>>,
    table: Option<TranspositionTable>,
    /// Whether caches are cleared before every search.
    clears_caches: bool,
    /// Whether three known moves or more have been searched.
    has_searched_hand: bool,
    /// The number of nodes of the last search of each depth.
    last_nodes: Vec<u64>,
    ranking: Ranking<G>,
    /// The immediate reward of each move of the ranking.
    immediate_rewards: Vec<f32>,
    /// The moves and values of the depth before.
    previous: Vec<(Choice<G>, f32)>,
    /// The indices of the moves by descending value at the depth before.
    order: Vec<usize>,
}

impl<'e, G: Symmetry> Searcher<'e, G> {
    /// A searcher on one thread.
    pub fn new(evaluator: impl Evaluator<G> + Clone + 'e, search: Search) -> Searcher<'e, G> {
        Searcher::erased(ErasedEvaluator::new(evaluator), search)
    }

    /// A searcher on one thread by an evaluator that is erased already.
    pub fn erased(evaluator: ErasedEvaluator<'e, G>, search: Search) -> Searcher<'e, G> {
        let deep = !matches!(search.depth, Depth::Plies(..=2));
        let bytes =
            TABLE_BYTES[usize::from(!matches!(search.depth, Depth::Plies(3) | Depth::Known))];
        let table = (deep && search.algorithm == Algorithm::Expectimax)
            .then(|| TranspositionTable::new(bytes));
        let ranking = Ranking { moves: Vec::new(), best: None, plies: 0, nodes: 0 };
        Searcher {
            search,
            workers: vec![Worker::new(evaluator)],
            table,
            clears_caches: false,
            has_searched_hand: false,
            last_nodes: Vec::new(),
            ranking,
            immediate_rewards: Vec::new(),
            previous: Vec::new(),
            order: Vec::new(),
        }
    }

    /// The same on that many threads, which divide the moves of the state among themselves. To a
    /// fixed depth they select the move that one thread selects.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Searcher<'e, G> {
        let evaluator = self.workers[0].evaluator.clone();
        self.workers.resize_with(threads.max(1), || Worker::new(evaluator.clone()));
        self
    }

    /// The same without a transposition table.
    #[must_use]
    pub fn without_table(mut self) -> Searcher<'e, G> {
        self.table = None;
        self
    }

    /// The same for values that change between moves: all caches are cleared before every search.
    #[must_use]
    pub fn for_changing_values(mut self) -> Searcher<'e, G> {
        self.clears_caches = true;
        self
    }

    /// States visited since the searcher was created.
    pub fn nodes(&self) -> u64 {
        self.workers.iter().map(|worker| worker.nodes).sum()
    }

    /// All moves of a state with their exact values.
    pub fn rank(&mut self, game: &G, state: &G::State) -> &Ranking<G> {
        self.run(game, state, &Instant::now(), true);
        &self.ranking
    }

    /// The best move within the beam, by a clock that starts now. The values of other moves in the
    /// beam are upper bounds.
    pub fn search(&mut self, game: &G, state: &G::State, clock: &dyn Clock) -> &Ranking<G> {
        self.run(game, state, clock, false);
        &self.ranking
    }

    /// Searches with exact values of all moves, or for the best move only.
    fn run(&mut self, game: &G, state: &G::State, clock: &dyn Clock, all: bool) {
        if self.clears_caches {
            self.workers.iter_mut().for_each(|worker| worker.evaluator.clear_cache());
            if let Some(table) = &self.table {
                table.clear();
            }
        }
        let state = match self.search.downgrade {
            Some(tile) => &game.downgraded(state, tile),
            None => state,
        };
        let before = self.nodes();
        self.evaluate_first_ply(game, state);
        let (plies, time) = match (self.search.depth, self.search.time_limit) {
            (Depth::Plies(plies), limit) => (plies, limit),
            (Depth::Known, limit) => (game.known_moves(state), limit),
            // A forced move needs no search.
            (Depth::Time(_), _) if self.ranking.moves.len() <= 1 => (1, None),
            (Depth::Time(time), limit) => (MAX_PLIES, Some(limit.unwrap_or(time).min(time))),
        };
        match time {
            Some(time) => self.deepen(game, state, plies, &Deadline::new(clock, time), all),
            None => self.search_depth(game, state, plies, None, all),
        }
        self.ranking.nodes = self.nodes() - before;
    }

    /// The moves with their values without search; 0 where a search needs only their rewards.
    fn evaluate_first_ply(&mut self, game: &G, state: &G::State) {
        let (moves, immediate_rewards) = (&mut self.ranking.moves, &mut self.immediate_rewards);
        let Worker { evaluator, nodes, .. } = &mut self.workers[0];
        moves.clear();
        immediate_rewards.clear();
        let Search { algorithm, depth, beam, time_limit, .. } = self.search;
        let all_exact = algorithm == Algorithm::Expectimax
            && matches!(depth, Depth::Plies(2..))
            && beam.is_none()
            && time_limit.is_none();
        if all_exact && evaluator.bounds(2).is_none() {
            game.for_each_move(state, |mv, step| {
                let choice = (mv, step);
                moves.push((choice, 0.0));
                immediate_rewards.push(evaluator.immediate_reward(game, state, &choice));
            });
        } else {
            evaluator.evaluate_moves(game, state, &mut |choice, value| {
                moves.push((choice, value.value));
                immediate_rewards.push(value.immediate_reward);
            });
        }
        *nodes += 1;
        self.ranking.plies = 1;
        self.ranking.best = best(moves);
    }

    /// Iterative deepening until the depth or the deadline is reached. The results of an incomplete
    /// depth are discarded.
    fn deepen(
        &mut self,
        game: &G,
        state: &G::State,
        max_plies: u32,
        deadline: &Deadline,
        all: bool,
    ) {
        for plies in 2..=max_plies {
            if deadline.check() {
                break;
            }
            self.previous.clone_from(&self.ranking.moves);
            let best = self.ranking.best;
            self.search_depth(game, state, plies, Some(deadline), all);
            if deadline.has_passed() {
                self.ranking.moves.clone_from(&self.previous);
                self.ranking.best = best;
                self.ranking.plies = plies - 1;
                break;
            }
        }
    }

    /// Searches all moves that many plies deep.
    fn search_depth(
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
        // A search of two plies has few transpositions, but the search of a hand of three has
        // searched its last two pieces already.
        let canonical = plies > 2;
        let uses_table = canonical || self.has_searched_hand;
        let context = Context {
            game,
            table: self.table.as_ref().filter(|_| uses_table),
            canonical,
            deadline,
            beam: self.beam(plies),
            max_surprisal: max_surprisal(self.search.min_probability),
            tolerance: bounds.map_or(0.0, |(low, high)| 1e-4 * (high - low).abs().max(1.0)),
        };
        self.workers.iter_mut().for_each(|worker| worker.prepare(plies));
        let algorithm = self.search.algorithm;
        // The best move so far first: its value is the bound of the others.
        let (moves, immediate_rewards) = (&mut self.ranking.moves, &self.immediate_rewards);
        self.order.clear();
        self.order.extend(0..moves.len());
        let by_value = |moves: &[(Choice<G>, f32)], a: usize, b: usize| {
            moves[b].1.total_cmp(&moves[a].1).then(a.cmp(&b))
        };
        // Only a ranking of all moves ignores the beam at the root.
        if !all && self.order.len() > context.beam {
            self.order.select_nth_unstable_by(context.beam, |&a, &b| by_value(moves, a, b));
            self.order.drain(context.beam..).for_each(|index| moves[index].1 = f32::NEG_INFINITY);
        }
        self.order.sort_unstable_by(|&a, &b| by_value(moves, a, b));
        let (order, first) = (&self.order, self.order[0]);
        // Threads cost more than they save on a search that was short the last time.
        let is_short = self.last_nodes.get(plies as usize).is_some_and(|&nodes| nodes < MIN_NODES);
        let threads = if is_short { 1 } else { self.workers.len() };
        let all_exact = algorithm == Algorithm::Expectimax && bounds.is_none();
        // The value of a move of two plies is one expected value: those of all moves are one batch.
        let one_batch = plies == 2
            && context.table.is_none()
            && deadline.is_none()
            && self.workers[0].evaluator.evaluates_batches();
        let before: u64 = self.workers.iter().map(|worker| worker.nodes).sum();
        if all_exact && (one_batch || plies > 2 && threads > 1) {
            let mut leaves = std::mem::replace(&mut self.workers[0].leaves, Leaves::new());
            let Leaves { afters, values, .. } = &mut leaves;
            afters.clear();
            values.clear();
            afters.extend(order.iter().map(|&index| moves[index].0.1.after));
            if one_batch {
                let worker = &mut self.workers[0];
                worker.nodes += worker.evaluator.expected_values(game, afters, values);
            } else {
                *values = parallel::expected_values(context, &mut self.workers, afters, plies - 1);
            }
            for (&index, value) in order.iter().zip(values) {
                moves[index].1 = immediate_rewards[index] + *value;
            }
            self.workers[0].leaves = leaves;
        } else {
            let evaluate =
                &|worker: &mut Worker<G>, choice: &Choice<G>, index: usize, alpha: f32| {
                    let immediate_reward = immediate_rewards[index];
                    let root_move = RootMove { state, choice, immediate_reward, plies, alpha };
                    root_move.evaluate(context, worker, algorithm)
                };
            let value = evaluate(&mut self.workers[0], &moves[first].0, first, f32::NEG_INFINITY);
            moves[first].1 = value;
            let mut leader = (first, value);
            let alpha = |leader: (usize, f32), index: usize| match all {
                true => f32::NEG_INFINITY,
                // Ties go to the first move: a move before the leader need only equal it.
                false if index < leader.0 => leader.1.next_down(),
                false => leader.1,
            };
            if threads <= 1 {
                for &index in &order[1..] {
                    let alpha = alpha(leader, index);
                    let value = evaluate(&mut self.workers[0], &moves[index].0, index, alpha);
                    moves[index].1 = value;
                    if value > leader.1 || value == leader.1 && index < leader.0 {
                        leader = (index, value);
                    }
                }
            } else {
                // Each thread takes the next move of the order; the bound is the value of the first
                // move, whatever other threads find, so that results do not depend on timing.
                let next = AtomicUsize::new(1);
                let shared: &[(Choice<G>, f32)] = moves;
                let work = |worker: &mut Worker<G>| {
                    let mut found = Vec::new();
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&index) = order.get(place) else { return found };
                        let value = evaluate(worker, &shared[index].0, index, alpha(leader, index));
                        found.push((index, value));
                    }
                };
                let found = pooled(self.workers[..threads.min(order.len())].iter_mut(), work);
                found.into_iter().flatten().for_each(|(index, value)| moves[index].1 = value);
            }
        }
        let after: u64 = self.workers.iter().map(|worker| worker.nodes).sum();
        self.last_nodes.resize(self.last_nodes.len().max(plies as usize + 1), u64::MAX);
        self.last_nodes[plies as usize] = after - before;
        self.ranking.best = best(&self.ranking.moves);
        self.ranking.plies = plies;
        self.has_searched_hand |= canonical && self.search.depth == Depth::Known;
    }

    /// How many moves of a state are searched.
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

/// The index of the largest value; ties go to the first.
fn best<T>(moves: &[(T, f32)]) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (index, &(_, value)) in moves.iter().enumerate() {
        if best.is_none_or(|(_, largest)| value > largest) {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

impl<G: Symmetry> Policy<G> for Searcher<'_, G> {
    fn choose(&mut self, game: &G, state: &G::State, _: &mut Rng) -> Option<Choice<G>> {
        self.run(game, state, &Instant::now(), false);
        let (mv, step) = self.ranking.moves[self.ranking.best?].0;
        match self.search.downgrade {
            // The move was searched on the downgraded board.
            Some(_) => game.play(state, mv).ok().map(|step| (mv, step)),
            None => Some((mv, step)),
        }
    }
}
