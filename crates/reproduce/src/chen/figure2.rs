//! Figure 2: the best result, 96.7% of the games reach 2048.
//!
//! Published: the reach curve of the best run. Differs: we take it to be the mixed network's, whose
//! training figure 12 shows, and learn afterstates.

use super::{MIXED, TILES, findings, same};
use crate::curves;
use crate::experiment::Quantity::{BestReach, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const BEST: &str = "mixed network";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-figure2",
    title: "The best result: 2048 in 96.7% of the games",
    source: "Chen 2022 (DLP-Lab3), figure 2 of section 2.1",
    published: &[
        Published::new(BEST, BestReach(2048), 96.7),
        Published::not(BEST, Reach(2048)),
        Published::not(BEST, Reach(4096)),
        Published::not(BEST, Reach(8192)),
    ],
    differences: same!(
        "The report does not say which network or how many games: we take the mixed one of figure \
         12 (96.5% there), and the best 1,000 games of its training. The best of many blocks lies \
         above what the agent can be expected to do; it has no interval."
    ),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let form = session.form;
    let cases = [(BEST, session.trained(MIXED)?)];
    let reach = curves::tiles("Games that reach a tile", &cases[0].1, &TILES, &form);
    let chart = curves::publish(reach, "published best, 2048", 96.7);
    Ok(findings(published, &cases, &form, vec![("", chart)]))
}
