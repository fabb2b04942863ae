//! The text form of 1010!: the piece names of the hand, then the rows of the board.

use afterstate_core::text::{self, LEGAL, column_name, parse_column, parse_number, rows};
use afterstate_core::{Text, TextError};

use super::board::Board;
use super::hand::Hand;
use super::rules::{After, Placement, State, TenTen};
use crate::pieces::NO_PIECE;

impl TenTen {
    fn drawn(&self, board: Board, hand: Hand) -> String {
        let mut text = self.names(hand.pieces());
        if hand.is_empty() {
            text.push_str(NO_PIECE);
        }
        text.push('\n');
        for row in 0..self.height() {
            for column in 0..self.width() {
                let filled = board.get(row * self.width() + column);
                text.push(if filled { '#' } else { '.' });
            }
            text.push('\n');
        }
        text
    }

    fn names(&self, pieces: impl Iterator<Item = u8>) -> String {
        let names = pieces.map(|piece| self.pieces[usize::from(piece)].name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Parses a board below a hand of `min` to `max` pieces.
    fn parse(&self, text: &str, min: usize, max: usize) -> Result<(Board, Hand), TextError> {
        let rows = rows(text);
        let (first, rows) = rows.split_first().unwrap_or((&"", &[]));
        let hand = self.parse_hand(first, min, max)?;
        Ok((self.parse_board(rows)?, hand))
    }

    fn parse_hand(&self, row: &str, min: usize, max: usize) -> Result<Hand, TextError> {
        if row.is_empty() {
            return Err(TextError::new("no text", "the hand above the board"));
        }
        let row = if row == NO_PIECE { "" } else { row };
        let count = row.split_whitespace().count();
        if !(min..=max).contains(&count) {
            let pieces = if count == 1 { "piece" } else { "pieces" };
            let expected = match max {
                0 => format!("none, written {NO_PIECE}"),
                max if max == min => format!("{max}"),
                _ => format!("{min} to {max}"),
            };
            let found = format!("{count} {pieces} above the board");
            return Err(TextError::new(found, expected));
        }
        let mut hand = Hand::EMPTY;
        for name in row.split_whitespace() {
            hand = hand.with(self.parse_piece(name)?);
        }
        Ok(hand)
    }

    fn parse_piece(&self, name: &str) -> Result<u8, TextError> {
        let number = self.pieces.iter().position(|piece| piece.name == name);
        number.map(|number| number as u8).ok_or_else(|| {
            let all = self.names(0..self.pieces.len() as u8);
            TextError::new(format!("piece {name:?}"), format!("one of {all}"))
        })
    }

    fn parse_board(&self, rows: &[&str]) -> Result<Board, TextError> {
        if rows.len() != self.height() {
            let found = format!("{} rows below the hand", rows.len());
            return Err(TextError::new(found, self.height()));
        }
        let mut bits = 0;
        for (r, row) in rows.iter().enumerate() {
            let mut count = 0;
            for (c, letter) in row.chars().enumerate() {
                count += 1;
                match letter {
                    '.' => {}
                    '#' if c < self.width() => bits |= 1 << (r * self.width() + c),
                    '#' => {}
                    other => {
                        let error = TextError::new(format!("{other:?}"), "'.' or '#'");
                        return Err(error.in_row(r).in_column(c));
                    }
                }
            }
            if count != self.width() {
                let error = TextError::new(text::count(count, "cell"), self.width());
                return Err(error.in_row(r));
            }
        }
        self.board(bits).ok_or_else(|| self.full_line(bits))
    }

    /// The error of the first full line of a board.
    fn full_line(&self, bits: u128) -> TextError {
        let lines = self.grid.full_lines(bits);
        if lines.rows != 0 {
            let row = lines.rows.trailing_zeros() as usize / self.width();
            TextError::sentence("the row is full: full lines clear at once").in_row(row)
        } else {
            let column = lines.columns.trailing_zeros() as usize;
            TextError::sentence("the column is full: full lines clear at once").in_column(column)
        }
    }

    /// Parses a cell such as `b3`.
    fn parse_square(&self, text: &str) -> Result<(usize, usize), TextError> {
        let parsed = || {
            let mut letters = text.chars();
            let column = parse_column(letters.next()?, self.width())?;
            let row = parse_number(letters.as_str())?;
            (1..=self.height()).contains(&row).then(|| (row - 1, column))
        };
        parsed().ok_or_else(|| {
            let last = self.square(self.height() - 1, self.width() - 1);
            let expected = format!("a column and a row from a1 to {last}");
            TextError::new(format!("{text:?}"), expected)
        })
    }

    fn square(&self, row: usize, column: usize) -> String {
        format!("{}{}", column_name(column), row + 1)
    }
}

impl Text for TenTen {
    fn state_text(&self, state: &State) -> String {
        self.drawn(state.board, state.hand)
    }

    fn parse_state(&self, text: &str) -> Result<State, TextError> {
        let (board, hand) = self.parse(text, 1, usize::from(self.hand()))?;
        Ok(State { board, hand })
    }

    fn after_text(&self, after: &After) -> String {
        self.drawn(after.board, after.hand)
    }

    fn parse_after(&self, text: &str) -> Result<After, TextError> {
        let (board, hand) = self.parse(text, 0, usize::from(self.hand()) - 1)?;
        Ok(After { board, hand })
    }

    fn move_text(&self, mv: Placement) -> String {
        let at = usize::from(mv.at);
        let square = self.square(at / self.width(), at % self.width());
        format!("{}@{square}", self.pieces[usize::from(mv.piece)])
    }

    fn parse_move(&self, state: &State, text: &str) -> Result<Placement, TextError> {
        let text = text.trim();
        let mut choice = state.hand.distinct();
        let (piece, square) = match (text.split_once('@'), choice.next(), choice.next()) {
            (Some((name, square)), ..) => (self.parse_piece(name)?, square),
            (None, Some(only), None) => (only, text),
            _ => {
                let found = format!("{text:?} without a piece");
                let expected = format!("one of {} before an @", self.names(state.hand.distinct()));
                return Err(TextError::new(found, expected));
            }
        };
        if !state.hand.has(piece) {
            let (name, hand) = (self.names([piece].into_iter()), self.names(state.hand.distinct()));
            let message = format!("piece {name} is not in the hand, which has {hand}");
            return Err(TextError::sentence(message));
        }
        let (row, column) = self.parse_square(square)?;
        let shape = self.shape_of(piece);
        let (down, across) = (self.height() - shape.height(), self.width() - shape.width());
        if row > down || column > across {
            let last = self.square(down, across);
            let message =
                format!("the piece would reach over the edge: its corner is from a1 to {last}");
            return Err(TextError::sentence(message));
        }
        Ok(Placement { piece, at: (row * self.width() + column) as u8 })
    }

    fn why_illegal(&self, state: &State, mv: Placement) -> String {
        let Some(piece) = self.pieces.get(usize::from(mv.piece)) else {
            return "there is no such piece".to_owned();
        };
        if !state.hand.has(mv.piece) {
            return format!("piece {piece} is not in the hand");
        }
        let fits = |board| {
            let origins = self.origins(board, mv.piece);
            usize::from(mv.at) < self.cells() && origins >> mv.at & 1 == 1
        };
        let clause = if fits(state.board) {
            LEGAL
        } else if fits(Board::EMPTY) {
            "a cell there is filled"
        } else {
            "the piece would reach over the edge"
        };
        clause.to_owned()
    }

    fn move_help(&self) -> String {
        let example = self.pieces.first().map_or("", |piece| &piece.name);
        format!(
            "Write a piece, @ and the top-left corner of its box, such as {example}@a1: columns \
             are letters from the left, rows are numbers from the top, and the piece may be left \
             out when the hand holds one kind only."
        )
    }

    /// The board with its column letters and row numbers, and the pieces of the hand below it.
    fn drawing(&self, state: &State) -> String {
        let letters: String = (0..self.width()).map(column_name).collect();
        let mut lines = vec![format!("    {letters}")];
        for row in 0..self.height() {
            let cell =
                |column| if state.board.get(row * self.width() + column) { '#' } else { '.' };
            let cells: String = (0..self.width()).map(cell).collect();
            lines.push(format!("{:>3} {cells}", row + 1));
        }
        lines.push(String::new());
        let hand: Vec<u8> = state.hand.pieces().collect();
        let tallest = hand.iter().map(|&piece| self.shape_of(piece).height()).max().unwrap_or(0);
        for row in 0..tallest {
            let drawn = hand.iter().map(|&piece| {
                let shape = self.shape_of(piece);
                let cell = |column| if shape.cells().contains(&(row, column)) { '#' } else { ' ' };
                format!("{:<8}", (0..shape.width()).map(cell).collect::<String>())
            });
            lines.push(format!("    {}", drawn.collect::<String>()));
        }
        let names =
            hand.iter().map(|&piece| format!("{:<8}", self.pieces[usize::from(piece)].name));
        lines.push(format!("    {}", names.collect::<String>()));
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}
