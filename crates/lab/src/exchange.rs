//! The text by which CS3243's two programs talk: a row a board, `#` between games.
//!
//! A row has 23 numbers: the constant 1, the 21 other features of Bertsekas & Tsitsiklis, and the
//! rows that were cleared on the way to the board; 0 for the first board of a game, the empty one.
//! The last board of a game is the one on which no piece fits any more.

use std::io::{BufRead, Write};

use afterstate_core::{Features, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::features::Bertsekas;
use afterstate_learn::lambda_pi::Trace;
use afterstate_learn::play::{Play, WeightedFeatures};

/// The features of a row, the constant with them.
pub const COLUMNS: usize = 22;

/// The boards after which the player stops, and drops the game that is under way.
pub const MAX_BOARDS: usize = 2_000;

/// Why a text is not one of games.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A row is too long or too short.
    #[error("line {line}: met {met} numbers, expected 23: the constant 1, 21 features, the reward")]
    Count {
        /// Its line, from 1.
        line: usize,
        /// Numbers.
        met: usize,
    },
    /// Something is no number.
    #[error("line {line}: met {met:?}, expected a number")]
    Number {
        /// Its line, from 1.
        line: usize,
        /// What it is.
        met: String,
    },
    /// The first number of a row.
    #[error("line {line}: met {met} first, expected the constant 1")]
    Constant {
        /// Its line, from 1.
        line: usize,
        /// What it is.
        met: f32,
    },
    /// The reward of the first row of a game.
    #[error("line {line}: met reward {met}, expected 0 for the first board of a game")]
    Reward {
        /// Its line, from 1.
        line: usize,
        /// What it is.
        met: f32,
    },
    /// Weights are too few, too many or no numbers.
    #[error("met {met}, expected 22 numbers with spaces between them")]
    Weights {
        /// What they are.
        met: String,
    },
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// Reads weights: 22 numbers with spaces between them.
pub fn parse_weights(text: &str) -> Result<Vec<f64>, ExchangeError> {
    let wrong = |met: String| ExchangeError::Weights { met };
    let read = |word: &str| match word.parse::<f64>() {
        Ok(weight) if weight.abs() <= 1e30 => Ok(weight),
        _ => Err(wrong(format!("{:?}", word.chars().take(40).collect::<String>()))),
    };
    let weights: Vec<f64> = text.split_whitespace().map(read).collect::<Result<_, _>>()?;
    if weights.len() == COLUMNS {
        Ok(weights)
    } else {
        Err(wrong(format!("{} weights", weights.len())))
    }
}

/// Plays at most so many games of the standard well by weights, and gives each that ended in time.
/// Returns how many boards there were in all, those of the dropped game with them.
pub fn play<E>(
    games: u64,
    weights: &[f64],
    seed: u64,
    max_boards: usize,
    mut ended: impl FnMut(&Trace) -> Result<(), E>,
) -> Result<usize, E> {
    let game = Tetris::standard();
    let features = Bertsekas::new(game.setup().width);
    let narrow: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
    let weighing = WeightedFeatures { features: &features, reward: 1.0, weights: &narrow };
    let mut out = vec![0.0; features.names().len()];
    let mut boards = 0;
    for number in 0..games {
        let mut play = Play::new(&game, Rng::stream(seed, number));
        let mut trace = Trace::new(COLUMNS);
        // The empty board: the constant and no heights.
        let mut empty = [0.0; COLUMNS];
        empty[0] = 1.0;
        trace.add(&empty, 0.0);
        while !play
            .advance_watched(&game, &weighing, 1, &mut out, |row, reward| trace.add(row, reward))
        {
            if boards + trace.len() > max_boards {
                return Ok(boards + trace.len());
            }
        }
        boards += trace.len();
        if boards > max_boards {
            return Ok(boards);
        }
        ended(&trace)?;
    }
    Ok(boards)
}

/// Writes a game; `first` unless another stands before it.
pub fn write(trace: &Trace, first: bool, to: &mut impl Write) -> std::io::Result<()> {
    if !first {
        writeln!(to, "#")?;
    }
    for (features, reward) in trace.rows() {
        for feature in features {
            write!(to, "{feature} ")?;
        }
        writeln!(to, "{reward}")?;
    }
    Ok(())
}

/// Reads games, and gives each of them.
pub fn read(from: impl BufRead, mut game: impl FnMut(&Trace)) -> Result<(), ExchangeError> {
    let mut trace = Trace::new(COLUMNS);
    for (number, line) in from.lines().enumerate() {
        let (line, number) = (line?, number + 1);
        if line.trim() == "#" {
            if !trace.is_empty() {
                game(&trace);
            }
            trace.clear();
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let row = parse_row(&line, number)?;
        let (reward, features) = (row[COLUMNS], &row[..COLUMNS]);
        if features[0] != 1.0 {
            return Err(ExchangeError::Constant { line: number, met: features[0] });
        }
        if trace.is_empty() && reward != 0.0 {
            return Err(ExchangeError::Reward { line: number, met: reward });
        }
        trace.add(features, reward);
    }
    if !trace.is_empty() {
        game(&trace);
    }
    Ok(())
}

fn parse_row(text: &str, line: usize) -> Result<Vec<f32>, ExchangeError> {
    let read = |word: &str| match word.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(ExchangeError::Number { line, met: word.chars().take(40).collect() }),
    };
    let row: Vec<f32> = text.split_whitespace().map(read).collect::<Result<_, _>>()?;
    match row.len() {
        met if met == COLUMNS + 1 => Ok(row),
        met => Err(ExchangeError::Count { line, met }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The notes' own example, two games of three boards.
    const EXAMPLE: &str = "\
1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 0
1 0 18 13 11 1 16 5 20 18 20 19 2 16 19 17 8 2 6 19 9 12 2
1 9 5 3 12 1 3 21 0 11 14 6 10 18 10 5 2 6 1 3 3 1 1
#
1 10 2 4 17 21 6 7 11 6 15 11 11 6 1 6 4 13 11 16 10 10 0
1 13 15 4 10 14 13 13 6 9 0 4 8 9 7 3 11 17 10 12 8 18 4
1 7 18 10 3 11 1 0 8 17 0 4 17 13 0 17 6 16 8 0 16 8 0
";

    #[test]
    fn the_example_reads_and_writes_back() {
        let mut text = Vec::new();
        let mut games = 0;
        read(EXAMPLE.as_bytes(), |trace| {
            assert_eq!(trace.len(), 3);
            write(trace, games == 0, &mut text).unwrap();
            games += 1;
        })
        .unwrap();
        assert_eq!((games, String::from_utf8(text).unwrap().as_str()), (2, EXAMPLE));
    }

    #[test]
    fn wrong_texts_name_their_line() {
        let said = |text: &str| read(text.as_bytes(), |_| {}).unwrap_err().to_string();
        let cut = EXAMPLE.replace(" 1 1\n#", " 1\n#");
        assert_eq!(
            said(&cut),
            "line 3: met 22 numbers, expected 23: the constant 1, 21 features, the reward"
        );
        assert_eq!(
            said(&EXAMPLE.replace("17 21 6", "17 x 6")),
            "line 5: met \"x\", expected a number"
        );
        assert_eq!(
            said(&EXAMPLE.replace("17 21 6", "17 NaN 6")),
            "line 5: met \"NaN\", expected a number"
        );
        assert_eq!(
            said(&EXAMPLE.replace("1 13 15", "2 13 15")),
            "line 6: met 2 first, expected the constant 1"
        );
        let first = EXAMPLE.replace("16 10 10 0", "16 10 10 3");
        assert_eq!(said(&first), "line 5: met reward 3, expected 0 for the first board of a game");
    }

    #[test]
    fn games_that_do_not_end_in_time_are_dropped() {
        let weights = vec![0.0; COLUMNS];
        let mut rows = 0;
        let all = play::<ExchangeError>(1_000, &weights, 1, 200, |trace| {
            rows += trace.len();
            Ok(())
        });
        assert_eq!((all.unwrap(), rows <= 200 && rows > 100), (201, true), "{rows}");
        let error = parse_weights("1 2 NaN").unwrap_err().to_string();
        assert_eq!(error, "met \"NaN\", expected 22 numbers with spaces between them");
        let error = parse_weights("1 2").unwrap_err().to_string();
        assert_eq!(error, "met 2 weights, expected 22 numbers with spaces between them");
    }
}
