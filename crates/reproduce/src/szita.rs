//! Szita & Lőrincz, "Learning Tetris Using the Noisy Cross-Entropy Method" (2006).

use afterstate_render::chart::{Axis, Line};

use crate::TrainingCache;
use crate::cache::TrainedRun;
use crate::charts::chart;
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Measured, Results, published};
use crate::measure::Value;
use crate::weights::GameScores;

/// Each schedule of noise: the variance that is added at first, and its decrease per iteration.
const NOISES: [(&str, &str, f64, f64); 3] = [
    ("without noise", "none", 0.0, 0.0),
    ("constant noise", "constant", 4.0, 0.0),
    ("falling noise", "falling", 5.0, 0.1),
];

/// Iterations whose mean is a point of the curves and the figure at the end.
const LATE: usize = 5;

pub(crate) const EXPERIMENTS: &[Experiment] = &[Experiment {
    name: "szita-noise",
    title: "Noisy cross-entropy with 22 features: without noise, constant noise, falling noise",
    source: "Szita & Lőrincz 2006; 10x20, 100 candidates, 10 of them the elite, falling \
            noise",
    published: published![
        NOISES[0].0 => Lines; NOISES[1].0 => Lines; NOISES[2].0 => Lines = 348_895.0;
    ],
    differences: &["Weights begin as normal draws around 0 with variance 100; the noise is \
            a variance of 4, or of 5 that falls by 0.1 an iteration. A candidate is scored by one \
            game, and all candidates of an iteration play the same pieces, where the source drew \
            them anew. Lines earned are no part of the choice of a placement. `measured` is the \
            mean of the candidates of the last five iterations, which noise keeps apart and so \
            makes weaker; `played` are new games by the middle of the last distribution, of all \
            trainings together."],
    reasons: &[(
        NOISES[2].0,
        "one training, whose candidates are chosen by one game each; others who ran this method with \
         these features are said to have made about 164,000 lines, of which no publication is known to this \
         project, and these agree with them",
    )],
    minutes: 40,
    rules: "tetris:10x20; short forms: tetris:10x10",
    measure,
    ..Experiment::NONE
}];

/// One schedule of noise over all seeds.
struct Case {
    name: &'static str,
    runs: Vec<TrainedRun>,
    scores: GameScores,
}

impl Case {
    /// The mean lines of some iterations, over all seeds, by the number of the last.
    fn curve(&self) -> Vec<(f64, f64)> {
        let count = self.runs.iter().map(|run| run.windows.len()).min().unwrap_or(0);
        let ends = (1..=count).filter(|end| end % LATE == 0 || *end == count);
        ends.map(|end| (end as f64, self.late(end))).collect()
    }

    fn late(&self, end: usize) -> f64 {
        let own = self.runs.iter().flat_map(|run| &run.windows[end.saturating_sub(LATE)..end]);
        let means: Vec<f64> = own.map(|window| window.mean).collect();
        means.iter().sum::<f64>() / means.len() as f64
    }
}

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (rules, iterations, population, seeds, games) = cache.scale.pick([
        ("tetris:10x10", 3, 10, 1, 2),
        ("tetris:10x10", 60, 100, 5, 100),
        ("tetris:10x20", 80, 100, 1, 100),
    ]);
    let mut cases: Vec<Case> = Vec::new();
    for (name, short, noise, fall) in NOISES {
        let mut case = Case { name, runs: Vec::new(), scores: GameScores::NONE };
        for seed in (cache.seed..).take(seeds) {
            let recipe = format!(
                "game = '{rules}'\nseed = {seed}\n[budget]\nepisodes = {}\n[weights]\n\
                 features = 'bertsekas'\n[weights.games]\ncount = 1\nearly = 0\n\
                 [weights.search]\nmethod = 'cross_entropy'\npopulation = {population}\n\
                 elite = {}\nspread = 10\nnoise = {noise:?}\nnoise_fall = {fall:?}\n",
                iterations * population,
                population / 10,
            );
            let run = cache.learn_weights(&format!("szita-{short}-seed{seed}"), &recipe)?;
            case.scores.extend(&cache.play_weights(&run, games, 100_000_000)?);
            case.runs.push(run);
        }
        cases.push(case);
    }
    let rows = experiment.rows_by(|one| {
        let case = cases.iter().find(|case| case.name == one.case);
        let last = case.and_then(|case| case.curve().last().copied());
        (last.map(|last| Value::exact(last.1)), case.and_then(|case| case.scores.mean()))
    });
    let reduced = cache.scale.note(&format!(
        "it learns on {rules} for {iterations} iterations, {seeds} times each, and its lines are \
         not to be compared with the published ones; `--full` learns on tetris:10x20.",
    ));
    let line = |case: &Case| {
        let points = case.curve().into_iter().map(|(end, mean)| (end, mean.max(0.1)));
        Line::new(case.name, points.collect())
    };
    let (x, y) = (Axis::linear("iteration"), Axis::log("mean lines of the candidates"));
    let lines = cases.iter().map(line).collect();
    let runs = cases.iter().flat_map(|case| &case.runs);
    Ok(Results {
        rows,
        charts: vec![("", chart("Noisy cross-entropy with 22 features", x, y, lines))],
        costs: runs.map(|run| run.finished.cost.clone()).collect(),
        notes: cases.iter().filter_map(|case| case.scores.note()).chain(reduced).collect(),
        ..Results::default()
    })
}
