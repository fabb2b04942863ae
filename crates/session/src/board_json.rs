//! Boards in JSON, as other programs keep them: turned into the text that every game reads.

use serde::Deserialize;
use serde_json::Value;

/// A board in JSON: its rows, or an object with the pieces at hand.
#[derive(Deserialize)]
#[serde(untagged)]
enum Board {
    Rows(Vec<Row>),
    Object {
        board: Vec<Row>,
        #[serde(default, alias = "piece", alias = "hand")]
        pieces: Pieces,
    },
}

/// A row as text, or as numbers: the tiles of 2048, or 0 and 1.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Text(String),
    Cells(Vec<u64>),
}

/// The pieces at hand: their names in one text or in several.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Pieces {
    #[default]
    None,
    One(String),
    All(Vec<String>),
}

/// A board in JSON that has none of the known forms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the board is {0}: expected rows such as [[2,0,4,0],...] or [\"#..#\",...], or an object such as \
     {{\"pieces\":\"T\",\"board\":[\"#..#\",...]}}"
)]
pub struct BoardJsonError(String);

/// The text of a board that may be JSON; other text is returned as it is.
pub fn text(board: String) -> Result<String, BoardJsonError> {
    if !board.trim_start().starts_with(['[', '{']) {
        return Ok(board);
    }
    let value: Value = serde_json::from_str(&board)
        .map_err(|error| BoardJsonError(format!("not JSON ({error})")))?;
    let board: Board = serde_json::from_value(value)
        .map_err(|_| BoardJsonError("JSON of another form".to_owned()))?;
    let (rows, pieces) = match board {
        Board::Rows(rows) => (rows, Pieces::None),
        Board::Object { board, pieces } => (board, pieces),
    };
    let pieces = match pieces {
        Pieces::None => None,
        Pieces::One(piece) => Some(piece),
        Pieces::All(pieces) => Some(pieces.join(" ")),
    };
    // Numbers beside a piece are full and empty cells, alone they are tiles.
    let well = pieces.is_some();
    let row = |row: Row| match row {
        Row::Text(text) => text,
        Row::Cells(cells) if well => {
            cells.iter().map(|&cell| if cell == 0 { '.' } else { '#' }).collect()
        }
        Row::Cells(cells) => {
            let tile = |&cell: &u64| if cell == 0 { ".".to_owned() } else { cell.to_string() };
            cells.iter().map(tile).collect::<Vec<_>>().join(" ")
        }
    };
    let rows = rows.into_iter().map(row);
    Ok(pieces.into_iter().chain(rows).collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_every_form() {
        for (json, expected) in [
            ("[[2,0],[0,4]]", "2 .|. 4"),
            (r#" ["2 .", ". 4"]"#, "2 .|. 4"),
            (r#"{"piece":"T","board":[".##.",".###"]}"#, "T|.##.|.###"),
            (r#"{"hand":["1x5","2x2"],"board":[[1,0],[0,0]]}"#, "1x5 2x2|#.|.."),
            ("2 .|. 4", "2 .|. 4"),
        ] {
            assert_eq!(text(json.to_owned()).unwrap(), expected);
        }
        for wrong in ["[[2,", "{}", r#"{"board":3}"#, "[[-1]]", "[{}]"] {
            let error = text(wrong.to_owned()).unwrap_err().to_string();
            assert!(error.contains("expected rows such as"), "{wrong}: {error}");
        }
    }
}
