//! Figure 3: chance in learning, trainings that differ by their seeds alone.
//!
//! Published: the scores vary much, and some trainings end at a few thousand lines.

use afterstate_lab::chart::Axis;

use super::{ANNEALINGS, annealed, iteration, rising, same, short};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Findings, Published};
use crate::learning::Learned;
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure3",
    title: "Annealing on Tetris: chance",
    source: "Marchal et al. (CS3243, group 23), figure 3 of section 4.1",
    published: &[
        Published::not(ANNEALINGS[0], Lines),
        Published::not(ANNEALINGS[1], Lines),
        Published::not(ANNEALINGS[2], Lines),
    ],
    differences: same!(
        "The figure was published without numbers and its axes are not told: it shows scores by \
         different random changes of the weights. Ours are three trainings that differ by their \
         seeds, counted from the one of the command. Published in words: some trainings ended at a \
         few thousand lines."
    ),
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut learned: Vec<Learned> = Vec::new();
    for part in 0..ANNEALINGS.len() as u64 {
        learned.push(annealed(session, part)?);
    }
    let cases: Vec<(&str, &Learned)> = ANNEALINGS.into_iter().zip(&learned).collect();
    let row = |one: &Published| {
        let own = cases.iter().find(|case| case.0 == one.case);
        Row::of(one, own.map(|own| Value::exact(own.1.best())), None)
    };
    let x = Axis::log("iterations");
    let chart = rising("Trainings that differ by chance", x, &cases, iteration);
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: learned.iter().map(|learned| learned.cost.clone()).collect(),
        notes: short(session),
        ..Findings::default()
    })
}
