//! `Screen`: the terminal taken over, and given back however the program ends.

use std::fs::OpenOptions;
use std::io::{self, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::{cursor, execute, terminal};
use ratatui::{Frame, Terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::progress::stop_on_interrupt;

/// The terminal, taken over until this is dropped.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    stop: Arc<AtomicBool>,
}

/// What happened while we waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A key.
    Key(KeyEvent),
    /// The terminal has another size.
    Resized,
    /// Nothing.
    Nothing,
    /// Somebody wants the program to end.
    Stop,
}

impl Screen {
    /// Takes the terminal over.
    pub(crate) fn open() -> anyhow::Result<Screen> {
        let stop = stop_on_interrupt()?;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        terminal::enable_raw_mode()?;
        // From here on the terminal is given back, whatever fails.
        let guard = Guard;
        let mut out = io::stdout();
        execute!(out, terminal::EnterAlternateScreen, cursor::Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(out))?;
        std::mem::forget(guard);
        Ok(Screen { terminal, stop })
    }

    /// Draws everything anew; only what differs is sent.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }

    /// Waits for something to happen, so long at most.
    pub(crate) fn wait(&self, most: Duration) -> io::Result<Happening> {
        // Signals interrupt nothing here, so they are asked for now and then.
        const ASK: Duration = Duration::from_millis(100);
        let mut left = most;
        loop {
            // A terminal that is gone must not be read: crossterm would read nothing for ever.
            if is_gone_within(left.min(ASK))? || self.stop.load(Ordering::Relaxed) {
                return Ok(Happening::Stop);
            }
            if event::poll(Duration::ZERO)? {
                return Ok(happening(&event::read()?));
            }
            if left <= ASK {
                return Ok(Happening::Nothing);
            }
            left -= ASK;
        }
    }
}

/// Waits until there is something to read, so long at most; `true` if the terminal is gone.
fn is_gone_within(most: Duration) -> io::Result<bool> {
    let keys = io::stdin();
    let mut asked = [PollFd::new(&keys, PollFlags::IN)];
    let most = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
    match poll(&mut asked, Some(&most)) {
        Ok(_) => Ok(asked[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn happening(event: &Event) -> Happening {
    match *event {
        Event::Key(key) if key.kind == KeyEventKind::Release => Happening::Nothing,
        Event::Key(key) => {
            let control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('c' | 'd') if control => Happening::Stop,
                _ => Happening::Key(key),
            }
        }
        Event::Resize(..) => Happening::Resized,
        _ => Happening::Nothing,
    }
}

/// Gives the terminal back when it is dropped.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(Guard);
    }
}

/// Makes the terminal what it was. Goes around standard output, which another thread may hold when
/// this one panics.
fn give_back() {
    let _ = terminal::disable_raw_mode();
    let tty = OpenOptions::new().write(true).open("/dev/tty");
    let mut out: Box<dyn Write> = match tty {
        Ok(tty) => Box::new(tty),
        Err(_) => Box::new(io::stderr()),
    };
    let _ = execute!(out, terminal::LeaveAlternateScreen, cursor::Show);
}
