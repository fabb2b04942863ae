//! Section 11.2, table 4: the weights of the 21 features.
//!
//! Published: one training's weights. Differs: ours are means over trainings, with intervals; signs
//! are compared.

use super::{Found, board, findings, lspi, payoffs};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::{Error, Session};

const WEIGHT: Quantity = Quantity::Weight;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "tang-table4",
    title: "The weights of 21 features by LSPI on 10x10",
    source: "Tang 2019, section 11.2, table 4",
    published: &[
        Published::new("mean run of holes across", WEIGHT, 45.232),
        Published::new("longest run of holes across", WEIGHT, -0.37348),
        Published::new("mean run of holes down", WEIGHT, 39.333),
        Published::new("longest run of holes down", WEIGHT, 1.7828),
        Published::new("full cells", WEIGHT, 2.1548),
        Published::new("blank cells", WEIGHT, 4.6361),
        Published::new("moves of 1x5", WEIGHT, -3.6278),
        Published::new("moves of 5x1", WEIGHT, -3.1456),
        Published::new("moves of 3x3", WEIGHT, -1.88584),
        Published::new("largest blank square", WEIGHT, 0.43437),
        Published::new("largest blank rectangle", WEIGHT, 0.46786),
        Published::new("distance from the edge", WEIGHT, -0.161435),
        Published::new("blank rows", WEIGHT, 1.3728),
        Published::new("blank columns", WEIGHT, -0.37325),
        Published::new("blank parts", WEIGHT, -6.5215),
        Published::new("full parts", WEIGHT, 0.1263),
        Published::new("largest blank part", WEIGHT, -0.45505),
        Published::new("largest full part", WEIGHT, -0.16362),
        Published::new("reward", WEIGHT, 0.18772),
        Published::new("survival", WEIGHT, 1285.25),
        Published::new("one", WEIGHT, -1669.6),
    ],
    differences: "Full and blank cells and the constant say the same thrice, so their weights are not determined: we take the smallest solution, the study inverted a singular matrix. What is determined is close: with the weight of full cells taken as 0, blank cells have 2.5 (ours 1.4) and the constant has -1,454 (ours -1,632). The means over holes (see tang-table3) have half the published weight. Each of ours is the mean over trainings with other seeds; an interval that holds 0 means that the sign of that weight is not known.",
    rules: "1010:10x10,pieces=19",
    measure,
};

/// The published weights, in the order of the features.
pub(super) fn weights() -> Vec<f32> {
    let known = EXPERIMENT.published.iter().filter_map(|one| one.value);
    known.map(|weight| weight as f32).collect()
}

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let (moves, seeds) = match (session.form.is_full(), session.form.tuples.is_some()) {
        (true, _) => (200_000, 10),
        (_, true) => (100, 2),
        _ => (2_000, 4),
    };
    let game = board(10, "19")?;
    let mut all = Vec::new();
    let mut names = Vec::new();
    for seed in 0..seeds {
        let r2 = payoffs()[1].1;
        let (features, weights) = lspi::learn(session, &game, "tang", r2, moves, 200 + seed)?;
        names = features.names();
        all.push(weights);
    }
    let mut found = Vec::new();
    let (mut same, mut sure) = (0, 0);
    for one in published {
        let Some(at) = names.iter().position(|name| name == one.case) else { continue };
        let each: Vec<f64> = all.iter().map(|weights| f64::from(weights[at])).collect();
        let value = Value::mean(&each);
        let known = value.ci95.is_some_and(|(low, high)| low * high > 0.0);
        sure += u32::from(known);
        same +=
            u32::from(known && one.value.is_some_and(|published| published * value.value > 0.0));
        found.push(Found::new(one.case, &WEIGHT, value));
    }
    let note = format!(
        "The sign of {sure} of the 21 weights is known from {seeds} trainings; in {same} of them it is the published one."
    );
    Ok(findings(&session.form, published, &found, Vec::new(), vec![note]))
}
