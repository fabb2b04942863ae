//! The two text forms of piece sets: on one line of a spec, or drawn in a file.

use afterstate_core::TextError;
use afterstate_core::text::{parse_number, strip_bom};

use super::{MAX_TOTAL_WEIGHT, Piece, check_name, check_set};
use crate::shape::Shape;

/// Parses a piece set in either form.
///
/// On one line, pieces are joined by `+` and each is `name:rows*weight`; name and weight are
/// optional. In a file, pieces are drawn and separated by blank lines, with an optional line
/// `name weight` above each; `;` starts a comment.
///
/// ```
/// use afterstate_games::pieces::parse_pieces;
/// let set = parse_pieces("dot:#*2+##/##").unwrap();
/// assert_eq!((set[0].name.as_str(), set[0].weight), ("dot", 2));
/// assert_eq!((set[1].name.as_str(), set[1].weight), ("p2", 1));
/// let drawn = parse_pieces("dot 2 ; the smallest\n#\n\n##\n##\n").unwrap();
/// assert_eq!(drawn, set);
/// ```
pub fn parse_pieces(text: &str) -> Result<Vec<Piece>, TextError> {
    let text = strip_bom(text);
    let is_file = text.trim().contains(['\n', ';']);
    let pieces = if is_file { parse_drawn(text)? } else { parse_line(text)? };
    check_set(&pieces)?;
    Ok(pieces)
}

/// The one-line form of a set, the inverse of [`parse_pieces`].
pub fn pieces_text(pieces: &[Piece]) -> String {
    let each = pieces.iter().map(|p| match p.weight {
        1 => format!("{}:{}", p.name, p.shape),
        weight => format!("{}:{}*{weight}", p.name, p.shape),
    });
    each.collect::<Vec<_>>().join("+")
}

fn parse_line(text: &str) -> Result<Vec<Piece>, TextError> {
    let several = text.contains('+');
    let parse_one = |(i, text): (usize, &str)| {
        let (text, weight) = text.rsplit_once('*').unwrap_or((text, "1"));
        let (name, rows) = match text.split_once(':') {
            Some((name, rows)) => (name.to_owned(), rows),
            None => (automatic_name(i), text),
        };
        let parsed = parse_weight(weight).and_then(|w| Ok((w, Shape::parse(rows.trim())?)));
        match parsed {
            Ok((weight, shape)) => Ok(Piece { name, weight, shape }),
            Err(error) if several => Err(error.in_part(format!("piece {name}"))),
            Err(error) => Err(error),
        }
    };
    text.trim().split('+').enumerate().map(parse_one).collect()
}

/// A line of a file without its comment, trimmed.
struct Line<'a> {
    /// Counted from 0.
    number: usize,
    /// The number of blanks before the text.
    indent: usize,
    text: &'a str,
}

impl Line<'_> {
    fn is_row(&self) -> bool {
        self.text.chars().all(|c| "#.".contains(c))
    }
}

fn parse_drawn(text: &str) -> Result<Vec<Piece>, TextError> {
    let mut pieces = Vec::new();
    let mut piece: Vec<Line<'_>> = Vec::new();
    for (number, whole) in text.lines().chain([""]).enumerate() {
        let (drawn, comment) = match whole.split_once(';') {
            Some((drawn, _)) => (drawn, true),
            None => (whole, false),
        };
        let text = drawn.trim();
        if !text.is_empty() {
            let indent = drawn.chars().take_while(|c| c.is_whitespace()).count();
            piece.push(Line { number, indent, text });
        } else if !comment && !piece.is_empty() {
            // A line with only a comment does not separate pieces.
            pieces.push(parse_piece(&piece, pieces.len())?);
            piece.clear();
        }
    }
    Ok(pieces)
}

/// One drawn piece: its name and weight, unless the first line is a row, then its rows.
fn parse_piece(lines: &[Line<'_>], number: usize) -> Result<Piece, TextError> {
    let (heading, rows) = match lines {
        [heading, rows @ ..] if !heading.is_row() => (Some(heading), rows),
        rows => (None, rows),
    };
    let (name, weight) = match heading {
        Some(line) => parse_heading(line.text).map_err(|error| error.in_line(line.number))?,
        None => (automatic_name(number), 1),
    };
    let drawn: Vec<&str> = rows.iter().map(|row| row.text).collect();
    let in_file = |error: TextError| match (error.row().and_then(|row| rows.get(row)), lines) {
        (Some(row), _) => {
            let column = row.indent + error.column().unwrap_or(0);
            error.in_line(row.number).in_column(column)
        }
        (None, [first, ..]) => error.in_line(first.number),
        (None, []) => error,
    };
    Ok(Piece { name, weight, shape: Shape::from_rows(&drawn).map_err(in_file)? })
}

fn parse_heading(text: &str) -> Result<(String, u32), TextError> {
    let mut words = text.split_whitespace();
    let (name, weight, more) = (words.next().unwrap_or(""), words.next(), words.next());
    if more.is_some() {
        return Err(TextError::new(format!("{text:?}"), "a name and a weight"));
    }
    check_name(name)?;
    Ok((name.to_owned(), weight.map_or(Ok(1), parse_weight)?))
}

/// The name of an unnamed piece, by its position in the set.
fn automatic_name(position: usize) -> String {
    format!("p{}", position + 1)
}

fn parse_weight(text: &str) -> Result<u32, TextError> {
    let weight = parse_number(text.trim()).filter(|weight| (1..=MAX_TOTAL_WEIGHT).contains(weight));
    weight.ok_or_else(|| {
        TextError::new(format!("weight {text:?}"), format!("1 to {MAX_TOTAL_WEIGHT}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_round_trip() {
        let line = "dot:#+corner:##/#.*3";
        let set = parse_pieces(line).unwrap();
        assert_eq!(pieces_text(&set), line);
        for drawn in [
            "dot\n#\n\n; a comment\ncorner 3\n##\n#.\n",
            "\u{feff}dot 1\r\n  #\r\n\r\n\r\ncorner 3\r\n  ##\r\n  #.",
            "; two pieces\n\ndot ; small\n; one cell\n#\n\n corner 3\n ## ; above\n; between\n #.",
        ] {
            assert_eq!(parse_pieces(drawn).unwrap(), set, "{drawn:?}");
        }
        assert_eq!(parse_pieces("\u{feff}dot:#+corner:##/#.*3\n").unwrap(), set);
        assert_eq!(parse_pieces("# ; one row").unwrap(), parse_pieces("#").unwrap());
    }

    #[test]
    fn errors_of_invalid_sets() {
        for (text, said) in [
            ("", "a piece needs at least one cell '#'"),
            ("a:#+a:##", "two pieces are named \"a\""),
            (
                "a b:#",
                "found a piece named \"a b\", expected a name of letters, digits, '-' and '_'",
            ),
            ("#*0", "found weight \"0\", expected 1 to 65536"),
            ("#*65536+##", "the piece weights sum to 65537: expected at most 65536"),
            ("\n\n\n", "a piece needs at least one cell '#'"),
            ("dot:#/x", "row 2, column 1: found 'x', expected '#' or '.'"),
        ] {
            assert_eq!(parse_pieces(text).unwrap_err().to_string(), said, "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_piece_of_several_on_one_line() {
        for (text, said) in [
            ("dot:#+ell:#./#x", "piece ell: row 2, column 2: found 'x', expected '#' or '.'"),
            ("#+", "piece p2: a piece needs at least one cell '#'"),
            ("#+b:##*01", "piece b: found weight \"01\", expected 1 to 65536"),
        ] {
            assert_eq!(parse_pieces(text).unwrap_err().to_string(), said, "{text:?}");
        }
    }

    #[test]
    fn errors_in_a_file_name_its_line() {
        for (text, said) in [
            ("a\n#x\n", "line 2, column 2: found 'x', expected '#' or '.'"),
            (
                "a\n#\n\n; b comes next\nb 2\n  ##\n  #x ; wrong\n",
                "line 7, column 4: found 'x', expected '#' or '.'",
            ),
            ("#\n\na 0\n#\n", "line 3: found weight \"0\", expected 1 to 65536"),
            ("#\n\na +2\n#\n", "line 3: found weight \"+2\", expected 1 to 65536"),
            ("#\n\ndot 2 3\n#\n", "line 3: found \"dot 2 3\", expected a name and a weight"),
            ("#\n\n\n...\n...\n", "line 4: a piece needs at least one cell '#'"),
            ("#\n\nname 2\n\n#", "line 3: a piece needs at least one cell '#'"),
            (
                "##\n#.\n\n#y\n##\n",
                "line 4: found a piece named \"#y\", expected a name of letters, digits, '-' and '_'",
            ),
            ("a\n#\n\nb\n###########", "line 5, column 11: a piece has at most 10x10 cells"),
        ] {
            assert_eq!(parse_pieces(text).unwrap_err().to_string(), said, "{text:?}");
        }
    }
}
