//! `AgentInfo`: the description in an agent file: rules, kind of model, training, strength.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{Problem, shown};
use crate::json::{from_value, read_json};

/// The description of an agent. What belongs to one kind of model only is in `model`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentInfo {
    /// The version of the file format.
    pub format: u32,
    /// The version of the program that wrote the agent.
    pub program: String,
    /// The rules, such as `2048:4x4`.
    pub game: String,
    /// The version of the rules, `Game::VERSION`.
    pub rules_version: u32,
    /// The kind of model, a name of [`KINDS`](crate::model::KINDS). Files of version 0.1 have none:
    /// it is inferred when they are read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The fields of that kind of model.
    #[serde(flatten)]
    pub model: Map<String, Value>,
    /// How it was trained, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained: Option<Trained>,
    /// Its measured strength, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
}

/// How an agent was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The recipe, as TOML. This program writes it without comments: a text that begins with some
    /// tells by them what else trained the agent.
    pub recipe: String,
    /// The seed of all that was random.
    pub seed: u64,
    /// Games played.
    pub episodes: u64,
    /// Moves played. The time is no part of the agent: the same training gives the same bytes.
    pub moves: u64,
    /// The GPU that trained it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The options of each `afterstate quantize` that was applied since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantized: Vec<String>,
}

/// The measured strength of an agent.
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
    /// The search by which moves were selected, such as `greedy`.
    pub search: String,
    /// Each tile, and the share of games that reached it.
    #[serde(default)]
    pub reach: Vec<(String, f64)>,
}

impl Trained {
    /// What trained the agent, if no command of this program did.
    pub fn elsewhere(&self) -> Option<String> {
        let comments = self.recipe.lines().map_while(|line| line.strip_prefix('#'));
        let text = comments.collect::<String>().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

impl AgentInfo {
    /// The format that this program writes, and the newest that it reads.
    pub const FORMAT: u32 = 2;

    /// An agent for some rules, neither trained nor measured; saving a model sets kind and fields.
    pub fn new(game: impl Into<String>, rules_version: u32) -> AgentInfo {
        AgentInfo {
            format: AgentInfo::FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            game: game.into(),
            rules_version,
            kind: String::new(),
            model: Map::new(),
            trained: None,
            strength: None,
        }
    }

    /// The same agent with other weights: its strength is not known.
    #[must_use]
    pub fn quantized(mut self, options: String) -> AgentInfo {
        self.strength = None;
        if let Some(trained) = &mut self.trained {
            trained.quantized.push(options);
        }
        self
    }

    /// The same agent with a model of some kind, described by `fields`.
    pub(crate) fn with_model<F>(&self, kind: &str, fields: &F) -> Result<AgentInfo, Problem>
    where
        F: Serialize + DeserializeOwned,
    {
        // By way of text, which has the shortest form of a 32-bit float. JSON cannot represent NaN
        // or infinity, so the fields are read back.
        let model = serde_json::to_string(fields).and_then(|text| {
            serde_json::from_str::<F>(&text)?;
            serde_json::from_str(&text)
        });
        let model = model.map_err(|error| Problem::Unreadable(error.to_string()))?;
        let (format, kind) = (AgentInfo::FORMAT, kind.to_owned());
        Ok(AgentInfo { format, kind, model, ..self.clone() })
    }

    /// The fields of the model.
    pub(crate) fn fields<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let value = Value::Object(self.model.clone());
        from_value(value).map_err(|error| Problem::Info(shown(error)))
    }

    /// The description in a file. A newer format may have other fields, so its number is read
    /// first.
    pub(crate) fn parse(text: &str) -> Result<AgentInfo, Problem> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let damaged = |error| Problem::Info(shown(error));
        let Format { format } = read_json(text.as_bytes()).map_err(damaged)?;
        if format != AgentInfo::FORMAT {
            return Err(Problem::Format { found: format });
        }
        let mut info: AgentInfo = read_json(text.as_bytes()).map_err(damaged)?;
        if info.kind.is_empty() {
            info.infer_kind();
        }
        Ok(info)
    }

    /// Version 0.1 of the program wrote no kind: it followed from the fields that were there.
    fn infer_kind(&mut self) {
        let has = |field| self.model.contains_key(field);
        let inferred = ["features", "table", "entries"].map(has);
        self.kind = match inferred {
            [true, ..] => "linear",
            [_, true, _] => "solved",
            [.., true] => "table",
            _ => "ntuple",
        }
        .to_owned();
        // It did not write which boards the values belong to, but the last phase of its recipe did.
        let last = |trained: &Trained| {
            let mut lines = trained.recipe.lines().rev().map(str::trim);
            lines.find(|line| line.starts_with("values = ")) == Some("values = \"states\"")
        };
        if self.kind == "ntuple" && self.trained.as_ref().is_some_and(last) {
            self.model.insert("values_of".to_owned(), Value::from("states"));
        }
        if self.kind != "ntuple" {
            self.model.remove("tuples");
            self.model.remove("precision");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_before_a_recipe_tell_what_else_trained_an_agent() {
        let trained = |recipe: &str| Trained {
            recipe: recipe.to_owned(),
            seed: 1,
            episodes: 2,
            moves: 3,
            gpu: None,
            quantized: Vec::new(),
        };
        let text = "# By another program,\n# on paper.\ngame = \"2048\"\n# not this";
        assert_eq!(trained(text).elsewhere().as_deref(), Some("By another program, on paper."));
        assert_eq!(trained("game = \"2048\"\n# not this").elsewhere(), None);
    }
}
