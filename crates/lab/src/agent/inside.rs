//! `Explanation`: what the value of a move is made of, as far as an agent can tell.

use afterstate_core::policy::Choice;
use afterstate_games::Cells;
use afterstate_games::spec::Spec;
use afterstate_values::{AnyNetwork, Values};
use serde::Serialize;

use super::Loaded;

/// The value of a move at first sight, without search, and its parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The sum of all shares.
    pub value: f32,
    /// What it consists of.
    pub parts: Vec<Part>,
}

/// One part of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Part {
    /// What the move earns at once, as far as the agent counts it.
    Reward {
        /// What it adds.
        share: f32,
    },
    /// A feature.
    Feature {
        /// Its name.
        name: String,
        /// What it counts here.
        count: f32,
        /// Its weight.
        weight: f32,
        /// What it adds.
        share: f32,
    },
    /// A tuple of cells under one symmetry of the board.
    Tuple {
        /// Which of the network's tuples.
        tuple: usize,
        /// The cells that it looks at, numbered as in the picture.
        cells: Vec<usize>,
        /// What it adds.
        share: f32,
    },
    /// The exact value of the board that the move leaves.
    Solved {
        /// What it adds.
        share: f32,
    },
}

impl Part {
    /// What the part adds.
    pub fn share(&self) -> f32 {
        match *self {
            Part::Reward { share }
            | Part::Feature { share, .. }
            | Part::Tuple { share, .. }
            | Part::Solved { share } => share,
        }
    }
}

impl<G: Spec> Loaded<G> {
    /// What the value of a move at first sight is made of; `None` for agents without values.
    pub fn inside(&self, game: &G, state: &G::State, choice: &Choice<G>) -> Option<Explanation> {
        let parts = match self {
            Loaded::Random | Loaded::Rule(_) | Loaded::Entries(..) => return None,
            Loaded::Greedy => vec![Part::Reward { share: choice.1.reward }],
            Loaded::Linear(linear) => {
                let names = linear.features().names();
                let mut counts = vec![0.0; names.len()];
                linear.features().describe(game, state, choice, &mut counts);
                let features = names.into_iter().zip(counts).zip(linear.weights());
                let features = features.map(|((name, count), &weight)| Part::Feature {
                    name,
                    count,
                    weight,
                    share: count * weight,
                });
                let reward = Part::Reward { share: linear.reward() * choice.1.reward };
                [reward].into_iter().chain(features).collect()
            }
            Loaded::Table(table) => {
                let share = table.worth(game, &choice.1.after);
                let reward = table.reward().of_move(game, state, choice);
                vec![Part::Reward { share: reward }, Part::Solved { share }]
            }
            Loaded::Network(network) => {
                let reward = Part::Reward { share: choice.1.reward };
                [reward].into_iter().chain(tuples(network, game, &choice.1.after)).collect()
            }
        };
        let value = parts.iter().map(Part::share).sum();
        Some(Explanation { mv: game.move_text(choice.0), value, parts })
    }

    /// The same by name for the comparison of moves: the reward first, then one share a feature or
    /// a tuple, all its symmetries together.
    pub fn parts(&self, game: &G, state: &G::State, choice: &Choice<G>) -> Vec<(String, f32)> {
        let inside = self.inside(game, state, choice);
        let Some(Explanation { parts, .. }) = inside else {
            return vec![("reward".to_owned(), choice.1.reward)];
        };
        let mut named: Vec<(String, f32)> = Vec::new();
        let mut last = None;
        for part in parts {
            let share = part.share();
            match part {
                Part::Reward { .. } => named.push(("reward".to_owned(), share)),
                Part::Feature { name, .. } => named.push((name, share)),
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

/// What every tuple of a network adds, under every symmetry.
fn tuples<'a, G: Spec>(
    network: &'a AnyNetwork<G>,
    game: &'a G,
    after: &G::After,
) -> impl Iterator<Item = Part> + 'a {
    let tuples = network.tuples().cells();
    let symmetries = network.active_features() / tuples.len();
    let shares = network.shares(game, after).into_iter().enumerate();
    shares.map(move |(number, share)| {
        let (tuple, k) = (number / symmetries, number % symmetries);
        let cells = tuples[tuple]
            .iter()
            .map(|&cell| Cells::apply_symmetry_to_cell(game, k, cell))
            .collect();
        Part::Tuple { tuple, cells, share }
    })
}
