//! Figure 12: the curves of the mixed network.
//!
//! Published: score and reach curves over 300,000 games at rate 0.1; 96.5% of the games reach 2048
//! and the maximum is 279,864. Differs: we learn afterstates, and two tuples are read from a figure.

use super::{MIXED, TILES, findings, same};
use crate::curves;
use crate::experiment::Quantity::{BestScore, Max, Mean, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const END: &str = "end of the curve";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-figure12",
    title: "Curves of the mixed network, learning rate 0.1",
    source: "Chen 2022 (DLP-Lab3), figure 12 of section 5.2.2; 300,000 games",
    published: &[
        Published::not(END, Mean),
        Published::new(END, Max, 279_864.0),
        Published::not(END, BestScore),
        Published::new(END, Reach(2048), 96.5),
        Published::not(END, Reach(4096)),
        Published::not(END, Reach(8192)),
    ],
    differences: same!(
        "The report spells out the two 5-tuples; the two 4-tuples are taken to be the straight \
         lines of Szubert & Jaśkowski 2014. It does not say whether its maximum is of the last \
         1,000 games or of all: both are measured."
    ),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let form = session.form;
    let cases = [(END, session.trained(MIXED)?)];
    let trained = &cases[0].1;
    let scores = curves::scores("Mixed network: maximum and mean score", trained, &form);
    let scores = curves::publish(scores, "published maximum, 300k", 279_864.0);
    let reach = curves::tiles("Mixed network: games that reach a tile", trained, &TILES, &form);
    let reach = curves::publish(reach, "published, 2048, 300k", 96.5);
    let charts = vec![("", scores), ("-reach", reach)];
    Ok(findings(published, &cases, &form, charts))
}
