//! The text format between the two programs of CS3243: one row per board, `#` between games.
//!
//! A row has 23 numbers: the constant 1, the 21 other features of Bertsekas & Tsitsiklis, and the
//! reward: the rows cleared by the move to the board, 0 for the first board of a game, the empty
//! one. The last board of a game is terminal.

use std::io::{BufRead, Read, Write};

use afterstate_core::{Features, Rng};
use afterstate_games::tetris::Tetris;
use afterstate_games::tetris::features::Bertsekas;
use afterstate_learn::lambda_pi::Trajectory;
use afterstate_learn::resumable_game::{ResumableGame, WeightedFeatures};

/// The number of features of a row, with the constant.
pub const COLUMNS: usize = 22;

/// The most boards of the player; it drops the game that exceeds them.
pub const MAX_BOARDS: usize = 2_000;

/// The most bytes of a line that is read, many times what 23 numbers take.
const MAX_LINE: u64 = 1 << 14;

/// The most boards of one game that are read: a gigabyte.
const MAX_GAME: usize = 10_000_000;

/// Invalid text or weights.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A row has too many or too few numbers: its line, from 1, and how many.
    #[error("line {0} has {1} numbers, expected 23: the constant 1, 21 features and the reward")]
    Count(usize, usize),
    /// A line never ends.
    #[error("line {0} is longer than {MAX_LINE} bytes, expected 23 numbers")]
    LongLine(usize),
    /// A game never ends.
    #[error(
        "line {0}: the game has more than {MAX_GAME} boards, expected a line with # after a game"
    )]
    LongGame(usize),
    /// A word is not a finite number: its line and the word.
    #[error("line {0}: {1:?} is not a finite number")]
    Number(usize, String),
    /// A row does not begin with 1: its line and the number.
    #[error("line {0} begins with {1}, expected the constant 1")]
    Constant(usize, f32),
    /// The first board of a game has a reward: its line and the number.
    #[error("line {0} has reward {1}, expected 0 for the first board of a game")]
    Reward(usize, f32),
    /// There are too many or too few weights.
    #[error("{0} weights, expected 22 separated by spaces")]
    WeightCount(usize),
    /// A weight is not a number, or too large.
    #[error("{0:?} is not a weight: expected 22 numbers from -1e30 to 1e30 separated by spaces")]
    Weight(String),
    /// The text cannot be read or written.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// Parses weights: 22 numbers separated by spaces.
pub fn parse_weights(text: &str) -> Result<Vec<f64>, ExchangeError> {
    let parse = |word: &str| match word.parse::<f64>() {
        Ok(weight) if weight.abs() <= 1e30 => Ok(weight),
        _ => Err(ExchangeError::Weight(word.chars().take(40).collect())),
    };
    let weights: Vec<f64> = text.split_whitespace().map(parse).collect::<Result<_, _>>()?;
    match weights.len() {
        COLUMNS => Ok(weights),
        found => Err(ExchangeError::WeightCount(found)),
    }
}

/// Plays at most that many games of the standard well by weights, and calls `ended` with each game
/// that ends within `max_boards` in all. Returns the number of boards, with those of a dropped
/// game.
pub fn play<E>(
    games: u64,
    weights: &[f64],
    seed: u64,
    max_boards: usize,
    mut ended: impl FnMut(&Trajectory) -> Result<(), E>,
) -> Result<usize, E> {
    let game = Tetris::standard();
    let features = Bertsekas::new(game.setup().width);
    let weights: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
    let policy = WeightedFeatures { features: &features, reward: 1.0, weights: &weights };
    let mut out = vec![0.0; features.names().len()];
    let mut boards = 0;
    for number in 0..games {
        let mut play = ResumableGame::new(&game, Rng::stream(seed, number));
        let mut trajectory = Trajectory::new(COLUMNS);
        // The features of the empty board: the constant, and 0.
        let mut empty = [0.0; COLUMNS];
        empty[0] = 1.0;
        trajectory.add(&empty, 0.0);
        while !play.advance(&game, &policy, 1, f64::INFINITY, |state, choice| {
            features.describe(&game, state, choice, &mut out);
            trajectory.add(&out, choice.1.reward);
        }) {
            if boards + trajectory.len() > max_boards {
                return Ok(boards + trajectory.len());
            }
        }
        boards += trajectory.len();
        if boards > max_boards {
            return Ok(boards);
        }
        ended(&trajectory)?;
    }
    Ok(boards)
}

/// Writes a game, after a separator unless it is the first.
pub fn write(trajectory: &Trajectory, first: bool, to: &mut impl Write) -> std::io::Result<()> {
    if !first {
        writeln!(to, "#")?;
    }
    for (features, reward) in trajectory.rows() {
        for feature in features {
            write!(to, "{feature} ")?;
        }
        writeln!(to, "{reward}")?;
    }
    Ok(())
}

/// Reads games, and calls `game` with each.
pub fn read(
    mut from: impl BufRead,
    mut game: impl FnMut(&Trajectory),
) -> Result<(), ExchangeError> {
    let mut trajectory = Trajectory::new(COLUMNS);
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let bytes = from.by_ref().take(MAX_LINE + 1).read_line(&mut line)?;
        if bytes == 0 {
            break;
        }
        if bytes as u64 > MAX_LINE {
            return Err(ExchangeError::LongLine(number));
        }
        if line.trim() == "#" {
            let ended = std::mem::replace(&mut trajectory, Trajectory::new(COLUMNS));
            if !ended.is_empty() {
                game(&ended);
            }
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let row = parse_row(&line, number)?;
        let (reward, features) = (row[COLUMNS], &row[..COLUMNS]);
        if features[0] != 1.0 {
            return Err(ExchangeError::Constant(number, features[0]));
        }
        if trajectory.is_empty() && reward != 0.0 {
            return Err(ExchangeError::Reward(number, reward));
        }
        if trajectory.len() >= MAX_GAME {
            return Err(ExchangeError::LongGame(number));
        }
        trajectory.add(features, reward);
    }
    if !trajectory.is_empty() {
        game(&trajectory);
    }
    Ok(())
}

fn parse_row(text: &str, line: usize) -> Result<Vec<f32>, ExchangeError> {
    let parse = |word: &str| match word.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(ExchangeError::Number(line, word.chars().take(40).collect())),
    };
    let row: Vec<f32> = text.split_whitespace().map(parse).collect::<Result<_, _>>()?;
    if row.len() == COLUMNS + 1 { Ok(row) } else { Err(ExchangeError::Count(line, row.len())) }
}
