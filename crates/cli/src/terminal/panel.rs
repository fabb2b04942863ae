//! The panel beside the board: score, hints and keys.

use afterstate_games::picture::Kind;
use afterstate_session::{Hints, View};
use ratatui::style::Stylize;
use ratatui::text::Line;

use super::keys::{COMMON, QUIT, by_hand};
use crate::output::{grouped, number, rounded};

/// Who plays the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A person.
    Manual,
    /// The agent, or the replay.
    Automatic,
    /// Nobody: the agent or the replay is paused.
    Paused,
}

/// Score, moves and the end of the game.
pub(crate) fn about(view: &View) -> Vec<Line<'static>> {
    let unit = view.unit.split(',').next().unwrap_or_default();
    let mut lines = vec![
        Line::from(format!("{} {unit}", number(view.score)).bold()),
        Line::from(format!("move {}", grouped(view.moves))),
    ];
    if let Some(reached) = view.reached {
        lines.push(Line::from(format!("largest tile {}", grouped(reached))));
    }
    if view.finished {
        let end = if view.truncated { "Move limit reached" } else { "Game over" };
        lines.push(Line::from(end.bold().reversed()));
    }
    lines
}

/// The moves with their values, the best first, as many as fit.
pub(crate) fn hints(hints: &Hints, rows: usize, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(format!("Hints: {} {}", hints.agent, hints.search).dim())];
    let widest = hints.moves.iter().map(|hint| hint.mv.chars().count()).max().unwrap_or(0);
    // All values have as many decimals as suit the largest.
    let values = hints.moves.iter().filter_map(|hint| hint.value);
    let largest = values.fold(0.0, |largest: f32, value| largest.max(value.abs()));
    let precision = if largest >= 10_000.0 {
        100.0
    } else if largest >= 100.0 {
        1.0
    } else {
        0.01
    };
    for hint in hints.moves.iter().take(rows.saturating_sub(1)) {
        let mark = if hint.best { "►" } else { " " };
        let value = hint.value.map(|value| rounded(f64::from(value), precision));
        let value = value.unwrap_or_else(|| "-".to_owned());
        let mut text = format!("{mark} {:<widest$} {value:>10}", hint.mv);
        text.truncate(text.char_indices().nth(width).map_or(text.len(), |(at, _)| at));
        lines.push(Line::from(if hint.best { text.bold() } else { text.into() }));
    }
    lines
}

/// The keys in one line.
pub(crate) fn keys(kind: Kind, mode: Mode, replay: bool) -> &'static str {
    match (mode, kind) {
        (Mode::Automatic | Mode::Paused, _) if replay => {
            "space pause  n next  u previous  +/- speed  h hints  q quit  ? keys"
        }
        (Mode::Automatic | Mode::Paused, _) => {
            "space pause  n step  +/- speed  a by hand  u undo  h hints  q quit  ? keys"
        }
        (Mode::Manual, Kind::Tiles) => "arrows slide  h hints  a agent  u undo  q quit  ? keys",
        (Mode::Manual, Kind::Well) => {
            "←→ move  ↑ rotate  space drop  h hints  a agent  u undo  q quit  ? keys"
        }
        (Mode::Manual, Kind::Blocks) => {
            "arrows move  1-3 piece  space place  h hints  a agent  u undo  q quit  ? keys"
        }
    }
}

/// All keys.
pub(crate) fn help(kind: Kind) -> Vec<Line<'static>> {
    let all = by_hand(kind).iter().chain(&COMMON).chain(&[QUIT]);
    all.map(|(key, does)| Line::from(format!(" {key:<14} {does}"))).collect()
}
