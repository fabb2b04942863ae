//! `Screen`: the terminal in raw mode on the alternate screen, restored however the program ends.

use std::fs::OpenOptions;
use std::io::{self, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::{cursor, execute, terminal};
use ratatui::{Frame, Terminal};

use crate::progress::stop_on_interrupt;

/// Full-screen access to the terminal, which is restored on drop.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    stop: Arc<AtomicBool>,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Key(KeyEvent),
    Resized,
    Timeout,
    /// Ctrl-C, Ctrl-D, a signal, or the terminal was closed.
    Stop,
}

impl Screen {
    /// Switches the terminal to raw mode and the alternate screen.
    pub(crate) fn open() -> anyhow::Result<Screen> {
        let stop = stop_on_interrupt()?;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
        terminal::enable_raw_mode()?;
        // From here on the terminal is restored, whatever fails.
        let guard = Guard;
        let mut out = io::stdout();
        execute!(out, terminal::EnterAlternateScreen, cursor::Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(out))?;
        std::mem::forget(guard);
        Ok(Screen { terminal, stop })
    }

    /// Draws a frame; only differences are sent to the terminal.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }

    /// Waits for input.
    pub(crate) fn wait(&self, timeout: Duration) -> io::Result<Input> {
        // Signals do not interrupt the poll, so their flag is read at this interval.
        const INTERVAL: Duration = Duration::from_millis(100);
        let mut left = timeout;
        loop {
            // crossterm would loop endlessly on a closed terminal, so it must not read from one.
            if closes_within(left.min(INTERVAL))? || self.stop.load(Ordering::Relaxed) {
                return Ok(Input::Stop);
            }
            if event::poll(Duration::ZERO)? {
                return Ok(input(&event::read()?));
            }
            if left <= INTERVAL {
                return Ok(Input::Timeout);
            }
            left -= INTERVAL;
        }
    }
}

/// Waits until there is something to read; `true` if the terminal was closed.
#[cfg(unix)]
fn closes_within(timeout: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(timeout.subsec_nanos()) };
    match poll(&mut polled, Some(&timeout)) {
        Ok(_) => Ok(polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Waits until there is something to read: a console of Windows takes its programs with it.
#[cfg(not(unix))]
fn closes_within(timeout: Duration) -> io::Result<bool> {
    event::poll(timeout).map(|_| false)
}

fn input(event: &Event) -> Input {
    match *event {
        Event::Key(key) if key.kind == KeyEventKind::Release => Input::Timeout,
        Event::Key(key) => {
            let control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('c' | 'd') if control => Input::Stop,
                _ => Input::Key(key),
            }
        }
        Event::Resize(..) => Input::Resized,
        _ => Input::Timeout,
    }
}

/// Restores the terminal on drop.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(Guard);
    }
}

/// Restores the terminal. Does not use standard output, whose lock another thread may hold during a
/// panic.
fn restore() {
    let _ = terminal::disable_raw_mode();
    let tty = OpenOptions::new().write(true).open("/dev/tty");
    let mut out: Box<dyn Write> = match tty {
        Ok(tty) => Box::new(tty),
        Err(_) => Box::new(io::stderr()),
    };
    let _ = execute!(out, terminal::LeaveAlternateScreen, cursor::Show);
}
