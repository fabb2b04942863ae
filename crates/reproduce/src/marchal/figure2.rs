//! Figure 2: the rhythm of learning, by how much each step up was better than the best before.
//!
//! Published: steps get smaller with time, and a lucky one is more than 50%.

use afterstate_lab::chart::{Axis, Chart, Line};

use super::{ANNEALINGS, annealed, same, short};
use crate::experiment::Quantity::{Named, Part};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::learning::Learned;
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

const CASE: &str = "annealing";

/// Below so many lines steps are noise, and large: the report's own bound.
const NOISE: f64 = 400.0;

const LARGEST: Quantity = Part("largest step up");
const STEPS: Quantity = Named("steps up");
const EARLIER: Quantity = Part("mean step of the first half");
const LATER: Quantity = Part("mean step of the second half");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure2",
    title: "Annealing on Tetris: the rhythm of learning",
    source: "Marchal et al. (CS3243, group 23), figure 2 of section 4.1",
    published: &[
        Published::new(CASE, LARGEST, 50.0),
        Published::not(CASE, STEPS),
        Published::not(CASE, EARLIER),
        Published::not(CASE, LATER),
    ],
    differences: same!(
        "The figure was published without numbers; its words are that a lucky change is worth more \
         than 50%, and that steps seem to get smaller. A step up is a candidate above the best so \
         far, in percent of that; steps from below 400 lines are left out unless there are no \
         others. Taken from three trainings."
    ),
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut learned = Vec::new();
    for part in 0..ANNEALINGS.len() as u64 {
        learned.push(annealed(session, part)?);
    }
    let all: Vec<Vec<(f64, f64)>> = learned
        .iter()
        .map(|learned| {
            let late = steps(learned, NOISE);
            if late.is_empty() { steps(learned, 0.0) } else { late }
        })
        .collect();
    let together = || all.iter().flatten().map(|step| step.1);
    let half = |later: bool| {
        let part = |steps: &Vec<(f64, f64)>| {
            let middle = steps.len().div_ceil(2);
            let (first, second) = steps.split_at(middle);
            if later { second.to_vec() } else { first.to_vec() }
        };
        let sizes: Vec<f64> = all.iter().flat_map(part).map(|step| step.1).collect();
        if sizes.is_empty() { Value::exact(0.0) } else { Value::mean(&sizes) }
    };
    let row = |one: &Published| {
        let value = match one.quantity {
            LARGEST => Value::exact(together().fold(0.0, f64::max)),
            STEPS => Value::exact(together().count() as f64),
            quantity => half(quantity == LATER),
        };
        Row::of(one, Some(value), None)
    };
    let line = |(name, steps): (&&str, &Vec<(f64, f64)>)| Line::new(*name, steps.clone());
    let chart = Chart {
        title: "Steps up over time".to_owned(),
        x: Axis::linear("seconds of training"),
        y: Axis::linear("step up, % of the best so far"),
        lines: ANNEALINGS.iter().zip(&all).map(line).collect(),
        note: None,
    };
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: learned.into_iter().map(|learned| learned.cost).collect(),
        notes: short(session),
        ..Findings::default()
    })
}

/// When a training got better, and by how many percent, from so many lines on.
fn steps(learned: &Learned, from: f64) -> Vec<(f64, f64)> {
    let best: Vec<(f64, f64)> =
        learned.best_so_far().map(|(window, best)| (window.seconds, best)).collect();
    let pairs = best.windows(2).filter(|pair| pair[0].1 > from && pair[1].1 > pair[0].1);
    pairs.map(|pair| (pair[1].0, 100.0 * (pair[1].1 / pair[0].1 - 1.0))).collect()
}
