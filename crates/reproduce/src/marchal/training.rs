//! Figures 1 to 3: how annealing and other optimisers learn.

use std::borrow::Borrow;
use std::time::Instant;

use afterstate_agents::Agent;
use afterstate_core::{Episode, Rng, threads};
use afterstate_games::tetris::Tetris;
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_search::Search;
use afterstate_train::Window;

use super::*;
use crate::cache::TrainedRun;
use crate::charts::chart;
use crate::experiment::{Measured, Results};
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// A training of weights, with its progress.
pub(super) struct Training {
    pub(super) run: TrainedRun,
    iterations: Vec<Iteration>,
}

/// The state of a search after an iteration.
struct Iteration {
    number: f64,
    /// Games of this iteration.
    games: u64,
    /// Pieces played so far.
    pieces: f64,
    /// The best mean lines so far.
    best: f64,
}

impl Training {
    fn of(run: TrainedRun) -> Result<Training, Error> {
        let (mut iterations, mut episodes, mut best) = (Vec::new(), 0, 0.0_f64);
        for window in &run.windows {
            let metric = |window: &Window, metric: &'static str| {
                let run = || run.finished.cost.training.clone();
                window
                    .extra
                    .get(metric)
                    .copied()
                    .ok_or_else(|| Error::Metric { run: run(), metric })
            };
            best = best.max(metric(window, "best")?);
            let (number, games) = (metric(window, "iteration")?, window.episodes - episodes);
            iterations.push(Iteration { number, games, pieces: window.moves as f64, best });
            episodes = window.episodes;
        }
        Ok(Training { run, iterations })
    }

    /// The best mean lines of any iteration.
    pub(super) fn best(&self) -> f64 {
        self.iterations.last().map_or(0.0, |last| last.best)
    }

    /// A quantity of the whole training, or until its best mean reaches some lines.
    fn measure(&self, quantity: Quantity, until: Option<f64>) -> f64 {
        let last = match until {
            Some(lines) => self.iterations.iter().find(|iteration| iteration.best >= lines),
            None => self.iterations.last(),
        };
        let Some(last) = last else { return 0.0 };
        let count = self.iterations.len() as f64;
        match quantity {
            Lines => last.best,
            PIECES => last.pieces,
            ITERATIONS => last.number,
            HALF_TIME => {
                let half = self.iterations.iter().rev().find(|one| one.pieces <= last.pieces / 2.0);
                100.0 * half.map_or(0.0, |half| half.best) / last.best
            }
            GIVEN_UP => given_up(&self.iterations),
            LATE_GIVEN_UP => given_up(&self.iterations[self.iterations.len() * 2 / 3..]),
            _ => {
                let games: u64 = self.iterations.iter().map(|one| one.games).sum();
                100.0 * (1.0 - games as f64 / (GAMES as f64 * count))
            }
        }
    }

    /// When the best mean rose, and by how many percent, from some lines on.
    fn steps(&self, from: f64) -> Vec<(f64, f64)> {
        let pairs = self.iterations.windows(2);
        let up = pairs.filter(|pair| pair[0].best > from && pair[1].best > pair[0].best);
        up.map(|pair| (pair[1].pieces, 100.0 * (pair[1].best / pair[0].best - 1.0))).collect()
    }
}

/// The percentage of candidates that were given up early.
fn given_up(iterations: &[Iteration]) -> f64 {
    let given_up = iterations.iter().filter(|one| one.games == EARLY).count();
    100.0 * given_up as f64 / iterations.len() as f64
}

/// The pieces of a training.
fn pieces(cache: &TrainingCache) -> u64 {
    cache.scale.pick([6_000, 4_000_000, 260_000_000])
}

fn train(
    cache: &mut TrainingCache,
    name: &str,
    part: u64,
    search: &str,
) -> Result<Training, Error> {
    let seed = cache.seed + part;
    let recipe = format!(
        "game = 'tetris:10x20'\nseed = {seed}\n[budget]\nmoves = {}\n[weights]\n\
         features = 'cs3243'\n[weights.games]\ncount = {GAMES}\nearly = {EARLY}\n\
         max_score = 200_000\n[weights.search]\n{search}\n",
        pieces(cache),
    );
    Training::of(cache.learn_weights(&format!("marchal-{name}-seed{seed}"), &recipe)?)
}

/// The report's own annealing, with the iterations of the authors' program.
const MARCHAL_ANNEALING: &str = "method = 'marchal_annealing'\niterations = 10_000";

/// Trainings by the report's own annealing.
pub(super) fn all_annealed(cache: &mut TrainingCache) -> Result<Vec<Training>, Error> {
    let parts = 0..ANNEALINGS.len() as u64;
    parts.map(|part| train(cache, "annealing", part, MARCHAL_ANNEALING)).collect()
}

/// The costs and notes of some trainings.
pub(super) fn results(cache: &TrainingCache, searches: &[impl Borrow<Training>]) -> Results {
    let reduced = cache.scale.note(&format!(
        "{} pieces a training, which shows how learning begins; `--full` plays 260,000,000.",
        pieces(cache)
    ));
    Results {
        costs: searches.iter().map(|search| search.borrow().run.finished.cost.clone()).collect(),
        notes: reduced.into_iter().collect(),
        ..Results::default()
    }
}

/// Points of a curve that is the mean of several trainings.
const POINTS: usize = 100;

/// The best lines so far, each curve the mean of some trainings with a band from the worst to the
/// best of them.
fn rising<T: Borrow<Training>>(
    title: &str,
    x: Axis,
    cases: &[(&str, &[T])],
    of: fn(&Iteration) -> f64,
) -> Chart {
    let line = |&(name, trainings): &(&str, &[T])| {
        let all = || trainings.iter().map(|training| &training.borrow().iterations);
        let end = all().filter_map(|all| Some(of(all.last()?))).fold(f64::INFINITY, f64::min);
        let start = all().filter_map(|all| Some(of(all.first()?))).fold(0.0, f64::max).max(1.0);
        let grid = (0..=POINTS).map(|n| start * (end / start).powf(n as f64 / POINTS as f64));
        let (points, band) = grid
            .map(|x| {
                let best = |all: &Vec<Iteration>| {
                    let here = all.partition_point(|one| of(one) <= x);
                    all[here.saturating_sub(1)].best.max(0.1)
                };
                let values: Vec<f64> = all().filter(|all| !all.is_empty()).map(best).collect();
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(0.0, f64::max);
                ((x, values.iter().sum::<f64>() / values.len() as f64), (low, high))
            })
            .unzip();
        Line { band: (trainings.len() > 1).then_some(band), ..Line::new(name, points) }
    };
    chart(title, x, Axis::log("best mean lines so far"), cases.iter().map(line).collect())
}

/// Figure 1: the optimisers over iterations and over time.
pub(super) fn methods(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let seeds = cache.scale.pick([1, 1, 5]);
    let (population, elite) = cache.scale.pick([(4, 1), (50, 5), (50, 5)]);
    let genetic = format!("method = 'genetic'\npopulation = {population}\nelite = {elite}");
    let swarm = format!("method = 'particle_swarm'\npopulation = {population}");
    let methods = [
        (ANNEALING, "annealing", MARCHAL_ANNEALING),
        (GENETIC, "genetic", &genetic),
        (TEXTBOOK, "textbook", "method = 'annealing'\niterations = 4_000"),
        (SWARM, "swarm", &swarm),
    ];
    let mut all: Vec<(&str, Vec<Training>)> = Vec::new();
    for (case, name, search) in methods {
        let trainings = (0..seeds).map(|part| train(cache, name, part, search));
        all.push((case, trainings.collect::<Result<_, _>>()?));
    }
    let weakest = all[..2].iter().flat_map(|(_, trainings)| trainings).map(Training::best);
    let common = weakest.fold(f64::INFINITY, f64::min) / 2.0;
    let at_once = games_at_once(cache)?;
    let rows = experiment.rows_by(|one| {
        let until = SOON.contains(&one.case).then_some(common);
        let method = one.case.split(',').next().unwrap_or(one.case);
        let own = all.iter().find(|(case, _)| *case == method).map_or(&all[0].1, |own| &own.1);
        let values: Vec<f64> =
            own.iter().map(|one_seed| one_seed.measure(one.quantity, until)).collect();
        let value = if one.quantity == AT_ONCE { at_once } else { Value::mean(&values) };
        (Some(value), None)
    });
    let cases: Vec<(&str, &[Training])> = all.iter().map(|(case, all)| (*case, &all[..])).collect();
    let (iterations, pieces) = (Axis::log("iterations"), Axis::linear("pieces played"));
    let by_iterations = rising("Lines over iterations", iterations, &cases, |one| one.number);
    let by_time = rising("Lines over time", pieces, &cases, |one| one.pieces);
    let trainings: Vec<&Training> = cases.iter().flat_map(|case| case.1).collect();
    let mut results = results(cache, &trainings);
    results.notes.push(format!("Both methods are timed until they come to {common:.0} lines."));
    let charts = vec![("-iterations", by_iterations), ("-time", by_time)];
    Ok(Results { rows, charts, ..results })
}

/// The time that two threads save in playing the games of a candidate, the shortest of some rounds
/// in which one and two threads take turns.
fn games_at_once(cache: &TrainingCache) -> Result<Value, Error> {
    let (pieces, rounds) = cache.scale.pick([(10, 1), (20_000, 5), (20_000, 5)]);
    let (game, seed) = (Tetris::standard(), cache.seed);
    let model = "marchal".parse::<Agent>()?.load(&game)?;
    let mut shortest = [f64::INFINITY; 2];
    for _ in 0..rounds {
        for (count, shortest) in (1..).zip(&mut shortest) {
            let clock = Instant::now();
            threads::map(count, GAMES as usize, |number| {
                let mut rng = Rng::stream(seed, number as u64);
                let mut policy = model.searching(&Search::GREEDY);
                Episode::play_up_to(pieces, &game, &mut policy, &mut rng)
            });
            *shortest = shortest.min(clock.elapsed().as_secs_f64());
        }
    }
    Ok(Value::exact(100.0 * (1.0 - shortest[1] / shortest[0])))
}

/// Figure 2: by how much each step up was better than the best before.
pub(super) fn steps(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let searches = all_annealed(cache)?;
    let steps = |search: &Training| {
        let late = search.steps(NOISE);
        if late.is_empty() { search.steps(0.0) } else { late }
    };
    let all: Vec<Vec<(f64, f64)>> = searches.iter().map(steps).collect();
    let sizes = || all.iter().flatten().map(|step| step.1);
    let half = |later: bool| {
        let part = |steps: &Vec<(f64, f64)>| {
            let (first, second) = steps.split_at(steps.len().div_ceil(2));
            if later { second.to_vec() } else { first.to_vec() }
        };
        let sizes: Vec<f64> = all.iter().flat_map(part).map(|step| step.1).collect();
        if sizes.is_empty() { Value::exact(0.0) } else { Value::mean(&sizes) }
    };
    let rows = experiment.rows_by(|one| {
        let value = match one.quantity {
            LARGEST => Value::exact(sizes().fold(0.0, f64::max)),
            STEPS => Value::exact(sizes().count() as f64),
            quantity => half(quantity == LATER),
        };
        (Some(value), None)
    });
    let (x, y) = (Axis::linear("pieces played"), Axis::linear("step up, % of the best so far"));
    let lines = ANNEALINGS.iter().zip(&all).map(|(name, steps)| Line::new(*name, steps.clone()));
    let charts = vec![("", chart("Steps up over time", x, y, lines.collect()))];
    Ok(Results { rows, charts, ..results(cache, &searches) })
}

/// Figure 3: trainings that differ by their seeds alone.
pub(super) fn seeds(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let searches = all_annealed(cache)?;
    let each = ANNEALINGS.into_iter().zip(searches.chunks(1));
    let cases: Vec<(&str, &[Training])> = each.collect();
    let rows = experiment.rows_by(|one| {
        let own = cases.iter().find(|case| case.0 == one.case);
        (own.map(|own| Value::exact(own.1[0].best())), None)
    });
    let x = Axis::log("iterations");
    let chart = rising("Trainings that differ by chance", x, &cases, |one| one.number);
    Ok(Results { rows, charts: vec![("", chart)], ..results(cache, &searches) })
}
