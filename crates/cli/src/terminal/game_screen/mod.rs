//! `GameScreen`: a game in the full-screen terminal, by hand, by an agent or from a replay.

mod draw;

use std::time::{Duration, Instant};

use afterstate_agents::LoadedAgent;
use afterstate_games::spec::GameSpec;
use afterstate_search::{Depth, Search};
use afterstate_session::{GameSession, Hints, Replay, View};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::colors::Colors;
use super::panel::Mode;
use super::pointer::{Action, Pointer};
use super::screen::{Input, Screen};
use super::session_thread::{Request, SessionThread, Status};

/// Moves per second; 0 is full speed.
const SPEEDS: [u64; 9] = [1, 2, 4, 8, 15, 30, 60, 250, 0];

/// Time between two frames at full speed.
const FRAME: Duration = Duration::from_millis(40);

/// How long quitting waits for a search in progress.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// What a `GameScreen` shows, and how.
pub(crate) struct Setup {
    pub(crate) rules: GameSpec,
    pub(crate) session: GameSession,
    pub(crate) agent: LoadedAgent,
    pub(crate) search: Search,
    /// Whether the agent plays from the setup.
    pub(crate) watch: bool,
    /// Whether the moves to redo are those of a replay.
    pub(crate) replay: bool,
    pub(crate) hints: bool,
    /// Milliseconds between the moves of the agent, if given.
    pub(crate) delay: Option<u64>,
}

/// The screen of a game.
pub(crate) struct GameScreen {
    session: SessionThread,
    view: View,
    hints: Option<Hints>,
    note: Option<String>,
    speed: Option<f64>,
    agent: String,
    search: Search,
    mode: Mode,
    replay: bool,
    wants_hints: bool,
    pointer: Pointer,
    pace: usize,
    next: Instant,
    help: bool,
    colors: Colors,
}

impl GameScreen {
    pub(crate) fn new(setup: Setup) -> GameScreen {
        let view = setup.session.view();
        let pace = match setup.delay {
            None => 3,
            Some(0) => SPEEDS.len() - 1,
            Some(delay) => {
                let wanted = 1000 / delay.min(1000);
                SPEEDS.iter().position(|&speed| speed >= wanted).unwrap_or(SPEEDS.len() - 2)
            }
        };
        let mode = if setup.watch || setup.replay { Mode::Automatic } else { Mode::Manual };
        let agent = setup.agent.name().to_owned();
        let mut screen = GameScreen {
            session: SessionThread::start(setup.rules, setup.session, setup.agent, setup.search),
            pointer: Pointer::of(&view),
            view,
            hints: None,
            note: None,
            speed: None,
            agent,
            search: setup.search,
            mode,
            replay: setup.replay,
            wants_hints: setup.hints,
            pace,
            next: Instant::now() + Duration::from_millis(500),
            help: false,
            colors: Colors::from_environment(),
        };
        if setup.hints {
            screen.session.send(Request::Hints(true));
        }
        screen
    }

    /// Runs until the person quits; returns the last view, and the replay of the game.
    pub(crate) fn play(mut self, screen: &mut Screen) -> anyhow::Result<(View, Option<Replay>)> {
        self.run(screen)?;
        self.session.send(Request::Replay);
        while let Some(status) = self.session.receive(QUIT_TIMEOUT)? {
            let replay = status.replay.is_some();
            if replay || !self.session.is_busy() {
                return Ok((status.view, status.replay));
            }
        }
        Ok((self.view, None))
    }

    fn run(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        loop {
            screen.draw(|frame| self.draw(frame))?;
            if let Some(status) = self.session.receive(Duration::ZERO)? {
                self.update(status);
                continue;
            }
            self.continue_playing();
            match screen.wait(self.timeout())? {
                Input::Key(key) => {
                    if !self.key(key) {
                        return Ok(());
                    }
                }
                Input::Stop => return Ok(()),
                Input::Resized | Input::Timeout => {}
            }
            if self.session.is_busy()
                && let Some(status) = self.session.receive(Duration::from_millis(2))?
            {
                self.update(status);
            }
        }
    }

    fn update(&mut self, status: Status) {
        let moved = status.view.moves != self.view.moves || status.view.seed != self.view.seed;
        self.view = status.view;
        self.hints = status.hints;
        self.note = status.note;
        self.speed = status.speed;
        if moved {
            self.pointer = self.pointer.after_move(&self.view);
        }
        let ended = self.view.finished || self.replay && !self.view.can_redo;
        if ended && self.mode == Mode::Automatic {
            self.mode = Mode::Paused;
        }
    }

    /// Requests the next move of the agent or the replay when it is due.
    fn continue_playing(&mut self) {
        let due = self.mode == Mode::Automatic && Instant::now() >= self.next;
        if !due || self.session.is_busy() {
            return;
        }
        let request = match (self.replay, SPEEDS[self.pace]) {
            (true, _) => Request::Redo,
            (false, 0) => Request::Run(FRAME),
            (false, _) => Request::Step,
        };
        self.session.send(request);
        self.next = Instant::now() + self.pause();
    }

    fn pause(&self) -> Duration {
        match SPEEDS[self.pace] {
            0 => Duration::ZERO,
            speed => Duration::from_millis(1000 / speed),
        }
    }

    /// How long to wait for a key before the next frame.
    fn timeout(&self) -> Duration {
        if self.session.is_busy() {
            return Duration::from_millis(5);
        }
        match self.mode {
            Mode::Automatic => self.next.saturating_duration_since(Instant::now()),
            Mode::Manual | Mode::Paused => Duration::from_millis(500),
        }
    }

    /// Handles a key; false to quit.
    fn key(&mut self, key: KeyEvent) -> bool {
        if std::mem::take(&mut self.help) {
            return !matches!(key.code, KeyCode::Char('q'));
        }
        self.note = None;
        if self.mode == Mode::Manual {
            let mut pointer = self.pointer;
            match pointer.key(key.code, &self.view) {
                Action::Play(number) => {
                    // While a request is pending, the board shown may be out of date.
                    if !self.session.is_busy() {
                        self.session.send(Request::Play(number));
                    }
                    return true;
                }
                Action::Refuse(why) => {
                    self.note = Some(why.to_owned());
                    return true;
                }
                Action::Point => {
                    self.pointer = pointer;
                    return true;
                }
                Action::None => {}
            }
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('h' | 'H') => {
                self.wants_hints = !self.wants_hints;
                self.session.send(Request::Hints(self.wants_hints));
            }
            KeyCode::Char('a') if !self.replay => {
                self.mode = if self.mode == Mode::Manual { Mode::Automatic } else { Mode::Manual };
                self.next = Instant::now();
            }
            KeyCode::Char(' ' | 'p') => match self.mode {
                Mode::Automatic => self.mode = Mode::Paused,
                Mode::Paused => self.mode = Mode::Automatic,
                Mode::Manual => {}
            },
            KeyCode::Char('n' | '.') => {
                self.pause_agent();
                self.session.send(if self.replay { Request::Redo } else { Request::Step });
            }
            KeyCode::Char('+' | '=') => self.pace = (self.pace + 1).min(SPEEDS.len() - 1),
            KeyCode::Char('-' | '_') => self.pace = self.pace.saturating_sub(1),
            KeyCode::Char(']') => self.change_depth(1),
            KeyCode::Char('[') => self.change_depth(-1),
            KeyCode::Char('u' | 'U') | KeyCode::Backspace => {
                self.pause_agent();
                self.session.send(Request::Undo);
            }
            KeyCode::Char('r' | 'R') => {
                self.pause_agent();
                self.session.send(Request::Redo);
            }
            KeyCode::Char('N') if !self.replay => {
                self.session.send(Request::New(self.view.seed + 1));
            }
            #[cfg(debug_assertions)]
            KeyCode::F(12) if std::env::var_os("AFTERSTATE_TEST_PANIC").is_some() => {
                panic!("requested by a test: the terminal must be restored");
            }
            _ => {}
        }
        true
    }

    fn pause_agent(&mut self) {
        if self.mode == Mode::Automatic {
            self.mode = Mode::Paused;
        }
    }

    /// Searches a ply deeper or less deep.
    fn change_depth(&mut self, change: i32) {
        let plies = match self.search.depth {
            Depth::Plies(plies) => plies,
            // A depth without a number of plies becomes one.
            _ => 1,
        };
        let plies = plies.saturating_add_signed(change).clamp(1, 5);
        self.search.depth = Depth::Plies(plies);
        self.session.send(Request::Search(self.search));
    }
}
