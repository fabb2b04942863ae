//! Dellacherie 2003, weights by hand; measured by Thiery & Scherrer 2009 and by Scherrer et al. 2015
//!
//! Published: 2,355 lines on 10x10 and 5.2 million on 10x20, where others measured 3.9 million.

use super::{HALF as HALF_RULES, WHOLE as WHOLE_RULES, measure, same};
use crate::experiment::Quantity::Lines;
use crate::experiment::{Experiment, Published};

const AGENT: &str = "dellacherie";

const SOURCE: &str = "Dellacherie 2003, weights by hand; measured by Thiery & Scherrer 2009 and by Scherrer et al. 2015";

pub(crate) const HALF: Experiment = Experiment {
    name: "tetris-dellacherie-10x10",
    title: "Dellacherie's controller on 10x10",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 2_355.0)],
    differences: same!("Six features, wells counted from each cell."),
    rules: HALF_RULES,
    measure: |session, published| measure(session, published, AGENT, HALF_RULES),
};

pub(crate) const WHOLE: Experiment = Experiment {
    name: "tetris-dellacherie-10x20",
    title: "Dellacherie's controller on 10x20",
    source: SOURCE,
    published: &[Published::new(AGENT, Lines, 5_200_000.0)],
    differences: same!(
        "Six features, wells counted from each cell. Others who ran these weights under this rule report 3.9 million lines."
    ),
    rules: WHOLE_RULES,
    measure: |session, published| measure(session, published, AGENT, WHOLE_RULES),
};
