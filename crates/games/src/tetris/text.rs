//! The text form of Tetris: the pieces on the first row, then the well, `#` for a full cell.

use afterstate_core::text::{LEGAL, column_name, count, parse_column, parse_number, rows};
use afterstate_core::{Text, TextError};

use super::{After, Board, Overflow, Placement, State, Tetris};
use crate::pieces::NO_PIECE;

impl Text for Tetris {
    fn state_text(&self, state: &State) -> String {
        let name = |piece: u8| self.piece_name(piece);
        let hand = match state.next {
            Some(next) => format!("{} {}", name(state.piece), name(next)),
            None => name(state.piece).to_owned(),
        };
        format!("{hand}\n{}", self.board_text(&state.board))
    }

    fn parse_state(&self, text: &str) -> Result<State, TextError> {
        let (hand, board) = self.parse_hand_and_board(text)?;
        let (piece, next) = match (hand[..].first(), hand.get(1), self.setup().preview) {
            (Some(&piece), None, false) => (piece, None),
            (Some(&piece), Some(&next), true) if hand.len() == 2 => (piece, Some(next)),
            (_, _, preview) => {
                let found = format!("{} pieces on the first line", hand.len());
                let expected = if preview { "2: the piece and the next one" } else { "1" };
                return Err(TextError::new(found, expected));
            }
        };
        Ok(State { board, piece, next })
    }

    fn after_text(&self, after: &After) -> String {
        let hand = after.next.map_or(NO_PIECE, |piece| self.piece_name(piece));
        format!("{hand}\n{}", self.board_text(&after.board))
    }

    fn parse_after(&self, text: &str) -> Result<After, TextError> {
        let (hand, board) = self.parse_hand_and_board(text)?;
        match (&hand[..], self.setup().preview) {
            ([], false) => Ok(After { board, next: None }),
            ([next], true) => Ok(After { board, next: Some(*next) }),
            (_, preview) => {
                let found = format!("{} pieces on the first line", hand.len());
                Err(TextError::new(found, if preview { "the next piece" } else { "'-'" }))
            }
        }
    }

    fn move_text(&self, mv: Placement) -> String {
        format!("{}{}", column_name(usize::from(mv.column)), mv.orientation + 1)
    }

    /// A column letter and the number of an orientation; the default is the first.
    fn parse_move(&self, state: &State, text: &str) -> Result<Placement, TextError> {
        let form = self.form(state.piece);
        let (width, turns) = (self.setup().width, form.orientations.len());
        let error = || {
            let last = column_name(width - 1);
            let expected =
                format!("a column from a to {last} and an orientation from 1 to {turns}");
            TextError::new(format!("{:?}", text.trim()), expected)
        };
        let mut letters = text.trim().chars();
        let column = letters.next().and_then(|c| parse_column(c.to_ascii_lowercase(), width));
        let column = column.ok_or_else(error)? as u8;
        let orientation = match letters.as_str() {
            "" => 1,
            digits => parse_number(digits).ok_or_else(error)?,
        };
        if !(1..=turns).contains(&orientation) {
            return Err(error());
        }
        Ok(Placement { orientation: orientation as u8 - 1, column })
    }

    fn why_illegal(&self, state: &State, mv: Placement) -> String {
        let form = self.form(state.piece);
        let clause = match form.stamp(mv) {
            Some(stamp) if self.well.allows(&state.board, stamp) => LEGAL,
            Some(_) if self.setup().overflow == Overflow::ClearFirst => {
                "the piece would stand above the top even after full rows clear"
            }
            Some(_) => "the piece would stand above the top",
            None if usize::from(mv.orientation) < form.orientations.len() => {
                "the piece would stick out of the well"
            }
            None => {
                let (name, number) = (self.piece_name(state.piece), usize::from(mv.orientation));
                return format!("piece {name} has no orientation {}", number + 1);
            }
        };
        clause.to_owned()
    }

    fn move_help(&self) -> String {
        "Drop the piece: the letter of the column for its left edge, then the number of its \
         orientation, as in b2."
            .to_owned()
    }

    /// The well over its column letters, the piece, its orientations over their numbers, and the
    /// next piece if it is known.
    fn drawing(&self, state: &State) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.board_text(&state.board).lines().map(|row| format!("|{row}|")));
        let letters: String = (0..self.setup().width).map(column_name).collect();
        lines.push(format!("+{}+", "-".repeat(self.setup().width)));
        lines.push(format!(" {letters}"));
        lines.push(String::new());
        lines.push(format!("piece: {}", self.piece_name(state.piece)));
        lines.extend(self.orientations_drawn(state.piece));
        if let Some(next) = state.next {
            lines.push(format!("next: {}", self.piece_name(next)));
        }
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

impl Tetris {
    fn piece_name(&self, piece: u8) -> &str {
        &self.setup().pieces[usize::from(piece)].name
    }

    /// The orientations of a piece side by side, each over its number.
    fn orientations_drawn(&self, piece: u8) -> Vec<String> {
        let form = self.form(piece);
        let mut lines = Vec::new();
        for row in (0..form.tallest).rev() {
            let cell = |cells: u32| if cells >> row & 1 != 0 { '#' } else { ' ' };
            let drawn = form.orientations.iter().map(|orientation| {
                let columns = orientation.columns[..orientation.width].iter();
                columns.map(|&cells| cell(cells)).collect::<String>()
            });
            lines.push(drawn.map(|row| format!(" {row:<6}")).collect());
        }
        let numbers = (1..=form.orientations.len()).map(|number| format!(" {number:<6}"));
        lines.push(numbers.collect());
        lines
    }

    fn board_text(&self, board: &Board) -> String {
        let cell = |row, column| if board.get(row, column) { '#' } else { '.' };
        let line = |row| (0..self.setup().width).map(move |column| cell(row, column));
        (0..self.setup().height)
            .rev()
            .map(|row| line(row).chain(['\n']).collect::<String>())
            .collect()
    }

    fn parse_hand_and_board(&self, text: &str) -> Result<(Vec<u8>, Board), TextError> {
        let lines = rows(text);
        let Some((first, drawn)) = lines.split_first() else {
            let expected = "a line of pieces, then the rows of the well";
            return Err(TextError::new("no text", expected));
        };
        let mut hand = Vec::new();
        for word in first.split_whitespace().filter(|&word| word != NO_PIECE) {
            let pieces = &self.setup().pieces;
            let piece = pieces.iter().position(|piece| piece.name == word).ok_or_else(|| {
                let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
                let expected = format!("one of {}", names.join(", "));
                TextError::new(format!("piece {word:?}"), expected)
            })?;
            hand.push(piece as u8);
        }
        Ok((hand, self.parse_board(drawn)?))
    }

    /// Rows from the top; empty rows at the top may be omitted.
    fn parse_board(&self, lines: &[&str]) -> Result<Board, TextError> {
        let (width, height) = (self.setup().width, self.setup().height);
        if lines.len() > height {
            return Err(TextError::new(count(lines.len(), "row"), format!("at most {height}")));
        }
        let mut board = Board::default();
        for (number, line) in lines.iter().enumerate() {
            let row = lines.len() - 1 - number;
            let cells = line.chars().count();
            if cells != width {
                return Err(TextError::new(count(cells, "cell"), width).in_row(number));
            }
            for (column, letter) in line.chars().enumerate() {
                match letter {
                    '#' => board = board.with(row, column),
                    '.' => {}
                    other => {
                        let error = TextError::new(format!("{other:?}"), "'#' or '.'");
                        return Err(error.in_row(number).in_column(column));
                    }
                }
            }
            if self.well.full_rows(&board) >> row & 1 != 0 {
                let message = "the row is full: full rows clear at once";
                return Err(TextError::sentence(message).in_row(number));
            }
        }
        Ok(board)
    }
}
