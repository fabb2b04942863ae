//! A sitting as a drawing: the board, what is in hand, and how it stands.

use std::f64::consts::FRAC_PI_2;

use afterstate_games::picture::{Figure, Kind};

use super::palette::{self, BRIGHT, GREY, INK, PAPER};
use crate::drawing::{Color, Font, Mark, Point, Sheet, plain};
use crate::numbers::whole;
use crate::sitting::View;

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Pixels of a cell.
    pub cell: f64,
    /// Pieces that there is room for beside the board, so that all drawings of a game have one size.
    pub slots: usize,
}

impl Style {
    /// What suits a kind of board.
    pub fn of(view: &View) -> Style {
        let cell = match view.scene.kind {
            Kind::Tiles => 72.0,
            Kind::Well => 22.0,
            Kind::Blocks => 28.0,
        };
        Style { cell, slots: view.scene.hand.len() }
    }
}

/// A moment of a film: a view, or what happens between two.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The position.
    pub view: View,
    /// Cells that are about to go away.
    pub bright: Vec<usize>,
    /// Cells that have just been filled.
    pub fresh: Vec<usize>,
}

impl Shot {
    /// A position as it is.
    pub fn of(view: View) -> Shot {
        let last = view.last.as_ref();
        let fresh = match view.scene.kind {
            Kind::Tiles => last.map(|last| last.dealt.clone()),
            // Where something was cleared, the cells of the piece have moved or gone.
            Kind::Well | Kind::Blocks => {
                last.filter(|last| last.mark.clears.is_empty()).map(|last| last.mark.covers.clone())
            }
        };
        Shot { fresh: fresh.unwrap_or_default(), bright: Vec::new(), view }
    }

    /// The moment at which the move that led to `after` has filled lines, and they are still there.
    pub fn between(before: &View, after: &View) -> Option<Shot> {
        let mark = &after.last.as_ref()?.mark;
        if mark.clears.is_empty() {
            return None;
        }
        let mut view = View { score: after.score, moves: after.moves, ..before.clone() };
        let piece = view.scene.hand.get(mark.piece?)?.number + 1;
        mark.covers.iter().for_each(|&cell| view.scene.cells[cell] = piece);
        view.scene.hand.remove(mark.piece?);
        Some(Shot { view, bright: mark.clears.clone(), fresh: Vec::new() })
    }
}

struct Page {
    unit: f64,
    marks: Vec<Mark>,
}

/// Draws a moment.
pub fn sheet(shot: &Shot, style: &Style) -> Sheet {
    let (scene, unit) = (&shot.view.scene, style.cell);
    let (across, down) = (scene.width as f64 * unit, scene.height as f64 * unit);
    let gap = (unit * 0.1).clamp(1.5, 8.0);
    let margin = 14.0;
    let width = (across + gap).max(190.0) + 2.0 * margin;
    let hand = hand_height(shot, style);
    let (header, well) = (40.0, scene.kind == Kind::Well);
    let top = margin + header + if well { hand } else { 0.0 };
    let below = if well { 0.0 } else { hand };
    let height = top + down + gap + below + margin;
    let left = (width - across - gap) / 2.0;
    let mut page = Page { unit, marks: Vec::new() };
    page.rectangle((0.0, 0.0), (width, height), 0.0, PAPER);
    page.heading(&shot.view, margin, width);
    let room = Room { left, top, width: across + gap, height: down + gap, gap };
    page.board(shot, &room);
    if well {
        page.well_hand(shot, &room, margin + header);
    } else if style.slots > 0 {
        page.hand(&scene.hand, &room, style.slots, top + down + gap + 0.35 * unit);
    }
    if shot.view.over {
        page.ending(&shot.view, &room);
    }
    Sheet { width, height, marks: page.marks }
}

/// How much room the hand takes, up or down.
fn hand_height(shot: &Shot, style: &Style) -> f64 {
    match shot.view.scene.kind {
        Kind::Tiles => 0.0,
        Kind::Well => 3.0 * style.cell,
        Kind::Blocks => 3.0 * style.cell,
    }
}

/// The rectangle of the board.
struct Room {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    gap: f64,
}

impl Page {
    fn text(&mut self, text: &str, at: Point, anchor: f64, font: Font, color: Color) {
        self.marks.push(Mark::Text { text: plain(text), at, anchor, font, color });
    }

    fn rectangle(&mut self, at: Point, size: Point, radius: f64, color: Color) {
        let outline = rounded(at, size, radius);
        self.marks.push(Mark::Area { outline, color, opacity: 1.0 });
    }

    fn heading(&mut self, view: &View, margin: f64, width: f64) {
        let large = Font { size: 20.0, bold: true };
        let small = Font { size: 12.0, bold: false };
        let y = margin + 19.0;
        self.text(&whole(view.score), (margin, y), 0.0, large, INK);
        let unit = view.unit.split(',').next().unwrap_or_default();
        self.text(unit, (margin, y + 14.0), 0.0, small, GREY);
        let right = width - margin;
        self.text(&format!("move {}", whole(view.moves as f64)), (right, y), 1.0, small, GREY);
        let game = view.game.split(':').next().unwrap_or_default();
        self.text(game, (right, y + 14.0), 1.0, small, GREY);
    }

    fn board(&mut self, shot: &Shot, room: &Room) {
        let (scene, unit) = (&shot.view.scene, self.unit);
        let Room { left, top, gap, .. } = *room;
        let corner = (unit * 0.14).min(10.0);
        let frame = palette::board(scene.kind);
        self.rectangle((left, top), (room.width, room.height), corner, frame);
        for (number, &cell) in scene.cells.iter().enumerate() {
            let (row, column) = (number / scene.width, number % scene.width);
            let at = (left + gap + column as f64 * unit, top + gap + row as f64 * unit);
            let side = unit - gap;
            let color = palette::cell(scene.kind, cell);
            let color = if shot.bright.contains(&number) {
                palette::mixed(color, BRIGHT, 0.75)
            } else {
                color
            };
            let fresh = shot.fresh.contains(&number);
            if scene.kind == Kind::Tiles && fresh {
                let empty = palette::cell(scene.kind, 0);
                self.rectangle(at, (side, side), corner * 0.8, empty);
                let (at, side) = inner(at, side, 0.09);
                self.tile(at, side, corner * 0.8, color, cell);
            } else if scene.kind == Kind::Tiles && cell > 0 {
                self.tile(at, side, corner * 0.8, color, cell);
            } else {
                self.rectangle(at, (side, side), corner * 0.8, color);
                if fresh && cell > 0 {
                    let (at, side) = inner(at, side, 0.28);
                    self.rectangle(
                        at,
                        (side, side),
                        corner * 0.4,
                        palette::mixed(color, BRIGHT, 0.6),
                    );
                }
            }
        }
    }

    fn tile(&mut self, at: Point, side: f64, corner: f64, color: Color, power: u8) {
        self.rectangle(at, (side, side), corner, color);
        let text = (1u64 << power.min(63)).to_string();
        let part = match text.len() {
            1 | 2 => 0.5,
            3 => 0.42,
            4 => 0.34,
            5 => 0.28,
            _ => 0.23,
        };
        let font = Font { size: side * part, bold: true };
        let middle = (at.0 + side / 2.0, at.1 + side / 2.0 + font.size * 0.36);
        self.text(&text, middle, 0.5, font, palette::letters_on(color));
    }

    /// The pieces of a hand side by side, each in the middle of its slot.
    fn hand(&mut self, hand: &[Figure], room: &Room, slots: usize, top: f64) {
        let slot = room.width / slots.max(1) as f64;
        for (number, figure) in hand.iter().enumerate() {
            let middle = room.left + (number as f64 + 0.5) * slot;
            self.figure(figure, 0, (middle, top + 1.3 * self.unit), 0.5 * self.unit, Kind::Blocks);
        }
    }

    /// The piece to drop over the middle of its well, and the next one small beside it.
    fn well_hand(&mut self, shot: &Shot, room: &Room, top: f64) {
        let scene = &shot.view.scene;
        let middle = (room.left + room.width / 2.0, top + 1.35 * self.unit);
        for figure in &scene.hand {
            let flat = flattest(figure);
            self.figure(figure, flat, middle, self.unit, Kind::Well);
        }
        if let Some(next) = &scene.next {
            let at = (room.left + room.width - 1.5 * self.unit, middle.1);
            self.figure(next, flattest(next), at, 0.55 * self.unit, Kind::Well);
        }
    }

    fn figure(&mut self, figure: &Figure, turn: usize, middle: Point, unit: f64, kind: Kind) {
        let Some(outline) = figure.turns.get(turn) else { return };
        let color = palette::cell(kind, figure.number + 1);
        let gap = (unit * 0.1).max(1.0);
        let (width, height) = (outline.width as f64 * unit, outline.height as f64 * unit);
        let (left, top) = (middle.0 - width / 2.0, middle.1 - height / 2.0);
        for &(row, column) in &outline.cells {
            let at = (left + column as f64 * unit, top + row as f64 * unit);
            self.rectangle(at, (unit - gap, unit - gap), unit * 0.12, color);
        }
    }

    fn ending(&mut self, view: &View, room: &Room) {
        let band = 44.0;
        let top = room.top + (room.height - band) / 2.0;
        let outline = rounded((room.left, top), (room.width, band), 0.0);
        self.marks.push(Mark::Area { outline, color: INK, opacity: 0.85 });
        let said = if view.cut_off { "limit reached" } else { "game over" };
        let font = Font { size: 20.0, bold: true };
        let middle = (room.left + room.width / 2.0, top + band / 2.0 + 7.0);
        self.text(said, middle, 0.5, font, BRIGHT);
    }
}

/// The orientation of a piece that is wider than high.
fn flattest(figure: &Figure) -> usize {
    let heights = figure.turns.iter().enumerate();
    heights.min_by_key(|(_, outline)| outline.height).map_or(0, |(turn, _)| turn)
}

/// A square within a square.
fn inner((x, y): Point, side: f64, part: f64) -> (Point, f64) {
    ((x + side * part, y + side * part), side * (1.0 - 2.0 * part))
}

/// The outline of a rectangle with round corners.
fn rounded((x, y): Point, (width, height): Point, radius: f64) -> Vec<Point> {
    if radius < 0.5 {
        return vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
    }
    let centres = [
        (x + width - radius, y + height - radius),
        (x + radius, y + height - radius),
        (x + radius, y + radius),
        (x + width - radius, y + radius),
    ];
    let corner = |(quarter, (x, y)): (usize, Point)| {
        (0..=4).map(move |step| {
            let angle = FRAC_PI_2 * (quarter as f64 + f64::from(step) / 4.0);
            (x + radius * angle.cos(), y + radius * angle.sin())
        })
    };
    centres.into_iter().enumerate().flat_map(corner).collect()
}
