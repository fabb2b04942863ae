//! Figure 11: expected score against the discount, 4x4 board with 7 pieces.
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
    name: "tang-figure11",
    title: "4x4 with 7 pieces: expected score against the discount",
    source: "Tang 2019, figure 11",
    published: &ROWS,
    differences: "The study's curves are means of a few games each, whose lengths are nearly geometric: an error of 22 to 32% a point. Ours are exact. Its values come from about 20 sweeps, which matters only near gamma 1. Ties go to the first placement, row by row, in both.",
    rules: "1010:4x4,pieces=7,score=square",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let game = board(4, "7")?;
    let mut found = Vec::new();
    let worth = |chain: &afterstate_learn::solve::Chain| {
        let expected = chain.expected();
        expected.score.unwrap_or(f64::INFINITY)
    };
    let lines = curves(&game, &CASES.map(|case| (case, case)), worth, &mut found)?;
    let axis = Axis::log("expected score");
    let chart = chart("4x4 with 7 pieces: expected score", axis, lines);
    let note = "Published in words: a jump between 0.9 and 1, a little crest at 0.3 and a fall to 0.5; r1 far above the others under any gamma.";
    Ok(findings(&session.form, published, &found, vec![("", chart)], vec![note.to_owned()]))
}
