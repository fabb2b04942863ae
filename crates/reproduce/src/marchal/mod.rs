//! Marchal, Vandenberghe, Lou, Ooi, Fong, "CS3243, Group 23" (report of a course): Tetris by
//! annealed weights, searched by minimax.

mod games;
mod minimax;

use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_train::Window;

use crate::cache::TrainedRun;
use crate::charts::chart;
use crate::experiment::Quantity::{Lines, Named, Part, Time};
use crate::experiment::{Experiment, Measured, Quantity, Results, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

const ANNEALING: &str = "annealing";
const GENETIC: &str = "genetic algorithm";
const PUBLISHED: &str = "the report's weights";
const ANNEALED: &str = "our annealed weights";
const SOON: [&str; 2] =
    ["annealing, to the common lines", "genetic algorithm, to the common lines"];

/// Trainings that differ by their seeds alone.
const ANNEALINGS: [&str; 3] = ["annealing, seed 1", "annealing, seed 2", "annealing, seed 3"];

const ITERATIONS: Quantity = Named("iterations");
const GIVEN_UP: Quantity = Part("candidates given up after five games");
const SAVED: Quantity = Part("games that giving up saves");
const LARGEST: Quantity = Part("largest step up");
const STEPS: Quantity = Named("steps up");
const EARLIER: Quantity = Part("mean step of the first half");
const LATER: Quantity = Part("mean step of the second half");
const MEDIAN: Quantity = Named("median of the lines");
const MAX: Quantity = Named("most lines");
const HALF_MILLION: Quantity = Part("games above 500,000 lines");
const MILLION: Quantity = Part("games above 1,000,000 lines");
const THREE_MILLION: Quantity = Part("games above 3,000,000 lines");

/// Games of a candidate that is given up early.
const EARLY: u64 = 5;

/// Games of any other candidate.
const GAMES: u64 = 25;

/// Steps from fewer lines are large noise: the report's own bound.
const NOISE: f64 = 400.0;

/// What differs in all trainings of the report.
const TRAINING: &str = "Its features (set cs3243), algorithms 1 to 4, 25 games a candidate, five \
    for one without hope, no game of training beyond 200,000 lines. It leaves maxIter and the \
    first weights open: ours are 4,000 and all 0. All trainings get the same number of pieces, in \
    minutes instead of a night, and end in the midst of the annealing. The genetic algorithm of \
    the report is not described: ours has 50 candidates, 5 of which live on. Lines of a training \
    are means of the 25 games that chose them, the best of many: higher than new games, which \
    `marchal-figure5a` plays.";

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "marchal-figure1",
        title: "Annealing and a genetic algorithm on Tetris: over iterations and over time",
        source: "Marchal et al. (CS3243, group 23), figure 1 of section 4.1 and section 3.1",
        published: published![
            ANNEALING => Lines = 100_000.0;
            GENETIC => Lines;
            ANNEALING => Time;
            GENETIC => Time;
            ANNEALING => ITERATIONS;
            GENETIC => ITERATIONS;
            SOON[0] => ITERATIONS;
            SOON[1] => ITERATIONS;
            SOON[0] => Time;
            SOON[1] => Time;
            ANNEALING => GIVEN_UP = 80.0, SAVED = 65.0;
        ],
        differences: &[
            "The curves were published without numbers. The common lines are half of what the \
                weaker of both came to, so that both reach them. The 65% are the time that giving \
                up saved; ours are games, without timing. The annealing is that of the first \
                seed.",
            TRAINING,
        ],
        statements: &[
            Statement {
                says: "One night (12 hours) of annealing reaches an average of about 100,000 lines.",
                // A shorter training cannot contradict it.
                holds: |figures| {
                    let lines = figures.of(ANNEALING, Lines)?;
                    (lines >= 100_000.0 || figures.of(ANNEALING, Time)? > 43_200.0)
                        .then_some(lines >= 100_000.0)
                },
            },
            Statement {
                says: "The genetic algorithm needs fewer iterations to get better.",
                holds: |figures| figures.more(ITERATIONS, SOON[0], SOON[1]),
            },
            Statement {
                says: "The genetic algorithm takes more time.",
                holds: |figures| figures.more(Time, SOON[1], SOON[0]),
            },
        ],
        minutes: 18,
        rules: "tetris:10x20",
        measure: methods,
        ..Experiment::NONE
    },
    Experiment {
        name: "marchal-figure2",
        title: "Annealing on Tetris: the rhythm of learning",
        source: "Marchal et al. (CS3243, group 23), figure 2 of section 4.1",
        published: published![ANNEALING => LARGEST, STEPS, EARLIER, LATER],
        differences: &[
            "The figure was published without numbers; its words are that a lucky change is worth \
                more than 50%, and that steps seem to get smaller. A step up is a candidate above \
                the best so far, in percent of that; steps from below 400 lines are left out \
                unless there are no others. Taken from three trainings.",
            TRAINING,
        ],
        statements: &[
            Statement {
                says: "A lucky choice of parameter change can increase the average by more than 50%.",
                holds: |figures| Some(figures.of(ANNEALING, LARGEST)? > 50.0),
            },
            Statement {
                says: "The relative increase in performance seems to drop over time.",
                holds: |figures| {
                    Some(figures.of(ANNEALING, LATER)? < figures.of(ANNEALING, EARLIER)?)
                },
            },
        ],
        minutes: 20,
        rules: "tetris:10x20",
        measure: steps,
        ..Experiment::NONE
    },
    Experiment {
        name: "marchal-figure3",
        title: "Annealing on Tetris: chance",
        source: "Marchal et al. (CS3243, group 23), figure 3 of section 4.1",
        published: published![
            ANNEALINGS[0] => Lines; ANNEALINGS[1] => Lines; ANNEALINGS[2] => Lines;
        ],
        differences: &[
            "The figure was published without numbers and its axes are not told: it shows scores \
                by different random changes of the weights. Ours are three trainings that differ \
                by their seeds, counted from the one of the command. Published in words: some \
                trainings ended at a few thousand lines.",
            TRAINING,
        ],
        statements: &[Statement {
            says: "The learning algorithm has sometimes ended learning only a few thousand lines.",
            holds: |figures| {
                let ends = ANNEALINGS.iter().filter_map(|case| figures.of(case, Lines));
                Some(ends.fold(f64::INFINITY, f64::min) < 10_000.0)
            },
        }],
        minutes: 20,
        rules: "tetris:10x20",
        measure: seeds,
        ..Experiment::NONE
    },
    minimax::EXPERIMENT,
    Experiment {
        name: "marchal-figure5a",
        title: "The annealed weights of the report on Tetris: the lines of 250 games",
        source: "Marchal et al. (CS3243, group 23), figure 5a of section 4.2; 250 games at \
            1-ply",
        published: published![
            PUBLISHED => Lines = 149_000.0, MEDIAN = 100_500.0, MAX;
            ANNEALED => Lines, MEDIAN, MAX;
        ],
        differences: &[
            "The weights are those of the authors' program (agent `marchal`). It counts groups of \
                holes on a board that it fills on the way, so that its last feature always reads \
                0: played so here.",
            "Our own annealing is that one of three whose own games were the best; `measured` is \
                the best mean of its training.",
            TRAINING,
        ],
        minutes: 25,
        rules: "tetris:10x20",
        measure: games::greedy,
        ..Experiment::NONE
    },
    Experiment {
        name: "marchal-figure5b",
        title: "The annealed weights of the report on Tetris by minimax: the lines of 80 games",
        source: "Marchal et al. (CS3243, group 23), figure 5b of section 4.2; 80 games by minimax \
            to depth 2",
        published: published![
            PUBLISHED => Lines = 1_120_000.0, MEDIAN = 700_000.0, MAX = 5_744_006.0,
                HALF_MILLION = 58.0, MILLION = 36.0, THREE_MILLION = 8.0;
        ],
        differences: &[
            "The weights are those of the authors' program (agent `marchal`), with the \
            last at 0, as `marchal-figure5a` says. Depth 2 is `minimax:2` here: the piece at hand, \
            the worst next piece and the best reply to it.",
        ],
        minutes: 120,
        rules: "tetris:10x20",
        measure: games::by_minimax,
        ..Experiment::NONE
    },
];

/// A training of weights, with its progress.
struct Training {
    run: TrainedRun,
    iterations: Vec<Iteration>,
}

/// The state of a search after an iteration.
struct Iteration {
    number: f64,
    /// Games of this iteration.
    games: u64,
    /// Seconds of training so far.
    seconds: f64,
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
            iterations.push(Iteration { number, games, seconds: window.seconds, best });
            episodes = window.episodes;
        }
        Ok(Training { run, iterations })
    }

    /// The best mean lines of any iteration.
    fn best(&self) -> f64 {
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
            Time => last.seconds,
            ITERATIONS => last.number,
            GIVEN_UP => {
                let given_up = self.iterations.iter().filter(|one| one.games == EARLY).count();
                100.0 * given_up as f64 / count
            }
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
        up.map(|pair| (pair[1].seconds, 100.0 * (pair[1].best / pair[0].best - 1.0))).collect()
    }
}

/// The pieces of a training.
fn pieces(cache: &TrainingCache) -> u64 {
    cache.scale.pick([6_000, 4_000_000, 240_000_000])
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

/// A training by the report's own annealing.
fn annealed(cache: &mut TrainingCache, part: u64) -> Result<Training, Error> {
    train(cache, "annealing", part, "method = 'home_made'\niterations = 4_000")
}

fn all_annealed(cache: &mut TrainingCache) -> Result<Vec<Training>, Error> {
    (0..ANNEALINGS.len() as u64).map(|part| annealed(cache, part)).collect()
}

/// The costs and notes of some trainings.
fn results(cache: &TrainingCache, searches: &[Training]) -> Results {
    let reduced = cache.scale.note(&format!(
        "{} pieces a training, which shows how learning begins; `--full` plays 240,000,000.",
        pieces(cache)
    ));
    Results {
        costs: searches.iter().map(|search| search.run.finished.cost.clone()).collect(),
        notes: reduced.into_iter().collect(),
        ..Results::default()
    }
}

/// The best lines so far of some trainings.
fn rising(title: &str, x: Axis, cases: &[(&str, &Training)], of: fn(&Iteration) -> f64) -> Chart {
    let line = |&(name, search): &(&str, &Training)| {
        let points = search.iterations.iter().map(|one| (of(one), one.best.max(0.1)));
        Line::new(name, points.collect())
    };
    chart(title, x, Axis::log("best mean lines so far"), cases.iter().map(line).collect())
}

/// Figure 1: annealing against a genetic algorithm, over iterations and over time.
fn methods(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (population, elite) = cache.scale.pick([(4, 1), (50, 5), (50, 5)]);
    let method = format!("method = 'genetic'\npopulation = {population}\nelite = {elite}");
    let searches = [annealed(cache, 0)?, train(cache, "genetic", 0, &method)?];
    let [annealing, genetic] = &searches;
    let common = annealing.best().min(genetic.best()) / 2.0;
    let rows = experiment.rows_by(|one| {
        let own = if one.case.starts_with(ANNEALING) { annealing } else { genetic };
        let until = SOON.contains(&one.case).then_some(common);
        (Some(Value::exact(own.measure(one.quantity, until))), None)
    });
    let cases = [(ANNEALING, annealing), (GENETIC, genetic)];
    let (iterations, seconds) = (Axis::log("iterations"), Axis::linear("seconds of training"));
    let by_iterations = rising("Lines over iterations", iterations, &cases, |one| one.number);
    let by_time = rising("Lines over time", seconds, &cases, |one| one.seconds);
    let mut results = results(cache, &searches);
    results.notes.push(format!(
        "The common lines are {common:.0}. Published in words: the genetic algorithm needs fewer \
         iterations, annealing less time."
    ));
    let charts = vec![("-iterations", by_iterations), ("-time", by_time)];
    Ok(Results { rows, charts, ..results })
}

/// Figure 2: by how much each step up was better than the best before.
fn steps(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
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
    let (x, y) =
        (Axis::linear("seconds of training"), Axis::linear("step up, % of the best so far"));
    let lines = ANNEALINGS.iter().zip(&all).map(|(name, steps)| Line::new(*name, steps.clone()));
    let charts = vec![("", chart("Steps up over time", x, y, lines.collect()))];
    Ok(Results { rows, charts, ..results(cache, &searches) })
}

/// Figure 3: trainings that differ by their seeds alone.
fn seeds(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let searches = all_annealed(cache)?;
    let cases: Vec<(&str, &Training)> = ANNEALINGS.into_iter().zip(&searches).collect();
    let rows = experiment.rows_by(|one| {
        let own = cases.iter().find(|case| case.0 == one.case);
        (own.map(|own| Value::exact(own.1.best())), None)
    });
    let x = Axis::log("iterations");
    let chart = rising("Trainings that differ by chance", x, &cases, |one| one.number);
    Ok(Results { rows, charts: vec![("", chart)], ..results(cache, &searches) })
}
