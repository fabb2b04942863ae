//! Drawing of a board, its pieces in hand and the score above it.

use std::f64::consts::FRAC_PI_2;

use afterstate_games::picture::{Figure, Kind, Mark, Scene};

use crate::canvas::{self, Canvas, Font, Point, Typeface};
use crate::palette::{self, BACKGROUND, Color, MUTED, TEXT, WHITE};
use afterstate_core::numbers::whole;

/// A position of a game, as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The name of the game.
    pub title: String,
    /// Who plays: the agent and its search; shown below the board if known.
    pub player: Option<String>,
    /// The score, shown with its unit.
    pub score: f64,
    /// The unit of the score.
    pub unit: String,
    /// How many moves have been made.
    pub moves: u64,
    /// The board and the pieces in hand.
    pub scene: Scene,
    /// The move that led here, on the board before it.
    pub last: Option<Mark>,
    /// The cells that chance filled after that move.
    pub spawned: Vec<usize>,
    /// Text across the board of a game that has ended.
    pub banner: Option<String>,
}

/// A frame of an animation: a position, or a move that has filled lines before they are cleared.
///
/// ```
/// use afterstate_core::Text;
/// use afterstate_games::{picture::Picture, tetris::Tetris};
/// use afterstate_render::{Frame, Position};
///
/// let game = Tetris::standard();
/// let state = game.parse_state("T|#.########|##.#######")?;
/// let position = Position {
///     title: "Tetris".to_owned(),
///     player: None,
///     score: 0.0,
///     unit: "lines".to_owned(),
///     moves: 0,
///     scene: game.scene(&state),
///     last: None,
///     spawned: Vec::new(),
///     banner: None,
/// };
/// let picture = Frame::new(position).draw(None, 1);
/// assert!(picture.svg("A board").starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub(crate) position: Position,
    /// Highlighted: cells that are about to be cleared.
    clearing: Vec<usize>,
    /// Highlighted: cells that have just been filled.
    filled: Vec<usize>,
}

impl Frame {
    /// A position with the cells that its last move or chance filled.
    pub fn new(position: Position) -> Frame {
        let filled = match (position.scene.kind, &position.last) {
            (Kind::Tiles, _) => position.spawned.clone(),
            // Where lines were cleared, the cells of the piece have moved or are gone.
            (_, Some(mark)) if mark.clears.is_empty() => mark.covers.clone(),
            _ => Vec::new(),
        };
        Frame { position, clearing: Vec::new(), filled }
    }

    /// The move from one position to the next with its full lines still on the board; `None` if it
    /// clears none.
    pub fn clearing(before: &Position, after: &Position) -> Option<Frame> {
        let mark = after.last.as_ref().filter(|mark| !mark.clears.is_empty())?;
        let mut position = Position { score: after.score, moves: after.moves, ..before.clone() };
        let scene = &mut position.scene;
        let piece = scene.hand.get(mark.piece?)?.number + 1;
        mark.covers.iter().for_each(|&cell| scene.cells[cell] = piece);
        scene.hand.remove(mark.piece?);
        Some(Frame { position, clearing: mark.clears.clone(), filled: Vec::new() })
    }

    /// Draws the frame with `cell` pixels per cell, by default what suits the game, and the
    /// pieces in hand in `slots` equal columns, which stay the same over a game.
    pub fn draw(&self, cell: Option<f64>, slots: usize) -> Canvas {
        let scene = &self.position.scene;
        let cell = cell.unwrap_or(match scene.kind {
            Kind::Tiles => 72.0,
            Kind::Well => 22.0,
            Kind::Blocks => 28.0,
        });
        let (across, down) = (scene.width as f64 * cell, scene.height as f64 * cell);
        let gap = (cell * 0.1).clamp(1.5, 8.0);
        let (margin, header) = (14.0, 40.0);
        let width = (across + gap).max(190.0) + 2.0 * margin;
        let hand = if scene.kind == Kind::Tiles { 0.0 } else { 3.0 * cell };
        let (above, below) = if scene.kind == Kind::Well { (hand, 0.0) } else { (0.0, hand) };
        let top = margin + header + above;
        let footer = if self.position.player.is_some() { 20.0 } else { 0.0 };
        let height = top + down + gap + below + margin + footer;
        let left = (width - across - gap) / 2.0;
        let canvas = Canvas::new(width, height, BACKGROUND);
        let (width, height) = (across + gap, down + gap);
        let mut layout = Layout { canvas, cell, left, top, width, height, gap };
        layout.heading(&self.position, margin);
        if let Some(player) = &self.position.player {
            layout.footing(player, margin);
        }
        layout.board(self);
        if scene.kind == Kind::Well {
            layout.well_hand(scene, margin + header);
        } else if slots > 0 {
            layout.hand(&scene.hand, slots, top + down + gap + 0.35 * cell);
        }
        if let Some(banner) = &self.position.banner {
            layout.banner(banner);
        }
        layout.canvas
    }
}

/// A canvas, the size of a cell, and the rectangle of the board.
struct Layout {
    canvas: Canvas,
    cell: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    gap: f64,
}

impl Layout {
    fn rectangle(&mut self, at: Point, size: Point, radius: f64, color: Color) {
        self.canvas.polygon(rounded(at, size, radius), color, 1.0);
    }

    /// Score and unit on the left, moves and title on the right.
    fn heading(&mut self, position: &Position, margin: f64) {
        let large = Font { size: 20.0, bold: true };
        let small = Font { size: 12.0, bold: false };
        let (y, right) = (margin + 19.0, self.canvas.size().0 - margin);
        let moves = format!("move {}", whole(position.moves as f64));
        self.canvas.text(&whole(position.score), (margin, y), 0.0, large, TEXT);
        self.canvas.text(&position.unit, (margin, y + 14.0), 0.0, small, MUTED);
        self.canvas.text(&moves, (right, y), 1.0, small, MUTED);
        self.canvas.text(&position.title, (right, y + 14.0), 1.0, small, MUTED);
    }

    /// Who plays, below everything else.
    fn footing(&mut self, player: &str, margin: f64) {
        let (font, (width, height)) = (Font { size: 12.0, bold: false }, self.canvas.size());
        let room = width - 2.0 * margin;
        let fitted = Typeface::embedded().map(|typeface| typeface.fit(font, player, room));
        let text = fitted.unwrap_or_else(|_| player.to_owned());
        self.canvas.text(&text, (margin, height - margin + 2.0), 0.0, font, MUTED);
    }

    fn board(&mut self, frame: &Frame) {
        let Layout { cell: pitch, left, top, width, height, gap, .. } = *self;
        let scene = &frame.position.scene;
        let radius = (pitch * 0.14).min(10.0);
        self.rectangle((left, top), (width, height), radius, palette::board(scene.kind));
        for (number, &cell) in scene.cells.iter().enumerate() {
            let (row, column) = (number / scene.width, number % scene.width);
            let at = (left + gap + column as f64 * pitch, top + gap + row as f64 * pitch);
            let side = pitch - gap;
            let mut color = palette::cell(scene.kind, cell);
            if frame.clearing.contains(&number) {
                color = palette::mix(color, WHITE, 0.75);
            }
            let filled = frame.filled.contains(&number);
            if scene.kind == Kind::Tiles && filled {
                let empty = palette::cell(scene.kind, 0);
                self.rectangle(at, (side, side), radius * 0.8, empty);
                let (at, side) = inner(at, side, 0.09);
                self.tile(at, side, radius * 0.8, color, cell);
            } else if scene.kind == Kind::Tiles && cell > 0 {
                self.tile(at, side, radius * 0.8, color, cell);
            } else {
                self.rectangle(at, (side, side), radius * 0.8, color);
                if filled && cell > 0 {
                    let (at, side) = inner(at, side, 0.28);
                    let color = palette::mix(color, WHITE, 0.6);
                    self.rectangle(at, (side, side), radius * 0.4, color);
                }
            }
        }
    }

    fn tile(&mut self, at: Point, side: f64, radius: f64, color: Color, power: u8) {
        self.rectangle(at, (side, side), radius, color);
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
        self.canvas.text(&text, middle, 0.5, font, palette::text_on(color));
    }

    /// The pieces of a hand side by side, each centred in its slot.
    fn hand(&mut self, hand: &[Figure], slots: usize, top: f64) {
        let slot = self.width / slots.max(1) as f64;
        for (number, figure) in hand.iter().enumerate() {
            let middle = (self.left + (number as f64 + 0.5) * slot, top + 1.3 * self.cell);
            self.figure(figure, 0, middle, 0.5 * self.cell, Kind::Blocks);
        }
    }

    /// The piece to drop, centred above its well, and the next one smaller beside it.
    fn well_hand(&mut self, scene: &Scene, top: f64) {
        let middle = (self.left + self.width / 2.0, top + 1.35 * self.cell);
        for figure in &scene.hand {
            self.figure(figure, flattest(figure), middle, self.cell, Kind::Well);
        }
        if let Some(next) = &scene.next {
            let at = (self.left + self.width - 1.5 * self.cell, middle.1);
            self.figure(next, flattest(next), at, 0.55 * self.cell, Kind::Well);
        }
    }

    fn figure(&mut self, figure: &Figure, turn: usize, middle: Point, cell: f64, kind: Kind) {
        let Some(shape) = figure.turns.get(turn) else { return };
        let color = palette::cell(kind, figure.number + 1);
        let gap = (cell * 0.1).max(1.0);
        let (width, height) = (shape.width() as f64 * cell, shape.height() as f64 * cell);
        let (left, top) = (middle.0 - width / 2.0, middle.1 - height / 2.0);
        for &(row, column) in shape.cells() {
            let at = (left + column as f64 * cell, top + row as f64 * cell);
            self.rectangle(at, (cell - gap, cell - gap), cell * 0.12, color);
        }
    }

    fn banner(&mut self, text: &str) {
        let height = 44.0;
        let top = self.top + (self.height - height) / 2.0;
        let band = canvas::rectangle((self.left, top), (self.width, height));
        self.canvas.polygon(band, TEXT, 0.85);
        let font = Font { size: 20.0, bold: true };
        let middle = (self.left + self.width / 2.0, top + height / 2.0 + 7.0);
        self.canvas.text(text, middle, 0.5, font, WHITE);
    }
}

/// The orientation of the smallest height.
fn flattest(figure: &Figure) -> usize {
    let heights = figure.turns.iter().enumerate();
    heights.min_by_key(|(_, shape)| shape.height()).map_or(0, |(turn, _)| turn)
}

/// A square inset by a part of its side.
fn inner((x, y): Point, side: f64, part: f64) -> (Point, f64) {
    ((x + side * part, y + side * part), side * (1.0 - 2.0 * part))
}

/// The shape of a rectangle with rounded corners.
fn rounded((x, y): Point, (width, height): Point, radius: f64) -> Vec<Point> {
    if radius < 0.5 {
        return canvas::rectangle((x, y), (width, height));
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
