//! Figure 6: the probability of accepting a worse heuristic, by its error and the iteration.

use afterstate_learn::blackbox::MarchalAnnealing;
use afterstate_render::chart::{Axis, Chart, Line};

use crate::TrainingCache;
use crate::charts::chart;
use crate::experiment::Quantity::Part;
use crate::experiment::{Experiment, Measured, Quantity, Results, published};
use crate::measure::Value;
use crate::verdict::{Figures, Statement, all};

/// Relative errors, and their names.
const ERRORS: [(f64, &str); 4] =
    [(0.01, "error of 1%"), (0.1, "error of 10%"), (0.3, "error of 30%"), (0.5, "error of 50%")];

/// The iterations of the table.
const AT: [(f64, Quantity); 4] = [
    (1.0, Part("accepted at iteration 1")),
    (10.0, Part("accepted at iteration 10")),
    (100.0, Part("accepted at iteration 100")),
    (1_000.0, Part("accepted at iteration 1,000")),
];

const FIRST: Quantity = AT[0].1;
const TENTH: Quantity = AT[1].1;
const HUNDREDTH: Quantity = AT[2].1;
const LAST: Quantity = AT[3].1;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure6",
    title: "Annealing on Tetris: the probability of accepting a worse heuristic",
    source: "Marchal et al. (CS3243, group 23), figure 6 of appendix A.3",
    published: published![
        ERRORS[0].1 => FIRST, TENTH, HUNDREDTH, LAST; ERRORS[1].1 => FIRST, TENTH, HUNDREDTH, LAST;
        ERRORS[2].1 => FIRST, TENTH, HUNDREDTH, LAST; ERRORS[3].1 => FIRST, TENTH, HUNDREDTH, LAST;
    ],
    statements: &[
        Statement {
            says: "As the learner plays more and more games, the probability of accepting worst \
                results drops.",
            holds: |figures| {
                let drops = |&(_, case): &(f64, &str)| {
                    let chances = AT.map(|(_, at)| figures.of(case, at));
                    all(chances.windows(2).map(|pair| Some(pair[1]? <= pair[0]?)))
                };
                all(ERRORS.iter().map(drops))
            },
        },
        Statement {
            says: "This probability drops much more when the error is higher.",
            holds: |figures| {
                let cases = ERRORS.map(|(_, case)| figures.of(case, HUNDREDTH));
                all(cases.windows(2).map(|pair| Some(pair[1]? <= pair[0]?)))
            },
        },
        Statement {
            says: "At the beginning there is a high chance to switch to a worst model.",
            holds: |figures| high(figures, 1.0, FIRST),
        },
        Statement {
            says: "For large numbers of iterations, the probability of accepting a worst model is \
                only high if the error is small.",
            holds: |figures| high(figures, 0.01, LAST),
        },
    ],
    differences: &[
        "The figure was published without numbers; these are those of the function by which \
        annealing learns here, of the report's algorithm 4, whose error lacks a divisor: the score of \
        the heuristic to beat. The errors and iterations of the table are ours.",
    ],
    rules: "tetris:10x20",
    measure,
    ..Experiment::NONE
};

/// Whether errors up to a bound, and no others, are accepted in more than a tenth of the cases.
fn high(figures: &Figures, bound: f64, at: Quantity) -> Option<bool> {
    all(ERRORS
        .iter()
        .map(|&(error, case)| Some((figures.of(case, at)? > 10.0) == (error <= bound))))
}

/// In percent.
fn accepted(error: f64, iteration: f64) -> f64 {
    100.0 * MarchalAnnealing::acceptance_of(error, iteration)
}

fn measure(experiment: &Experiment, _: &mut TrainingCache) -> Measured {
    let value = |case: &str, quantity: Quantity| {
        let error = ERRORS.iter().find(|one| one.1 == case)?.0;
        let iteration = AT.iter().find(|one| one.1 == quantity)?.0;
        Some(Value::exact(accepted(error, iteration)))
    };
    Ok(Results {
        rows: experiment.rows_by(|one| (value(one.case, one.quantity), None)),
        charts: vec![("", curves())],
        ..Results::default()
    })
}

fn curves() -> Chart {
    let line = |&(error, name): &(f64, &str)| {
        // Twenty points for every factor of ten, up to the 10,000 iterations of the authors' program.
        let at = (0..=80).map(|step| 10_f64.powf(f64::from(step) / 20.0));
        Line::new(name, at.map(|iteration| (iteration, accepted(error, iteration))).collect())
    };
    let (x, y) = (Axis::log("iteration"), Axis::linear("accepted, %"));
    chart("Worse heuristics that are accepted", x, y, ERRORS.iter().map(line).collect())
}
