//! Figure 12: expected rounds against the discount, 4x4 board with 7 pieces.
//!
//! Published: three curves without numbers, and their trends in words. Differs: the study played a
//! few games of policies of 20 iterations; ours are the exact expectations of converged policies.

use afterstate_lab::chart::Axis;

use super::gammas::{DIFFERENCES, Figure, REWARDS, rows};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const ROWS: [Published; 30] = rows(&REWARDS);

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure12",
    title: "4x4 with 7 pieces: expected rounds against the discount",
    source: "Tang 2019, figure 12",
    published: &ROWS,
    differences: DIFFERENCES,
    rules: "1010:4x4,pieces=7,score=square",
    measure,
};

const FIGURE: Figure = Figure {
    side: 4,
    what: "rounds",
    of: |expected| expected.rounds,
    axis: Axis::log,
    said: "as the scores: the highest at gamma 1, a crest at 0.3; r1 lives longest under \
        any gamma.",
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    FIGURE.measure(session, published)
}
