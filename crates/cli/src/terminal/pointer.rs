//! `Pointer`: the placement that a person selects with the keys, and the move it stands for.

use afterstate_games::picture::Kind;
use afterstate_games::twenty48::Slide;
use afterstate_session::{Offer, View};
use ratatui::crossterm::event::KeyCode;

/// A piece of the hand, its rotation, and its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) piece: usize,
    pub(crate) turn: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Plays the legal move with this index.
    Play(usize),
    /// Nothing, for this reason.
    Refuse(&'static str),
    /// Moves the pointer.
    Point,
    /// Nothing: the key has no meaning for the pointer.
    None,
}

impl Pointer {
    /// A pointer in the middle of the board.
    pub(crate) fn of(view: &View) -> Pointer {
        let mut pointer = Pointer::default();
        let scene = &view.scene;
        if let Some(shape) = scene.hand.first().and_then(|figure| figure.turns.first()) {
            pointer.column = (scene.width - shape.width().min(scene.width)) / 2;
            pointer.row = match scene.kind {
                Kind::Blocks => (scene.height - shape.height().min(scene.height)) / 2,
                Kind::Tiles | Kind::Well => 0,
            };
        }
        pointer
    }

    /// The pointer after a move: unrotated, and within the board.
    pub(crate) fn after_move(mut self, view: &View) -> Pointer {
        self.turn = 0;
        if view.scene.kind == Kind::Well {
            return Pointer::of(view);
        }
        self.within(view)
    }

    /// Applies a key.
    pub(crate) fn key(&mut self, key: KeyCode, view: &View) -> Action {
        match view.scene.kind {
            Kind::Tiles => slide(key, view),
            Kind::Well => self.in_well(key, view),
            Kind::Blocks => self.on_blocks(key, view),
        }
    }

    fn in_well(&mut self, key: KeyCode, view: &View) -> Action {
        match key {
            KeyCode::Left => self.column = self.column.saturating_sub(1),
            KeyCode::Right => self.column += 1,
            KeyCode::Up => {
                let turns = view.scene.hand.first().map_or(1, |figure| figure.turns.len());
                self.turn = (self.turn + 1) % turns.max(1);
            }
            KeyCode::Down | KeyCode::Enter | KeyCode::Char(' ') => return self.play(view),
            _ => return Action::None,
        }
        *self = self.within(view);
        Action::Point
    }

    fn on_blocks(&mut self, key: KeyCode, view: &View) -> Action {
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
                    return Action::Refuse("the hand has no such piece");
                }
                self.piece = piece;
            }
            KeyCode::Enter | KeyCode::Char(' ') => return self.play(view),
            _ => return Action::None,
        }
        *self = self.within(view);
        Action::Point
    }

    fn play(&self, view: &View) -> Action {
        match self.selected(view) {
            Some((number, _)) => Action::Play(number),
            None if view.finished => Action::Refuse("the game is over"),
            None => Action::Refuse("the piece does not fit there"),
        }
    }

    /// The legal move at the pointer, with its index.
    pub(crate) fn selected<'a>(&self, view: &'a View) -> Option<(usize, &'a Offer)> {
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

    /// The cells that the piece would cover at the pointer, whether it fits or not.
    pub(crate) fn covers(&self, view: &View) -> Vec<usize> {
        let scene = &view.scene;
        let figure = scene.hand.get(self.piece).and_then(|figure| figure.turns.get(self.turn));
        let Some(shape) = figure else { return Vec::new() };
        let cell =
            |&(row, column): &(usize, usize)| (self.row + row) * scene.width + self.column + column;
        shape.cells().iter().map(cell).filter(|&cell| cell < scene.cells.len()).collect()
    }

    /// The nearest pointer within the board.
    fn within(mut self, view: &View) -> Pointer {
        let scene = &view.scene;
        self.piece = self.piece.min(scene.hand.len().saturating_sub(1));
        let shape = scene.hand.get(self.piece).and_then(|figure| figure.turns.get(self.turn));
        if let Some(shape) = shape {
            self.column = self.column.min(scene.width.saturating_sub(shape.width()));
            self.row = self.row.min(scene.height.saturating_sub(shape.height()));
        }
        self
    }
}

fn slide(key: KeyCode, view: &View) -> Action {
    let direction = match key {
        KeyCode::Up => Slide::Up,
        KeyCode::Right => Slide::Right,
        KeyCode::Down => Slide::Down,
        KeyCode::Left => Slide::Left,
        _ => return Action::None,
    };
    let found = view.options.iter().position(|offer| offer.mark.slide == Some(direction));
    match found {
        Some(number) => Action::Play(number),
        None if view.finished => Action::Refuse("the game is over"),
        None => Action::Refuse("no tile can slide that way"),
    }
}
