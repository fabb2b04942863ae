//! `ValuePoint`: a value function of some size after some time of training, beside exact truth.

use afterstate_core::numbers::whole;
use serde::{Deserialize, Serialize};

use super::Yardstick;
use crate::measure::Value;

/// A value function of some size after some time of training: means of some seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValuePoint {
    /// The kind of value function.
    pub kind: String,
    /// Its size in words.
    pub size: String,
    /// How many trainings with seeds of their own.
    pub seeds: usize,
    /// Numbers that were learned.
    pub parameters: u64,
    /// Their bytes in the file of the agent.
    pub bytes: u64,
    /// Moves of each training.
    pub moves: u64,
    /// Seconds of one processor that a training took.
    pub seconds: f64,
    /// Regret, in the unit of the game's yardstick.
    pub regret: Value,
    /// The least and the largest of the seeds.
    pub range: (f64, f64),
    /// The percentage of optimal moves.
    pub optimal: f64,
    /// The root mean square error of the values, if the agent has values of the unit of the exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The same after the best linear fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<f64>,
    /// Microseconds of one processor for a move of greedy play.
    pub microseconds: f64,
}

impl ValuePoint {
    pub(super) fn is_of(&self, other: &ValuePoint) -> bool {
        (&self.kind, &self.size) == (&other.kind, &other.size)
    }

    /// Its name: the kind and the size.
    pub(super) fn name(&self) -> String {
        if self.size.is_empty() {
            self.kind.clone()
        } else {
            format!("{}, {}", self.kind, self.size)
        }
    }
}

/// All points of a report as a table.
pub(crate) fn table(yardstick: &Yardstick, points: &[ValuePoint]) -> String {
    let unit = yardstick.regret;
    let error = yardstick.error;
    let mut page = format!(
        "| value function | parameters | MiB | moves of training | s | {unit} | optimal moves | {error} | µs a \
         move |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for point in points {
        let error = if yardstick.survives { point.fitted } else { point.error };
        page += &format!(
            "| {} | {} | {} | {} | {} | {} | {:.1}% | {} | {} |\n",
            point.name(),
            whole(point.parameters as f64),
            mebibytes(point.bytes),
            whole(point.moves as f64),
            short(point.seconds),
            shown(point.regret),
            point.optimal,
            error.map_or("none".to_owned(), short),
            short(point.microseconds),
        );
    }
    page
}

/// A regret with its interval.
pub(super) fn shown(regret: Value) -> String {
    match regret.ci95 {
        Some((low, high)) => {
            format!("{} ({} to {})", short(regret.value), short(low), short(high))
        }
        None => short(regret.value),
    }
}

pub(super) fn mebibytes(bytes: u64) -> String {
    short(bytes as f64 / f64::from(1 << 20))
}

/// A number with three significant digits, or as an integer.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value:.0}");
    }
    let digits = value.abs().log10().floor() as i32;
    match digits {
        3.. => whole(value),
        -4..=2 => format!("{value:.*}", (2 - digits).max(0) as usize),
        _ => format!("{value:.1e}"),
    }
}
