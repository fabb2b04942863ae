//! `Pointer`: where a person points with the keys, and which move that is.

use afterstate_games::picture::Kind;
use afterstate_lab::sitting::{Offer, View};
use ratatui::crossterm::event::KeyCode;

use afterstate_games::picture::Direction;

/// Which piece, how it is turned, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) piece: usize,
    pub(crate) turn: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Makes the move with a number.
    Make(usize),
    /// Says something.
    Refuse(&'static str),
    /// Only points elsewhere.
    Point,
    /// Nothing.
    None,
}

impl Pointer {
    /// A pointer in the middle of the board.
    pub(crate) fn of(view: &View) -> Pointer {
        let mut pointer = Pointer::default();
        let scene = &view.scene;
        if let Some(outline) = scene.hand.first().and_then(|figure| figure.turns.first()) {
            pointer.column = (scene.width - outline.width.min(scene.width)) / 2;
            pointer.row = match scene.kind {
                Kind::Blocks => (scene.height - outline.height.min(scene.height)) / 2,
                Kind::Tiles | Kind::Well => 0,
            };
        }
        pointer
    }

    /// The same after the board has changed: the piece is another.
    pub(crate) fn moved_on(mut self, view: &View) -> Pointer {
        self.turn = 0;
        if view.scene.kind == Kind::Well {
            return Pointer::of(view);
        }
        self.within(view)
    }

    /// What a key does on a board.
    pub(crate) fn key(&mut self, key: KeyCode, view: &View) -> Act {
        match view.scene.kind {
            Kind::Tiles => slide(key, view),
            Kind::Well => self.in_well(key, view),
            Kind::Blocks => self.on_blocks(key, view),
        }
    }

    fn in_well(&mut self, key: KeyCode, view: &View) -> Act {
        match key {
            KeyCode::Left => self.column = self.column.saturating_sub(1),
            KeyCode::Right => self.column += 1,
            KeyCode::Up => {
                let turns = view.scene.hand.first().map_or(1, |figure| figure.turns.len());
                self.turn = (self.turn + 1) % turns.max(1);
            }
            KeyCode::Down | KeyCode::Enter | KeyCode::Char(' ') => return self.make(view),
            _ => return Act::None,
        }
        *self = self.within(view);
        Act::Point
    }

    fn on_blocks(&mut self, key: KeyCode, view: &View) -> Act {
        let pieces = view.scene.hand.len().max(1);
        match key {
            KeyCode::Left => self.column = self.column.saturating_sub(1),
            KeyCode::Right => self.column += 1,
            KeyCode::Up => self.row = self.row.saturating_sub(1),
            KeyCode::Down => self.row += 1,
            KeyCode::Tab => self.piece = (self.piece + 1) % pieces,
            KeyCode::Char(digit @ '1'..='9') => {
                let piece = digit as usize - '1' as usize;
                if piece >= pieces {
                    return Act::Refuse("there is no such piece in the hand");
                }
                self.piece = piece;
            }
            KeyCode::Enter | KeyCode::Char(' ') => return self.make(view),
            _ => return Act::None,
        }
        *self = self.within(view);
        Act::Point
    }

    fn make(&self, view: &View) -> Act {
        match self.pointed(view) {
            Some((number, _)) => Act::Make(number),
            None if view.over => Act::Refuse("the game is over"),
            None => Act::Refuse("it does not fit there"),
        }
    }

    /// The move that is pointed at, if it is one.
    pub(crate) fn pointed<'a>(&self, view: &'a View) -> Option<(usize, &'a Offer)> {
        let number = view.scene.hand.get(self.piece)?.number;
        let same = |offer: &Offer| {
            let piece = offer.mark.piece.and_then(|piece| view.scene.hand.get(piece));
            let here = view.scene.kind == Kind::Well || offer.mark.row == self.row as i32;
            piece.is_some_and(|piece| piece.number == number)
                && here
                && (offer.mark.turn, offer.mark.column) == (self.turn, self.column)
        };
        view.options.iter().enumerate().find(|(_, offer)| same(offer))
    }

    /// The cells that the piece would cover where it is pointed, whether it fits or not.
    pub(crate) fn covers(&self, view: &View) -> Vec<usize> {
        let scene = &view.scene;
        let figure = scene.hand.get(self.piece).and_then(|figure| figure.turns.get(self.turn));
        let Some(outline) = figure else { return Vec::new() };
        let cell =
            |&(row, column): &(usize, usize)| (self.row + row) * scene.width + self.column + column;
        outline.cells.iter().map(cell).filter(|&cell| cell < scene.cells.len()).collect()
    }

    /// The nearest place that lies on the board.
    fn within(mut self, view: &View) -> Pointer {
        let scene = &view.scene;
        self.piece = self.piece.min(scene.hand.len().saturating_sub(1));
        let outline = scene.hand.get(self.piece).and_then(|figure| figure.turns.get(self.turn));
        if let Some(outline) = outline {
            self.column = self.column.min(scene.width.saturating_sub(outline.width));
            self.row = self.row.min(scene.height.saturating_sub(outline.height));
        }
        self
    }
}

fn slide(key: KeyCode, view: &View) -> Act {
    let direction = match key {
        KeyCode::Up => Direction::Up,
        KeyCode::Right => Direction::Right,
        KeyCode::Down => Direction::Down,
        KeyCode::Left => Direction::Left,
        _ => return Act::None,
    };
    let found = view.options.iter().position(|offer| offer.mark.slide == Some(direction));
    match found {
        Some(number) => Act::Make(number),
        None if view.over => Act::Refuse("the game is over"),
        None => Act::Refuse("nothing would move"),
    }
}
