//! RV-CE 2026, cross-entropy on 10x10: 100 candidates, 60 iterations
//!
//! Published: 5,379 lines on 10x10, the most of one-piece controllers.

use super::{HALF as HALF_RULES, measure, same};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Published};

const AGENT: &str = "rv-ce";

const SOURCE: &str = "RV-CE 2026, cross-entropy on 10x10: 100 candidates, 60 iterations";

pub(crate) const HALF: Experiment = Experiment {
    name: "tetris-rv-ce-10x10",
    title: "RV-CE on 10x10",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 5_379.0)],
    differences: same!("Wells counted from each cell."),
    rules: HALF_RULES,
    measure: |session, published| measure(session, published, AGENT, HALF_RULES),
};
