//! Figure 1: annealing against a genetic algorithm, over iterations and over time.
//!
//! Published: the genetic algorithm needs fewer iterations and more time; annealing came to about
//! 100,000 lines in a night of about 12 hours. Differs: the same number of pieces for both.

use afterstate_lab::chart::Axis;

use super::{EARLY, GAMES, annealed, bred, iteration, rising, same, short};
use crate::experiment::Quantity::{Lines, Named, Part, Time};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::learning::Learned;
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

const ANNEALING: &str = "annealing";
const GENETIC: &str = "genetic algorithm";
const SOON: [&str; 2] =
    ["annealing, to the common lines", "genetic algorithm, to the common lines"];

const ITERATIONS: Quantity = Named("iterations");
const GIVEN_UP: Quantity = Part("candidates given up after five games");
const SAVED: Quantity = Part("games that giving up saves");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure1",
    title: "Annealing and a genetic algorithm on Tetris: over iterations and over time",
    source: "Marchal et al. (CS3243, group 23), figure 1 of section 4.1 and section 3.1",
    published: &[
        Published::new(ANNEALING, Lines, 100_000.0),
        Published::not(GENETIC, Lines),
        Published::new(ANNEALING, Time, 43_200.0),
        Published::not(GENETIC, Time),
        Published::not(ANNEALING, ITERATIONS),
        Published::not(GENETIC, ITERATIONS),
        Published::not(SOON[0], ITERATIONS),
        Published::not(SOON[1], ITERATIONS),
        Published::not(SOON[0], Time),
        Published::not(SOON[1], Time),
        Published::new(ANNEALING, GIVEN_UP, 80.0),
        Published::new(ANNEALING, SAVED, 65.0),
    ],
    differences: same!(
        "The curves were published without numbers. The common lines are half of what the weaker \
         of both came to, so that both reach them. The 65% are the time that giving up saved; ours \
         are games, without timing. The annealing is that of the first seed."
    ),
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let (annealing, genetic) = (annealed(session, 0)?, bred(session)?);
    let common = annealing.best().min(genetic.best()) / 2.0;
    let row = |one: &Published| {
        let own = if one.case.starts_with(ANNEALING) { &annealing } else { &genetic };
        let soon = SOON.contains(&one.case);
        Row::of(one, Some(Value::exact(value(own, one.quantity, soon.then_some(common)))), None)
    };
    let mut notes = short(session);
    notes.push(format!(
        "The common lines are {common:.0}. Published in words: the genetic algorithm needs fewer \
         iterations, annealing less time."
    ));
    let cases = [(ANNEALING, &annealing), (GENETIC, &genetic)];
    let by_iterations = rising("Lines over iterations", Axis::log("iterations"), &cases, iteration);
    let by_time =
        rising("Lines over time", Axis::linear("seconds of training"), &cases, |window| {
            window.seconds
        });
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("-iterations", by_iterations), ("-time", by_time)],
        trainings: vec![annealing.cost.clone(), genetic.cost.clone()],
        notes,
        ..Findings::default()
    })
}

/// A quantity of a whole training, or up to the moment when it came to so many lines.
fn value(learned: &Learned, quantity: Quantity, until: Option<f64>) -> f64 {
    let arrived = |best: f64| until.is_none_or(|lines| best >= lines);
    let mut there = learned.best_so_far().filter(|(_, best)| arrived(*best));
    let last = if until.is_some() { there.next() } else { there.last() };
    let Some((window, best)) = last else { return 0.0 };
    let played: Vec<u64> = games(learned).collect();
    match quantity {
        Lines => best,
        Time => window.seconds,
        ITERATIONS => iteration(window),
        GIVEN_UP => {
            let given_up = played.iter().filter(|&&games| games == EARLY).count();
            100.0 * given_up as f64 / played.len() as f64
        }
        _ => {
            let all = GAMES as f64 * played.len() as f64;
            100.0 * (1.0 - played.iter().sum::<u64>() as f64 / all)
        }
    }
}

/// The games of each iteration.
fn games(learned: &Learned) -> impl Iterator<Item = u64> {
    let ends = learned.windows.iter().map(|window| window.episodes);
    let begins = std::iter::once(0).chain(ends.clone());
    ends.zip(begins).map(|(end, begin)| end - begin)
}
