//! Runs on the screen: curve, speed, reach rates and time left.

use std::collections::BTreeMap;

use afterstate_train::run::plot::{Against, scores};
use afterstate_train::run::{Folder, RunError, RunState};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Stylize;
use ratatui::widgets::Paragraph;
use serde::Serialize;

use afterstate_core::numbers::duration;

use crate::output::{grouped, number};

/// The progress of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct State {
    run: String,
    game: String,
    episodes: u64,
    moves: u64,
    seconds: f64,
    /// Over the last windows.
    moves_per_second: Option<f64>,
    /// The spent fraction of the budget.
    part: f64,
    seconds_left: Option<f64>,
    finished: bool,
    mean: Option<f64>,
    best_mean: Option<f64>,
    best: Option<f64>,
    reach: BTreeMap<u64, f64>,
    extra: BTreeMap<String, f64>,
    dashboard: Option<String>,
    /// The mean scores of the last `COUNTED` windows.
    #[serde(skip)]
    recent: Vec<f64>,
}

/// Windows in the histogram of scores.
const COUNTED: usize = 400;

impl State {
    /// The progress of a run, from its files.
    pub(crate) fn of(folder: &Folder) -> Result<State, RunError> {
        let overview = folder.overview()?;
        let (seconds, part) = (overview.seconds, overview.fraction);
        let finished = overview.state == RunState::Finished;
        let windows = folder.metrics()?;
        let recent = windows[windows.len().saturating_sub(COUNTED)..].iter();
        Ok(State {
            run: folder.path().display().to_string(),
            game: overview.game,
            episodes: overview.episodes,
            moves: overview.moves,
            seconds,
            moves_per_second: overview.moves_per_second,
            part,
            seconds_left: (part > 0.0 && !finished).then(|| seconds * (1.0 - part) / part),
            finished,
            mean: overview.mean,
            best_mean: overview.best_mean,
            best: overview.max,
            reach: overview.reach,
            extra: overview.extra,
            dashboard: overview.dashboard,
            recent: recent.map(|window| window.mean).collect(),
        })
    }

    /// The progress as lines of text.
    fn lines(&self, width: usize) -> Vec<String> {
        let bar = 24.min(width.saturating_sub(30));
        let full = (self.part * bar as f64).round() as usize;
        let done = format!("{}{}", "█".repeat(full), "░".repeat(bar - full.min(bar)));
        let left = match self.seconds_left {
            _ if self.finished => "finished".to_owned(),
            Some(seconds) => format!("{} left", duration(seconds)),
            None => "not started".to_owned(),
        };
        let score = |value: Option<f64>| value.map_or("-".to_owned(), number);
        let speed = self.moves_per_second.map_or("-".to_owned(), |speed| grouped(speed as u64));
        let mut lines = vec![
            format!("{}  {}", self.run, self.game),
            format!("  {done} {:.0}%  {left}", 100.0 * self.part),
            format!(
                "  {} games, {} moves in {}, {speed} moves/s",
                grouped(self.episodes),
                grouped(self.moves),
                duration(self.seconds)
            ),
            format!(
                "  mean {} (best {}), best game {}",
                score(self.mean),
                score(self.best_mean),
                score(self.best)
            ),
        ];
        for (name, value) in &self.extra {
            lines.push(format!("  {name} {}", number(*value)));
        }
        lines.extend(self.dashboard.iter().map(|url| format!("  cluster at {url}")));
        lines
    }

    /// Bars: the tiles that games reach, or a histogram of recent scores.
    fn bars(&self, width: usize, rows: usize) -> Vec<String> {
        let counted: Vec<(String, f64)> = if self.reach.is_empty() {
            histogram(&self.recent, rows.saturating_sub(1).min(8))
        } else {
            let shown = self.reach.iter().rev().take(rows.saturating_sub(1));
            shown.map(|(tile, part)| (grouped(*tile), *part)).collect()
        };
        if counted.is_empty() {
            return Vec::new();
        }
        let heading = if self.reach.is_empty() { "recent mean scores" } else { "games that reach" };
        let widest = counted.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        let room = width.saturating_sub(widest + 8).min(40);
        let bar = |(label, part): &(String, f64)| {
            let full = (part * room as f64).round() as usize;
            format!("{label:>widest$} {} {:.0}%", "█".repeat(full), 100.0 * part)
        };
        [heading.to_owned()].into_iter().chain(counted.iter().map(bar)).collect()
    }
}

/// The fraction of the numbers in each of `bins` equal ranges, the highest range first.
fn histogram(numbers: &[f64], bins: usize) -> Vec<(String, f64)> {
    let finite: Vec<f64> = numbers.iter().copied().filter(|n| n.is_finite()).collect();
    let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if finite.len() < 2 || high <= low || bins == 0 {
        return Vec::new();
    }
    let mut counts = vec![0usize; bins];
    for value in &finite {
        let place = (value - low) / (high - low) * bins as f64;
        counts[(place as usize).min(bins - 1)] += 1;
    }
    let step = (high - low) / bins as f64;
    let ranges = counts.iter().enumerate().rev();
    let part = |count: usize| count as f64 / finite.len() as f64;
    ranges.map(|(i, &count)| (number((low + step * i as f64).round()), part(count))).collect()
}

/// The runs on the screen.
pub(crate) struct Follow {
    folders: Vec<Folder>,
    states: Vec<State>,
    against: Against,
}

impl Follow {
    pub(crate) fn new(folders: Vec<Folder>) -> Follow {
        Follow { folders, states: Vec::new(), against: Against::Episodes }
    }

    /// Reads the files of the runs.
    pub(crate) fn read(&mut self) -> Result<(), RunError> {
        self.states = self.folders.iter().map(State::of).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Handles a key; false to quit.
    pub(crate) fn key(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('x') => {
                self.against = match self.against {
                    Against::Episodes => Against::Moves,
                    Against::Moves => Against::Seconds,
                    Against::Seconds => Against::Episodes,
                };
            }
            _ => {}
        }
        true
    }

    fn chart(&self, width: usize, height: usize) -> String {
        let chart = scores(&self.folders, self.against);
        chart.map(|chart| chart.terminal(width, height)).unwrap_or_default()
    }

    /// The whole screen as plain text.
    pub(crate) fn plain(&self, width: usize, height: usize) -> String {
        let mut lines: Vec<String> = Vec::new();
        for state in &self.states {
            lines.extend(state.lines(width));
            lines.extend(state.bars(width, 9).into_iter().map(|bar| format!("  {bar}")));
            lines.push(String::new());
        }
        lines.push(self.chart(width, height.saturating_sub(4)));
        lines.join("\n")
    }

    pub(crate) fn draw(&self, frame: &mut Frame) {
        let area = frame.area();
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        if width < 20 || height < 6 {
            let text = format!("The terminal has {width}x{height} characters, 20x6 are needed.");
            return frame.render_widget(Paragraph::new(text), area);
        }
        let mut lines: Vec<String> = Vec::new();
        for state in &self.states {
            lines.extend(state.lines(width));
        }
        // For a single run, the bars stand beside the chart if the terminal is wide enough.
        let beside = width >= 110 && self.states.len() == 1;
        let rows = lines.len().min(height / 2);
        let mut top = Rect { height: rows as u16, ..area };
        let mut chart = Rect {
            y: rows as u16 + 1,
            height: area.height.saturating_sub(rows as u16 + 2),
            ..area
        };
        if let [state] = &self.states[..] {
            let room = if beside { 40 } else { 0 };
            if beside {
                chart.width -= room;
                let bars = state.bars(usize::from(room) - 2, usize::from(chart.height));
                let place = Rect { x: area.width - room + 1, width: room - 1, ..chart };
                frame.render_widget(Paragraph::new(bars.join("\n")), place);
            } else if height >= 24 {
                let bars = state.bars(width, 6);
                let used = bars.len() as u16;
                let place = Rect { y: chart.y, height: used, ..area };
                frame.render_widget(Paragraph::new(bars.join("\n")), place);
                chart.y += used + 1;
                chart.height = chart.height.saturating_sub(used + 1);
            }
        }
        top.height = rows as u16;
        frame.render_widget(Paragraph::new(lines.join("\n")), top);
        let text = self.chart(usize::from(chart.width), usize::from(chart.height));
        frame.render_widget(Paragraph::new(text), chart);
        let footer = Rect { y: area.height - 1, height: 1, ..area };
        frame.render_widget(Paragraph::new(" x games, moves or seconds  q quit").dim(), footer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_in_equal_ranges() {
        let counted = histogram(&[0.0, 1.0, 9.0, 10.0], 2);
        assert_eq!(counted, [("5".to_owned(), 0.5), ("0".to_owned(), 0.5)]);
        assert!(histogram(&[1.0, 1.0], 4).is_empty() && histogram(&[f64::NAN, 1.0], 4).is_empty());
    }
}
