//! The curves of trainings, a point a block of games, and published figures in dashes.

use afterstate_lab::chart::{Axis, Chart, Line};
use afterstate_lab::run::Window;

use crate::form::Form;
use crate::measure::reach;
use crate::training::Trained;

/// The mean and the best score of each block of one training.
pub(crate) fn scores(title: &str, trained: &Trained, form: &Form) -> Chart {
    let lines = vec![
        Line::new("maximum", points(trained, form, most)),
        Line::new("mean", points(trained, form, mean)),
    ];
    chart(title, "score", lines)
}

/// The mean scores of several trainings.
pub(crate) fn means(title: &str, cases: &[(&str, Trained)], form: &Form) -> Chart {
    let line = |(name, trained): &(&str, Trained)| Line::new(*name, points(trained, form, mean));
    chart(title, "mean score", cases.iter().map(line).collect())
}

/// How many games of one training reach each tile.
pub(crate) fn tiles(title: &str, trained: &Trained, tiles: &[u64], form: &Form) -> Chart {
    let line = |&tile: &u64| Line::new(tile.to_string(), points(trained, form, percent(tile)));
    chart(title, "games that reach the tile, %", tiles.iter().map(line).collect())
}

/// How many games of several trainings reach a tile.
pub(crate) fn tile(title: &str, cases: &[(&str, Trained)], tile: u64, form: &Form) -> Chart {
    let line =
        |(name, trained): &(&str, Trained)| Line::new(*name, points(trained, form, percent(tile)));
    chart(title, &format!("games that reach {tile}, %"), cases.iter().map(line).collect())
}

/// Adds a published figure as a level in dashes.
pub(crate) fn publish(mut chart: Chart, name: &str, level: f64) -> Chart {
    let across = chart.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let (low, high) = across.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low <= high {
        let points = vec![(low, level), (high, level)];
        chart.lines.push(Line { dashed: true, ..Line::new(name, points) });
    }
    chart
}

fn chart(title: &str, up: &str, lines: Vec<Line>) -> Chart {
    let (x, y) = (Axis::linear("games of training"), Axis::linear(up));
    Chart { title: title.to_owned(), x, y, lines, note: None }
}

fn points(trained: &Trained, form: &Form, of: impl Fn(&[Window]) -> f64) -> Vec<(f64, f64)> {
    // A quick form has few blocks: its curve has a point a window.
    let size = if form.is_full() { (form.block / form.window) as usize } else { 1 };
    let blocks = trained.windows.chunks(size.max(1));
    blocks.filter_map(|block| Some((block.last()?.episodes as f64, of(block)))).collect()
}

fn average(block: &[Window], of: impl Fn(&Window) -> f64) -> f64 {
    block.iter().map(of).sum::<f64>() / block.len() as f64
}

fn mean(block: &[Window]) -> f64 {
    average(block, |window| window.mean)
}

fn most(block: &[Window]) -> f64 {
    block.iter().map(|window| window.max).fold(0.0, f64::max)
}

fn percent(tile: u64) -> impl Fn(&[Window]) -> f64 {
    move |block| 100.0 * average(block, |window| reach(window, tile))
}
