//! Figure 5a: the lines of 250 games by annealed weights, looking no further than the piece at hand.
//!
//! Published: 149,000 on average, a median of 100,500. Differs: minutes of training, not a night.

use afterstate_lab::chart::{Axis, Chart, Line};

use super::{ANNEALINGS, annealed, same, short};
use crate::experiment::Quantity::{Lines, Named};
use crate::experiment::{Experiment, Findings, Published, Quantity};
use crate::measure::Value;
use crate::report::Row;
use crate::{Error, Session};

const CASE: &str = "annealed weights";

const MEDIAN: Quantity = Named("median of the lines");
const MOST: Quantity = Named("most lines");

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "marchal-figure5",
    title: "Annealed weights on Tetris: the lines of 250 games",
    source: "Marchal et al. (CS3243, group 23), figure 5a of section 4.2; 250 games at 1-ply",
    published: &[
        Published::new(CASE, Lines, 149_000.0),
        Published::new(CASE, MEDIAN, 100_500.0),
        Published::not(CASE, MOST),
    ],
    differences: same!(
        "The report presents its best training; ours is that one of three whose own games were the \
         best, and plays new games with the weights that it ended with. `measured` is the best mean \
         of its training. Looking further ahead is `marchal-figure4`."
    ),
    rules: "tetris:10x20",
    measure,
};

fn measure(session: &mut Session, published: &[Published]) -> Result<Findings, Error> {
    let mut learned = Vec::new();
    for part in 0..ANNEALINGS.len() as u64 {
        learned.push(annealed(session, part)?);
    }
    learned.sort_by(|a, b| b.best().total_cmp(&a.best()));
    let games = if session.tiny() { 2 } else { 250 };
    let mut notes = short(session);
    let strength = session.strength(&learned[0], games, 50_000_000)?;
    notes.extend(strength.note());
    let row = |one: &Published| {
        let (measured, played) = match one.quantity {
            MEDIAN => (None, strength.median()),
            MOST => (None, strength.max()),
            _ => (Some(Value::exact(learned[0].best())), strength.mean()),
        };
        Row::of(one, measured, played)
    };
    let mut sorted = strength.lines.clone();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let points = (0..)
        .zip(&sorted)
        .map(|(below, &lines)| (lines, 100.0 * (count - f64::from(below)) / count));
    let chart = Chart {
        title: "Games that come to so many lines".to_owned(),
        x: Axis::linear("lines"),
        y: Axis::linear("games with as many or more, %"),
        lines: vec![Line::new(CASE, points.collect())],
        note: None,
    };
    Ok(Findings {
        rows: published.iter().map(row).collect(),
        charts: vec![("", chart)],
        trainings: learned.into_iter().map(|learned| learned.cost).collect(),
        notes,
        ..Findings::default()
    })
}
