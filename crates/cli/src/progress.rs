//! The progress of a training, and Ctrl-C during it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use afterstate_train::Window;
use afterstate_train::run::{Observer, Status};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{Output, grouped, number};

/// Seconds between lines of progress where there is no terminal for a bar.
const LINE_EVERY: f64 = 5.0;

/// A flag that Ctrl-C and SIGTERM set. A second Ctrl-C ends the program without a checkpoint.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if stopped.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot set a handler for Ctrl-C")?;
    Ok(stop)
}

/// Shows the progress of a training: a bar in a terminal, lines elsewhere, JSON objects for programs.
pub(crate) struct Progress<'a> {
    out: &'a mut Output,
    bar: Option<ProgressBar>,
    last: Option<Window>,
    last_line: Instant,
    /// Whether JSON has an object for every window.
    windows: bool,
}

impl Progress<'_> {
    pub(crate) fn new(out: &mut Output) -> Progress<'_> {
        let bar = out.is_terminal().then(|| {
            let bar = ProgressBar::new(1_000);
            let style = ProgressStyle::with_template("{bar:30} {percent}% {msg}, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Progress { out, bar, last: None, last_line: Instant::now(), windows: true }
    }

    /// Progress for people only: JSON has only the result.
    pub(crate) fn for_people(out: &mut Output) -> Progress<'_> {
        Progress { windows: false, ..Progress::new(out) }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress<'_> {
    fn begin(&mut self, note: &str) -> io::Result<()> {
        self.last = None;
        if let Some(bar) = &self.bar {
            bar.reset();
        }
        self.note(note)
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        if self.out.json() {
            return Ok(());
        }
        let out = &mut *self.out;
        let mut print = || out.line(note).and_then(|()| out.flush());
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn round(&mut self, status: &Status) -> io::Result<()> {
        if self.out.json() {
            for window in status.windows.iter().filter(|_| self.windows) {
                self.out.object(window)?;
            }
            return self.out.flush();
        }
        self.last = status.windows.last().cloned().or(self.last.take());
        let text = describe(status, self.last.as_ref());
        match &self.bar {
            Some(bar) => {
                bar.set_position((1_000.0 * status.fraction) as u64);
                bar.set_message(text);
            }
            None if self.last_line.elapsed().as_secs_f64() > LINE_EVERY => {
                self.last_line = Instant::now();
                self.out.line(format!("{:>3.0}% {text}", 100.0 * status.fraction))?;
                self.out.flush()?;
            }
            None => {}
        }
        Ok(())
    }
}

fn describe(status: &Status, window: Option<&Window>) -> String {
    let speed = status.moves_per_second / 1e6;
    let mut text = format!("{} games, {speed:.2}M moves/s", grouped(status.position.episodes));
    if let Some(window) = window {
        text += &format!(", mean {}", number(window.mean));
        let shown = window.reach.iter().rev().filter(|(_, part)| **part >= 0.01).take(3);
        for (tile, part) in shown {
            text += &format!(", {tile}: {:.0}%", 100.0 * part);
        }
        for (name, value) in &window.extra {
            text += &format!(", {name} {}", number(*value));
        }
    }
    text
}
