//! Scherrer et al. 2015, policy iteration (CBMPI) on 10x10 with 80 million samples
//!
//! Published: 5,059 lines on 10x10 and 29 million on 10x20.

use super::{HALF as HALF_RULES, WHOLE as WHOLE_RULES, measure, same};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Published};

const AGENT: &str = "dt-10";

const SOURCE: &str =
    "Scherrer et al. 2015, policy iteration (CBMPI) on 10x10 with 80 million samples";

pub(crate) const HALF: Experiment = Experiment {
    name: "tetris-dt-10-10x10",
    title: "DT-10 on 10x10",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 5_059.0)],
    differences: same!("Weights as printed, with two decimals."),
    rules: HALF_RULES,
    measure: |session, published| measure(session, published, AGENT, HALF_RULES),
};

pub(crate) const WHOLE: Experiment = Experiment {
    name: "tetris-dt-10-10x20",
    title: "DT-10 on 10x20",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 29_000_000.0)],
    differences: same!("Weights as printed, with two decimals."),
    rules: WHOLE_RULES,
    measure: |session, published| measure(session, published, AGENT, WHOLE_RULES),
};
