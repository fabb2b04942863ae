//! Table 2: more games at the low learning rate.
//!
//! Published: at rate 0.025, 81.9% of the games reach 2048 after 300,000 games and 87.3% after
//! 560,000, the same training going on. Differs: we learn afterstates.

use super::{SLOW, findings, same};
use crate::curves;
use crate::experiment::Quantity::{Mean, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::training::Training;
use crate::{Error, Session};

const SHORT: &str = "300k games";
const LONG: &str = "560k games";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-table2",
    title: "More games at learning rate 0.025, four 6-tuples",
    source: "Chen 2022 (DLP-Lab3), table 2 of section 5.1; 300,000 and 560,000 games",
    published: &[
        Published::new(SHORT, Reach(2048), 81.9),
        Published::not(SHORT, Mean),
        Published::new(LONG, Reach(2048), 87.3),
        Published::not(LONG, Mean),
    ],
    differences: same!("The longer training goes on from the shorter one, as in the report."),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let long = Training { episodes: 560_000, after: Some(300_000), goes_on: false, ..SLOW };
    let cases = [(SHORT, session.trained(SLOW)?), (LONG, session.trained(long)?)];
    let chart = curves::tile("4x6 at rate 0.025", &cases[1..], 2048, &session.form);
    let chart = curves::publish(chart, "published, 300k", 81.9);
    let chart = curves::publish(chart, "published, 560k", 87.3);
    Ok(findings(published, &cases, &session.form, vec![("", chart)]))
}
