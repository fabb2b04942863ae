//! The optimisers that the notes name, on one least-squares problem of lambda-policy iteration.

use std::path::Path;
use std::time::Instant;

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_core::numbers::whole;
use afterstate_core::{Rng, threads};
use afterstate_games::tetris::Tetris;
use afterstate_learn::lambda_pi::Trajectory;
use afterstate_learn::least_squares::{LeastSquares, LeastSquaresError, Solver};
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};

use super::settings::Settings;
use super::train;
use crate::experiment::Quantity::{Ratio, Time};
use crate::experiment::{Experiment, Measured, Published, Quantity, Results};
use crate::measure::Value;
use crate::{Error, TrainingCache};

const EXACT: &str = "QR decomposition";
const SGD: &str = "stochastic gradient descent";

/// The optimisers by the names of the notes, and the exact solution.
const OPTIMISERS: [(&str, Solver); 5] = [
    (EXACT, Solver::Exact),
    (SGD, Solver::Sgd),
    ("Nelder-Mead simplex", Solver::NelderMead),
    ("Broyden-Fletcher-Goldfarb-Shanno", Solver::Bfgs),
    ("Newton with conjugate gradients", Solver::NewtonCg),
];

/// The root mean squared error at the minimum.
const MINIMUM: Quantity = Ratio("root mean squared error reached");

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tetris-lambda-pi-optimisers",
    title: "The optimisers of the notes on one iteration of lambda-policy iteration",
    source: "Notes of CS3243, which name four optimisers and measure none",
    published: &{
        let mut all = [Published::nothing(EXACT, MINIMUM); 10];
        let mut number = 0;
        while number < 10 {
            let quantity = if number % 2 == 0 { MINIMUM } else { Time };
            all[number] = Published::nothing(OPTIMISERS[number / 2].0, quantity);
            number += 1;
        }
        all
    },
    differences: &[
        "The rows of the problem are folded into a triangle of 22 columns first, which \
        is exact and common to all: stochastic gradient descent draws rows of the triangle, not boards. The \
        time is that of the optimiser alone, from weights of 0 to a distance of 1e-8 from the minimum.",
    ],
    minutes: 2,
    rules: "tetris:10x20",
    measure,
    ..Experiment::NONE
};

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let settings = Settings::OURS;
    let (_, run) = train(cache, &settings, cache.seed)?;
    let problem = problem(cache, &run.folder.agent(), &settings)?;
    // The exact solution is the first.
    let (mut solved, mut notes, mut reached, mut least) =
        (Vec::new(), Vec::new(), Vec::new(), None);
    for (name, solver) in OPTIMISERS {
        cache.observer.begin(&format!("{name}: {} rows", problem.rows()))?;
        let clock = Instant::now();
        let error = match problem.solve(solver) {
            Ok(solution) => {
                match least {
                    None => least = Some(solution.error),
                    Some(least) => {
                        let above = (solution.error / least - 1.0).max(0.0);
                        reached.push(format!("{name} {above:.0e}"));
                    }
                }
                Some(solution.error)
            }
            Err(LeastSquaresError::NotConverged { distance, .. }) => {
                notes.push(format!(
                    "{name} stopped at a distance of {distance:.1e} from the minimum."
                ));
                None
            }
            Err(error) => return Err(error.into()),
        };
        solved.push((name, error, clock.elapsed().as_secs_f64()));
    }
    let rows = experiment.rows_by(|one| {
        let own = solved.iter().find(|own| own.0 == one.case);
        let value = own.and_then(|own| if one.quantity == Time { Some(own.2) } else { own.1 });
        (value.map(Value::exact), None)
    });
    notes.push(format!(
        "Root mean squared error above that of the exact solution, as a part of it: {}.",
        reached.join(", ")
    ));
    let boards = whole(problem.rows() as f64);
    notes.push(format!("{boards} boards of {} games.", settings.games));
    notes.extend(cache.scale.note("games by weights that hardly learned; `--full` trains first."));
    Ok(Results { rows, notes, costs: vec![run.finished.cost], ..Results::default() })
}

/// The least squares of one iteration: games by learned weights.
fn problem(
    cache: &TrainingCache,
    agent: &Path,
    settings: &Settings,
) -> Result<LeastSquares, Error> {
    let (game, seed) = (Tetris::standard(), evaluation_seed(cache.seed));
    let (_, model) = afterstate_values::model::load(agent, &game)?;
    let linear = model.linear().ok_or_else(|| Error::Unknown(agent.display().to_string()))?;
    let (features, weights) = (linear.features(), linear.weights());
    let games = cache.scale.pick([3, settings.games, settings.games]);
    let played = threads::map(cache.threads, games as usize, |number| {
        let mut trajectory = Trajectory::new(weights.len());
        let mut out = vec![0.0; weights.len()];
        let policy = WeightedFeatures { features, reward: 1.0, weights };
        let mut play = ResumableGame::new(&game, Rng::stream(seed, number as u64));
        play.advance(&game, &policy, settings.max_moves, f64::INFINITY, |state, choice| {
            features.describe(&game, state, choice, &mut out);
            trajectory.add(&out, choice.1.reward);
        });
        trajectory
    });
    let wide: Vec<f64> = weights.iter().map(|&weight| f64::from(weight)).collect();
    let mut squares = LeastSquares::new(weights.len());
    played.iter().for_each(|one| one.fit(&wide, settings.lambda, &mut squares));
    Ok(squares)
}
