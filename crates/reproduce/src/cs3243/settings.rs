//! What lambda-policy iteration owes to its settings: one of them changed at a time.

use afterstate_core::Rng;

use super::{best, train};
use crate::experiment::Quantity::{Lines, Named, Part};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, Results, published};
use crate::measure::Value;
use crate::verdict::{Statement, any};
use crate::{Cost, Error, TrainingCache};

/// The first weights.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// Of the largest height and of holes; all others are 0.
    HeightAndHoles(f64, f64),
    /// All at random, uniform up to this size.
    Random(f64),
}

impl Start {
    /// The 22 weights of a training.
    pub(super) fn weights(self, seed: u64) -> Vec<f64> {
        match self {
            Start::HeightAndHoles(height, holes) => {
                let mut weights = vec![0.0; 20];
                weights.extend([height, holes]);
                weights
            }
            Start::Random(size) => {
                let mut rng = Rng::stream(seed, RANDOM_STREAM);
                (0..22).map(|_| size * (2.0 * rng.unit() - 1.0)).collect()
            }
        }
    }
}

/// The RNG stream of first weights, which no game of a training has.
const RANDOM_STREAM: u64 = u64::MAX;

/// A training with some settings.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) case: &'static str,
    /// The part of its runs' names.
    pub(super) name: &'static str,
    pub(super) rules: &'static str,
    pub(super) start: Start,
    pub(super) games: u64,
    pub(super) lambda: f64,
    pub(super) max_moves: u64,
    pub(super) iterations: u64,
}

impl Settings {
    /// Those of `tetris-lambda-pi`.
    pub(super) const OURS: Settings = Settings {
        case: "our settings",
        name: "lambda-pi",
        rules: "tetris:10x20",
        start: Start::HeightAndHoles(-0.01, -0.1),
        games: 100,
        lambda: 0.6,
        max_moves: 10_000_000,
        iterations: 20,
    };
}

const OURS: Settings = Settings::OURS;

/// One setting changed at a time.
const VARIANTS: [Settings; 14] = [
    OURS,
    Settings {
        case: "all first weights 0",
        name: "lambda-pi-zero",
        start: Start::HeightAndHoles(0.0, 0.0),
        ..OURS
    },
    Settings {
        case: "first weights -1 and -10",
        name: "lambda-pi-large",
        start: Start::HeightAndHoles(-1.0, -10.0),
        ..OURS
    },
    Settings { case: "lambda 0", name: "lambda-pi-0", lambda: 0.0, ..OURS },
    Settings { case: "lambda 0.3", name: "lambda-pi-03", lambda: 0.3, ..OURS },
    Settings { case: "lambda 0.9", name: "lambda-pi-09", lambda: 0.9, ..OURS },
    Settings { case: "lambda 1", name: "lambda-pi-1", lambda: 1.0, ..OURS },
    Settings { case: "10 games an iteration", name: "lambda-pi-10", games: 10, ..OURS },
    Settings { case: "30 games an iteration", name: "lambda-pi-30", games: 30, ..OURS },
    Settings { case: "300 games an iteration", name: "lambda-pi-300", games: 300, ..OURS },
    Settings {
        case: "games of more than 2,000 boards discarded",
        name: "lambda-pi-short",
        max_moves: 2_000,
        ..OURS
    },
    Settings {
        case: "rows clear before the top is checked",
        name: "lambda-pi-clear",
        rules: "tetris:10x20,overflow=clear",
        ..OURS
    },
    Settings { case: "18 rows", name: "lambda-pi-18-rows", rules: "tetris:10x18", ..OURS },
    Settings { case: "16 rows", name: "lambda-pi-16-rows", rules: "tetris:10x16", ..OURS },
];

/// The lines of Bertsekas & Ioffe.
const PUBLISHED: f64 = 3_200.0;

/// The number of the best iteration.
const NUMBER: Quantity = Named("best iteration");

/// The lines relative to those of our settings.
const SHARE: Quantity = Part("of our settings");

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tetris-lambda-pi-settings",
    title: "Lambda-policy iteration: which setting decides the lines",
    source: "Notes of CS3243, which leave the first weights, lambda, the games of an iteration and \
        the rule for the top open; 3,200 lines are those of Bertsekas & Ioffe 1996",
    published: published![
        VARIANTS[0].case => Lines = 3_200.0, NUMBER;
        VARIANTS[1].case => Lines, SHARE, NUMBER; VARIANTS[2].case => Lines, SHARE, NUMBER;
        VARIANTS[3].case => Lines, SHARE, NUMBER; VARIANTS[4].case => Lines, SHARE, NUMBER;
        VARIANTS[5].case => Lines, SHARE, NUMBER; VARIANTS[6].case => Lines, SHARE, NUMBER;
        VARIANTS[7].case => Lines, SHARE, NUMBER; VARIANTS[8].case => Lines, SHARE, NUMBER;
        VARIANTS[9].case => Lines, SHARE, NUMBER; VARIANTS[10].case => Lines, SHARE, NUMBER;
        VARIANTS[11].case => Lines, SHARE, NUMBER; VARIANTS[12].case => Lines, SHARE, NUMBER;
        VARIANTS[13].case => Lines, SHARE, NUMBER;
    ],
    differences: &[
        "Every row is the mean lines of the best iteration of 20, over three trainings; \
        all settings but the one that is named are those of `tetris-lambda-pi`. The limit of 2,000 \
        boards is that of the notes' player, per game here and for all games of an iteration \
        there; the 800 lines that 2,000 boards can have are what its row comes to. The first weights, a \
        lambda above 0.6 and fewer than 100 games an iteration decide (random ones are in `tetris-lambda-pi-random`); the rule for the top and a smaller \
        lambda do not. The settings of 1996 are not known, so that no single cause is shown, and an interval \
        of three trainings that is wider than its figure contains 3,200 lines without telling anything.",
    ],
    minutes: 100,
    rules: "tetris:10x20 but where a row says otherwise",
    measure,
    ..Experiment::NONE
};

/// First weights at random, of three sizes.
const AT_RANDOM: [Settings; 3] = [
    Settings {
        case: "up to 0.01",
        name: "lambda-pi-random-001",
        start: Start::Random(0.01),
        ..LONG
    },
    Settings { case: "up to 1", name: "lambda-pi-random-1", start: Start::Random(1.0), ..LONG },
    Settings {
        case: "up to 100",
        name: "lambda-pi-random-100",
        start: Start::Random(100.0),
        ..LONG
    },
];

/// Random weights take longer to learn.
const LONG: Settings = Settings { iterations: 40, ..OURS };

/// Trainings that learn.
const LEARNS: Quantity = Part("trainings that come to 1,000 lines");

pub(super) const RANDOM: Experiment = Experiment {
    name: "tetris-lambda-pi-random",
    title: "Lambda-policy iteration from random weights, as the notes begin",
    source: "Notes of CS3243: \"Vector r can be assigned with random values first\"",
    published: published![
        AT_RANDOM[0].case => Lines, LEARNS, NUMBER; AT_RANDOM[1].case => Lines, LEARNS, NUMBER;
        AT_RANDOM[2].case => Lines, LEARNS, NUMBER;
    ],
    reasons: &[(
        "Vector r can be",
        "fewer than half of the trainings learn, or too few to tell: where the games of the first weights \
         end within a few lines, what is fitted to them often does not leave them",
    )],
    statements: &[Statement {
        says: "Vector r can be assigned with random values first.",
        // By most of the trainings of some size.
        holds: |figures| {
            any(AT_RANDOM.iter().map(|one| figures.value(one.case, LEARNS)?.exceeds(50.0)))
        },
    }],
    differences: &[
        "Weights are uniform between minus and plus the size, other ones for each of twenty trainings; all \
        other settings are those of `tetris-lambda-pi`, whose first weights for height and holes come to \
        thousands of lines within ten iterations. A row is the mean of the best iterations of 40.",
    ],
    minutes: 20,
    rules: "tetris:10x20",
    measure: from_random_weights,
    ..Experiment::NONE
};

/// The number and the mean lines of the best iteration of each of some trainings, whose costs are added.
fn best_of_each(
    cache: &mut TrainingCache,
    settings: &Settings,
    seeds: usize,
    costs: &mut Vec<Cost>,
) -> Result<Vec<(usize, f64)>, Error> {
    let mut trained = Vec::new();
    for seed in (cache.seed..).take(seeds) {
        let (means, run) = train(cache, settings, seed)?;
        trained.push(best(&means));
        costs.push(run.finished.cost);
    }
    Ok(trained)
}

/// The means of both.
fn mean_lines(trained: &[(usize, f64)]) -> Value {
    Value::mean(&trained.iter().map(|one| one.1).collect::<Vec<f64>>())
}

fn mean_number(trained: &[(usize, f64)]) -> Value {
    Value::mean(&trained.iter().map(|one| one.0 as f64).collect::<Vec<f64>>())
}

fn from_random_weights(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let seeds = cache.scale.pick([1, 2, 20]);
    let (mut measured, mut costs) = (Vec::new(), Vec::new());
    for settings in &AT_RANDOM {
        let trained = best_of_each(cache, settings, seeds, &mut costs)?;
        let learned = trained.iter().filter(|one| one.1 >= LEARNED).count() as f64;
        let figure = |quantity, value| Measurement::training(settings.case, quantity, value);
        measured.push(figure(Lines, mean_lines(&trained)));
        measured.push(figure(NUMBER, mean_number(&trained)));
        let share = Value::percent(learned, trained.len() as f64);
        measured.extend(share.map(|share| figure(LEARNS, share)));
    }
    let reduced = cache.scale.note("two trainings each; `--full` has twenty of 40 iterations.");
    Ok(Results {
        rows: experiment.rows(&measured),
        costs,
        notes: reduced.into_iter().collect(),
        ..Results::default()
    })
}

/// More lines than a training comes to that has learned nothing.
const LEARNED: f64 = 1_000.0;

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let seeds = cache.scale.pick([1, 1, 3]);
    let (mut all, mut costs) = (Vec::new(), Vec::new());
    for settings in &VARIANTS {
        let trained = best_of_each(cache, settings, seeds, &mut costs)?;
        all.push((settings.case, trained));
    }
    let ours = mean_lines(&all[0].1).value;
    let rows = experiment.rows_by(|one| {
        let own = all.iter().find(|own| own.0 == one.case);
        let value = own.map(|(_, trained)| match one.quantity {
            SHARE => Value::exact(100.0 * mean_lines(trained).value / ours),
            NUMBER => mean_number(trained),
            _ => mean_lines(trained),
        });
        (value, None)
    });
    let near = all.iter().filter(|(_, trained)| {
        mean_lines(trained).ci95.is_some_and(|(low, high)| (low..=high).contains(&PUBLISHED))
    });
    let near: Vec<&str> = near.map(|(case, _)| *case).collect();
    let none = if near.is_empty() { "none" } else { "" };
    let near = format!("The interval contains {PUBLISHED} lines for: {none}{}.", near.join(", "));
    let reduced = cache.scale.note("one training of each; `--full` has three of 20 iterations.");
    Ok(Results {
        rows,
        costs,
        notes: reduced.into_iter().chain([near]).collect(),
        ..Results::default()
    })
}
