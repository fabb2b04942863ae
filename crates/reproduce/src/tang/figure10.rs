//! Figure 10: expected rounds against the discount, 3x3 board with 7 pieces.
//!
//! Published: three curves without numbers, and their trends in words. Differs: the study played a
//! few games of policies of 20 iterations; ours are the exact expectations of converged policies.

use afterstate_lab::chart::Axis;

use super::gammas::{chart, curves, rows};
use super::{board, findings};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const CASES: [&str; 3] = ["r1", "r2", "r3"];

const ROWS: [Published; 30] = rows(&CASES);

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure10",
    title: "3x3 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, figure 10",
    published: &ROWS,
    differences: "The study's curves are means of a few games each, whose lengths are nearly geometric: an error of 22 to 32% a point. Ours are exact. Its values come from about 20 sweeps, which matters only near gamma 1. Ties go to the first placement, row by row, in both.",
    rules: "1010:3x3,pieces=7,score=square",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let game = board(3, "7")?;
    let mut found = Vec::new();
    let worth = |chain: &afterstate_learn::solve::Chain| {
        let expected = chain.expected();
        expected.rounds.unwrap_or(f64::INFINITY)
    };
    let lines = curves(&game, &CASES.map(|case| (case, case)), worth, &mut found)?;
    let axis = Axis::linear("expected rounds");
    let chart = chart("3x3 with 7 pieces: expected rounds", axis, lines);
    let note = "Published in words: as the scores: a jump between 0.9 and 1, and for r2 a crest at 0.3 with a drop at 0.4.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], vec![note.to_owned()]))
}
