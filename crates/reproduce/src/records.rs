//! The strongest results as a table, which opens the index of results and the README.

use std::fmt::Write;

use crate::experiment::Quantity;
use crate::own_agents::{BOARDS, HAND, HANDS, OPTIMUM, ROUNDS, TENTEN, TWENTY48, WITHOUT_3X3};
use crate::report::Report;
use crate::{Value, find, tang};

/// One result: which figure of which experiment, and whose is the best published one.
struct Record {
    game: &'static str,
    experiment: &'static str,
    case: &'static str,
    quantity: Quantity,
    /// What is counted.
    unit: &'static str,
    /// The experiment and the case in which the best published agent plays here.
    again: Option<(&'static str, &'static str)>,
    /// Who published the best figure, or what is known.
    source: &'static str,
}

const SCHERRER: &str =
    "DT-20, [Scherrer et al. 2015](https://jmlr.org/papers/v16/scherrer15a.html)";
const GUEI: &str = "[Guei et al. 2021](https://arxiv.org/abs/2111.11090)";
const TANG: &str = "LSPI, Tang 2019";

const RECORDS: [Record; 8] = [
    Record {
        game: "Tetris 10x20",
        experiment: "tetris-record-10x20",
        case: "tetris-10x20",
        quantity: Quantity::Lines,
        unit: "",
        again: Some(("tetris-dt-20-10x20", "dt-20")),
        source: SCHERRER,
    },
    Record {
        game: "Tetris 10x10",
        experiment: "tetris-record-10x10",
        case: "tetris-10x10",
        quantity: Quantity::Lines,
        unit: "",
        again: Some(("tetris-rv-ce-10x10", "rv-ce")),
        source: "RV-CE 2026, weights given to this project; no publication known",
    },
    Record {
        game: "1010!, one piece at a time",
        experiment: "1010-record",
        case: TENTEN,
        quantity: ROUNDS,
        unit: " rounds",
        again: None,
        source: TANG,
    },
    Record {
        game: "1010! without the 3x3 piece",
        experiment: "1010-record",
        case: WITHOUT_3X3,
        quantity: ROUNDS,
        unit: " rounds",
        again: None,
        source: TANG,
    },
    Record {
        game: "1010!, the real hand of three",
        experiment: "1010-record-hand",
        case: HAND,
        quantity: HANDS,
        unit: " hands",
        again: None,
        source: "",
    },
    Record {
        game: "1010! 5x5, seven pieces, best play",
        experiment: "tang-figure13",
        case: "5x5",
        quantity: tang::ROUNDS,
        unit: " rounds",
        again: None,
        source: "Tang 2019: \"too larger\" to solve",
    },
    Record {
        game: "2048 3x3, best play",
        experiment: "2048-exact",
        case: BOARDS[1],
        quantity: OPTIMUM,
        unit: " points",
        again: None,
        source: "",
    },
    Record {
        game: "2048, the agent in the program",
        experiment: "2048-agent",
        case: TWENTY48,
        quantity: Quantity::Mean,
        unit: " points",
        again: None,
        source: GUEI,
    },
];

/// The strongest results beside the best known ones of others; links lead into a folder, with its slash.
/// What was not measured in full is left out.
pub fn records(reports: &[Report], folder: &str) -> String {
    let mut table = "| game | this program | best known of others | source | measured |\n\
        |---|---|---|---|---|\n"
        .to_owned();
    for record in &RECORDS {
        let Record { game, experiment, case, quantity, unit, again, source } = *record;
        let what = quantity.to_string();
        let full = reports.iter().find(|report| report.name == experiment && report.is_full());
        let row = full.and_then(|report| report.row(case, &what));
        let Some(own) = row.and_then(|row| row.measured.or(row.played)) else { continue };
        let figures = find(experiment).map_or(&[][..], |experiment| experiment.published);
        let same = figures.iter().find(|one| one.case == case && one.quantity == quantity);
        let best = same.and_then(|one| one.value).map_or("none known".to_owned(), |value| {
            let again = again.and_then(|(experiment, case)| {
                let report = reports.iter().find(|report| report.name == experiment);
                let row = report.filter(|report| report.is_full())?.row(case, &what)?;
                row.measured.or(row.played)
            });
            let again = again.map_or(String::new(), |value| {
                format!("; played again here: {}", shown(value, quantity, unit))
            });
            quantity.unit().show(Value::exact(value)) + unit + &again
        });
        let own = shown(own, quantity, unit);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {game} | {own} | {best} | {source} | [{experiment}]({folder}{experiment}.md) |"
        );
    }
    table
        + "\nMeans per game with their 95% intervals. Agents play greedily, without search, except \
        in the hand of three.\n`afterstate agents NAME` says which commands of this program make an \
        agent again.\n"
}

/// A figure with its unit before its interval, or marked as exact.
fn shown(value: Value, quantity: Quantity, unit: &str) -> String {
    let shown = quantity.unit().show(value);
    match shown.split_once(" (") {
        Some((figure, interval)) => format!("{figure}{unit} ({interval}"),
        None if value.at_least => format!("{shown}{unit}"),
        None => format!("{shown}{unit}, exact"),
    }
}
