//! Notes of a course (CS3243) on learning Tetris by lambda-policy iteration, the method of
//! Bertsekas & Ioffe (1996).

use afterstate_render::chart::{Axis, Line};

use crate::TrainingCache;
use crate::charts::{chart, with_levels};
use crate::experiment::Quantity::{Lines, Named, Part};
use crate::experiment::{Experiment, Measured, Published, Quantity, Results, published};
use crate::measure::Value;
use crate::weights::GameScores;

const FIRST: &str = "best iteration, first published";
const AGAIN: &str = "best iteration, published again";
const LAST: &str = "last iteration";

/// The number of the best iteration.
const NUMBER: Quantity = Named("iteration");

/// The lines of the last iteration relative to the best.
const LEFT: Quantity = Part("of the best iteration");

pub(crate) const EXPERIMENTS: &[Experiment] = &[Experiment {
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
            and 0.6. The index of the differences in the notes' utility is a slip and is read as \
            r(w + k). Least squares are solved exactly; a placement is chosen by its lines and \
            the value of the board after it. `measured` are the games of the iterations \
            themselves, of which the best is a little lucky; `played` are new games by the \
            weights of the best iteration. Fewer games an iteration (30) unlearned everything in \
            one training. The published figures are of other programs, whose weights at first and \
            rules at the top are not told."],
    minutes: 3,
    rules: "tetris:10x20",
    measure,
    ..Experiment::NONE
}];

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (games, iterations, seeds, played) =
        cache.scale.pick([(3, 3, 1, 2), (100, 12, 1, 50), (100, 20, 5, 200)]);
    let (mut curves, mut costs, mut scores) = (Vec::new(), Vec::new(), GameScores::NONE);
    for seed in (cache.seed..).take(seeds) {
        let recipe = format!(
            "game = 'tetris:10x20'\nseed = {seed}\n[budget]\nepisodes = {}\n[lambda_pi]\n\
             features = 'bertsekas'\ngames = {games}\nlambda = 0.6\nmost_moves = 10_000_000\n\
             start = [{}-0.01, -0.1]\n",
            games * iterations,
            "0, ".repeat(20),
        );
        let run = cache.learn_weights(&format!("lambda-pi-seed{seed}"), &recipe)?;
        scores.extend(&cache.play_weights(&run, played, 10_000_000)?);
        let means = run.windows.iter().map(|window| window.mean);
        curves.push((format!("seed {seed}"), means.collect::<Vec<f64>>()));
        costs.push(run.finished.cost);
    }
    let rows = experiment.rows_by(|one| {
        let values: Vec<f64> = curves.iter().map(|(_, means)| value(means, one)).collect();
        let new_games = one.case != LAST && one.quantity == Lines;
        (Some(Value::mean(&values)), new_games.then(|| scores.mean()).flatten())
    });
    let reduced = cache.scale.note(&format!(
        "one training of {iterations} iterations with {games} games each; `--full` has five \
         trainings of 20 iterations.",
    ));
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
    let best = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap_or(0);
    let max = means.get(best).copied().unwrap_or(f64::NAN);
    let last = means.last().copied().unwrap_or(f64::NAN);
    match (published.case, published.quantity) {
        (LAST, Lines) => last,
        (LAST, _) => 100.0 * last / max,
        (_, Lines) => max,
        _ => (best + 1) as f64,
    }
}
