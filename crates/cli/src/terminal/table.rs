//! `Table`: a game in a terminal, by hand, by an agent or from a replay.

use std::time::{Duration, Instant};

use afterstate_games::picture::Kind;
use afterstate_games::spec::GameSpec;
use afterstate_lab::sitting::{Hints, Partner, Sitting, View};
use afterstate_search::{Depth, Search};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::board::{Board, Overlay};
use super::colors::Colors;
use super::dealer::{Ask, Dealer, Standing};
use super::hand::{Act, Pointer};
use super::panel::{self, Mode};
use super::screen::{Happening, Screen};
use crate::output::grouped;

/// Columns of the panel beside the board, where there is room, and where there is little.
const PANELS: [u16; 2] = [30, 18];

/// Moves a second; 0 is as fast as the agent can.
const SPEEDS: [u64; 9] = [1, 2, 4, 8, 15, 30, 60, 250, 0];

/// How long an agent at full speed plays between two looks.
const GLIMPSE: Duration = Duration::from_millis(40);

/// What to begin with.
pub(crate) struct Start {
    pub(crate) rules: GameSpec,
    pub(crate) sitting: Sitting,
    pub(crate) partner: Partner,
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
        let mode = if start.watch || start.replay { Mode::Watch } else { Mode::Hand };
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

    /// Plays until the person has had enough; returns how it stands then.
    pub(crate) fn play(mut self, screen: &mut Screen) -> anyhow::Result<View> {
        loop {
            screen.draw(|frame| self.draw(frame))?;
            if let Some(standing) = self.dealer.answer(Duration::ZERO) {
                self.take(standing);
                continue;
            }
            self.keep_playing();
            match screen.wait(self.patience())? {
                Happening::Key(key) => {
                    if !self.key(key) {
                        return Ok(self.view);
                    }
                }
                Happening::Stop => return Ok(self.view),
                Happening::Resized | Happening::Nothing => {}
            }
            if self.dealer.is_busy()
                && let Some(standing) = self.dealer.answer(Duration::from_millis(2))
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
        if ended && self.mode == Mode::Watch {
            self.mode = Mode::Paused;
        }
    }

    /// Lets the agent go on when it is time.
    fn keep_playing(&mut self) {
        let due = self.mode == Mode::Watch && Instant::now() >= self.next;
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
            Mode::Watch => self.next.saturating_duration_since(Instant::now()),
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
                self.mode = if self.mode == Mode::Hand { Mode::Watch } else { Mode::Hand };
                self.next = Instant::now();
            }
            KeyCode::Char(' ' | 'p') => match self.mode {
                Mode::Watch => self.mode = Mode::Paused,
                Mode::Paused => self.mode = Mode::Watch,
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
        if self.mode == Mode::Watch {
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

    fn draw(&self, frame: &mut Frame) {
        let area = frame.area();
        let (width, height) = (area.width, area.height);
        // A row above for the game, one below for the keys.
        let rows = height.saturating_sub(2);
        let fitting = |across: u16, down: u16| {
            let room = (width.saturating_sub(across), rows.saturating_sub(down));
            Board::fitting(&self.view.scene, room, self.colors)
        };
        // Beside the board, or below it in three rows.
        let beside = PANELS.into_iter().find_map(|panel| Some((fitting(panel, 0)?, panel)));
        let Some((board, panel)) = beside.or_else(|| Some((fitting(0, 3)?, 0))) else {
            return self.too_small(frame);
        };
        self.title(frame);
        let (across, down) = board.size();
        let left = (width - across - panel) / 2;
        board.draw((left, 1), &self.overlay(), frame.buffer_mut());
        let room = if panel > 0 {
            let (x, height) = (left + across + 2, rows.saturating_sub(1));
            Rect { x, y: 2, width: panel - 2, height }
        } else {
            Rect { x: left, y: down + 1, width: width - left, height: rows.saturating_sub(down) }
        };
        self.panel(frame, room, &board);
        self.footer(frame);
        if self.help {
            self.help(frame);
        }
    }

    fn title(&self, frame: &mut Frame) {
        let area = Rect { height: 1, ..frame.area() };
        let who = match (self.mode, self.replay) {
            (Mode::Hand, _) => "by hand".to_owned(),
            (_, true) => "replay".to_owned(),
            (_, false) => format!("agent {}", self.agent),
        };
        let text = format!(" {}  seed {}  {who}", self.view.game, self.view.seed);
        let style = Style::default().add_modifier(Modifier::REVERSED);
        frame.render_widget(Paragraph::new(text).style(style), area);
    }

    fn panel(&self, frame: &mut Frame, room: Rect, board: &Board) {
        if room.width == 0 || room.height == 0 {
            return;
        }
        let mut lines = panel::about(&self.view);
        lines.push(Line::from(self.pace_text()));
        if let Some(note) = &self.note {
            lines.push(Line::from(note.clone()));
        }
        let mut used = lines.len() as u16 + 1;
        frame.render_widget(Paragraph::new(Text::from(lines)).wrap(Wrap { trim: true }), room);
        if self.view.scene.kind == Kind::Well && room.height > used + 5 {
            self.pieces(
                frame,
                Rect { y: room.y + used, height: room.height - used, ..room },
                board,
            );
            used += 6;
        }
        if let Some(hints) = &self.hints
            && room.height > used + 1
        {
            let area = Rect { y: room.y + used, height: room.height - used, ..room };
            let lines = panel::hints(hints, usize::from(area.height), usize::from(area.width));
            frame.render_widget(Paragraph::new(Text::from(lines)), area);
        }
    }

    /// The piece to drop, as it is turned, and the next one.
    fn pieces(&self, frame: &mut Frame, room: Rect, board: &Board) {
        let scene = &self.view.scene;
        let buffer = frame.buffer_mut();
        if let Some(figure) = scene.hand.first() {
            buffer.set_string(room.x, room.y, format!("piece {}", figure.name), Style::default());
            board.figure(figure, self.pointer.turn, (room.x, room.y + 1), scene.kind, buffer);
        }
        if let Some(next) = &scene.next {
            buffer.set_string(room.x + 12, room.y, format!("next {}", next.name), Style::default());
            board.figure(next, 0, (room.x + 12, room.y + 1), scene.kind, buffer);
        }
    }

    fn pace_text(&self) -> String {
        let busy =
            if self.dealer.is_busy() && self.mode != Mode::Watch { ", thinking" } else { "" };
        let speed = match (SPEEDS[self.pace], self.speed) {
            (0, Some(speed)) => format!("{} moves/s", grouped(speed as u64)),
            (0, None) => "as fast as it can".to_owned(),
            (1, _) => "1 move/s".to_owned(),
            (speed, _) => format!("{speed} moves/s"),
        };
        match self.mode {
            Mode::Hand => format!("your move{busy}"),
            Mode::Watch => speed,
            Mode::Paused => format!("paused ({speed}){busy}"),
        }
    }

    fn footer(&self, frame: &mut Frame) {
        let all = frame.area();
        let area = Rect { y: all.height.saturating_sub(1), height: 1, ..all };
        let keys = panel::keys(self.view.scene.kind, self.mode, self.replay);
        let style = Style::default().add_modifier(Modifier::DIM);
        frame.render_widget(Paragraph::new(format!(" {keys}")).style(style), area);
    }

    fn help(&self, frame: &mut Frame) {
        let lines = panel::help(self.view.scene.kind);
        let all = frame.area();
        let (width, height) = (48.min(all.width), (lines.len() as u16 + 2).min(all.height));
        let (x, y) = ((all.width - width) / 2, (all.height - height) / 2);
        let area = Rect { x, y, width, height };
        frame.render_widget(Clear, area);
        let block = Block::bordered().title(" keys ");
        frame.render_widget(Paragraph::new(Text::from(lines)).block(block), area);
    }

    fn too_small(&self, frame: &mut Frame) {
        let area = frame.area();
        let (width, height) = Board::least(&self.view.scene);
        let text = format!(
            "The terminal has {}x{} characters, this game needs {}x{}. q quits.",
            area.width,
            area.height,
            width + PANELS[1],
            height + 2
        );
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    }

    fn overlay(&self) -> Overlay {
        let scene = &self.view.scene;
        let best = self.hints.as_ref().and_then(|hints| hints.moves.iter().find(|hint| hint.best));
        let best = best.and_then(|hint| self.view.options.get(hint.number));
        let mut overlay = Overlay {
            best: best.map_or_else(Vec::new, |offer| offer.mark.covers.clone()),
            ..Overlay::default()
        };
        if let Some(last) = &self.view.last {
            overlay.fresh = match scene.kind {
                Kind::Tiles => last.dealt.clone(),
                _ if last.mark.clears.is_empty() => last.mark.covers.clone(),
                _ => Vec::new(),
            };
        }
        if self.mode == Mode::Hand && scene.kind != Kind::Tiles && !self.view.over {
            let pointed = self.pointer.pointed(&self.view);
            overlay.fits = pointed.is_some();
            overlay.piece = Some(self.pointer.piece);
            overlay.ghost = match pointed {
                Some((_, offer)) => offer.mark.covers.clone(),
                None => self.pointer.covers(&self.view),
            };
        }
        overlay
    }
}
