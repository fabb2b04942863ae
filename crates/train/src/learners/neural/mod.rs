//! `[neural]`: a neural network that learns values of afterstates from many games at once, by TD(lambda), from
//! a replay memory or from a teacher. Games are played on all threads, whose number changes nothing; boards are
//! evaluated and gradients computed there, too, or on a GPU.

mod games;
mod learn;
mod on_device;
mod plan;
mod replay;
mod returns;
mod teaching;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use afterstate_agents::AgentName;
use afterstate_core::policy::Choice;
use afterstate_core::{Device, Rng, threads};
use afterstate_games::spec::Spec;
use afterstate_learn::neural::{Learned, ProcessorTrainer, Stopped, Trainer};
use afterstate_values::model::NeuralModel;
use afterstate_values::neural::{Architecture, BoardReader, BoardShape, NeuralNetwork};
use afterstate_values::{AgentInfo, Model};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use self::games::{Games, SavedSlot, Slot, TransitionOf};
use self::replay::{Replay, SavedReplay};
use super::{
    DamagedState, Learner, LearnerError, Needs, ONE_MACHINE, Opened, Plan, Round, RoundContext,
    SAVED_GAME, Training, ensure_memory,
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
        let model = name.load(game)?;
        let network = model.neural().filter(|own| {
            own.architecture() == architecture
                && own.boards().symmetry() == self.symmetry
                && own.scale() == self.scale
        });
        let network = network.ok_or_else(|| PlanError::Agent(name.to_string()))?;
        Ok(network.parameters().to_vec())
    }

    /// The values that are learned from a teacher.
    fn teacher<G: Spec>(&self, game: &G) -> Result<Option<Box<dyn Model<G>>>, LearnerError> {
        let Some(name) = &self.teacher else { return Ok(None) };
        let model = name.load(game)?;
        if model.afterstate_values().is_none() && model.solved().is_none() {
            return Err(PlanError::Teacher(name.to_string()).into());
        }
        Ok(Some(model))
    }

    /// Bytes of memory at most for what is learned and its copies.
    fn tables<G: Spec>(&self, game: &G) -> Result<u64, LearnerError> {
        Ok(3 * Learned::bytes(&self.architecture(game)?))
    }

    /// What the games of an iteration take, also in a checkpoint: games twice, boards of all their moves,
    /// transitions, batches. Lists grow by doubling.
    fn games<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let architecture = self.architecture(game)?;
        let cells = architecture.board().cells();
        let images = BoardReader::new(game, self.symmetry).boards();
        let moves = game.actions().next_power_of_two();
        let board = 3 * cells + size_of::<f32>();
        let each = 2 * size_of::<Slot<G>>() + moves * (size_of::<Choice<G>>() + images * board);
        let transition = size_of::<Option<TransitionOf<G>>>();
        let lesson = size_of::<(G::After, f32)>();
        let learned = transition + 2 * lesson;
        let taught = if self.teacher.is_some() { 2 * moves * lesson } else { 0 };
        let sample = 2 * cells + size_of::<G::After>() + 4 * size_of::<f32>();
        let (games, steps, batch) = (self.games as u64, self.steps as u64, self.batch() as u64);
        let sizes = architecture.shapes().iter().map(|shape| shape.input.iter().product::<usize>());
        let activations = threads::cores() * 4 * size_of::<f32>() * sizes.sum::<usize>();
        let memory = games * (SAVED_GAME.memory + each as u64 + steps * learned as u64)
            + batch * sample as u64
            + games * taught as u64
            + activations as u64;
        let kept = self.replay.unwrap_or(0) as u64;
        let drawn = if kept == 0 { 0 } else { batch * each as u64 };
        // In a checkpoint each is two texts.
        let memory = memory
            + drawn
            + kept * (size_of::<(G::After, G::State)>() as u64 + SAVED_GAME.memory / 4);
        Ok(Needs { memory, disk: (games + kept) * SAVED_GAME.disk })
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
        Ok(ensure_memory(self.tables(game)?.saturating_add(self.games(game)?.memory))?)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let agent = 4 * self.architecture(game)?.parameters() as u64;
        let Needs { memory, disk } = self.games(game)?;
        Ok(Needs::of_tables(self.tables(game)?, agent).and(memory, disk))
    }

    fn check_device<G: Spec>(&self, game: &G, device: Device) -> Result<(), LearnerError> {
        match device {
            Device::Cpu => Ok(()),
            Device::Cuda(number) => on_device::check(self, game, number),
            Device::Cluster => Err(ONE_MACHINE.into()),
        }
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        self.agent.iter_mut().chain(&mut self.teacher).collect()
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let architecture = self.architecture(training.game)?;
        let parameters = architecture.parameters();
        observer.begin(&format!(
            "{architecture} with {parameters} parameters, {} games at once",
            self.games
        ))?;
        Ok(Box::new(NeuralLearner::new(self, architecture, training)?))
    }
}

impl<'a, G: Spec> NeuralLearner<'a, G> {
    fn new(
        plan: &'a NeuralPlan,
        architecture: Architecture,
        training: Training<'a, G>,
    ) -> Result<Self, LearnerError> {
        let (game, seed) = (training.game, training.recipe.seed);
        let boards = BoardReader::new(game, plan.symmetry);
        let learned = Learned::new(plan.start(game, &architecture, seed)?);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(training.threads).build()?;
        let threads = Arc::new(threads);
        // While a device evaluates the boards of one group of games, the other is played.
        let groups = match training.device {
            Device::Cuda(_) if plan.replay.is_none() && plan.games > 1 => 2,
            _ => 1,
        };
        let batch = plan.batch.unwrap_or(plan.games.div_ceil(groups));
        let (trainer, reader): (Box<dyn Trainer>, BoardReader) = match training.device {
            Device::Cuda(number) => {
                let own = on_device::open(&architecture, &boards, learned, number, batch)?;
                (own, boards.raw())
            }
            _ => {
                let threads = Arc::clone(&threads);
                let own = ProcessorTrainer::new(&architecture, &boards, learned, threads);
                (Box::new(own), boards.clone())
            }
        };
        let count = plan.games.div_ceil(groups);
        let games = |group| Games::new(game, count, (group * count, groups * count), seed, LIMIT);
        let whole = whole(&training.recipe.budget);
        Ok(NeuralLearner {
            plan,
            span: Span { begin: 0.0, end: whole },
            boards,
            reader,
            groups: (0..groups).map(games).collect(),
            batch,
            replay: plan.replay.map(Replay::new),
            submitted: false,
            restored: false,
            steps: 0,
            teacher: plan.teacher(game)?,
            rng: Rng::stream(seed, STREAM - 1),
            buffers: Buffers::default(),
            architecture,
            trainer,
            threads,
            training,
        })
    }
}

impl<G: Spec> NeuralLearner<'_, G> {
    /// Whether something else than the processor evaluates and learns.
    fn is_on_device(&self) -> bool {
        matches!(self.training.device, Device::Cuda(_))
    }

    /// Afterstates of each step of Adam.
    fn batch(&self) -> usize {
        self.batch
    }

    /// Goes on with what was learned as it was changed, and with the games as they are.
    fn begin_again(&mut self) {
        self.trainer.refresh();
        self.submitted = false;
    }
}

/// Learns the network.
struct NeuralLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a NeuralPlan,
    span: Span,
    architecture: Architecture,
    /// How the network reads boards.
    boards: BoardReader,
    /// How they are read for the trainer.
    reader: BoardReader,
    /// Games that take turns.
    groups: Vec<Games<G>>,
    /// Afterstates of each step of Adam.
    batch: usize,
    replay: Option<Replay<G>>,
    /// Whether the boards of the next move of every group have been submitted.
    submitted: bool,
    /// Whether a checkpoint has been read that the trainer does not use yet.
    restored: bool,
    /// The steps of Adam so far.
    steps: u64,
    teacher: Option<Box<dyn Model<G>>>,
    /// Draws batches.
    rng: Rng,
    trainer: Box<dyn Trainer>,
    threads: Arc<ThreadPool>,
    buffers: Buffers,
}

/// Memory that is used again.
#[derive(Default)]
struct Buffers {
    outputs: Vec<f32>,
}

/// What a checkpoint holds besides the tensors.
#[derive(Serialize, Deserialize)]
struct State {
    games: Vec<SavedSlot>,
    rng: [u8; 32],
    steps: u64,
    #[serde(default)]
    replay: Option<SavedReplay>,
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
            self.begin_again();
        }
        let mut round = Round::default();
        while !context.is_over() && !context.position().spends(context.budget()) {
            match self.iterate(context, &|| context.is_due(), &mut round.games) {
                Ok(()) => {}
                Err(Stopped::Interrupted) => return Ok(round),
                Err(Stopped::Failed(problem)) => return Err(problem.into()),
            }
        }
        let error = self.trainer.error()?;
        if !error.is_finite() {
            return Err(PlanError::Diverged.into());
        }
        round.measure("rms_error", error.sqrt() * f64::from(self.plan.scale));
        Ok(round)
    }

    fn synchronize(&mut self) -> Result<(), LearnerError> {
        self.trainer.synchronize()?;
        let finite = self.trainer.learned().parameters.iter().all(|own| own.is_finite());
        if finite { Ok(()) } else { Err(PlanError::Diverged.into()) }
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        let game = self.training.game;
        serde_json::to_value(State {
            games: self.groups.iter().flat_map(|games| games.save(game)).collect(),
            rng: self.rng.to_bytes(),
            steps: self.steps,
            replay: self.replay.as_ref().map(|replay| replay.save(game)),
        })
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let State { games, rng, steps, replay } = serde_json::from_value(state)?;
        if rng == [0; 32] {
            return Err(DamagedState.into());
        }
        let game = self.training.game;
        let mut saved = games.chunks(self.groups[0].slots.len());
        for group in &mut self.groups {
            group.restore(game, saved.next().unwrap_or_default())?;
        }
        if let (Some(replay), Some(saved)) = (&mut self.replay, &replay) {
            replay.restore(game, saved)?;
        }
        self.rng = Rng::from_bytes(rng);
        self.steps = steps;
        self.trainer.learned().steps = steps;
        self.restored = true;
        Ok(())
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let Learned { parameters, first, second, target, .. } = self.trainer.learned();
        vec![
            ("parameters", bytemuck::cast_slice_mut(parameters.as_mut_slice())),
            ("first", bytemuck::cast_slice_mut(first.as_mut_slice())),
            ("second", bytemuck::cast_slice_mut(second.as_mut_slice())),
            ("target", bytemuck::cast_slice_mut(target.as_mut_slice())),
        ]
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let (architecture, boards) = (self.architecture.clone(), self.boards.clone());
        let parameters = self.trainer.learned().parameters.clone();
        let network = NeuralNetwork::new(architecture, boards, self.plan.scale, parameters);
        Ok(Model::<G>::save(&mut NeuralModel::new(network), path, info)?)
    }
}
