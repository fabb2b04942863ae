//! Section 5.2: three networks side by side.
//!
//! Published: after 300,000 games, 2048 is reached in 90.5% of the games with four 6-tuples and in
//! 96.5% with the mixed network; 7-tuples did not fit (1 GB each, against 64 MB). Differs: we learn
//! afterstates, and train two 7-tuples where memory allows.

use afterstate_lab::run::RunError;

use super::{FOUR_SIX, MIXED, findings, same};
use crate::curves;
use crate::experiment::Quantity::{Max, Mean, Memory, Reach};
use crate::experiment::{Experiment, Findings, Published};
use crate::training::Training;
use crate::{Error, Session};

const SIX: &str = "four 6-tuples";
const BOTH: &str = "mixed network";
const SEVEN: &str = "two 7-tuples";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-networks",
    title: "Four 6-tuples, the mixed network, and 7-tuples",
    source: "Chen 2022 (DLP-Lab3), section 5.2; 300,000 games, learning rate 0.1",
    published: &[
        Published::new(SIX, Reach(2048), 90.5),
        Published::new(SIX, Mean, 85_468.3),
        Published::new(SIX, Max, 191_196.0),
        Published::new(SIX, Memory, 256.0),
        Published::new(BOTH, Reach(2048), 96.5),
        Published::not(BOTH, Mean),
        Published::new(BOTH, Max, 279_864.0),
        Published::not(BOTH, Memory),
        Published::not(SEVEN, Reach(2048)),
        Published::not(SEVEN, Mean),
        Published::not(SEVEN, Max),
        Published::new(SEVEN, Memory, 2_048.0),
    ],
    differences: same!(
        "The report's 7-tuples did not fit its memory and have no figures; it speaks of eight (Guei \
         et al. 2021), we train the two of their smallest set. The published memory is 64 MB for \
         each 6-tuple and 1 GB for each 7-tuple."
    ),
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut cases = vec![(SIX, session.trained(FOUR_SIX)?), (BOTH, session.trained(MIXED)?)];
    let mut notes = Vec::new();
    match session.trained(Training::of("2x7", 0.1)) {
        Ok(trained) => cases.push((SEVEN, trained)),
        // What the report met, too: it is a finding, not a failure.
        Err(Error::Run(RunError::Memory(error))) => notes.push(format!("Two 7-tuples: {error}.")),
        Err(error) => return Err(error),
    }
    let chart = curves::tile("Three networks", &cases, 2048, &session.form);
    let chart = curves::publish(chart, "published, four 6-tuples, 300k", 90.5);
    let chart = curves::publish(chart, "published, mixed, 300k", 96.5);
    let found = findings(published, &cases, &session.form, vec![("", chart)]);
    Ok(Findings { notes, ..found })
}
