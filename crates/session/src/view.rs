//! `View`: the data to show of a session.

use afterstate_games::picture::{Mark, Motion, Scene};
use serde::Serialize;

/// The data to show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The rules in their shortest form.
    pub game: String,
    /// The seed of the chance outcomes.
    pub seed: u64,
    /// The picture of the state.
    #[serde(flatten)]
    pub scene: Scene,
    /// The state as text, on one line.
    pub state: String,
    /// The sum of all rewards.
    pub score: f64,
    /// The unit of the score.
    pub unit: &'static str,
    /// The number of moves played.
    pub moves: u64,
    /// The same, with the moves that were undone.
    pub known: u64,
    /// The largest tile, in games with tiles.
    pub reached: Option<u64>,
    /// Whether no move can be played.
    pub finished: bool,
    /// Whether the game is truncated by the move limit of the rules.
    pub truncated: bool,
    /// Whether a move can be undone.
    pub can_undo: bool,
    /// Whether a move can be redone.
    pub can_redo: bool,
    /// The last move.
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
    /// Its immediate reward.
    pub reward: f32,
    /// Its picture.
    #[serde(flatten)]
    pub mark: Mark,
}

/// The last move, with what an animation of it needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Last {
    /// Its text.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its immediate reward.
    pub reward: f32,
    /// Its picture on the board before it.
    #[serde(flatten)]
    pub mark: Mark,
    /// Where each filled cell of the board before it went, with the cells of the piece.
    pub motion: Vec<Motion>,
    /// The cells that chance filled after it.
    pub spawned: Vec<usize>,
}
