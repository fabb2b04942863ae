//! Notes of a course (CS3243) on learning Tetris by lambda-policy iteration, the method of
//! Bertsekas & Ioffe (1996).

mod optimisers;
mod settings;

use afterstate_render::chart::{Axis, Line};

use self::settings::Settings;
use crate::cache::TrainedRun;
use crate::charts::{chart, with_levels};
use crate::experiment::Quantity::{Lines, Named, Part};
use crate::experiment::{Experiment, Measured, Published, Quantity, Results, published};
use crate::measure::Value;
use crate::weights::GameScores;
use crate::{Error, TrainingCache};

const FIRST: &str = "best iteration, first published";
const AGAIN: &str = "best iteration, published again";
const LAST: &str = "last iteration";

/// The number of the best iteration.
const NUMBER: Quantity = Named("iteration");

/// The lines of the last iteration relative to the best.
const LEFT: Quantity = Part("of the best iteration");

pub(crate) const EXPERIMENTS: &[Experiment] =
    &[LINES, settings::EXPERIMENT, settings::RANDOM, optimisers::EXPERIMENT];

const LINES: Experiment = Experiment {
    name: "tetris-lambda-pi",
    title: "Lambda-policy iteration with 22 features: lines against iterations",
    source: "Notes of CS3243 (lambda-policy iteration with 22 features); lines of \
            Bertsekas & Ioffe 1996, and of those who ran it again",
    published: published![
        FIRST => Lines = 3_200.0;
        AGAIN => Lines = 2_500.0;
        FIRST => NUMBER;
        LAST => Lines, LEFT;
    ],
    differences: &["The notes leave the first weights, the games of an iteration and \
            lambda open: ours are -0.01 for the largest height and -0.1 for each hole, 100 games, \
            and 0.6; `tetris-lambda-pi-settings` tells what each of them decides. The index of the \
            differences in the notes' utility is a slip and is read as r(w + k). Least squares are \
            solved exactly, and a placement is chosen by its lines and the value of the board after \
            it. `measured` are the games of the iterations themselves, of which the best is a \
            little lucky; `played` are new games by the weights of the best iteration."],
    minutes: 10,
    rules: "tetris:10x20",
    measure,
    ..Experiment::NONE
};

/// Trains by some settings; the mean lines of each iteration, and the run.
fn train(
    cache: &mut TrainingCache,
    settings: &Settings,
    seed: u64,
) -> Result<(Vec<f64>, TrainedRun), Error> {
    let Settings { name, rules, start, lambda, max_moves, iterations, .. } = *settings;
    let iterations = cache.scale.pick([3, 12, iterations]);
    let games = cache.scale.pick([3, settings.games.min(30), settings.games]);
    let recipe = format!(
        "game = '{rules}'\nseed = {seed}\n[budget]\nepisodes = {}\n[lambda_pi]\n\
         features = 'bertsekas'\ngames = {games}\nlambda = {lambda:?}\nmax_moves = {max_moves}\n\
         start = {:?}\n",
        games * iterations,
        start.weights(seed),
    );
    let run = cache.learn_weights(&format!("{name}-seed{seed}"), &recipe)?;
    Ok((run.windows.iter().map(|window| window.mean).collect(), run))
}

/// The number and the mean lines of the best iteration.
fn best(means: &[f64]) -> (usize, f64) {
    let number = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
    (number + 1, means.get(number).copied().unwrap_or(f64::NAN))
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (seeds, played) = cache.scale.pick([(1, 2), (1, 50), (5, 200)]);
    let (mut curves, mut costs, mut scores) = (Vec::new(), Vec::new(), GameScores::NONE);
    for seed in (cache.seed..).take(seeds) {
        let (means, run) = train(cache, &Settings::OURS, seed)?;
        scores.extend(&cache.play_weights(&run, played, Settings::OURS.max_moves)?);
        curves.push((format!("seed {seed}"), means));
        costs.push(run.finished.cost);
    }
    let rows = experiment.rows_by(|one| {
        let values: Vec<f64> = curves.iter().map(|(_, means)| value(means, one)).collect();
        let new_games = one.case != LAST && one.quantity == Lines;
        (Some(Value::mean(&values)), new_games.then(|| scores.mean()).flatten())
    });
    let reduced = cache.scale.note(
        "one training of 12 iterations with 30 games each; `--full` has five trainings of 20 \
         iterations with 100.",
    );
    let line = |(name, means): &(String, Vec<f64>)| {
        let points = (1..).zip(means).map(|(number, &mean)| (f64::from(number), mean));
        Line::new(name.clone(), points.collect())
    };
    let chart = chart(
        "Lambda-policy iteration: lines by iteration",
        Axis::linear("iteration"),
        Axis::linear("mean lines"),
        curves.iter().map(line).collect(),
    );
    let levels = [
        ("published, 1996, best iteration", 3_200.0),
        ("published again, best iteration", 2_500.0),
    ];
    Ok(Results {
        rows,
        charts: vec![("", with_levels(chart, &levels))],
        costs,
        notes: scores.note().into_iter().chain(reduced).collect(),
        ..Results::default()
    })
}

/// A figure of one training, by the mean lines of its iterations.
fn value(means: &[f64], published: &Published) -> f64 {
    let (number, max) = best(means);
    let last = means.last().copied().unwrap_or(f64::NAN);
    match (published.case, published.quantity) {
        (LAST, Lines) => last,
        (LAST, _) => 100.0 * last / max,
        (_, Lines) => max,
        _ => number as f64,
    }
}
