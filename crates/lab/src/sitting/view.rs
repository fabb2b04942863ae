//! `View`: all that there is to show of a sitting, as data.

use afterstate_games::picture::{Mark, Motion, Scene};
use serde::Serialize;

/// What there is to show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The rules in their shortest form.
    pub game: String,
    /// The seed of what chance deals.
    pub seed: u64,
    /// What is to be drawn.
    #[serde(flatten)]
    pub scene: Scene,
    /// The state as text, on one line.
    pub state: String,
    /// The sum of all rewards.
    pub score: f64,
    /// What a sum of rewards counts.
    pub unit: &'static str,
    /// How many moves have been made.
    pub moves: u64,
    /// How many moves are known, with those that were taken back.
    pub known: u64,
    /// What the game has reached, as the largest tile of 2048.
    pub reached: Option<u64>,
    /// Whether nothing can be played any more.
    pub over: bool,
    /// Whether that is so by the limit of the rules, and the game could have gone on.
    pub cut_off: bool,
    /// Whether a move can be taken back.
    pub can_undo: bool,
    /// Whether a move that was taken back can be made again.
    pub can_redo: bool,
    /// How the last move came to this.
    pub last: Option<Last>,
    /// Every legal move in the order of the rules.
    pub options: Vec<Offer>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// Its text.
    #[serde(rename = "move")]
    pub mv: String,
    /// What it earns at once.
    pub reward: f32,
    /// What is to be drawn of it.
    #[serde(flatten)]
    pub mark: Mark,
}

/// The last move, for those who draw how it happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Last {
    /// Its text.
    #[serde(rename = "move")]
    pub mv: String,
    /// What it earned.
    pub reward: f32,
    /// What is to be drawn of it, on the board before.
    #[serde(flatten)]
    pub mark: Mark,
    /// Where everything went that stood on the board before, with the piece on it.
    pub motion: Vec<Motion>,
    /// The cells that chance filled then.
    pub dealt: Vec<usize>,
}
