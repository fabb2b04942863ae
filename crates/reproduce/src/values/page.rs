//! The page of all value functions: which kind is best by time of training, by time of play and by memory.

use std::fmt::Write;

use super::full_games::table;
use super::point::{mebibytes, shown};
use super::{GamePoint, ValuePoint, short, yardstick};
use crate::report::Report;

/// A cost of a value function, its value and how it is shown.
type PointCost = (&'static str, fn(&ValuePoint) -> f64, fn(&ValuePoint) -> String);

/// What value functions are compared by.
const COSTS: [PointCost; 3] = [
    ("second of training", |point| point.seconds, |point| format!("{} s", short(point.seconds))),
    (
        "move of thinking",
        |point| point.microseconds,
        |point| format!("{} µs", short(point.microseconds)),
    ),
    ("MiB", |point| point.bytes as f64, |point| format!("{} MiB", mebibytes(point.bytes))),
];

/// A cost of a value function on a full game, where it is known.
type GameCost = (&'static str, fn(&GamePoint) -> Option<f64>);

/// What value functions of full games are compared by.
const GAME_COSTS: [GameCost; 3] = [
    ("second of training", |point| point.seconds),
    ("move of thinking", |point| Some(point.microseconds)),
    ("MiB", |point| Some(point.bytes as f64)),
];

/// The page of the reports that have points.
pub(crate) fn page(reports: &[Report]) -> Option<String> {
    let values: Vec<&Report> =
        reports.iter().filter(|report| report.is_full() && !report.values.is_empty()).collect();
    if values.is_empty() {
        return None;
    }
    let mut page = String::from(
        "# Which kind of value function is best\n\n\
         Per second of training, per move of thinking and per MiB, on games whose optimum is known exactly. A \
         row of a table is a value function for which no cheaper one has less regret; what is missing is \
         dearer and no better. Regret is what is lost against best play: of a game in points (2048), or of a \
         move in moves (1010! and Tetris, where it is by how many times the optimum's hazard rate the agent's \
         exceeds it). Means of three trainings with their 95% intervals; seconds and microseconds are those \
         of one processor. Of two whose intervals overlap it is not known which is better. Every table follows \
         from the measurements of its experiment, which lists all of them.\n\n",
    );
    page += "| game | after the shortest training | after the longest training | least time of play | least MiB \
             |\n|---|---|---|---|---|\n";
    for report in &values {
        page += &summary(report);
    }
    page += "\nThe shortest and the longest training are those of each kind that learns for four times; the \
             last two columns have the cheapest value function whose regret is at most twice the least one.\n";
    for report in values {
        page += &section(report);
    }
    page += &full_games(reports);
    Some(page)
}

/// The full games, for which no optimum is known.
fn full_games(reports: &[Report]) -> String {
    let full: Vec<&Report> =
        reports.iter().filter(|report| report.is_full() && !report.games.is_empty()).collect();
    if full.is_empty() {
        return String::new();
    }
    let pages = full.iter().map(|report| format!("[{0}]({0}.md)", report.name));
    let points: Vec<GamePoint> = full.iter().flat_map(|report| report.games.clone()).collect();
    format!(
        "\n## Full games\n\nTheir optimum is not known: strength is the mean of greedy games ({}), the strongest \
         first. The lists below a table name the value functions that no cheaper one beats.\n{}",
        pages.collect::<Vec<_>>().join(", "),
        game_tables(&points)
    )
}

/// The points of each full game, the strongest first, and those that no cheaper one beats.
pub(crate) fn game_tables(points: &[GamePoint]) -> String {
    let mut games: Vec<&str> = Vec::new();
    for point in points {
        if !games.contains(&&*point.game) {
            games.push(&point.game);
        }
    }
    let mut page = String::new();
    for game in games {
        let mut own: Vec<&GamePoint> = points.iter().filter(|point| point.game == game).collect();
        own.sort_by(|a, b| b.strength.value.total_cmp(&a.strength.value));
        // Both experiments measure the agents of the program.
        own.dedup_by(|a, b| a.seconds.is_none() && a.case == b.case);
        let _ = write!(page, "\n## {game}\n\n{}", table(&own));
        for (name, cost) in GAME_COSTS {
            let costs: Vec<(&GamePoint, f64)> =
                own.iter().filter_map(|&point| Some((point, cost(point)?))).collect();
            let names: Vec<&str> = frontier(&costs, |point| -point.strength.value)
                .iter()
                .map(|point| point.name())
                .collect();
            let _ = writeln!(page, "\nPer {name}, the cheapest first: {}.", names.join("; "));
        }
    }
    page
}

/// One line of the first table.
fn summary(report: &Report) -> String {
    let Ok(yardstick) = yardstick(&report.name) else { return String::new() };
    let curves: Vec<Vec<&ValuePoint>> = yardstick
        .methods
        .iter()
        .filter(|method| method.over_time)
        .map(|method| {
            let own =
                |point: &&ValuePoint| (&*point.kind, &*point.size) == (method.kind, method.size);
            report.values.iter().filter(own).collect()
        })
        .collect();
    let least = |points: &mut dyn Iterator<Item = &ValuePoint>| {
        let best = points.min_by(|a, b| a.regret.value.total_cmp(&b.regret.value));
        best.map_or(String::new(), |point| format!("{}: {}", point.kind, short(point.regret.value)))
    };
    let first = least(&mut curves.iter().filter_map(|curve| curve.first().copied()));
    let last = least(&mut curves.iter().filter_map(|curve| curve.last().copied()));
    let regrets = report.values.iter().map(|point| point.regret.value);
    let good = 2.0 * regrets.fold(f64::INFINITY, f64::min);
    let cheapest = |(_, cost, text): PointCost| {
        let good = report.values.iter().filter(|point| point.regret.value <= good);
        let best = good.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        best.map_or(String::new(), |point| format!("{}: {}", point.name(), text(point)))
    };
    let (thinking, memory) = (cheapest(COSTS[1]), cheapest(COSTS[2]));
    format!(
        "| [{}]({}.md) | {first} | {last} | {thinking} | {memory} |\n",
        yardstick.title, report.name
    )
}

/// The undominated value functions of a game by each cost.
fn section(report: &Report) -> String {
    let Ok(yardstick) = yardstick(&report.name) else { return String::new() };
    let mut page = format!("\n## {}\n", yardstick.title);
    for (name, cost, text) in COSTS {
        let _ = write!(
            page,
            "\n| per {name} | value function | {} | optimal moves |\n|---:|---|---:|---:|\n",
            yardstick.regret
        );
        let costs: Vec<(&ValuePoint, f64)> =
            report.values.iter().map(|point| (point, cost(point))).collect();
        for point in frontier(&costs, |point| point.regret.value) {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {:.1}% |",
                text(point),
                point.name(),
                shown(point.regret),
                point.optimal
            );
        }
    }
    for chart in &report.charts {
        let _ = write!(page, "\n![{}]({}{}.svg)\n", chart.title, report.name, chart.suffix);
    }
    page
}

/// The points of which no cheaper one has as little loss, the cheapest first.
pub(super) fn frontier<'a, T>(points: &[(&'a T, f64)], loss: fn(&T) -> f64) -> Vec<&'a T> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1).then(loss(a.0).total_cmp(&loss(b.0))));
    let mut least = f64::INFINITY;
    sorted.retain(|(point, _)| {
        let better = loss(point) < least;
        least = least.min(loss(point));
        better
    });
    sorted.into_iter().map(|(point, _)| point).collect()
}
