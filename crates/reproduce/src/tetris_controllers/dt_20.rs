//! Scherrer et al. 2015, policy iteration (CBMPI) on 10x20 with 256 million samples
//!
//! Published: 4,428 lines on 10x10 and 51 million on 10x20, where others measured 45 million.

use super::{HALF as HALF_RULES, WHOLE as WHOLE_RULES, measure, same};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Published};

const AGENT: &str = "dt-20";

const SOURCE: &str =
    "Scherrer et al. 2015, policy iteration (CBMPI) on 10x20 with 256 million samples";

pub(crate) const HALF: Experiment = Experiment {
    name: "tetris-dt-20-10x10",
    title: "DT-20 on 10x10",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 4_428.0)],
    differences: same!("Weights as printed, with two decimals."),
    rules: HALF_RULES,
    measure: |session, published| measure(session, published, AGENT, HALF_RULES),
};

pub(crate) const WHOLE: Experiment = Experiment {
    name: "tetris-dt-20-10x20",
    title: "DT-20 on 10x20",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 51_000_000.0)],
    differences: same!(
        "Weights as printed, with two decimals. Others who ran them measured 45 million lines."
    ),
    rules: WHOLE_RULES,
    measure: |session, published| measure(session, published, AGENT, WHOLE_RULES),
};
