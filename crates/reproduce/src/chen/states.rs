//! States against afterstates: what the choice between figure 5 and figure 6 costs.
//!
//! Published: the report explains both (sections 3.3 to 3.6), learns states, and reaches 2048 in
//! 90.5% of the games with four 6-tuples; it does not compare them. We do, with equal games.

use afterstate_lab::recipe::Valued;

use super::{FOUR_SIX, findings};
use crate::curves;
use crate::experiment::Quantity::{Max, Mean, Reach, Speed};
use crate::experiment::{Experiment, Findings, Published};
use crate::training::Training;
use crate::{Error, Session};

const STATES: &str = "states";
const AFTER: &str = "afterstates";

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "chen-states",
    title: "States against afterstates, four 6-tuples, learning rate 0.1",
    source: "Chen 2022 (DLP-Lab3), sections 3.3 to 3.6 and table 1; 300,000 games",
    published: &[
        Published::new(STATES, Mean, 85_468.3),
        Published::new(STATES, Max, 191_196.0),
        Published::new(STATES, Reach(2048), 90.5),
        Published::new(STATES, Reach(8192), 34.5),
        Published::not(STATES, Speed),
        Published::not(AFTER, Mean),
        Published::not(AFTER, Max),
        Published::not(AFTER, Reach(2048)),
        Published::not(AFTER, Reach(8192)),
        Published::not(AFTER, Speed),
    ],
    differences: "The report's code adds each reward twice when it passes a target back to the \
        state before, and rounds expected values to whole numbers when it chooses; we do as its \
        equation 3.5.1 says. Its figures read like those that its sample code prints: of the last \
        1,000 games of training, still learning, of one training. `measured` is the same of ours; \
        the interval of a mean is from the ten means of 100 games. Values of states are not played \
        without learning: the player chooses by afterstates. The speed is that of one training on \
        all threads, on a machine that may have had other work, and has no interval.",
    rules: "2048:4x4",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let states = Training { values: Valued::States, ..FOUR_SIX };
    let cases = [(STATES, session.trained(states)?), (AFTER, session.trained(FOUR_SIX)?)];
    let chart = curves::means("4x6: states against afterstates", &cases, &session.form);
    let chart = curves::publish(chart, "published, states, 300k", 85_468.3);
    Ok(findings(published, &cases, &session.form, vec![("", chart)]))
}
