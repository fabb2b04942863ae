//! What stands beside the board: score, who plays, hints, and what the keys do.

use afterstate_games::picture::Kind;
use afterstate_lab::sitting::{Hints, View};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::output::{fine, grouped, number};

/// Who makes the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A person.
    Hand,
    /// The agent, or the replay.
    Observer,
    /// Nobody, until somebody says so.
    Paused,
}

/// Lines about the game.
pub(crate) fn about(view: &View) -> Vec<Line<'static>> {
    let unit = view.unit.split(',').next().unwrap_or_default();
    let mut lines = vec![
        Line::from(Span::styled(
            format!("{} {unit}", number(view.score)),
            Style::default().add_modifier(Modifier::BOLD),
        )),
        Line::from(format!("move {}", grouped(view.moves))),
    ];
    if let Some(reached) = view.reached {
        lines.push(Line::from(format!("largest tile {}", grouped(reached))));
    }
    if view.over {
        let said = if view.cut_off { "Limit of the rules reached" } else { "Game over" };
        lines.push(Line::from(Span::styled(
            said,
            Style::default().add_modifier(Modifier::BOLD | Modifier::REVERSED),
        )));
    }
    lines
}

/// Every move with its value, the best first, as far as there is room.
pub(crate) fn hints(hints: &Hints, rows: usize, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(Span::styled(
        format!("Hints: {} {}", hints.agent, hints.search),
        Style::default().add_modifier(Modifier::DIM),
    ))];
    let widest = hints.moves.iter().map(|hint| hint.mv.chars().count()).max().unwrap_or(0);
    // As many decimals for all as the largest needs.
    let values = hints.moves.iter().filter_map(|hint| hint.value);
    let most = values.fold(0.0, |most: f32, value| most.max(value.abs()));
    let width_of_error = if most >= 10_000.0 {
        100.0
    } else if most >= 100.0 {
        1.0
    } else {
        0.01
    };
    for hint in hints.moves.iter().take(rows.saturating_sub(1)) {
        let mark = if hint.best { "►" } else { " " };
        let value = hint.value.map(|value| fine(f64::from(value), width_of_error));
        let value = value.unwrap_or_else(|| "-".to_owned());
        let mut text = format!("{mark} {:<widest$} {value:>10}", hint.mv);
        text.truncate(text.char_indices().nth(width).map_or(text.len(), |(at, _)| at));
        let style = if hint.best {
            Style::default().add_modifier(Modifier::BOLD)
        } else {
            Style::default()
        };
        lines.push(Line::from(Span::styled(text, style)));
    }
    lines
}

/// The keys in one line: those that move first.
pub(crate) fn keys(kind: Kind, mode: Mode, replay: bool) -> &'static str {
    match (mode, kind) {
        (Mode::Observer | Mode::Paused, _) if replay => {
            "space pause  n next  u back  +/- speed  h hints  q quit  ? keys"
        }
        (Mode::Observer | Mode::Paused, _) => {
            "space pause  n step  +/- speed  a by hand  u undo  h hints  q quit  ? keys"
        }
        (Mode::Hand, Kind::Tiles) => "arrows slide  h hints  a agent  u undo  q quit  ? keys",
        (Mode::Hand, Kind::Well) => {
            "←→ move  ↑ turn  space drop  h hints  a agent  u undo  q quit  ? keys"
        }
        (Mode::Hand, Kind::Blocks) => {
            "arrows move  1-3 piece  space place  h hints  a agent  u undo  q quit  ? keys"
        }
    }
}

/// All keys.
pub(crate) fn help(kind: Kind) -> Vec<Line<'static>> {
    let own: &[(&str, &str)] = match kind {
        Kind::Tiles => &[("← ↑ → ↓", "slide the tiles")],
        Kind::Well => &[("← →", "move the piece"), ("↑", "turn it"), ("space ↓", "drop it")],
        Kind::Blocks => {
            &[("← ↑ → ↓", "move the piece"), ("1 2 3 tab", "choose another"), ("space", "place it")]
        }
    };
    let common = [
        ("h", "hints: what every move is worth"),
        ("a", "the agent plays, or you"),
        ("space p", "pause the agent"),
        ("n", "one move of the agent"),
        ("+ -", "its speed"),
        ("[ ]", "how far it looks ahead"),
        ("u r", "take a move back, make it again"),
        ("N", "a new game"),
        ("q", "quit"),
    ];
    let all = own.iter().chain(&common);
    all.map(|(key, does)| Line::from(format!(" {key:<10} {does}"))).collect()
}
