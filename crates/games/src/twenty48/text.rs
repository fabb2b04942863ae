//! The text form of 2048: rows of numbers, `.` for an empty cell.

use afterstate_core::text::{LEGAL, count, parse_number, rows};
use afterstate_core::{Game, Text, TextError};

use super::{Board, Slide, Twenty48};

impl Text for Twenty48 {
    fn state_text(&self, state: &Board) -> String {
        let cell = |row, column| match state.power(row, column) {
            0 => ".".to_owned(),
            power => (1u64 << power).to_string(),
        };
        let cells = |row| (0..self.width()).map(move |column| cell(row, column));
        let widest = (0..self.height()).flat_map(cells).map(|text| text.len()).max().unwrap_or(1);
        let line = |row| cells(row).map(|text| format!("{text:>widest$}")).collect::<Vec<_>>();
        (0..self.height()).map(|row| line(row).join(" ") + "\n").collect()
    }

    fn parse_state(&self, text: &str) -> Result<Board, TextError> {
        let lines = rows(text);
        if lines.len() != self.height() {
            return Err(TextError::new(count(lines.len(), "row"), self.height()));
        }
        let mut board = Board::default();
        for (row, line) in lines.iter().enumerate() {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if cells.len() != self.width() {
                let found = count(cells.len(), "cell");
                return Err(TextError::new(found, self.width()).in_row(row));
            }
            for (column, cell) in cells.iter().enumerate() {
                let power = self.parse_tile(cell);
                let power = power.map_err(|error| error.in_row(row).in_column(column))?;
                board = board.with(row, column, power);
            }
        }
        self.check_sum(board)?;
        Ok(board)
    }

    fn after_text(&self, after: &Board) -> String {
        self.state_text(after)
    }

    fn parse_after(&self, text: &str) -> Result<Board, TextError> {
        let board = self.parse_state(text)?;
        if self.empty_cells(board) == 0 {
            return Err(TextError::sentence("the board is full: a new tile needs an empty cell"));
        }
        Ok(board)
    }

    fn move_text(&self, mv: Slide) -> String {
        let word = match mv {
            Slide::Up => "up",
            Slide::Right => "right",
            Slide::Down => "down",
            Slide::Left => "left",
        };
        word.to_owned()
    }

    /// The word, its first letter, or the WASD key of the direction.
    fn parse_move(&self, _: &Board, text: &str) -> Result<Slide, TextError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "up" | "u" | "w" => Ok(Slide::Up),
            "right" | "r" | "d" => Ok(Slide::Right),
            "down" | "s" => Ok(Slide::Down),
            "left" | "l" | "a" => Ok(Slide::Left),
            other => Err(TextError::new(format!("{other:?}"), "up, right, down or left")),
        }
    }

    fn why_illegal(&self, state: &Board, mv: Slide) -> String {
        let clause = if self.play(state, mv).is_ok() { LEGAL } else { "nothing would move" };
        clause.to_owned()
    }

    fn move_help(&self) -> String {
        "Slide the tiles: up, right, down or left (or w, d, s, a).".to_owned()
    }

    /// The tiles in a frame.
    fn drawing(&self, state: &Board) -> String {
        let line = format!("+{}\n", "------+".repeat(self.width()));
        let cell = |row, column| match state.power(row, column) {
            0 => "      |".to_owned(),
            power => format!("{:^6}|", 1u64 << power),
        };
        let cells =
            |row| (0..self.width()).map(move |column| cell(row, column)).collect::<String>();
        let rows = (0..self.height()).map(|row| format!("|{}\n{line}", cells(row)));
        line.clone() + &rows.collect::<String>()
    }
}

impl Twenty48 {
    fn parse_tile(&self, cell: &str) -> Result<u8, TextError> {
        let largest = 1u64 << self.largest_power();
        if cell == "." || cell == "0" {
            return Ok(0);
        }
        let tile = parse_number(cell);
        let tile = tile.filter(|&n: &u64| n.is_power_of_two() && (2..=largest).contains(&n));
        tile.map(|n| n.trailing_zeros() as u8).ok_or_else(|| {
            let expected = format!("'.' or a power of two from 2 to {largest}");
            TextError::new(format!("{cell:?}"), expected)
        })
    }

    /// The reachable board with the largest sum has each tile from 4 to the largest once. With at
    /// most this sum, no later tile exceeds the largest.
    fn check_sum(&self, board: Board) -> Result<(), TextError> {
        let max = (1u64 << (self.largest_power() + 1)) - 4;
        let sum = board.sum();
        if sum > max {
            let message = format!("the tiles sum to {sum}: reachable boards sum to at most {max}");
            return Err(TextError::sentence(message));
        }
        Ok(())
    }
}
