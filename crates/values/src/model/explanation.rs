//! `Explanation`: the parts of which the value of a move is the sum.

use serde::Serialize;

/// The value of a move without search, and its parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The sum of all shares.
    pub value: f32,
    /// The parts.
    pub parts: Vec<Part>,
}

/// One part of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Part {
    /// The immediate reward, as far as the model counts it.
    Reward {
        /// Its share of the value.
        share: f32,
    },
    /// A feature.
    Feature {
        /// Its name.
        name: String,
        /// Its value here.
        count: f32,
        /// Its weight.
        weight: f32,
        /// Its share of the value.
        share: f32,
    },
    /// A tuple of cells under one symmetry of the board.
    Tuple {
        /// Its number in the network.
        tuple: usize,
        /// Its cells, numbered as in the picture.
        cells: Vec<usize>,
        /// Its share of the value.
        share: f32,
    },
    /// The value of the afterstate by a neural network.
    Network {
        /// Its share of the value.
        share: f32,
    },
    /// The exact value of the afterstate.
    Solved {
        /// Its share of the value.
        share: f32,
    },
}

impl Part {
    /// Its share of the value.
    pub fn share(&self) -> f32 {
        match *self {
            Part::Reward { share }
            | Part::Feature { share, .. }
            | Part::Tuple { share, .. }
            | Part::Network { share }
            | Part::Solved { share } => share,
        }
    }
}

impl Explanation {
    /// The explanation of a move.
    pub fn new(mv: String, parts: Vec<Part>) -> Explanation {
        Explanation { mv, value: parts.iter().map(Part::share).sum(), parts }
    }

    /// The shares by name, to compare moves: all symmetries of a tuple are added up.
    pub fn shares(self) -> Vec<(String, f32)> {
        let mut named: Vec<(String, f32)> = Vec::new();
        let mut last = None;
        for part in self.parts {
            let share = part.share();
            match part {
                Part::Reward { .. } => named.push(("reward".to_owned(), share)),
                Part::Feature { name, .. } => named.push((name, share)),
                Part::Network { .. } => named.push(("network".to_owned(), share)),
                Part::Solved { .. } => named.push(("solved".to_owned(), share)),
                Part::Tuple { tuple, cells, .. } => match named.last_mut() {
                    Some(own) if last == Some(tuple) => own.1 += share,
                    _ => {
                        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
                        named.push((format!("tuple {}", cells.join(" ")), share));
                        last = Some(tuple);
                    }
                },
            }
        }
        named
    }
}
