//! Figure 9: expected score against the discount, 3x3 board with 7 pieces.
//!
//! Published: three curves without numbers, and their trends in words. Differs: the study played a
//! few games of policies of 20 iterations; ours are the exact expectations of converged policies.

use afterstate_lab::chart::Axis;

use super::gammas::{DIFFERENCES, Figure, REWARDS, rows};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const ROWS: [Published; 30] = rows(&REWARDS);

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure9",
    title: "3x3 with 7 pieces: expected score against the discount",
    source: "Tang 2019, figure 9",
    published: &ROWS,
    differences: DIFFERENCES,
    rules: "1010:3x3,pieces=7,score=square",
    measure,
};

const FIGURE: Figure = Figure {
    side: 3,
    what: "score",
    of: |expected| expected.score,
    axis: Axis::linear,
    said: "the highest scores at gamma 1, a jump between 0.9 and 1; r2 rises until 0.3 and \
        drops at 0.4; no order between 0.1 and 0.9 otherwise; r1 the best, by little.",
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    FIGURE.measure(session, published)
}
