//! The progress of a training as a person or a program sees it, and Ctrl-C on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use afterstate_lab::run::{Observer, RunError, Status, Window};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{Output, grouped, number};

/// Seconds between the lines that stand for the progress bar where there is no terminal.
const LINE_EVERY: f64 = 5.0;

/// As many threads as the machine has cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What Ctrl-C sets. A second one does not wait for the checkpoint.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// Shows a training: a bar in a terminal, a line now and then elsewhere, objects for programs.
pub(crate) struct Progress<'a> {
    out: &'a mut Output,
    bar: Option<ProgressBar>,
    last: Option<Window>,
    said: Instant,
    /// Whether programs are told of every window.
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
        Progress { out, bar, last: None, said: Instant::now(), windows: true }
    }

    /// A progress that tells programs nothing: only the result is for them.
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
    fn plan(&mut self, note: &str) -> Result<(), RunError> {
        if self.out.json() {
            return Ok(());
        }
        self.last = None;
        let out = &mut *self.out;
        let mut say = || out.line(note).and_then(|()| out.flush());
        match &self.bar {
            Some(bar) => {
                bar.reset();
                bar.suspend(say)?;
            }
            None => say()?,
        }
        Ok(())
    }

    fn note(&mut self, note: &str) -> Result<(), RunError> {
        if self.out.json() {
            return Ok(());
        }
        let out = &mut *self.out;
        let mut say = || out.line(note).and_then(|()| out.flush());
        match &self.bar {
            Some(bar) => bar.suspend(say)?,
            None => say()?,
        }
        Ok(())
    }

    fn round(&mut self, status: &Status) -> Result<(), RunError> {
        if self.out.json() {
            for window in status.windows.iter().filter(|_| self.windows) {
                self.out.object(window)?;
            }
            return Ok(self.out.flush()?);
        }
        self.last = status.windows.last().cloned().or(self.last.take());
        let text = describe(status, self.last.as_ref());
        match &self.bar {
            Some(bar) => {
                bar.set_position((1_000.0 * status.fraction) as u64);
                bar.set_message(text);
            }
            None if self.said.elapsed().as_secs_f64() > LINE_EVERY => {
                self.said = Instant::now();
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
        let told = window.reach.iter().rev().filter(|(_, part)| **part >= 0.01).take(3);
        for (tile, part) in told {
            text += &format!(", {tile}: {:.0}%", 100.0 * part);
        }
        for (name, value) in &window.extra {
            text += &format!(", {name} {}", number(*value));
        }
    }
    text
}
