//! Figure 4: the time of 100 moves by minimax against its depth, with and without pruning.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use afterstate_agents::Agent;
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::tetris::{State, Tetris};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::{Algorithm, Depth, EachMove, Evaluator, LinearEvaluator, Search, Searcher};

use crate::charts::chart;
use crate::experiment::Quantity::{Growth, Named, Part, StatesSaved, Time, TimeSaved};
use crate::experiment::{Experiment, Measured, Quantity, Results, published};
use crate::measure::Value;
use crate::verdict::{Statement, all};
use crate::{Error, TrainingCache};
use afterstate_agents::machine;

const WITHOUT: &str = "without pruning";
const WITH: &str = "with pruning";

/// The searches of each depth and their threads: without pruning, with it, and on two threads.
const SEARCHES: [(Algorithm, usize); 3] =
    [(Algorithm::ReferenceMinimax, 1), (Algorithm::Minimax, 1), (Algorithm::Minimax, 2)];

/// Moves in a second.
const MOVES: Quantity = Named("moves a second");

/// What two threads save of the time of one, with pruning.
const PARALLEL: Quantity = Part("time saved by two threads");

/// The cases of a depth: without pruning, with it, and both compared.
const DEPTHS: [(u32, [&str; 3]); 3] = [
    (1, ["depth 1, without pruning", "depth 1, with pruning", "depth 1"]),
    (2, ["depth 2, without pruning", "depth 2, with pruning", "depth 2"]),
    (3, ["depth 3, without pruning", "depth 3, with pruning", "depth 3"]),
];

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure4",
    title: "Minimax on Tetris: time against depth, with and without alpha-beta pruning",
    source: "Marchal et al. (CS3243, group 23), figure 4 of section 4.1; 100 moves",
    published: published![
        DEPTHS[0].1[0] => Time; DEPTHS[1].1[0] => Time; DEPTHS[2].1[0] => Time;
        DEPTHS[0].1[1] => Time; DEPTHS[1].1[1] => Time; DEPTHS[2].1[1] => Time;
        DEPTHS[1].1[2] => TimeSaved = 86.0; DEPTHS[2].1[2] => TimeSaved = 98.0;
        DEPTHS[1].1[2] => StatesSaved; DEPTHS[2].1[2] => StatesSaved; WITHOUT => Growth = 150.0;
        WITH => Growth = 20.0;
        DEPTHS[1].1[1] => MOVES = 16.7; DEPTHS[2].1[1] => MOVES = 1.0;
        DEPTHS[0].1[1] => PARALLEL = 27.0; DEPTHS[1].1[1] => PARALLEL; DEPTHS[2].1[1] => PARALLEL;
    ],
    reasons: &[
        (
            WITHOUT,
            "the factor is the number of placements times pieces, which depends on the board",
        ),
        (
            DEPTHS[1].1[2],
            "what pruning leaves depends on the order in which placements and pieces are searched",
        ),
        (WITH, "chance outcomes are searched in the order of their past cutoffs here"),
        (
            DEPTHS[0].1[1],
            "a move takes microseconds here, less than handing work to another thread; their \
             heuristic took longer",
        ),
        (
            "Parallel evaluation",
            "two threads share one search and its bounds here: slower at depth 2, a little faster at \
             depth 3, and the same moves",
        ),
        ("[The number of states]", "7^200 is 10^169; its own formula, 7 times 2^200, makes 10^61"),
    ],
    statements: &[
        Statement {
            says: "The time increases exponentially with the depth, with pruning and without.",
            holds: |figures| {
                all([WITHOUT, WITH].map(|case| figures.value(case, Growth)?.exceeds(2.0)))
            },
        },
        Statement {
            says: "[Alpha-beta pruning] reduces the search time by over 80%.",
            holds: |figures| Some(figures.of(DEPTHS[1].1[2], TimeSaved)? > 80.0),
        },
        Statement {
            says: "[The number of states] corresponds to 7^(20 10), about 10^61.",
            holds: |_| Some((200.0 * 7.0_f64.log10() - 61.0).abs() < 1.0),
        },
        Statement {
            says: "it is more efficient to use [pruning] rather than parallel computing",
            holds: |figures| {
                let saves = |[_, pruned, depth]: [&str; 3]| {
                    figures.value(depth, TimeSaved)?.above(figures.value(pruned, PARALLEL)?)
                };
                all(DEPTHS[1..].iter().map(|depth| saves(depth.1)))
            },
        },
        Statement {
            says: "Parallel evaluation is not compatible with pruning.",
            holds: |figures| Some(figures.of(DEPTHS[2].1[1], PARALLEL)? <= 0.0),
        },
    ],
    differences: &["Features and weights are the report's (agent `marchal`), and all searches \
        evaluate one placement after the other by the same code and make the same moves, which is \
        checked. A depth is a ply: depth 1 weighs the placements of the piece at hand, depth 2 the \
        worst next piece and the best reply. The figure printed no times; what compares is the part \
        that pruning saves, and the growth from depth 2 to 3. Times are the shortest of some rounds \
        in which the searches take turns."],
    rules: "tetris:10x20",
    measure,
    ..Experiment::NONE
};

/// What one search took.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    states: f64,
    lines: f64,
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let game = Tetris::standard();
    let moves = cache.scale.pick([5, 5, 100]);
    let mut rng = Rng::stream(cache.seed, 0);
    // A board as play reaches it.
    let (start, _) = play(&game, (Algorithm::Minimax, 1, 1), 60, game.start(&mut rng), &mut rng)?;
    let mut costs: Vec<Cost> = Vec::new();
    for (depth, _) in DEPTHS {
        let rounds = if depth < 3 { 5 } else { 1 };
        let mut best_costs: [Option<Cost>; 3] = [None; 3];
        for _ in 0..rounds {
            for (best, (method, threads)) in best_costs.iter_mut().zip(SEARCHES) {
                let mut rng = Rng::stream(cache.seed, 1);
                let search = (method, depth, threads);
                let (_, cost) = play(&game, search, moves, start, &mut rng)?;
                let faster = best.is_none_or(|best| cost.seconds < best.seconds);
                *best = if faster { Some(cost) } else { *best };
            }
        }
        cache.observer.begin(&format!("depth {depth}: {moves} moves, {rounds} rounds"))?;
        costs.extend(best_costs.into_iter().flatten());
    }
    let same = costs.chunks_exact(3).all(|all| all.iter().all(|one| one.lines == all[0].lines));
    let note = format!(
        "{moves} moves each, on {}; {} the same moves.",
        machine(),
        if same { "all searches made" } else { "the searches did not make" }
    );
    let reduced = cache.scale.note("`--full` makes 100 moves, as the source.");
    let value = |case, quantity| value(&costs, moves, case, quantity).map(Value::exact);
    Ok(Results {
        rows: experiment.rows_by(|one| (value(one.case, one.quantity), None)),
        charts: vec![("", times(&costs, moves))],
        notes: [note].into_iter().chain(reduced).collect(),
        ..Results::default()
    })
}

/// Makes moves; the last state, and what the search took.
fn play(
    game: &Tetris,
    (method, depth, threads): (Algorithm, u32, usize),
    moves: u64,
    start: State,
    rng: &mut Rng,
) -> Result<(State, Cost), Error> {
    let model = "marchal".parse::<Agent>()?.load(game)?;
    let weights = model.linear().ok_or(Error::Unknown("marchal".to_owned()))?;
    let evaluated = AtomicU64::new(0);
    let evaluator = LinearEvaluator::new(weights.features(), weights.weights(), 0.0);
    let evaluator = Counted { evaluator, evaluated: &evaluated };
    let search = Search::new(method, Depth::Plies(depth));
    let mut searcher = Searcher::new(evaluator, search).on_threads(threads);
    let clock = Instant::now();
    let (mut state, mut lines) = (start, 0.0);
    for _ in 0..moves {
        let Some((_, step)) = searcher.choose(game, &state, rng) else { break };
        lines += f64::from(step.reward);
        state = game.sample(&step.after, rng);
    }
    drop(searcher);
    let states = evaluated.load(Ordering::Relaxed) as f64;
    Ok((state, Cost { seconds: clock.elapsed().as_secs_f64(), states, lines }))
}

fn value(costs: &[Cost], moves: u64, case: &str, quantity: Quantity) -> Option<f64> {
    let growth = |method: usize| costs[6 + method].seconds / costs[3 + method].seconds;
    if quantity == Growth {
        return Some(growth(usize::from(case == WITH)));
    }
    let (depth, which) = DEPTHS
        .iter()
        .enumerate()
        .find_map(|(depth, row)| Some((depth, row.1.iter().position(|&name| name == case)?)))?;
    let of_depth = &costs[3 * depth..3 * depth + 3];
    let saved = |by: usize, than: usize, of: fn(&Cost) -> f64| {
        Some(100.0 * (1.0 - of(&of_depth[by]) / of(&of_depth[than])))
    };
    match quantity {
        Time => Some(of_depth[which].seconds),
        MOVES => Some(moves as f64 / of_depth[which].seconds),
        TimeSaved => saved(1, 0, |cost| cost.seconds),
        StatesSaved => saved(1, 0, |cost| cost.states),
        PARALLEL => saved(2, 1, |cost| cost.seconds),
        _ => None,
    }
}

fn times(costs: &[Cost], moves: u64) -> Chart {
    let line = |name: &str, method: usize| {
        let points = DEPTHS.iter().enumerate();
        let points = points.map(|(n, row)| (f64::from(row.0), costs[3 * n + method].seconds));
        Line::new(name, points.collect())
    };
    let (x, y) = (Axis::linear("depth, plies"), Axis::log(format!("seconds for {moves} moves")));
    chart("Minimax on Tetris: pruning", x, y, vec![line(WITHOUT, 0), line(WITH, 1)])
}

/// An evaluator that counts the states it evaluates.
#[derive(Clone)]
struct Counted<'a, J> {
    evaluator: J,
    evaluated: &'a AtomicU64,
}

impl<J> Counted<'_, J> {
    fn count(&self) {
        self.evaluated.fetch_add(1, Ordering::Relaxed);
    }
}

impl<J: Evaluator<Tetris>> Evaluator<Tetris> for Counted<'_, J> {
    fn evaluate_moves(&mut self, game: &Tetris, state: &State, each: EachMove<Tetris>) {
        self.count();
        self.evaluator.evaluate_moves(game, state, each);
    }

    fn best(&mut self, game: &Tetris, state: &State) -> Option<f32> {
        self.count();
        self.evaluator.best(game, state)
    }

    fn best_until(&mut self, game: &Tetris, state: &State, enough: f32) -> Option<f32> {
        self.count();
        self.evaluator.best_until(game, state, enough)
    }

    fn immediate_reward(&mut self, game: &Tetris, state: &State, choice: &Choice<Tetris>) -> f32 {
        self.evaluator.immediate_reward(game, state, choice)
    }

    fn terminal_value(&self) -> f32 {
        self.evaluator.terminal_value()
    }
}
