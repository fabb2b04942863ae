//! Parts that the charts of several sources share.

use afterstate_render::chart::{Axis, Chart, Line};

/// A chart without a note; the report adds it.
pub(crate) fn chart(title: impl Into<String>, x: Axis, y: Axis, lines: Vec<Line>) -> Chart {
    Chart { title: title.into(), x, y, lines, note: None }
}

/// Adds published figures as dashed levels over the whole width of a chart.
pub(crate) fn with_levels(mut chart: Chart, levels: &[(&str, f64)]) -> Chart {
    let across = chart.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let (low, high) = across.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low <= high {
        let line = |&(name, level): &(&str, f64)| level_between(name, level, low, high);
        chart.lines.extend(levels.iter().map(line));
    }
    chart
}

/// A dashed level.
pub(crate) fn level_between(name: &str, level: f64, low: f64, high: f64) -> Line {
    Line { dashed: true, ..Line::new(name, vec![(low, level), (high, level)]) }
}
