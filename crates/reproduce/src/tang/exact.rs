//! Policies that are evaluated exactly: greedy rules, and best play for each reward and discount.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tenten::{BitTransitionModel, State, TenTen};
use afterstate_games::transition_model::Size;
use afterstate_games::{RewardMixture, TransitionModel};
use afterstate_learn::solution::Solution;
use afterstate_learn::solve::{Chain, Expected};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_values::GreedyRule;

use super::{BOARDS, EDGES, GREEDY_RULES, ROUNDS, SCORE, SIDES, STATES, board, results, rewards};
use crate::charts::chart;
use crate::experiment::{Experiment, Measured, Measurement, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Scale, TrainingCache};

/// The discounts of the study.
const GAMMAS: [&str; 10] = [
    "gamma 0.1",
    "gamma 0.2",
    "gamma 0.3",
    "gamma 0.4",
    "gamma 0.5",
    "gamma 0.6",
    "gamma 0.7",
    "gamma 0.8",
    "gamma 0.9",
    "gamma 1",
];

/// The cases of figures 9 to 12: the three rewards.
pub(super) const REWARDS: [&str; 3] = ["r1", "r2", "r3"];

/// The cases of figure 8.
pub(super) const SIZES_AND_REWARDS: [&str; 4] = ["3x3, r1", "3x3, r2", "4x4, r1", "4x4, r2"];

/// Rounds of a game of figure 8.
const GAME: u64 = 10_000;

/// A row for every case and discount; the study prints them as curves without numbers.
pub(super) const fn rows<const N: usize>(cases: &[&'static str]) -> [Published; N] {
    let mut rows = [Published::nothing("", Quantity::Decimal("")); N];
    let mut number = 0;
    while number < N {
        let gamma = Quantity::Decimal(GAMMAS[number % GAMMAS.len()]);
        rows[number] = Published::nothing(cases[number / GAMMAS.len()], gamma);
        number += 1;
    }
    rows
}

/// Receives each move that a policy may make in a state, with its probability.
type Offer<'a> = &'a mut dyn FnMut(Choice<TenTen>, f64);

/// The Markov chain of a game under a policy.
fn chain(game: &TenTen, policy: &mut dyn FnMut(&State, Offer)) -> Result<Chain, Error> {
    Chain::new(game, policy).ok_or_else(|| Error::NotEnumerable(game.spec()))
}

/// The Markov chain of a game under a policy without randomness.
pub(super) fn follow(game: &TenTen, policy: &mut dyn Policy<TenTen>) -> Result<Chain, Error> {
    let mut rng = Rng::stream(0, 0);
    chain(game, &mut |state, offer| {
        if let Some(choice) = policy.choose(game, state, &mut rng) {
            offer(choice, 1.0);
        }
    })
}

/// The solution for a reward and a discount, or for survival.
fn solution(game: &TenTen, reward: Option<RewardMixture>, gamma: f64) -> Result<Solution, Error> {
    let engine = afterstate_engine::open(&GameSpec::TenTen(game.clone()));
    Ok(engine.solve(&engine.estimate(reward, gamma)?, &mut |_| {})?)
}

/// The Markov chain of best play for a reward and a discount.
pub(super) fn best_play(game: &TenTen, reward: RewardMixture, gamma: f64) -> Result<Chain, Error> {
    let solution = solution(game, Some(reward), gamma)?;
    follow(game, &mut &solution.table)
}

/// The expected rounds of the policy that survives longest.
pub(super) fn best_survival(game: &TenTen) -> Result<Value, Error> {
    Ok(finite_or_infinite(solution(game, None, 1.0)?.optimum))
}

/// The expected rounds under a policy.
pub(super) fn rounds(chain: &Chain) -> Value {
    finite_or_infinite(chain.expected().rounds)
}

/// Expectations are `None` where play may never end.
fn finite_or_infinite(expected: Option<f64>) -> Value {
    Value::exact(expected.unwrap_or(f64::INFINITY))
}

/// Figure 5: three greedy rules.
pub(super) fn greedy_rules(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let game = board(3, "3")?;
    let mut measured = Vec::new();
    for (case, (_, rule)) in GREEDY_RULES.into_iter().zip(GreedyRule::ALL) {
        let chain = chain(&game, &mut |state, offer| rule.probabilities(&game, state, offer))?;
        let expected = chain.expected();
        let score = finite_or_infinite(expected.score);
        measured.push(Measurement::training(case, ROUNDS, finite_or_infinite(expected.rounds)));
        measured.push(Measurement::training(case, SCORE, score));
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}

/// Best play for a reward at every discount: a curve, and its points as measurements.
fn curve(
    game: &TenTen,
    case: &'static str,
    reward: RewardMixture,
    value: impl Fn(&Chain) -> Value,
    measured: &mut Vec<Measurement>,
) -> Result<Line, Error> {
    let mut points = Vec::new();
    for (number, name) in GAMMAS.into_iter().enumerate() {
        let gamma = (number + 1) as f64 / 10.0;
        let value = value(&best_play(game, reward, gamma)?);
        points.push((gamma, value.value));
        measured.push(Measurement::training(case, Quantity::Decimal(name), value));
    }
    Ok(Line::new(case, points))
}

fn over_gamma(title: impl Into<String>, y: Axis, lines: Vec<Line>) -> Vec<(&'static str, Chart)> {
    vec![("", chart(title, Axis::linear("gamma"), y, lines))]
}

/// Figure 8: the score of 10,000 rounds with 3 pieces.
pub(super) fn scores(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (mut measured, mut lines) = (Vec::new(), Vec::new());
    // Where no game ends, the mean score of a move is enough: the start is soon forgotten.
    let value = |chain: &Chain| {
        let expected = chain.expected();
        Value::exact(match expected.rounds {
            Some(rounds) if rounds < 1e9 => chain.first(GAME).0,
            _ => expected.score_per_move * GAME as f64,
        })
    };
    let [r1, r2, _] = rewards();
    for (case, (side, reward)) in
        SIZES_AND_REWARDS.into_iter().zip([(3, r1), (3, r2), (4, r1), (4, r2)])
    {
        lines.push(curve(&board(side, "3")?, case, reward, value, &mut measured)?);
    }
    let charts = over_gamma("3 pieces: score of 10,000 rounds", Axis::linear("score"), lines);
    let note = "Published in words: on 3x3 scores rise between gamma 0.3 and 0.5, on 4x4 between \
                0.5 and 0.9, and stay; 0.9 is the best; gamma hardly matters for r1, which drops at \
                1; r2 scores more than r1, and 3x3 more than 4x4.";
    Ok(results(experiment, cache, &measured, charts, Some(note.to_owned())))
}

/// What figures 9 to 12 show.
#[derive(Clone, Copy)]
pub(super) enum Expectation {
    Score,
    Rounds,
}

impl Expectation {
    fn name(self) -> &'static str {
        match self {
            Expectation::Score => "score",
            Expectation::Rounds => "rounds",
        }
    }

    fn of(self, expected: &Expected) -> Option<f64> {
        match self {
            Expectation::Score => expected.score,
            Expectation::Rounds => expected.rounds,
        }
    }
}

/// Figures 9 to 12: an expectation on a square board with seven pieces, for the three rewards.
pub(super) fn expectations(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    side: usize,
    shown: Expectation,
    words: &str,
) -> Measured {
    let game = board(side, "7")?;
    let (mut measured, mut lines) = (Vec::new(), Vec::new());
    let value = |chain: &Chain| finite_or_infinite(shown.of(&chain.expected()));
    for (case, reward) in REWARDS.into_iter().zip(rewards()) {
        lines.push(curve(&game, case, reward, value, &mut measured)?);
    }
    let label = format!("expected {}", shown.name());
    let title = format!("{side}x{side} with 7 pieces: {label}");
    let axis = if side == 3 { Axis::linear(label) } else { Axis::log(label) };
    let note = format!("Published in words: {words}");
    Ok(results(experiment, cache, &measured, over_gamma(title, axis, lines), Some(note)))
}

/// Figure 13: states and edges.
pub(super) fn sizes(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let mut measured = Vec::new();
    for (side, case) in (3..).zip(SIDES) {
        let game = board(side, "7")?;
        let states = 2f64.powi((side * side) as i32) * 7.0;
        // Tests do not count the 25 million boards.
        let size = if side == 5 && cache.scale == Scale::Tiny {
            Size::default()
        } else {
            let model = BitTransitionModel::of(&game);
            let model = model.ok_or_else(|| Error::NotEnumerable(game.spec()))?;
            TransitionModel::<f32>::size(&model)
        };
        let (boards, edges) = (size.boards as f64, size.edges as f64);
        for (quantity, count) in [(STATES, states), (BOARDS, boards), (EDGES, edges)] {
            measured.push(Measurement::training(case, quantity, Value::exact(count)));
        }
    }
    Ok(results(experiment, cache, &measured, Vec::new(), None))
}
