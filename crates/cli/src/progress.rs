//! The progress of a training or an evaluation, and Ctrl-C during a training.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use afterstate_agents::EvaluationProgress;
use afterstate_core::cluster::ClusterStatus;
use afterstate_core::numbers::duration;
use afterstate_train::Window;
use afterstate_train::run::{Observer, Status};
use anyhow::Context;

use crate::output::{Output, count, grouped};

/// Seconds between lines of progress where there is no terminal for a bar.
const LINE_EVERY: f64 = 5.0;

/// The columns of the bar itself.
const BAR: usize = 12;

/// Goes to the beginning of the line and clears it.
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Signals that come within this time are one.
const ONE: Duration = Duration::from_millis(300);

/// A flag that Ctrl-C and SIGTERM set. A second Ctrl-C ends the program without a checkpoint. A
/// process has one handler, whichever of its trainings it is for.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(stop) = STOP.get() {
        stop.store(false, Ordering::Relaxed);
        return Ok(Arc::clone(stop));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let mut last = None;
    ctrlc::set_handler(move || {
        // `timeout` and others signal a process and its group, which is one request.
        let again = last.replace(Instant::now()).is_some_and(|last: Instant| last.elapsed() < ONE);
        let second = stopped.swap(true, Ordering::Relaxed) && !again;
        // The line of the bar has the terminal's ^C now. The bar, if it is drawn again, replaces
        // this text.
        if io::stderr().is_terminal() && io::stdout().is_terminal() {
            let text = if second { "" } else { "Stopping and saving" };
            let _ = write!(io::stderr(), "{CLEAR_LINE}{text}");
        }
        if second {
            std::process::exit(130);
        }
    })
    .context("cannot set a handler for Ctrl-C")?;
    Ok(Arc::clone(STOP.get_or_init(|| stop)))
}

/// Shows the progress of a training: a line with a bar that is redrawn in a terminal, further lines
/// elsewhere, JSON objects for programs.
pub(crate) struct Progress<'a> {
    out: &'a mut Output,
    /// Whether there is a terminal for the bar.
    bar: bool,
    last: Option<Window>,
    last_line: Instant,
    /// Whether JSON has an object for every window.
    windows: bool,
}

impl Progress<'_> {
    pub(crate) fn new(out: &mut Output) -> Progress<'_> {
        let bar = out.fits(BAR, 1);
        Progress { out, bar, last: None, last_line: Instant::now(), windows: true }
    }

    /// Progress for people only: JSON has only the result.
    pub(crate) fn for_people(out: &mut Output) -> Progress<'_> {
        let mut progress = Progress::new(out);
        progress.windows = false;
        progress
    }

    /// Clears the bar.
    fn clear(&mut self) -> io::Result<()> {
        if self.bar { self.out.prompt(CLEAR_LINE) } else { Ok(()) }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        let _ = self.clear();
    }
}

impl Observer for Progress<'_> {
    fn begin(&mut self, note: &str) -> io::Result<()> {
        self.last = None;
        self.note(note)
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        if self.out.json() {
            return Ok(());
        }
        self.clear()?;
        self.out.line(note)?;
        self.out.flush()
    }

    fn round(&mut self, status: &Status) -> io::Result<()> {
        if self.out.json() {
            for window in status.windows.iter().filter(|_| self.windows) {
                self.out.object(window)?;
            }
            return self.out.flush();
        }
        self.last = status.windows.last().cloned().or(self.last.take());
        let parts = status.parts(self.last.as_ref());
        if self.bar {
            let columns = terminal_size::terminal_size().map_or(80, |(columns, _)| columns.0);
            // After the bar there is a space, and room for the ^C of the terminal: a line that
            // wraps could not be cleared.
            let room = usize::from(columns).saturating_sub(BAR + 1 + 3);
            let full = (BAR as f64 * status.fraction) as usize;
            let bar = "█".repeat(full) + &"░".repeat(BAR.saturating_sub(full));
            self.out.prompt(&format!("{CLEAR_LINE}{bar} {}", fitting(&parts, room)))?;
        } else if self.last_line.elapsed().as_secs_f64() > LINE_EVERY {
            self.last_line = Instant::now();
            self.out.line(parts.join(", "))?;
            self.out.flush()?;
        }
        Ok(())
    }
}

/// Shows what an evaluation has played, on one line of a terminal; elsewhere nothing.
pub(crate) struct GamesPlayed<'a> {
    out: &'a mut Output,
    games: u64,
    /// Whether there is a terminal for the line.
    line: bool,
}

impl GamesPlayed<'_> {
    pub(crate) fn new(games: u64, out: &mut Output) -> GamesPlayed<'_> {
        let line = out.fits(BAR, 1);
        GamesPlayed { out, games, line }
    }

    pub(crate) fn show(&mut self, so_far: EvaluationProgress) {
        if !self.line {
            return;
        }
        let EvaluationProgress { games, moves, seconds, cluster, .. } = so_far;
        let mut parts = vec![
            format!("{} of {} games over", grouped(games), grouped(self.games)),
            format!("{} moves/s", grouped((moves as f64 / seconds) as u64)),
            format!("{} moves", grouped(moves)),
            duration(seconds),
        ];
        if let Some(ClusterStatus { workers, lost, .. }) = cluster {
            parts.insert(1, count(workers as u64, "worker"));
            parts.insert(2, format!("{} games/s", grouped((games as f64 / seconds) as u64)));
            if lost > 0 {
                parts.insert(3, count(lost, "lost task"));
            }
        }
        let columns = terminal_size::terminal_size().map_or(80, |(columns, _)| columns.0);
        // As above, there is room for the ^C of the terminal.
        let text = fitting(&parts, usize::from(columns).saturating_sub(3));
        // A closed terminal is noticed when the result is printed.
        let _ = self.out.prompt(&format!("{CLEAR_LINE}{text}"));
    }
}

impl Drop for GamesPlayed<'_> {
    fn drop(&mut self) {
        if self.line {
            let _ = self.out.prompt(CLEAR_LINE);
        }
    }
}

/// As many parts, the first first, as fit into the columns.
fn fitting(parts: &[String], columns: usize) -> String {
    let mut text = String::new();
    for part in parts {
        let comma = if text.is_empty() { "" } else { ", " };
        if text.chars().count() + comma.len() + part.chars().count() > columns {
            break;
        }
        text += comma;
        text += part;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = ["50% 3 s left", "mean 1,234", "12 games"].map(str::to_owned);
        assert_eq!(fitting(&parts, 80), "50% 3 s left, mean 1,234, 12 games");
        assert_eq!(fitting(&parts, 24), "50% 3 s left, mean 1,234");
        assert_eq!(fitting(&parts, 23), "50% 3 s left");
        assert_eq!(fitting(&parts, 0), "");
    }
}
