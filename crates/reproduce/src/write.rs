//! Reports as files: JSON for programs, Markdown for people, SVG for both.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use afterstate_core::numbers::whole;

use crate::experiment::{Experiment, Published};
use crate::files::{create_folder, json_error, lock_folder, write_file};
use crate::measure::Value;
use crate::report::{Report, Row, Unit};
use crate::verdict::{findings, summary};
use crate::{Cost, Error, experiments, find, records, values};

/// The folder of quick forms in that of results: they never lie beside full ones.
const QUICK: &str = "quick";

/// Writes a report into a folder of results and returns its files, the Markdown first.
pub fn write(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = report_folder(report, folder);
    create_folder(&folder)?;
    let json_path = folder.join(format!("{}.json", report.name));
    let json = serde_json::to_string_pretty(report).map_err(json_error(&json_path))?;
    let mut files = pages(report)?;
    let _lock = lock_folder(&folder);
    files.insert(1, (format!("{}.json", report.name), json + "\n"));
    for (name, text) in &files {
        write_file(&folder.join(name), text)?;
    }
    Ok(files.into_iter().map(|(name, _)| folder.join(name)).collect())
}

/// The folder of a report in the folder of results.
fn report_folder(report: &Report, folder: &Path) -> PathBuf {
    if report.is_full() { folder.to_owned() } else { folder.join(&report.form) }
}

/// The files that follow from a report, the page first, by their names.
fn pages(report: &Report) -> Result<Vec<(String, String)>, Error> {
    let experiment = find(&report.name).ok_or_else(|| Error::Unknown(report.name.clone()))?;
    let mut files = vec![(format!("{}.md", report.name), markdown(experiment, report))];
    for one in &report.charts {
        if let Some(chart) = &one.chart {
            files.push((format!("{}{}.svg", report.name, one.suffix), chart.svg()?));
        }
    }
    Ok(files)
}

/// All reports of a folder of results, the full form of an experiment before the quick one.
pub fn read_all(folder: &Path) -> Result<Vec<Report>, Error> {
    let mut reports = Vec::new();
    for experiment in experiments() {
        for form in [folder.to_owned(), folder.join(QUICK)] {
            let path = form.join(format!("{}.json", experiment.name));
            if path.exists() {
                reports.push(Report::read(&path)?);
            }
        }
    }
    Ok(reports)
}

/// Writes the pages and figures of a folder of results anew, and its index; returns their files.
pub fn write_pages(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let _lock = lock_folder(folder);
    let files: Vec<(PathBuf, String)> = all_pages(folder)?;
    for (path, text) in &files {
        write_file(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// All files that follow from the reports of a folder, with their texts.
pub fn all_pages(folder: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    let reports = read_all(folder)?;
    let mut files = vec![(folder.join("README.md"), index(&reports))];
    files.extend(values::page(&reports).map(|page| (folder.join("values.md"), page)));
    for report in &reports {
        let folder = report_folder(report, folder);
        files.extend(pages(report)?.into_iter().map(|(name, text)| (folder.join(name), text)));
    }
    Ok(files)
}

/// Every experiment with a line and a verdict, as a page.
fn index(reports: &[Report]) -> String {
    let mut page = String::from("# Results\n\n");
    page += &records(reports, "");
    page += "\nWhat the program measured. `cargo xtask regenerate` measures speeds and random \
         play anew,\n`afterstate reproduce NAME --full` an experiment.\n\n\
         - [Speed](speed.md), and the page's server under load\n\
         - [Random play](random-play.md): fingerprints of the rules\n\
         - [Strength by search](search.md)\n\
         - [On a GPU](cuda.md): speed, strength, and what learning at once loses\n\
         - [In Python](python.md): speed and rules beside other packages\n\
         - [Many machines](cluster.md): what a cluster costs, and how far it grows\n\
         - [Games solved exactly](solved.md): optima of small boards, and how near learning comes\n\
         - [Which kind of value function is best](values.md): per second of training, per move of thinking and per \
         MiB\n\n\
         ## Published tables and figures\n\n\
         A figure is **reproduced** if its interval contains the published one (or overlaps with that of the\n\
         published one, where its games are published) or it lies within 5% of it (of a percentage, within 5% of\n\
         what it lacks to 0 or 100), **beaten** if it is better beyond its interval, and **differs** otherwise;\n\
         a sentence is **contradicted** if the figures do not bear it out. Both are **undecided** where\n\
         intervals are too wide to tell, and the page says what it would cost to decide them. Of two figures that a\n\
         sentence compares, the interval of their difference counts. A sentence is **not testable** if nobody can\n\
         test it, since its source does not say what it compares with or what was done.\n\n\
         A published maximum is one figure of one training, and maxima of equal trainings differ much. It is compared\n\
         with the interval that one more maximum of ours lies in with 95%: that of the mean of *n* of them, widened by\n\
         the root of *n* + 1. The interval of the mean itself would exclude nearly every maximum if *n* were large.\n\
         Where *n* is ten or more, the width of the interval is that of a single maximum and leaves nothing\n\
         undecided. Weights that were published and play here cannot beat themselves. Quick forms have\n\
         fewer games and no verdict.\n\n\
         | experiment | what it shows | verdicts |\n|---|---|---|\n";
    for experiment in experiments() {
        let Experiment { name, title, .. } = experiment;
        let form =
            |full| reports.iter().find(|report| report.name == *name && report.is_full() == full);
        // Writing to a string cannot fail.
        let _ = match (form(true), form(false)) {
            (Some(report), _) => {
                let verdicts = summary(&findings(experiment, report));
                writeln!(page, "| [{name}]({name}.md) | {title} | {verdicts} |")
            }
            (None, Some(_)) => {
                writeln!(page, "| [{name}]({QUICK}/{name}.md) | {title} | quick form only |")
            }
            (None, None) => writeln!(page, "| {name} | {title} | not measured yet |"),
        };
    }
    page
}

/// A report as a page.
pub fn markdown(experiment: &Experiment, report: &Report) -> String {
    let quick = if report.is_full() { "" } else { " (quick form)" };
    let mut page = format!("# {}{quick}\n\n{}\n\n", experiment.title, experiment.source);
    // Writing to a string cannot fail.
    let findings = if report.is_full() { findings(experiment, report) } else { Vec::new() };
    if !findings.is_empty() {
        page += "| published | verdict | measured |\n|---|---|---|\n";
        for finding in findings {
            let (published, verdict) = (finding.published, finding.verdict);
            let _ = writeln!(page, "| {published} | {verdict} | {} |", finding.because);
        }
        page += "\n";
    }
    if !report.notes.is_empty() {
        page += &format!("> {}\n\n", report.notes.join("\n>\n> "));
    }
    let rows = table(experiment, report);
    let columns = rows[0].len();
    let numbers = "---:|".repeat(columns.saturating_sub(2));
    let _ = writeln!(page, "| {} |\n|---|---|{numbers}", rows[0].join(" | "));
    for row in &rows[1..] {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    if let Ok(yardstick) = values::yardstick(&report.name) {
        page += &format!("\n{}", values::table(yardstick, &report.values));
    }
    page += &values::game_tables(&report.games);
    for chart in &report.charts {
        let file = format!("{}{}.svg", report.name, chart.suffix);
        let _ = write!(page, "\n![{}]({file})\n", chart.title);
    }
    let _ = write!(
        page,
        "\n## What differs\n\n{}\n\n## How it was measured\n\n`{}`\n\nForm {}, seed {}, rules {}. \
         Intervals are of 95%.\n",
        experiment.differences.join(" "),
        report.command,
        report.form,
        report.seed,
        experiment.rules,
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

/// The table of a report, its heads first, without columns that no row fills and without rows that the
/// report lacks; what was not published or not measured is left empty.
pub fn table(experiment: &Experiment, report: &Report) -> Vec<Vec<String>> {
    let heads = ["case", "what", "published", "measured", "played without learning"];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(
        experiment
            .published
            .iter()
            .filter_map(|one| Some(cells(one, report.row(one.case, &one.quantity.to_string())?))),
    );
    let filled = |column: usize| rows[1..].iter().any(|row| !row[column].is_empty());
    let kept: Vec<usize> = (0..heads.len()).filter(|&column| filled(column)).collect();
    rows.iter().map(|row| kept.iter().map(|&column| row[column].clone()).collect()).collect()
}

fn cells(published: &Published, row: &Row) -> [String; 5] {
    let unit = published.quantity.unit();
    let show = |value: Option<Value>| value.map_or(String::new(), |value| unit.show(value));
    [
        published.case.to_owned(),
        published.quantity.to_string(),
        show(published.figure()),
        show(row.measured),
        show(row.played),
    ]
}

impl Unit {
    fn sign(self) -> &'static str {
        match self {
            Unit::Percent => "%",
            Unit::Points | Unit::Tenths | Unit::Hundredths | Unit::Weight | Unit::Significant => "",
            Unit::MovesPerSecond => " moves/s",
            Unit::Mebibytes => " MiB",
            Unit::Lines => " lines",
            Unit::Seconds => " s",
            Unit::Times => " times",
        }
    }

    pub(crate) fn number(self, value: f64) -> String {
        match self {
            Unit::Weight => format!("{value:.3}"),
            Unit::Tenths if !value.is_finite() => "never ends".to_owned(),
            Unit::Tenths => {
                let tenths = (value.abs() * 10.0).round();
                let whole = whole((tenths / 10.0).trunc());
                format!("{}{whole}.{:.0}", if value < 0.0 { "-" } else { "" }, tenths % 10.0)
            }
            Unit::Hundredths => format!("{value:.2}"),
            Unit::Percent | Unit::Times => format!("{value:.1}"),
            Unit::Seconds => format!("{value:.4}"),
            Unit::Significant => values::short(value),
            _ => whole(value),
        }
    }

    /// A figure with its interval, or as the bound that it is.
    pub(crate) fn show(self, value: Value) -> String {
        let text = self.number(value.value) + self.sign();
        match value.ci95 {
            _ if value.at_least => format!("more than {text}"),
            Some((low, high)) => format!("{text} ({} to {})", self.number(low), self.number(high)),
            None => text,
        }
    }
}
