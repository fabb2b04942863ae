//! Drawing of a `GameScreen`: title, board, panel, keys.

use afterstate_games::picture::Kind;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::{GameScreen, SPEEDS};
use crate::output::grouped;
use crate::terminal::board::{Board, Overlay};
use crate::terminal::panel::{self, Mode};

/// Widths of the panel beside the board, the preferred one first.
const PANELS: [u16; 2] = [30, 18];

impl GameScreen {
    pub(super) fn draw(&self, frame: &mut Frame) {
        let area = frame.area();
        let (width, height) = (area.width, area.height);
        // One row above for the title, one below for the keys.
        let rows = height.saturating_sub(2);
        let fitting = |across: u16, down: u16| {
            let room = (width.saturating_sub(across), rows.saturating_sub(down));
            Board::fitting(&self.view.scene, room, self.colors)
        };
        // The panel stands beside the board, or below it in three rows.
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
            (Mode::Manual, _) => "by hand".to_owned(),
            (_, true) => "replay".to_owned(),
            (_, false) => format!("agent {}", self.agent),
        };
        let text = format!(" {}  seed {}  {who}", self.view.game, self.view.seed);
        frame.render_widget(Paragraph::new(text).reversed(), area);
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
            let area = Rect { y: room.y + used, height: room.height - used, ..room };
            self.pieces(frame, area, board);
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

    /// The piece to drop, as it is rotated, and the next one.
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
            if self.session.is_busy() && self.mode != Mode::Automatic { ", thinking" } else { "" };
        let speed = match (SPEEDS[self.pace], self.speed) {
            (0, Some(speed)) => format!("{} moves/s", grouped(speed as u64)),
            (0, None) => "full speed".to_owned(),
            (1, _) => "1 move/s".to_owned(),
            (speed, _) => format!("{speed} moves/s"),
        };
        match self.mode {
            Mode::Manual => format!("your move{busy}"),
            Mode::Automatic => speed,
            Mode::Paused => format!("paused ({speed}){busy}"),
        }
    }

    fn footer(&self, frame: &mut Frame) {
        let all = frame.area();
        let area = Rect { y: all.height.saturating_sub(1), height: 1, ..all };
        let keys = panel::keys(self.view.scene.kind, self.mode, self.replay);
        frame.render_widget(Paragraph::new(format!(" {keys}")).dim(), area);
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
        let (width, height) = Board::min_size(&self.view.scene);
        let text = format!(
            "The terminal has {}x{} characters, this game needs {}x{}. Press q to quit.",
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
                Kind::Tiles => last.spawned.clone(),
                _ if last.mark.clears.is_empty() => last.mark.covers.clone(),
                _ => Vec::new(),
            };
        }
        if self.mode == Mode::Manual && scene.kind != Kind::Tiles && !self.view.finished {
            let selected = self.pointer.selected(&self.view);
            overlay.fits = selected.is_some();
            overlay.piece = Some(self.pointer.piece);
            overlay.ghost = match selected {
                Some((_, offer)) => offer.mark.covers.clone(),
                None => self.pointer.covers(&self.view),
            };
        }
        overlay
    }
}
