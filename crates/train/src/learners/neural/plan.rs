//! `[neural]`: the plan of a neural network.

use afterstate_agents::AgentName;
use afterstate_values::neural::{Layer, SymmetryUse};
use serde::{Deserialize, Serialize};

use crate::recipe::{InvalidSetting, check_rates, defaults, ensure};

/// The network, and how it learns: TD(lambda) on afterstates from many games at once, or the values of
/// a teacher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeuralPlan {
    /// The hidden layers, such as `["conv 2x2 64", "dense 256"]`, with rectified linear units.
    pub layers: Vec<String>,
    /// How the symmetries of the board are used.
    #[serde(default)]
    pub symmetry: SymmetryUse,
    /// The size of a value for which the output is 1: of the order of the values.
    pub scale: f32,
    /// The initial value of every afterstate (optimistic initialisation).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub initial: f32,
    /// An agent with the same network whose parameters the training starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Games at once.
    pub games: usize,
    /// Moves of each game that are played with the same parameters before they are learned.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub steps: usize,
    /// Afterstates of each step of Adam [default: as many as games].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The rate of Adam.
    pub rate: f32,
    /// The rate at the end, if it changes (linearly).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// The decay of lambda-returns over the moves that are played with the same parameters.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lambda: f32,
    /// The discount factor, per move.
    #[serde(default = "undiscounted", skip_serializing_if = "is_undiscounted")]
    pub discount: f32,
    /// What is learned is survival: every move counts so many points instead of its reward. Moves are
    /// selected by their reward and the learned value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survival: Option<f32>,
    /// The value of a terminal afterstate is learned as this.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub terminal_value: f32,
    /// So many afterstates of the last moves are kept, and each step of Adam learns from some that are drawn
    /// at random, instead of from the last move of each game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<usize>,
    /// Steps of Adam after which the target network, by which afterstates of the replay memory are
    /// evaluated, becomes a copy of the one that learns [default: there is none].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
    /// An agent whose values of the afterstates of all moves are learned, while the network plays: an
    /// n-tuple network, another neural network or the exact solution of `solve`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<AgentName>,
    /// How much it counts that the differences between the moves of a state are those of the teacher,
    /// beside the mean of their values.
    #[serde(default = "undiscounted", skip_serializing_if = "is_undiscounted")]
    pub advantage: f32,
    /// The largest error of a difference, in points, that counts in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advantage_limit: Option<f32>,
    /// The probability of a random move.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub epsilon: f32,
}

defaults! {
    one: usize = 1;
    undiscounted: f32 = 1.0;
}

fn is_one(steps: &usize) -> bool {
    *steps == 1
}

fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

fn is_undiscounted(discount: &f32) -> bool {
    *discount == undiscounted()
}

impl NeuralPlan {
    /// The hidden layers; `check` has read them before.
    pub(super) fn hidden(
        &self,
    ) -> Result<Vec<Layer>, afterstate_values::neural::ArchitectureError> {
        self.layers.iter().map(|text| text.parse()).collect()
    }

    /// Afterstates of each step of Adam.
    pub(super) fn batch(&self) -> usize {
        self.batch.unwrap_or(self.games)
    }

    /// Checks the range of every setting.
    pub(super) fn check_settings(&self) -> Result<(), InvalidSetting> {
        if let Err(error) = self.hidden() {
            let found = error.to_string();
            return ensure(false, "neural.layers", found, "layers such as \"dense 256\"");
        }
        let positive = |value: f32| value > 0.0 && value <= 1e9;
        ensure(positive(self.scale), "neural.scale", self.scale, "more than 0, up to 1e9")?;
        for (setting, value) in
            [("neural.initial", self.initial), ("neural.terminal_value", self.terminal_value)]
        {
            ensure(value.is_finite(), setting, value, "a finite number")?;
        }
        let (games, batch) = (self.games, self.batch());
        ensure((1..=1 << 20).contains(&games), "neural.games", games, "1 to 1048576")?;
        ensure((1..=1 << 20).contains(&batch), "neural.batch", batch, "1 to 1048576")?;
        ensure((1..=1024).contains(&self.steps), "neural.steps", self.steps, "1 to 1024")?;
        let holds = games * self.steps <= 1 << 24;
        ensure(holds, "neural.steps", self.steps, "at most 16777216 moves of all games")?;
        check_rates("neural", self.rate, self.final_rate)?;
        for (setting, value) in [
            ("neural.lambda", self.lambda),
            ("neural.discount", self.discount),
            ("neural.epsilon", self.epsilon),
        ] {
            ensure((0.0..=1.0).contains(&value), setting, value, "0 to 1")?;
        }
        let holds = self.lambda == 0.0 || self.steps > 1;
        ensure(holds, "neural.lambda", self.lambda, "0 unless neural.steps is more than 1")?;
        let holds = self.lambda == 0.0 || self.epsilon == 0.0;
        ensure(holds, "neural.lambda", self.lambda, "0 with neural.epsilon")?;
        let kept = self.replay.unwrap_or(1);
        ensure((1..=1 << 24).contains(&kept), "neural.replay", kept, "1 to 16777216")?;
        let holds = self.replay.is_none() || self.lambda == 0.0;
        ensure(holds, "neural.lambda", self.lambda, "0 with neural.replay")?;
        let every = self.target.unwrap_or(1);
        ensure(every > 0, "neural.target", every, "1 or more")?;
        let holds = self.target.is_none() || self.replay.is_some();
        ensure(holds, "neural.target", every, "none without neural.replay")?;
        let points = self.survival.unwrap_or(1.0);
        ensure(positive(points), "neural.survival", points, "more than 0, up to 1e9")?;
        ensure(
            positive(self.advantage),
            "neural.advantage",
            self.advantage,
            "more than 0, up to 1e9",
        )?;
        let limit = self.advantage_limit.unwrap_or(1.0);
        ensure(positive(limit), "neural.advantage_limit", limit, "more than 0, up to 1e9")?;
        if self.teacher.is_some() {
            let taught = self.steps == 1
                && self.survival.is_none()
                && is_undiscounted(&self.discount)
                && self.replay.is_none();
            let allowed = "none with steps, survival, discount or replay";
            ensure(taught, "neural.teacher", "given", allowed)?;
        } else {
            let holds = is_undiscounted(&self.advantage) && self.advantage_limit.is_none();
            ensure(holds, "neural.advantage", self.advantage, "none without neural.teacher")?;
        }
        Ok(())
    }
}
