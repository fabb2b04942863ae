//! Best play for a reward at every discount: after the study's iterations, and converged.

use afterstate_games::RewardMixture;
use afterstate_games::tenten::TenTen;
use afterstate_learn::solve::Chain;
use afterstate_render::chart::{Axis, Line};

use super::exact::best_play;
use super::{ITERATIONS, REWARDS, board, results, rewards};
use crate::charts::chart;
use crate::experiment::Quantity::{Decimal, Named, Ratio};
use crate::experiment::{Experiment, Measured, Measurement, Quantity};
use crate::measure::Value;
use crate::{Error, TrainingCache};

pub(super) const BEST: Quantity = Decimal("discount of the highest");
pub(super) const CREST: Quantity = Decimal("discount of the first crest");
pub(super) const AT_ONE: Quantity = Decimal("at gamma 1");
pub(super) const ENDLESS: Quantity =
    Named("discounts of ten at which a game has more than 10^9 rounds");
pub(super) const LEAST: Quantity = Ratio("fewest points per round over the discounts");
pub(super) const MOST: Quantity = Ratio("most points per round over the discounts");

/// The converged curves of figures 9 to 12.
pub(super) const CONVERGED: [&str; 3] = ["r1, converged", "r2, converged", "r3, converged"];

/// The curve of r3 after one iteration.
pub(super) const NOT_ITERATED: &str = "r3, one iteration";

/// The curves of figure 8.
pub(super) const SIZES: [&str; 4] = ["3x3, r1", "3x3, r2", "4x4, r1", "4x4, r2"];
const SIZES_CONVERGED: [&str; 4] =
    ["3x3, r1, converged", "3x3, r2, converged", "4x4, r1, converged", "4x4, r2, converged"];

/// Rounds of a game of figure 8.
const GAME: u64 = 10_000;

/// A game that is expected to last longer counts as endless: the study's have 10,000 rounds.
const ENDLESS_ROUNDS: f64 = 1e9;

/// What one policy is expected to do.
#[derive(Clone, Copy)]
struct Point {
    gamma: f64,
    rounds: f64,
    score_per_round: f64,
    /// The score of a game of figure 8.
    first: f64,
}

/// The points of best play for a reward at each discount of the study.
fn points(
    game: &TenTen,
    reward: RewardMixture,
    iterations: Option<u64>,
    first: bool,
) -> Result<Vec<Point>, Error> {
    let point = |tenth: u32| {
        let gamma = f64::from(tenth) / 10.0;
        let chain: Chain = best_play(game, reward, gamma, iterations)?;
        let expected = chain.expected();
        let rounds = expected.rounds.unwrap_or(f64::INFINITY);
        let score_per_round = expected.score_per_move;
        // Where no game ends, the mean score of a move is enough: the start is soon forgotten.
        let first = match first {
            true if rounds < ENDLESS_ROUNDS => chain.first(GAME).0,
            _ => score_per_round * GAME as f64,
        };
        Ok(Point { gamma, rounds, score_per_round, first })
    };
    (1..=10).map(point).collect()
}

/// The discount of the highest of some points; of equal ones, of the first.
fn highest(points: &[Point], height: impl Fn(&Point) -> f64) -> f64 {
    let higher = |best: Point, one: &Point| if height(one) > height(&best) { *one } else { best };
    points
        .iter()
        .copied()
        .reduce(|best, one| higher(best, &one))
        .map_or(f64::NAN, |best| best.gamma)
}

/// The discount of the first point that is higher than both its neighbours.
fn first_crest(points: &[Point], height: impl Fn(&Point) -> f64) -> Option<f64> {
    let higher = |three: &&[Point]| {
        height(&three[1]) > height(&three[0]) && height(&three[1]) > height(&three[2])
    };
    points.windows(3).find(higher).map(|three| three[1].gamma)
}

fn line(name: &str, points: &[Point], height: impl Fn(&Point) -> f64, dashed: bool) -> Line {
    let points = points.iter().map(|point| (point.gamma, height(point))).collect();
    Line { dashed, ..Line::new(name, points) }
}

/// Figure 8: the score of 10,000 rounds with 3 pieces.
pub(super) fn three_pieces(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (mut measured, mut lines, mut dashed) = (Vec::new(), Vec::new(), Vec::new());
    let [r1, r2, _] = rewards();
    let cases = [(3, r1), (3, r2), (4, r1), (4, r2)];
    for ((case, converged), (side, reward)) in SIZES.into_iter().zip(SIZES_CONVERGED).zip(cases) {
        let game = board(side, "3")?;
        let height = |point: &Point| point.first;
        let stopped = points(&game, reward, Some(ITERATIONS[side - 3][0]), true)?;
        lines.push(line(case, &stopped, height, false));
        dashed.push(line(converged, &points(&game, reward, None, true)?, height, true));
        let endless = stopped.iter().filter(|point| point.rounds > ENDLESS_ROUNDS).count() as f64;
        for (quantity, value) in [(BEST, highest(&stopped, height)), (ENDLESS, endless)] {
            measured.push(Measurement::training(case, quantity, Value::exact(value)));
        }
        cache.check_stopped()?;
    }
    lines.extend(dashed);
    let title = "3 pieces: score of 10,000 rounds";
    let chart = chart(title, Axis::linear("gamma"), Axis::linear("score, points"), lines);
    let [[three, _], [four, _]] = ITERATIONS;
    let note =
        format!("Solid curves: {three} iterations on 3x3, {four} on 4x4; dashed: converged.");
    Ok(results(experiment, cache, &measured, vec![("", chart)], Some(note)))
}

/// What figures 9 to 12 show.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Score,
    Rounds,
}

/// Figures 9 to 12: an expectation on a square board with seven pieces, for the three rewards.
pub(super) fn with_7_pieces(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    side: usize,
    shown: Shown,
) -> Measured {
    let game = board(side, "7")?;
    let iterations = ITERATIONS[side - 3][1];
    let (name, height): (&str, fn(&Point) -> f64) = match shown {
        Shown::Score => ("score", |point| point.rounds * point.score_per_round),
        Shown::Rounds => ("rounds", |point| point.rounds),
    };
    let (mut measured, mut lines, mut dashed) = (Vec::new(), Vec::new(), Vec::new());
    for ((case, converged), reward) in REWARDS.into_iter().zip(CONVERGED).zip(rewards()) {
        let stopped = points(&game, reward, Some(iterations), false)?;
        let settled = points(&game, reward, None, false)?;
        lines.push(line(case, &stopped, height, false));
        dashed.push(line(converged, &settled, height, true));
        let ratios = || stopped.iter().map(|point| point.score_per_round);
        let last = |points: &[Point]| points.last().map_or(f64::NAN, height);
        for (case, quantity, value) in [
            (case, BEST, highest(&stopped, height)),
            (case, AT_ONE, last(&stopped)),
            (converged, AT_ONE, last(&settled)),
            (case, LEAST, ratios().fold(f64::MAX, f64::min)),
            (case, MOST, ratios().fold(f64::MIN, f64::max)),
        ] {
            measured.push(Measurement::training(case, quantity, Value::exact(value)));
        }
        let crest = first_crest(&stopped, height).map(Value::exact);
        measured.extend(crest.map(|crest| Measurement::training(case, CREST, crest)));
        cache.check_stopped()?;
    }
    lines.extend(dashed);
    if side == 4 {
        // What table 2 shows of r3, see there: without later values the discount does not matter.
        let [_, _, r3] = rewards();
        let expected = best_play(&game, r3, 0.0, None)?.expected();
        let rounds = expected.rounds.unwrap_or(f64::INFINITY);
        let score_per_round = expected.score_per_move;
        let point = Point { gamma: 0.1, rounds, score_per_round, first: 0.0 };
        let flat = [point, Point { gamma: 1.0, ..point }];
        lines.push(line(NOT_ITERATED, &flat, height, true));
        let value = Value::exact(height(&point));
        measured.push(Measurement::training(NOT_ITERATED, AT_ONE, value));
    }
    let label = format!("expected {name}");
    let title = format!("{side}x{side} with 7 pieces: {label}");
    let label = if name == "score" { format!("{label}, points") } else { label };
    let axis = if side == 3 { Axis::linear(label) } else { Axis::log(label) };
    let chart = chart(title, Axis::linear("gamma"), axis, lines);
    let note = format!("Solid curves: {iterations} iterations; dashed: converged.");
    Ok(results(experiment, cache, &measured, vec![("", chart)], Some(note)))
}
