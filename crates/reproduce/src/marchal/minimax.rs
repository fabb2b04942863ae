//! Figure 4: the time of 100 moves by minimax against its depth, with and without pruning.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use afterstate_agents::agent::features;
use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::tetris::{State, Tetris};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::{Algorithm, Depth, EachMove, Evaluator, LinearEvaluator, Search, Searcher};

use crate::charts::chart;
use crate::experiment::Quantity::{Growth, StatesSaved, Time, TimeSaved};
use crate::experiment::{Experiment, Measured, Quantity, Results, published};
use crate::measure::Value;
use crate::{Error, TrainingCache};
use afterstate_agents::machine;

const WITHOUT: &str = "without pruning";
const WITH: &str = "with pruning";

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
    ],
    differences: &["The features are the report's (set cs3243); its weights were not \
        published, so ours are set by hand, and both searches weigh one placement after the \
        other by the same code. A depth is a ply: depth 1 weighs the placements of the piece \
        at hand, depth 2 the worst next piece and the best reply. Both searches make the same \
        moves, which is checked. Times are of this machine and the figure's own were not \
        printed; what compares is the part that pruning saves. The growth is that from depth \
        2 to 3. `measured` are times on the clock, the shortest of some rounds in which the \
        searches take turns; states are counted and have no noise."],
    rules: "tetris:10x20",
    measure,
};

/// Set by hand: flat and low boards, few holes, in few groups, with little above them.
fn weights() -> Vec<f32> {
    let (constant, heights, differences) = ([0.0], [0.0; 10], [-1.0; 9]);
    let rest = [-0.5, -8.0, -0.6, -0.3, -4.0, -0.5];
    [&constant[..], &heights, &differences, &rest].concat()
}

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
    let (start, _) = play(&game, Algorithm::Minimax, 1, 60, game.start(&mut rng), &mut rng)?;
    let mut costs: Vec<Cost> = Vec::new();
    for (depth, _) in DEPTHS {
        let rounds = if depth < 3 { 5 } else { 1 };
        let mut pair: [Option<Cost>; 2] = [None; 2];
        for _ in 0..rounds {
            for (best, method) in
                pair.iter_mut().zip([Algorithm::ReferenceMinimax, Algorithm::Minimax])
            {
                let mut rng = Rng::stream(cache.seed, 1);
                let (_, cost) = play(&game, method, depth, moves, start, &mut rng)?;
                let faster = best.is_none_or(|best| cost.seconds < best.seconds);
                *best = if faster { Some(cost) } else { *best };
            }
        }
        cache.observer.begin(&format!("depth {depth}: {moves} moves, {rounds} rounds"))?;
        costs.extend(pair.into_iter().flatten());
    }
    let same = costs.chunks_exact(2).all(|pair| pair[0].lines == pair[1].lines);
    let note = format!(
        "{moves} moves each, on one thread of {}; {} the same moves.",
        machine(),
        if same { "both searches made" } else { "the searches did not make" }
    );
    let reduced = cache.scale.note("`--full` makes 100 moves, as the source.");
    let value = |case, quantity| value(&costs, case, quantity).map(Value::exact);
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
    method: Algorithm,
    depth: u32,
    moves: u64,
    start: State,
    rng: &mut Rng,
) -> Result<(State, Cost), Error> {
    let clock = Instant::now();
    let (features, weights) = (features(game, "cs3243")?, weights());
    let evaluated = AtomicU64::new(0);
    let evaluator = LinearEvaluator::new(&*features, &weights, 0.0);
    let evaluator = Counted { evaluator, evaluated: &evaluated };
    let mut searcher = Searcher::new(evaluator, Search::new(method, Depth::Plies(depth)));
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

fn value(costs: &[Cost], case: &str, quantity: Quantity) -> Option<f64> {
    let growth = |method: usize| costs[4 + method].seconds / costs[2 + method].seconds;
    let saved = |of: fn(&Cost) -> f64| {
        let depth = DEPTHS.iter().position(|row| row.1[2] == case)?;
        let (plain, pruned) = (of(&costs[2 * depth]), of(&costs[2 * depth + 1]));
        Some(100.0 * (1.0 - pruned / plain))
    };
    match quantity {
        Time => DEPTHS.iter().enumerate().find_map(|(depth, row)| {
            let method = row.1[..2].iter().position(|&name| name == case)?;
            Some(costs[2 * depth + method].seconds)
        }),
        TimeSaved => saved(|cost| cost.seconds),
        StatesSaved => saved(|cost| cost.states),
        Growth => Some(growth(usize::from(case == WITH))),
        _ => None,
    }
}

fn times(costs: &[Cost], moves: u64) -> Chart {
    let line = |name: &str, method: usize| {
        let points = DEPTHS.iter().enumerate();
        let points = points.map(|(n, row)| (f64::from(row.0), costs[2 * n + method].seconds));
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
