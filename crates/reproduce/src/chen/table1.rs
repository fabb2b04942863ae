//! Table 1: the 4x6 network at two learning rates.
//!
//! Published: after 300,000 games at rate 0.1, 90.5% of the games reach 2048 with a mean of 85,468;
//! at 0.025 81.9% with 50,415. Differs: we learn afterstates.

use super::{FOUR_SIX, SLOW, findings, same};
use crate::curves;
use crate::experiment::Quantity::{Max, Mean, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::{Error, Session};

const FAST: &str = "rate 0.1";
const LOW: &str = "rate 0.025";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-table1",
    title: "Learning rate 0.1 against 0.025, four 6-tuples",
    source: "Chen 2022 (DLP-Lab3), table 1 of section 5.1; 300,000 games",
    published: &[
        Published::new(FAST, Reach(256), 100.0),
        Published::new(FAST, Reach(512), 99.6),
        Published::new(FAST, Reach(1024), 98.7),
        Published::new(FAST, Reach(2048), 90.5),
        Published::new(FAST, Reach(4096), 76.5),
        Published::new(FAST, Reach(8192), 34.5),
        Published::new(FAST, Mean, 85_468.3),
        Published::new(FAST, Max, 191_196.0),
        Published::new(LOW, Reach(256), 99.7),
        Published::new(LOW, Reach(512), 99.1),
        Published::new(LOW, Reach(1024), 95.1),
        Published::new(LOW, Reach(2048), 81.9),
        Published::new(LOW, Reach(4096), 51.1),
        Published::new(LOW, Reach(8192), 2.3),
        Published::new(LOW, Mean, 50_415.1),
        Published::new(LOW, Max, 143_792.0),
    ],
    differences: same!("The network is the report's, of Yeh et al. 2016."),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let cases = [(FAST, session.trained(FOUR_SIX)?), (LOW, session.trained(SLOW)?)];
    let chart = curves::means("4x6: mean score by learning rate", &cases, &session.form);
    let chart = curves::publish(chart, "published, 0.1, 300k", 85_468.3);
    let chart = curves::publish(chart, "published, 0.025, 300k", 50_415.1);
    Ok(findings(published, &cases, &session.form, vec![("", chart)]))
}
