//! `Verdict`: what became of a published figure or statement.

use std::fmt;

use crate::experiment::{Experiment, Quantity};
use crate::measure::Value;
use crate::report::Report;

/// Figures that differ by less than this part of the published one count as the same.
const NEAR: f64 = 0.05;

/// What became of something published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The measured figure is near the published one, or their intervals overlap; the statement
    /// holds.
    Reproduced,
    /// The measured figure is better.
    Beaten,
    /// The measured figure is another one.
    Differs,
    /// The statement does not hold.
    Contradicted,
    /// Nothing was measured.
    Open,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Beaten => "beaten",
            Verdict::Differs => "differs",
            Verdict::Contradicted => "contradicted",
            Verdict::Open => "open",
        })
    }
}

/// A published sentence.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// What it says.
    pub says: &'static str,
    /// Whether the measured figures bear it out; `None` if they do not tell.
    pub holds: fn(&Figures) -> Option<bool>,
}

/// The measured figures of a report.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a>(pub(crate) &'a Report);

impl Figures<'_> {
    /// A figure as the source measured it or, if there is none, of games without learning.
    pub fn of(&self, case: &str, quantity: Quantity) -> Option<f64> {
        let row = self.0.row(case, &quantity.to_string())?;
        Some(row.measured.or(row.played)?.value)
    }

    /// The 95% interval of such a figure.
    pub fn interval(&self, case: &str, quantity: Quantity) -> Option<(f64, f64)> {
        let row = self.0.row(case, &quantity.to_string())?;
        row.measured.or(row.played)?.ci95
    }

    /// Whether one case has more of a quantity than another.
    pub fn more(&self, quantity: Quantity, case: &str, than: &str) -> Option<bool> {
        Some(self.of(case, quantity)? > self.of(than, quantity)?)
    }

    /// The heights of a curve of the report's charts, from left to right.
    pub fn curve(&self, name: &str) -> Option<Vec<f64>> {
        let charts = self.0.charts.iter().filter_map(|chart| chart.chart.as_ref());
        let line = charts.flat_map(|chart| &chart.lines).find(|line| line.name == name)?;
        Some(line.points.iter().map(|point| point.1).collect())
    }
}

/// One line of the verdicts of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The published figure or sentence.
    pub published: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The measured figure, or why it differs.
    pub because: String,
}

impl Verdict {
    /// The verdict on a published figure.
    pub fn of(quantity: Quantity, published: Value, measured: &[Value]) -> Verdict {
        let ends = |value: &Value| value.ci95.unwrap_or((value.value, value.value));
        let (lowest, highest) = ends(&published);
        let near = |value: &Value| {
            let close = (value.value - published.value).abs() <= NEAR * published.value.abs();
            let (low, high) = ends(value);
            !value.at_least && (close || low <= highest && lowest <= high)
        };
        let better = |value: &Value| match quantity.larger_is_better() {
            Some(true) => value.value > published.value,
            Some(false) => value.value < published.value && !value.at_least,
            None => false,
        };
        if measured.is_empty() {
            Verdict::Open
        } else if measured.iter().any(near) {
            Verdict::Reproduced
        } else if measured.iter().any(better) {
            Verdict::Beaten
        } else {
            Verdict::Differs
        }
    }
}

/// What became of everything that was published, figures first.
pub fn findings(experiment: &Experiment, report: &Report) -> Vec<Finding> {
    let figures = experiment.published.iter().filter_map(|one| {
        let value = one.figure()?;
        let (what, unit) = (one.quantity.to_string(), one.quantity.unit());
        let row = report.row(one.case, &what);
        let both = row.map_or([None, None], |row| [row.measured, row.played]);
        let measured: Vec<Value> = both.into_iter().flatten().collect();
        let verdict = Verdict::of(one.quantity, value, &measured);
        let shown: Vec<String> = measured.iter().map(|&value| unit.show(value)).collect();
        let mut because = shown.join(", ");
        let reason = experiment.reasons.iter().find(|reason| reason.0 == one.case);
        if let (Verdict::Differs, Some((_, reason))) = (verdict, reason) {
            because = format!("{because}: {reason}");
        }
        let published = format!("{}, {what}: {}", one.case, unit.show(value));
        Some(Finding { published, verdict, because })
    });
    let statements = experiment.statements.iter().map(|statement| {
        let verdict = match (statement.holds)(&Figures(report)) {
            Some(true) => Verdict::Reproduced,
            Some(false) => Verdict::Contradicted,
            None => Verdict::Open,
        };
        let published = format!("\"{}\"", statement.says);
        // The reason of a statement begins as the statement does.
        let reason = experiment.reasons.iter().find(|reason| statement.says.starts_with(reason.0));
        let because = match (verdict, reason) {
            (Verdict::Contradicted | Verdict::Open, Some((_, reason))) => (*reason).to_owned(),
            _ => String::new(),
        };
        Finding { published, verdict, because }
    });
    figures.chain(statements).collect()
}

/// How many findings have which verdict, such as "3 reproduced, 1 differs".
pub fn summary(findings: &[Finding]) -> String {
    let mut verdicts: Vec<Verdict> = findings.iter().map(|finding| finding.verdict).collect();
    verdicts.sort_unstable();
    let groups = verdicts.chunk_by(|a, b| a == b);
    let groups: Vec<String> = groups.map(|all| format!("{} {}", all.len(), all[0])).collect();
    if groups.is_empty() { "no figures were published".to_owned() } else { groups.join(", ") }
}
