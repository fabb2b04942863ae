//! `[neural]`: a neural network that learns values of afterstates from many games at once, by TD(lambda)
//! or from a teacher. Games are
//! played, and gradients computed, on all threads, whose number changes nothing.

mod games;
mod learn;
mod plan;
mod returns;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use afterstate_agents::Agent;
use afterstate_core::Rng;
use afterstate_games::spec::Spec;
use afterstate_learn::neural::{Learned, NetworkTrainer};
use afterstate_values::model::NeuralModel;
use afterstate_values::neural::{Architecture, BoardReader, BoardShape, NeuralNetwork};
use afterstate_values::{AgentInfo, Model, Scratch};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use self::games::{Games, SavedSlot, Transition};
use super::{
    DamagedState, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
    ensure_memory,
};
use crate::budget::{Span, whole};
use crate::recipe::{Budget, InvalidSetting};
use crate::run::Observer;

pub use plan::NeuralPlan;

/// Games are truncated after so many moves, as those of n-tuple networks.
const LIMIT: u64 = 1 << 17;

/// The stream of the seed from which parameters and batches are drawn; games have those of their numbers.
const STREAM: u64 = u64::MAX;

/// What cannot be trained.
#[derive(Debug, thiserror::Error)]
enum PlanError {
    #[error("neural.agent: {0} is no neural network with the layers of the recipe")]
    Agent(String),
    #[error("neural.teacher: {0} has no values of afterstates that a network could learn")]
    Teacher(String),
    #[error(
        "the parameters are no longer finite numbers: the run keeps its last checkpoint; a smaller \
         rate may help"
    )]
    Diverged,
}

impl NeuralPlan {
    fn architecture<G: Spec>(&self, game: &G) -> Result<Architecture, LearnerError> {
        Ok(Architecture::new(BoardShape::of(game), &self.hidden()?)?)
    }

    /// The parameters that the training starts from.
    fn start<G: Spec>(
        &self,
        game: &G,
        architecture: &Architecture,
        seed: u64,
    ) -> Result<Vec<f32>, LearnerError> {
        let Some(name) = &self.agent else {
            let mut rng = Rng::stream(seed, STREAM);
            return Ok(NeuralNetwork::initial(architecture, self.initial / self.scale, &mut rng));
        };
        let model = name.parse::<Agent>()?.load(game)?;
        let network = model.neural().filter(|own| {
            own.architecture() == architecture
                && own.boards().symmetry() == self.symmetry
                && own.scale() == self.scale
        });
        let network = network.ok_or_else(|| PlanError::Agent(name.clone()))?;
        Ok(network.parameters().to_vec())
    }

    /// The values that are learned from a teacher.
    fn teacher<G: Spec>(&self, game: &G) -> Result<Option<Box<dyn Model<G>>>, LearnerError> {
        let Some(name) = &self.teacher else { return Ok(None) };
        let model = name.parse::<Agent>()?.load(game)?;
        if model.afterstate_values().is_none() && model.solved().is_none() {
            return Err(PlanError::Teacher(name.clone()).into());
        }
        Ok(Some(model))
    }

    /// Bytes of memory at most, without the activations of a pass.
    fn bytes<G: Spec>(&self, game: &G) -> Result<u64, LearnerError> {
        let each = size_of::<Transition<G::After>>() as u64;
        let moves = (self.games * self.steps) as u64 * each;
        Ok(2 * Learned::bytes(&self.architecture(game)?) + moves)
    }
}

impl Plan for NeuralPlan {
    const TABLES: &'static [&'static str] = &["neural"];
    const USAGE: &'static str = "[neural]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        self.check_settings()
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        let architecture = self.architecture(game)?;
        self.start(game, &architecture, 0)?;
        self.teacher(game)?;
        Ok(ensure_memory(self.bytes(game)?)?)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let agent = 4 * self.architecture(game)?.parameters() as u64;
        Ok(Needs::of_tables(self.bytes(game)?, agent))
    }

    fn agents(&self) -> Vec<&str> {
        self.agent.iter().chain(&self.teacher).map(String::as_str).collect()
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let (game, seed) = (training.game, training.recipe.seed);
        let architecture = self.architecture(game)?;
        let parameters = architecture.parameters();
        observer.begin(&format!(
            "{architecture} with {parameters} parameters, {} games at once",
            self.games
        ))?;
        let reader = BoardReader::new(game, self.symmetry);
        let learned = Learned::new(self.start(game, &architecture, seed)?);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(training.threads).build()?;
        let threads = Arc::new(threads);
        let trainer = NetworkTrainer::new(&architecture, &reader, learned, Arc::clone(&threads));
        let whole = whole(&training.recipe.budget);
        Ok(Box::new(NeuralLearner {
            plan: self,
            span: Span { begin: 0.0, end: whole },
            reader,
            games: Games::new(game, self.games, seed, LIMIT),
            teacher: self.teacher(game)?,
            rng: Rng::stream(seed, STREAM - 1),
            buffers: Buffers::default(),
            restored: false,
            architecture,
            trainer,
            threads,
            training,
        }))
    }
}

/// Learns the network.
struct NeuralLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a NeuralPlan,
    span: Span,
    architecture: Architecture,
    reader: BoardReader,
    games: Games<G>,
    teacher: Option<Box<dyn Model<G>>>,
    /// Draws batches.
    rng: Rng,
    trainer: NetworkTrainer,
    threads: Arc<ThreadPool>,
    buffers: Buffers,
    /// Whether the tensors of a checkpoint have been read that the trainer does not use yet.
    restored: bool,
}

/// Memory that is used again.
#[derive(Default)]
struct Buffers {
    outputs: Vec<f32>,
    cells: Vec<u8>,
    scratch: Scratch,
}

/// What a checkpoint holds besides the tensors.
#[derive(Serialize, Deserialize)]
struct State {
    next: u64,
    games: Vec<SavedSlot>,
    rng: [u8; 32],
    steps: u64,
}

impl<G: Spec> Learner for NeuralLearner<'_, G> {
    fn identity(&self) -> String {
        let NeuralPlan { symmetry, scale, games, .. } = self.plan;
        format!(
            "{} over {symmetry:?} boards with scale {scale} and {games} games",
            self.architecture
        )
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        if std::mem::take(&mut self.restored) {
            self.trainer.refresh();
        }
        let mut round = Round::default();
        while !context.is_over() && !context.position().spends(context.budget()) {
            self.iterate(context, &mut round.games);
        }
        let error = self.trainer.error();
        if !error.is_finite() {
            return Err(PlanError::Diverged.into());
        }
        round.measure("rms_error", error.sqrt() * f64::from(self.plan.scale));
        Ok(round)
    }

    fn synchronize(&mut self) -> Result<(), LearnerError> {
        let finite = self.trainer.learned.parameters.iter().all(|own| own.is_finite());
        if finite { Ok(()) } else { Err(PlanError::Diverged.into()) }
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        let (next, games) = self.games.save(self.training.game);
        let rng = self.rng.to_bytes();
        serde_json::to_value(State { next, games, rng, steps: self.trainer.learned.steps })
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let State { next, games, rng, steps } = serde_json::from_value(state)?;
        if rng == [0; 32] {
            return Err(DamagedState.into());
        }
        self.games.restore(self.training.game, next, &games)?;
        self.rng = Rng::from_bytes(rng);
        self.trainer.learned.steps = steps;
        self.restored = true;
        Ok(())
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let Learned { parameters, first, second, .. } = &mut self.trainer.learned;
        vec![
            ("parameters", bytemuck::cast_slice_mut(parameters.as_mut_slice())),
            ("first", bytemuck::cast_slice_mut(first.as_mut_slice())),
            ("second", bytemuck::cast_slice_mut(second.as_mut_slice())),
        ]
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let (architecture, boards) = (self.architecture.clone(), self.reader.clone());
        let parameters = self.trainer.learned.parameters.clone();
        let network = NeuralNetwork::new(architecture, boards, self.plan.scale, parameters);
        Ok(Model::<G>::save(&mut NeuralModel::new(network), path, info)?)
    }
}
