//! `AgentInfo`: what an agent plays, how it was trained, and how strong it was measured to be.

use std::collections::BTreeMap;

use afterstate_games::{AggregationSpec, Combine};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};

/// What an agent file says of its agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentInfo {
    /// The version of the file format.
    pub format: u32,
    /// The version of the program that trained it.
    pub program: String,
    /// The rules, such as `2048:4x4`.
    pub game: String,
    /// The version of the rules, `Game::VERSION`.
    pub rules_version: u32,
    /// The cells of each tuple, in the form that `Tuples::cells` gives them; none for weighted_sum
    /// features.
    pub tuples: Vec<Vec<usize>>,
    /// How many values a cell has, where that is neither 2 nor, in 2048, 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<u32>,
    /// Where later stages of a game begin, each with weights of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<u64>,
    /// The numbers that the weights are.
    pub precision: Precision,
    /// The features, if the agent weighs features and is no network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureInfo>,
    /// The boards, if the agent is a solved game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableInfo>,
    /// What its table is about, if the agent is a learned table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<EntriesInfo>,
    /// How it was trained, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained: Option<Trained>,
    /// How strong it is, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
}

/// What an agent weighs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureInfo {
    /// The name of the set.
    pub set: String,
    /// The name of each feature, in the order of the weights.
    pub names: Vec<String>,
    /// The weight of the reward.
    pub reward: f32,
}

/// What a table is about: see [`AggregationSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntriesInfo {
    /// Whether moves have entries; otherwise afterstates have.
    pub moves: bool,
    /// What is seen of a board.
    pub sees: Vec<String>,
    /// How several views or places become a value.
    #[serde(default)]
    pub combine: CombineInfo,
    /// What a move pays, by its parts.
    pub pay: BTreeMap<String, f32>,
    /// What a value counts against a pay of now.
    pub discount: f32,
}

/// How several values become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CombineInfo {
    /// The largest of them.
    #[default]
    Largest,
    /// Their average.
    Average,
    /// Their sum.
    Sum,
}

impl EntriesInfo {
    /// The same, as games read it.
    pub fn rules(&self) -> AggregationSpec {
        let EntriesInfo { moves, sees, combine, pay, discount } = self.clone();
        let combine = match combine {
            CombineInfo::Largest => Combine::Largest,
            CombineInfo::Average => Combine::Average,
            CombineInfo::Sum => Combine::Sum,
        };
        AggregationSpec { moves, sees, combine, pay, discount }
    }
}

/// What a solved game has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Boards, one for all images.
    pub boards: usize,
    /// What a move earns besides what it leaves, as text.
    pub reward: String,
}

/// The numbers that weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 16-bit integers with one scale for each tuple in each stage.
    I16,
}

/// How an agent was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The recipe, as TOML.
    pub recipe: String,
    /// The seed of all that was random.
    pub seed: u64,
    /// Games played.
    pub episodes: u64,
    /// Moves made in them. The time that they took is no part of the agent: the same training
    /// gives the same bytes.
    pub moves: u64,
}

/// How strong an agent was measured to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// Games played.
    pub games: u64,
    /// Their seed.
    pub seed: u64,
    /// The mean score.
    pub mean: f64,
    /// Its 95% interval, if there was more than one game.
    pub ci95: Option<(f64, f64)>,
    /// The median score.
    pub median: f64,
    /// The best score.
    pub max: f64,
    /// How moves were searched, such as `greedy`.
    pub search: String,
    /// What was reached, such as a tile, and in which part of the games.
    #[serde(default)]
    pub reach: Vec<(String, f64)>,
}

impl AgentInfo {
    /// The format that this program writes, and the newest that it reads.
    pub const FORMAT: u32 = 2;

    /// An agent of this program, neither trained nor measured. [`save`](super::save()) puts in the
    /// tuples and the precision of the network.
    pub fn new(game: impl Into<String>, rules_version: u32) -> AgentInfo {
        AgentInfo {
            format: AgentInfo::FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            game: game.into(),
            rules_version,
            tuples: Vec::new(),
            values: None,
            stages: Vec::new(),
            precision: Precision::F32,
            features: None,
            table: None,
            entries: None,
            trained: None,
            strength: None,
        }
    }
}

impl Precision {
    pub(super) fn dtype(self) -> Dtype {
        match self {
            Precision::F32 => Dtype::F32,
            Precision::I16 => Dtype::I16,
        }
    }

    /// Bytes of a weight.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Precision::F32 => 4,
            Precision::I16 => 2,
        }
    }
}
