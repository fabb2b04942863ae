//! `Verdict`: what became of a published figure or statement.

use std::fmt;

use crate::experiment::{Experiment, Quantity, Sample};
use crate::measure::Value;
use crate::report::{Report, Unit};

/// Figures that differ by less than this part of the published one count as the same.
const NEAR: f64 = 0.05;

/// An interval that is wider than this part of its own figure does not confirm a published one.
const WIDE: f64 = 2.0 / 3.0;

/// What became of something published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The measured figure is near the published one and not better beyond its interval, or their
    /// intervals overlap; the statement holds.
    Reproduced,
    /// The measured figure is better.
    Beaten,
    /// The measured figure is another one.
    Differs,
    /// The statement does not hold.
    Contradicted,
    /// What was measured does not tell; more games or trainings would.
    Undecided,
    /// No measurement can tell, since the source does not say what its sentence is about.
    NotTestable,
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
            Verdict::Undecided => "undecided",
            Verdict::NotTestable => "not testable",
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

    /// The same with its interval.
    pub fn value(&self, case: &str, quantity: Quantity) -> Option<Value> {
        let row = self.0.row(case, &quantity.to_string())?;
        row.measured.or(row.played)
    }

    /// A figure of games without learning.
    pub fn played(&self, case: &str, quantity: Quantity) -> Option<Value> {
        self.0.row(case, &quantity.to_string())?.played
    }

    /// Whether one case has more of a quantity than another; `None` if the interval of their difference
    /// contains 0.
    pub fn more(&self, quantity: Quantity, case: &str, than: &str) -> Option<bool> {
        self.value(case, quantity)?.above(self.value(than, quantity)?)
    }

    /// The games of a case without learning that were truncated, as the notes count them.
    pub(crate) fn truncated(&self, case: &str) -> Option<u64> {
        let count = |note: &String| {
            let rest = note.strip_prefix(case)?.strip_prefix(": ")?;
            rest.contains("games without learning were truncated").then_some(())?;
            rest.split(' ').next()?.parse().ok()
        };
        self.0.notes.iter().find_map(count)
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
    /// The verdict on a published figure. `repeated` tells that intervals are those of the source's own
    /// games or trainings, repeated.
    pub fn of(quantity: Quantity, published: Value, measured: &[Value], repeated: bool) -> Verdict {
        // A trained agent plays more games than the published maximum is of.
        let measured =
            if quantity.is_maximum() { &measured[..measured.len().min(1)] } else { measured };
        let figure = published.value.abs();
        // A percentage can be as near to all as it is to none.
        let scale = if quantity.unit() == Unit::Percent && figure <= 100.0 {
            figure.min(100.0 - figure)
        } else {
            figure
        };
        let close = |value: &Value| {
            let close = (value.value - published.value).abs() <= NEAR * scale;
            close && !value.at_least && !quantity.is_maximum()
        };
        let (lowest, highest) = published.ends();
        let overlaps = |value: &Value| {
            let (low, high) = value.ends();
            !value.at_least && low <= highest && lowest <= high
        };
        let better = |value: &Value| match quantity.larger_is_better() {
            Some(true) => value.value > published.value,
            Some(false) => value.value < published.value && !value.at_least,
            None => false,
        };
        // Of a wide interval it tells little that it contains a figure.
        let tells = |value: &Value| {
            let (low, high) = value.ends();
            repeated
                || published.ci95.is_some()
                || close(value)
                || high - low <= WIDE * value.value.abs()
        };
        let verdict = |value: &Value| match (overlaps(value), better(value)) {
            // What is more than a smaller figure may be the published one.
            _ if value.at_least && value.value < published.value => Verdict::Undecided,
            (true, _) if tells(value) => Verdict::Reproduced,
            (true, _) => Verdict::Undecided,
            // An exact figure has no interval to lie outside of.
            (false, true) if value.ci95.is_some() || !close(value) => Verdict::Beaten,
            (false, _) if close(value) => Verdict::Reproduced,
            (false, _) => Verdict::Differs,
        };
        measured.iter().map(verdict).min().unwrap_or(Verdict::Open)
    }
}

/// What became of everything that was published, figures first. Figures that a report lacks are left
/// out.
pub fn findings(experiment: &Experiment, report: &Report) -> Vec<Finding> {
    // The reason of the line before, which need not be told again.
    let mut last = None;
    let mut tell = |reason: Option<&'static str>| match (reason, last) {
        (Some(reason), Some(before)) if reason == before => "as above",
        _ => {
            last = reason;
            reason.unwrap_or_default()
        }
    };
    let mut all = Vec::new();
    for one in experiment.published {
        let (what, unit) = (one.quantity.to_string(), one.quantity.unit());
        let (Some(value), Some(row)) = (one.figure(), report.row(one.case, &what)) else {
            continue;
        };
        if one.sample == Some(Sample::Beside) {
            continue;
        }
        let measured: Vec<Value> = [row.measured, row.played].into_iter().flatten().collect();
        let shown: Vec<String> = measured.iter().map(|&value| unit.show(value)).collect();
        let mut because = shown.join(", ");
        let (verdict, one_more) = match one.sample {
            Some(Sample::OneOf(samples)) => of_one(one.quantity, value, row.measured, samples),
            _ => (Verdict::of(one.quantity, value, &measured, experiment.repeats), None),
        };
        if let Some((low, high)) = one_more {
            let (low, high) = (unit.number(low), unit.number(high));
            because += &format!(", one more from {low} to {high}");
        }
        let named = |name: &str| experiment.reasons.iter().find(|reason| reason.0 == name);
        let bound = measured.iter().any(|value| value.at_least);
        let reason = match verdict {
            Verdict::Undecided if bound => Some("a bound that does not tell"),
            Verdict::Undecided => {
                let own = named(&format!("{}, {what}", one.case)).map(|reason| reason.1);
                own.or(Some("the interval is too wide to tell"))
            }
            Verdict::Differs => named(one.case).map(|reason| reason.1),
            _ => None,
        };
        let told = tell(reason);
        if !told.is_empty() {
            because = format!("{because}: {told}");
        }
        let published = format!("{}, {what}: {}", one.case, unit.show(value));
        all.push(Finding { published, verdict, because });
    }
    for statement in experiment.statements {
        let verdict = match (statement.holds)(&Figures(report)) {
            Some(true) => Verdict::Reproduced,
            Some(false) => Verdict::Contradicted,
            None if report.lacks_rows(experiment) => Verdict::Open,
            None => Verdict::Undecided,
        };
        let published = format!("\"{}\"", statement.says);
        // The reason of a statement begins as the statement does.
        let reason = experiment.reasons.iter().find(|reason| statement.says.starts_with(reason.0));
        let reason = reason.filter(|_| verdict != Verdict::Reproduced).map(|reason| reason.1);
        let because = tell(reason).to_owned();
        all.push(Finding { published, verdict, because });
    }
    for &(says, reason) in experiment.not_testable {
        let (published, verdict) = (format!("\"{says}\""), Verdict::NotTestable);
        all.push(Finding { published, verdict, because: tell(Some(reason)).to_owned() });
    }
    all
}

/// From so many samples on, the interval of one more is known about as well as it can be: by nine in ten of
/// Student's distribution. What is left of its width is that of the source's own figure.
const ENOUGH: u32 = 10;

/// The verdict on a figure that is one sample, beside the mean of so many of ours, and the interval that one
/// more of ours lies in.
fn of_one(
    quantity: Quantity,
    published: Value,
    mean: Option<Value>,
    samples: u32,
) -> (Verdict, Option<(f64, f64)>) {
    let one_more = mean.map(|mean| mean.of_one_more(samples as usize));
    let verdict = Verdict::of(quantity, published, one_more.as_slice(), samples >= ENOUGH);
    (verdict, one_more.and_then(|value| value.ci95))
}

/// Whether all of some claims hold: not if one does not, and unknown if one of the others is.
pub(crate) fn all(claims: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let and = |all: Option<bool>, one: Option<bool>| match (all, one) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    };
    claims.into_iter().fold(Some(true), and)
}

/// Whether any of some claims holds: unknown if none does and one is.
pub(crate) fn any(claims: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    not(all(claims.into_iter().map(not)))
}

/// The opposite of a claim.
pub(crate) fn not(claim: Option<bool>) -> Option<bool> {
    claim.map(|holds| !holds)
}

/// How many findings have which verdict, such as "3 reproduced, 1 differs".
pub fn summary(findings: &[Finding]) -> String {
    let mut verdicts: Vec<Verdict> = findings.iter().map(|finding| finding.verdict).collect();
    verdicts.sort_unstable();
    let groups = verdicts.chunk_by(|a, b| a == b);
    let groups: Vec<String> = groups.map(|all| format!("{} {}", all.len(), all[0])).collect();
    if groups.is_empty() { "no figures were published".to_owned() } else { groups.join(", ") }
}
