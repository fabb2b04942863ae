//! Figure 10: the curves of the 4x6 network at rate 0.1.
//!
//! Published: score and reach curves over 300,000 games; their ends are in table 1 (2048: 90.5%,
//! maximum 191,196). Differs: we learn afterstates.

use super::{FOUR_SIX, TILES, findings, same};
use crate::curves;
use crate::experiment::Quantity::{BestScore, Max, Mean, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const END: &str = "end of the curve";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-figure10",
    title: "Curves of four 6-tuples, learning rate 0.1",
    source: "Chen 2022 (DLP-Lab3), figure 10 of section 5.2.1; 300,000 games",
    published: &[
        Published::new(END, Mean, 85_468.3),
        Published::new(END, Max, 191_196.0),
        Published::not(END, BestScore),
        Published::new(END, Reach(256), 100.0),
        Published::new(END, Reach(512), 99.6),
        Published::new(END, Reach(1024), 98.7),
        Published::new(END, Reach(2048), 90.5),
        Published::new(END, Reach(4096), 76.5),
        Published::new(END, Reach(8192), 34.5),
    ],
    differences: same!(
        "The published curves are pictures: only their ends are numbers, those of table 1."
    ),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let form = session.form;
    let cases = [(END, session.trained(FOUR_SIX)?)];
    let trained = &cases[0].1;
    let scores = curves::scores("4x6, rate 0.1: maximum and mean score", trained, &form);
    let scores = curves::publish(scores, "published mean, 300k", 85_468.3);
    let reach = curves::tiles("4x6, rate 0.1: games that reach a tile", trained, &TILES, &form);
    let reach = curves::publish(reach, "published, 2048, 300k", 90.5);
    let charts = vec![("", scores), ("-reach", reach)];
    Ok(findings(published, &cases, &form, charts))
}
