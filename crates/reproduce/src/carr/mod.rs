//! Donald Carr, "Adapting Reinforcement Learning to Tetris" (thesis, Rhodes University, 2005):
//! Tetris by tables of cells and of contours.

pub(crate) mod exact;
pub(crate) mod figure4_2;
pub(crate) mod figure4_3;
pub(crate) mod figure4_4;
pub(crate) mod figure4_5;
pub(crate) mod figure4_6;
pub(crate) mod figure4_7;
pub(crate) mod figure4_8;
pub(crate) mod figure4_9;
pub(crate) mod figure5_1;
pub(crate) mod figure5_2;
pub(crate) mod figure5_4;
pub(crate) mod figure5_6;
pub(crate) mod figure6_1;
pub(crate) mod figure6_2;
pub(crate) mod figure6_3;
pub(crate) mod figure6_4;
pub(crate) mod figure6_5;
pub(crate) mod figure6_6;
pub(crate) mod figure6_7;
pub(crate) mod figure6_8;
pub(crate) mod figure6_9;
pub(crate) mod ntuple;
pub(crate) mod states;
pub(crate) mod table2_1;
pub(crate) mod table2_2;

mod columns;
mod contour;
mod explore;
mod learning;
mod melax;
mod seeds;
mod wide;

use afterstate_lab::chart::{Axis, Chart, Line};

use crate::experiment::{Findings, Published};
use crate::form::Form;
use crate::measure::Value;
use crate::report::Row;

/// What a case came to while it learned, and played without learning.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    case: &'static str,
    what: &'static str,
    learning: Option<Value>,
    played: Option<Value>,
}

impl Found {
    fn learning(case: &'static str, what: &'static str, value: Value) -> Found {
        Found { case, what, learning: Some(value), played: None }
    }

    fn played(case: &'static str, what: &'static str, value: Value) -> Found {
        Found { case, what, learning: None, played: Some(value) }
    }
}

/// The published figures beside what was found, in the order in which they were published.
fn findings(
    form: &Form,
    published: &[Published],
    found: &[Found],
    charts: Vec<(&'static str, Chart)>,
    shape: &str,
) -> Findings {
    let row = |published: &Published| {
        let what = published.quantity.to_string();
        let own = found.iter().find(|f| f.case == published.case && f.what == what);
        Row {
            case: published.case.to_owned(),
            what,
            unit: published.quantity.unit(),
            published: published.value,
            measured: own.and_then(|own| own.learning),
            played: own.and_then(|own| own.played),
        }
    };
    let mut notes = vec![format!("Published shape: {shape}")];
    if !form.is_full() {
        notes.push(format!(
            "This is the {} form: fewer games, and games cut off earlier, than with `--full`.",
            form.name
        ));
    }
    let rows = published.iter().map(row).collect();
    Findings { rows, charts, notes, ..Findings::default() }
}

/// One of three numbers by the form of an experiment: for tests, quick, full.
fn sized(form: &Form, tiny: u64, quick: u64, full: u64) -> u64 {
    match () {
        () if form.is_full() => full,
        () if form.tuples.is_some() => tiny,
        () => quick,
    }
}

/// A chart of games of training across.
fn chart(title: &str, up: Axis, lines: Vec<Line>) -> Chart {
    let x = Axis::linear("games of training");
    Chart { title: title.to_owned(), x, y: up, lines, note: None }
}

/// A level in dashes over some games.
fn level(name: &str, value: f64, games: usize) -> Line {
    let points = vec![(1.0, value), (games.max(2) as f64, value)];
    Line { dashed: true, ..Line::new(name, points) }
}
