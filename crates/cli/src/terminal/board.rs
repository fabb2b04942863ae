//! Boards in a terminal: the largest cells that fit, with or without colours.

use afterstate_games::picture::{Figure, Kind, Scene};
use afterstate_render::palette::{self, BEST_MOVE, Color, ILLEGAL, UNKNOWN_PIECE, WHITE};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::colors::Colors;

/// Marks drawn over a board, by cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    /// The cells that the piece at the pointer would cover.
    pub(crate) ghost: Vec<usize>,
    /// Whether that is a legal move.
    pub(crate) fits: bool,
    /// The cells that the best move would cover.
    pub(crate) best: Vec<usize>,
    /// The cells that the last move or its chance outcome filled.
    pub(crate) fresh: Vec<usize>,
    /// The selected piece of the hand.
    pub(crate) piece: Option<usize>,
}

/// A board and the size of its cells in columns and rows of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board<'a> {
    scene: &'a Scene,
    cell: (u16, u16),
    colors: Colors,
}

/// Rows of the hand below its board: the pieces and their numbers.
const HAND_ROWS: u16 = 6;

impl<'a> Board<'a> {
    /// The board with the largest cells that fit; `None` if none do.
    pub(crate) fn fitting(scene: &'a Scene, room: (u16, u16), colors: Colors) -> Option<Board<'a>> {
        let sizes: &[(u16, u16)] = match scene.kind {
            Kind::Tiles => &[(14, 7), (10, 5), (8, 3), (6, 1)],
            Kind::Well => &[(4, 2), (2, 1)],
            Kind::Blocks => &[(4, 2), (2, 1)],
        };
        let boards = sizes.iter().map(|&cell| Board { scene, cell, colors });
        boards.into_iter().find(|board| {
            let (width, height) = board.size();
            width <= room.0 && height <= room.1
        })
    }

    /// The size of a board with the smallest cells.
    pub(crate) fn min_size(scene: &Scene) -> (u16, u16) {
        let cell = if scene.kind == Kind::Tiles { (6, 1) } else { (2, 1) };
        Board { scene, cell, colors: Colors::None }.size()
    }

    /// Columns and rows, frame and hand included.
    pub(crate) fn size(&self) -> (u16, u16) {
        let (width, height) = (self.scene.width as u16, self.scene.height as u16);
        let hand = if self.scene.kind == Kind::Blocks { HAND_ROWS } else { 0 };
        (width * self.cell.0 + 2, height * self.cell.1 + 2 + hand)
    }

    /// Draws the board with its top left corner at `(x, y)`.
    pub(crate) fn draw(&self, (x, y): (u16, u16), overlay: &Overlay, buffer: &mut Buffer) {
        let (width, height) = (self.scene.width as u16, self.scene.height as u16);
        let (across, down) = (width * self.cell.0, height * self.cell.1);
        self.frame(Rect { x, y, width: across + 2, height: down + 2 }, buffer);
        for (number, &cell) in self.scene.cells.iter().enumerate() {
            let (row, column) = (number as u16 / width, number as u16 % width);
            let place = Rect {
                x: x + 1 + column * self.cell.0,
                y: y + 1 + row * self.cell.1,
                width: self.cell.0,
                height: self.cell.1,
            };
            match self.scene.kind {
                Kind::Tiles => self.tile(place, cell, overlay.fresh.contains(&number), buffer),
                Kind::Well | Kind::Blocks => self.block(place, number, cell, overlay, buffer),
            }
        }
        if self.scene.kind == Kind::Blocks {
            self.hand((x, y + down + 2), overlay, buffer);
        }
    }

    fn frame(&self, area: Rect, buffer: &mut Buffer) {
        let line = |ends: [char; 3]| {
            let middle = ends[1].to_string().repeat(usize::from(area.width) - 2);
            format!("{}{middle}{}", ends[0], ends[2])
        };
        let style = Style::default().add_modifier(Modifier::DIM);
        let last = area.y + area.height - 1;
        // A well is open at its top.
        let top =
            if self.scene.kind == Kind::Well { ['│', ' ', '│'] } else { ['┌', '─', '┐'] };
        buffer.set_string(area.x, area.y, line(top), style);
        buffer.set_string(area.x, last, line(['└', '─', '┘']), style);
        for y in area.y + 1..last {
            buffer.set_string(area.x, y, "│", style);
            buffer.set_string(area.x + area.width - 1, y, "│", style);
        }
    }

    fn tile(&self, place: Rect, power: u8, fresh: bool, buffer: &mut Buffer) {
        let text = match power {
            0 if self.colors.any() => String::new(),
            0 => "·".to_owned(),
            power => (1u64 << power.min(63)).to_string(),
        };
        let color = palette::cell(Kind::Tiles, power);
        let mut style = Style::default();
        if self.colors.any() {
            let letters = palette::text_on(color);
            style = style.bg(self.colors.nearest(color)).fg(self.colors.nearest(letters));
            // A gap between tiles, if the cells are large enough.
            let between = self.colors.nearest(palette::board(Kind::Tiles));
            fill(buffer, place, ' ', Style::default().bg(between));
            let inner = Rect { width: place.width - 1, height: place.height, ..place };
            let inner =
                if place.height > 2 { Rect { height: place.height - 1, ..inner } } else { inner };
            fill(buffer, inner, ' ', style);
            return label(buffer, inner, &text, bold(style, power > 0, fresh));
        }
        fill(buffer, place, ' ', style);
        label(buffer, place, &text, bold(style, power > 0, fresh));
    }

    fn block(&self, place: Rect, number: usize, cell: u8, overlay: &Overlay, buffer: &mut Buffer) {
        // Boards are dark in a terminal; a chequered background separates the cells.
        let kind = Kind::Well;
        let (row, column) = (number / self.scene.width, number % self.scene.width);
        let dark = if (row + column) % 2 == 0 { 0.0 } else { 0.08 };
        let empty = palette::mix(palette::cell(kind, 0), WHITE, dark);
        let ghost = overlay.ghost.contains(&number);
        let best = overlay.best.contains(&number);
        if cell != 0 {
            let color = palette::cell(kind, cell);
            let clash = ghost && !overlay.fits;
            let shown = if clash { palette::mix(color, ILLEGAL, 0.6) } else { color };
            let fresh = overlay.fresh.contains(&number);
            let sign = if clash {
                '╳'
            } else if fresh && !self.colors.any() {
                '▓'
            } else {
                '█'
            };
            let edge = palette::mix(shown, WHITE, if fresh { 0.35 } else { 0.0 });
            fill(buffer, place, sign, self.style(edge, empty));
        } else if ghost {
            let hand = overlay.piece.and_then(|piece| self.scene.hand.get(piece));
            let own = hand.map_or(UNKNOWN_PIECE, |figure| palette::cell(kind, figure.number + 1));
            let color = if overlay.fits { own } else { ILLEGAL };
            let sign = if overlay.fits { '▒' } else { '╳' };
            fill(buffer, place, sign, self.style(color, empty));
        } else if best {
            fill(buffer, place, '░', self.style(BEST_MOVE, empty));
        } else {
            fill(buffer, place, ' ', self.style(empty, empty));
            if !self.colors.any() {
                let (x, y) = (place.x + place.width / 2, place.y + place.height / 2);
                buffer.set_string(x, y, "·", Style::default().add_modifier(Modifier::DIM));
            }
        }
    }

    /// The pieces of the hand in a row, numbered.
    fn hand(&self, (x, y): (u16, u16), overlay: &Overlay, buffer: &mut Buffer) {
        let slots = self.scene.hand.len().max(1) as u16;
        let slot = (self.size().0 / slots).max(1);
        for (number, figure) in self.scene.hand.iter().enumerate() {
            let left = x + number as u16 * slot;
            let chosen = overlay.piece == Some(number);
            let style = if chosen { Style::new().reversed() } else { Style::new() };
            buffer.set_string(left + 1, y, format!(" {} {} ", number + 1, figure.name), style);
            self.figure(figure, 0, (left + 1, y + 1), self.scene.kind, buffer);
        }
    }

    /// A piece in the smallest cells.
    pub(crate) fn figure(
        &self,
        figure: &Figure,
        turn: usize,
        (x, y): (u16, u16),
        kind: Kind,
        buffer: &mut Buffer,
    ) {
        let Some(shape) = figure.turns.get(turn) else { return };
        let color = palette::cell(kind, figure.number + 1);
        let style = Style::default().fg(self.colors.nearest(color));
        for &(row, column) in shape.cells() {
            let (x, y) = (x + 2 * column as u16, y + row as u16);
            if buffer.area.contains((x + 1, y).into()) {
                buffer.set_string(x, y, "██", style);
            }
        }
    }

    fn style(&self, front: Color, back: Color) -> Style {
        if !self.colors.any() {
            return Style::default();
        }
        Style::default().fg(self.colors.nearest(front)).bg(self.colors.nearest(back))
    }
}

fn bold(style: Style, filled: bool, fresh: bool) -> Style {
    let style = if filled { style.add_modifier(Modifier::BOLD) } else { style };
    if fresh { style.add_modifier(Modifier::UNDERLINED) } else { style }
}

fn fill(buffer: &mut Buffer, area: Rect, sign: char, style: Style) {
    let row = sign.to_string().repeat(usize::from(area.width));
    for y in area.y..area.y + area.height {
        buffer.set_string(area.x, y, &row, style);
    }
}

/// Text in the middle of an area.
fn label(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let width = text.chars().count() as u16;
    let x = area.x + area.width.saturating_sub(width) / 2;
    buffer.set_stringn(x, area.y + area.height / 2, text, usize::from(area.width), style);
}
