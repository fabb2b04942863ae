//! Thiery & Scherrer 2009, cross-entropy; measured by Scherrer et al. 2015
//!
//! Published: 3,818 lines on 10x10 and about 31 million on 10x20.

use super::{HALF as HALF_RULES, WHOLE as WHOLE_RULES, measure, same};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Published};

const AGENT: &str = "bcts";

const SOURCE: &str = "Thiery & Scherrer 2009, cross-entropy; measured by Scherrer et al. 2015";

pub(crate) const HALF: Experiment = Experiment {
    name: "tetris-bcts-10x10",
    title: "BCTS on 10x10",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 3_818.0)],
    differences: same!("Eight features: those of DT without diversity."),
    rules: HALF_RULES,
    measure: |session, published| measure(session, published, AGENT, HALF_RULES),
};

pub(crate) const WHOLE: Experiment = Experiment {
    name: "tetris-bcts-10x20",
    title: "BCTS on 10x20",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 31_000_000.0)],
    differences: same!("Eight features: those of DT without diversity."),
    rules: WHOLE_RULES,
    measure: |session, published| measure(session, published, AGENT, WHOLE_RULES),
};
