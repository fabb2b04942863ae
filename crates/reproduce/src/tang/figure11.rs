//! Figure 11: expected score against the discount, 4x4 board with 7 pieces.
//!
//! Published: three curves without numbers, and their trends in words. Differs: the study played a
//! few games of policies of 20 iterations; ours are the exact expectations of converged policies.

use afterstate_lab::chart::Axis;

use super::gammas::{DIFFERENCES, Figure, REWARDS, rows};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const ROWS: [Published; 30] = rows(&REWARDS);

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-figure11",
    title: "4x4 with 7 pieces: expected score against the discount",
    source: "Tang 2019, figure 11",
    published: &ROWS,
    differences: DIFFERENCES,
    rules: "1010:4x4,pieces=7,score=square",
    measure,
};

const FIGURE: Figure = Figure {
    side: 4,
    what: "score",
    of: |expected| expected.score,
    axis: Axis::log,
    said: "a jump between 0.9 and 1, a little crest at 0.3 and a fall to 0.5; r1 far above \
        the others under any gamma.",
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    FIGURE.measure(session, published)
}
