//! Reports as files: JSON for programs, Markdown for people, SVG for both.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use afterstate_render::numbers::whole;

use crate::files::{create_folder, json_error, write_file};
use crate::measure::Value;
use crate::report::{Report, Row, Unit};
use crate::{Cost, Error};

/// Writes a report into a folder and returns its files, the Markdown first.
pub fn write(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    create_folder(folder)?;
    let stem = format!("{}{}", report.name, report.suffix);
    let json_path = folder.join(format!("{stem}.json"));
    let json = serde_json::to_string_pretty(report).map_err(json_error(&json_path))?;
    let mut files =
        vec![(folder.join(format!("{stem}.md")), markdown(report)), (json_path, json + "\n")];
    for (suffix, chart) in &report.charts {
        files.push((folder.join(format!("{stem}{suffix}.svg")), chart.svg()?));
    }
    for (path, text) in &files {
        write_file(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// A report as a page.
pub fn markdown(report: &Report) -> String {
    let mut page = format!("# {}\n\n{}\n\n", report.title, report.source);
    for note in &report.notes {
        page += &format!("> {note}\n>\n");
    }
    // Writing to a string cannot fail.
    let _ = writeln!(page, "\n| {} |\n|---|---|---:|---:|---:|", report.columns.join(" | "));
    for row in &report.rows {
        let cells = row.cells();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    for (suffix, chart) in &report.charts {
        let file = format!("{}{}{suffix}.svg", report.name, report.suffix);
        let _ = write!(page, "\n![{}]({file})\n", chart.title);
    }
    let _ = write!(
        page,
        "\n## What differs\n\n{}\n\n## How it was measured\n\n`{}`\n\nForm {}, seed {}, rules {}. \
         Intervals are of 95%.\n",
        report.differences, report.command, report.form, report.seed, report.rules,
    );
    if !report.trainings.is_empty() {
        let what = if report.played { "agent" } else { "training" };
        let _ = write!(
            page,
            "\n| {what} | games | moves | seconds | threads | machine |\n\
             |---|---:|---:|---:|---:|---|\n"
        );
    }
    for Cost { training, episodes, moves, seconds, threads, machine } in &report.trainings {
        let _ = writeln!(
            page,
            "| {training} | {episodes} | {moves} | {seconds:.1} | {threads} | {machine} |"
        );
    }
    page
}

impl Row {
    /// The cells of the row as text, in the order of the columns.
    pub fn cells(&self) -> [String; 5] {
        let none = || "-".to_owned();
        let value = |value: Option<Value>| value.map_or_else(none, |value| self.unit.show(value));
        [
            self.case.clone(),
            self.what.clone(),
            self.published.map_or_else(none, |value| self.unit.number(value) + self.unit.sign()),
            value(self.measured),
            value(self.played),
        ]
    }
}

impl Unit {
    fn sign(self) -> &'static str {
        match self {
            Unit::Percent => "%",
            Unit::Points | Unit::Tenths | Unit::Weight => "",
            Unit::MovesPerSecond => " moves/s",
            Unit::Mebibytes => " MiB",
            Unit::Lines => " lines",
            Unit::Seconds => " s",
            Unit::Times => " times",
        }
    }

    fn number(self, value: f64) -> String {
        match self {
            Unit::Weight => format!("{value:.3}"),
            Unit::Tenths if !value.is_finite() => "never ends".to_owned(),
            Unit::Tenths => {
                let tenths = (value.abs() * 10.0).round();
                let whole = whole((tenths / 10.0).trunc());
                format!("{}{whole}.{:.0}", if value < 0.0 { "-" } else { "" }, tenths % 10.0)
            }
            Unit::Percent | Unit::Times => format!("{value:.1}"),
            Unit::Seconds => format!("{value:.4}"),
            _ => whole(value),
        }
    }

    fn show(self, value: Value) -> String {
        let text = self.number(value.value) + self.sign();
        match value.ci95 {
            Some((low, high)) => format!("{text} ({} to {})", self.number(low), self.number(high)),
            None => text,
        }
    }
}
