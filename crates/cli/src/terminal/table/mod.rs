//! `Table`: a game in a terminal, by hand, by an agent or from a replay.

mod draw;

use std::time::{Duration, Instant};

use afterstate_games::spec::GameSpec;
use afterstate_lab::sitting::{GameSession, Hints, LoadedAgent, Replay, View};
use afterstate_search::{Depth, Search};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::colors::Colors;
use super::dealer::{Ask, Dealer, Standing};
use super::hand::{Act, Pointer};
use super::panel::Mode;
use super::screen::{Happening, Screen};

/// Moves a second; 0 is as fast as the agent can.
const SPEEDS: [u64; 9] = [1, 2, 4, 8, 15, 30, 60, 250, 0];

/// How long an agent at full speed plays between two looks.
const GLIMPSE: Duration = Duration::from_millis(40);

/// How long the end waits for a search that is under way.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// What to begin with.
pub(crate) struct Start {
    pub(crate) rules: GameSpec,
    pub(crate) sitting: GameSession,
    pub(crate) partner: LoadedAgent,
    pub(crate) search: Search,
    /// Whether the agent begins to play.
    pub(crate) watch: bool,
    /// Whether the moves to be made again are those of a replay.
    pub(crate) replay: bool,
    pub(crate) hints: bool,
    /// Milliseconds between the moves of an agent, if somebody asked.
    pub(crate) delay: Option<u64>,
}

/// A game in the terminal.
pub(crate) struct Table {
    dealer: Dealer,
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

impl Table {
    pub(crate) fn new(start: Start) -> Table {
        let view = start.sitting.view();
        let pace = match start.delay {
            None => 3,
            Some(0) => SPEEDS.len() - 1,
            Some(delay) => {
                let wanted = 1000 / delay.min(1000);
                SPEEDS.iter().position(|&speed| speed >= wanted).unwrap_or(SPEEDS.len() - 2)
            }
        };
        let mode = if start.watch || start.replay { Mode::Observer } else { Mode::Hand };
        let agent = start.partner.name().to_owned();
        let mut table = Table {
            dealer: Dealer::start(start.rules, start.sitting, start.partner, start.search),
            pointer: Pointer::of(&view),
            view,
            hints: None,
            note: None,
            speed: None,
            agent,
            search: start.search,
            mode,
            replay: start.replay,
            wants_hints: start.hints,
            pace,
            next: Instant::now() + Duration::from_millis(500),
            help: false,
            colors: Colors::of_environment(),
        };
        if start.hints {
            table.dealer.ask(Ask::Hints(true));
        }
        table
    }

    /// Plays until the person has had enough; returns how it stands then, and the whole game.
    pub(crate) fn play(mut self, screen: &mut Screen) -> anyhow::Result<(View, Option<Replay>)> {
        self.keep_on(screen)?;
        self.dealer.ask(Ask::Replay);
        // A search under way is waited for, but not for ever.
        while let Some(standing) = self.dealer.answer(LAST_WAIT)? {
            let replay = standing.replay.is_some();
            if replay || !self.dealer.is_busy() {
                return Ok((standing.view, standing.replay));
            }
        }
        Ok((self.view, None))
    }

    fn keep_on(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        loop {
            screen.draw(|frame| self.draw(frame))?;
            if let Some(standing) = self.dealer.answer(Duration::ZERO)? {
                self.take(standing);
                continue;
            }
            self.keep_playing();
            match screen.wait(self.patience())? {
                Happening::Key(key) => {
                    if !self.key(key) {
                        return Ok(());
                    }
                }
                Happening::Stop => return Ok(()),
                Happening::Resized | Happening::Nothing => {}
            }
            if self.dealer.is_busy()
                && let Some(standing) = self.dealer.answer(Duration::from_millis(2))?
            {
                self.take(standing);
            }
        }
    }

    fn take(&mut self, standing: Standing) {
        let moved = standing.view.moves != self.view.moves || standing.view.seed != self.view.seed;
        self.view = standing.view;
        self.hints = standing.hints;
        self.note = standing.note;
        self.speed = standing.speed;
        if moved {
            self.pointer = self.pointer.moved_on(&self.view);
        }
        let ended = self.view.over || self.replay && !self.view.can_redo;
        if ended && self.mode == Mode::Observer {
            self.mode = Mode::Paused;
        }
    }

    /// Lets the agent go on when it is time.
    fn keep_playing(&mut self) {
        let due = self.mode == Mode::Observer && Instant::now() >= self.next;
        if !due || self.dealer.is_busy() {
            return;
        }
        let ask = match (self.replay, SPEEDS[self.pace]) {
            (true, _) => Ask::Redo,
            (false, 0) => Ask::Run(GLIMPSE),
            (false, _) => Ask::Step,
        };
        self.dealer.ask(ask);
        self.next = Instant::now() + self.pause();
    }

    fn pause(&self) -> Duration {
        match SPEEDS[self.pace] {
            0 => Duration::ZERO,
            speed => Duration::from_millis(1000 / speed),
        }
    }

    /// How long to wait for a key.
    fn patience(&self) -> Duration {
        if self.dealer.is_busy() {
            return Duration::from_millis(5);
        }
        match self.mode {
            Mode::Observer => self.next.saturating_duration_since(Instant::now()),
            Mode::Hand | Mode::Paused => Duration::from_millis(500),
        }
    }

    /// Does what a key says; false to quit.
    fn key(&mut self, key: KeyEvent) -> bool {
        if std::mem::take(&mut self.help) {
            return !matches!(key.code, KeyCode::Char('q'));
        }
        self.note = None;
        if self.mode == Mode::Hand {
            let mut pointer = self.pointer;
            match pointer.key(key.code, &self.view) {
                Act::Make(number) => {
                    // While another move is under way, its board is not the one that is seen.
                    if !self.dealer.is_busy() {
                        self.dealer.ask(Ask::Make(number));
                    }
                    return true;
                }
                Act::Refuse(why) => {
                    self.note = Some(why.to_owned());
                    return true;
                }
                Act::Point => {
                    self.pointer = pointer;
                    return true;
                }
                Act::None => {}
            }
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('h') => {
                self.wants_hints = !self.wants_hints;
                self.dealer.ask(Ask::Hints(self.wants_hints));
            }
            KeyCode::Char('a') if !self.replay => {
                self.mode = if self.mode == Mode::Hand { Mode::Observer } else { Mode::Hand };
                self.next = Instant::now();
            }
            KeyCode::Char(' ' | 'p') => match self.mode {
                Mode::Observer => self.mode = Mode::Paused,
                Mode::Paused => self.mode = Mode::Observer,
                Mode::Hand => {}
            },
            KeyCode::Char('n' | '.') => {
                self.pause_agent();
                self.dealer.ask(if self.replay { Ask::Redo } else { Ask::Step });
            }
            KeyCode::Char('+' | '=') => self.pace = (self.pace + 1).min(SPEEDS.len() - 1),
            KeyCode::Char('-' | '_') => self.pace = self.pace.saturating_sub(1),
            KeyCode::Char(']') => self.look(1),
            KeyCode::Char('[') => self.look(-1),
            KeyCode::Char('u') | KeyCode::Backspace => {
                self.pause_agent();
                self.dealer.ask(Ask::Undo);
            }
            KeyCode::Char('r') => {
                self.pause_agent();
                self.dealer.ask(Ask::Redo);
            }
            KeyCode::Char('N') if !self.replay => self.dealer.ask(Ask::New(self.view.seed + 1)),
            #[cfg(debug_assertions)]
            KeyCode::F(12) if std::env::var_os("AFTERSTATE_TEST_PANIC").is_some() => {
                panic!("asked to panic, to see whether the terminal is given back");
            }
            _ => {}
        }
        true
    }

    fn pause_agent(&mut self) {
        if self.mode == Mode::Observer {
            self.mode = Mode::Paused;
        }
    }

    /// Looks a ply more or less ahead.
    fn look(&mut self, more: i32) {
        let plies = match self.search.depth {
            Depth::Plies(plies) => plies,
            Depth::Known | Depth::Time(_) => 1,
        };
        let plies = plies.saturating_add_signed(more).clamp(1, 5);
        self.search = Search { depth: Depth::Plies(plies), ..self.search };
        self.dealer.ask(Ask::Search(self.search));
    }
}
