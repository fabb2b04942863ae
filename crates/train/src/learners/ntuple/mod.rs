//! N-tuple networks learned by temporal differences, in phases.

mod on_device;
pub mod patterns;
mod plan;
mod workers;

use std::path::Path;

use afterstate_agents::Agent;
use afterstate_core::Device;
use afterstate_core::numbers::whole;
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_learn::Coherence;
use afterstate_values::memory::show;
use afterstate_values::weights::store;
use afterstate_values::{AgentInfo, Network};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};

use on_device::{GamesOnDevice, OnDevice};
use patterns::PatternError;
pub use plan::{
    CudaTable, NTuplePlan, NetworkTable, Order, Patterns, Phase, Starts, UpdateRule, Variant,
};
use workers::{StartPool, Workers};

use super::{Learner, LearnerError, Opened, Plan, Round, RoundContext, Training, ensure_memory};
use crate::budget::Span;
use crate::recipe::{Budget, InvalidSetting, RecipeError};
use crate::run::Observer;

/// The tuples of a plan and the memory that its training needs.
struct Needs {
    tuples: Tuples,
    coherent: bool,
    bytes: u64,
}

impl NTuplePlan {
    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, PatternError> {
        let patterns = match &self.network.tuples {
            Patterns::One(one) => std::slice::from_ref(one),
            Patterns::Many(many) => &many[..],
        };
        let tuples = patterns::tuples(game, patterns)?.with_stages(self.network.stages.clone())?;
        let coherent = self.phases.iter().any(|phase| phase.method == UpdateRule::Tc);
        let more = if coherent { Coherence::bytes(tuples.weights()) } else { 0 };
        let bytes = Network::<G>::bytes(&tuples) + more;
        Ok(Needs { tuples, coherent, bytes })
    }
}

/// The agent from which a training is to start does not fit.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("network.agent: {0} is no n-tuple network of afterstate values")]
    NoNetwork(String),
    #[error(
        "network.agent: {0} has other tuples or stages than the recipe: use the recipe that trained \
         it (afterstate agents FILE --recipe)"
    )]
    OtherTuples(String),
}

impl NTuplePlan {
    /// The weights of the agent that the training starts from.
    fn initial_weights<G: Spec>(
        &self,
        game: &G,
        tuples: &Tuples,
    ) -> Result<Option<Vec<f32>>, LearnerError> {
        let Some(name) = &self.network.agent else { return Ok(None) };
        let model = name.parse::<Agent>()?.load(game)?;
        let Some((own, weights)) = model.network() else {
            return Err(StartError::NoNetwork(name.clone()).into());
        };
        if own != tuples {
            return Err(StartError::OtherTuples(name.clone()).into());
        }
        Ok(Some(weights))
    }
}

impl Plan for NTuplePlan {
    const TABLES: &'static [&'static str] = &["network", "phase"];
    const USAGE: &'static str = "[network] with [[phase]]";

    fn from_tables(tables: toml::Table) -> Result<NTuplePlan, RecipeError> {
        Ok(toml::Value::Table(tables).try_into()?)
    }

    fn write_tables<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("network", &self.network)?;
        map.serialize_entry("phase", &self.phases)
    }

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        plan::check(self)
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        let needs = self.needs(game)?;
        self.initial_weights(game, &needs.tuples)?;
        Ok(ensure_memory(needs.bytes)?)
    }

    fn check_device<G: Spec>(&self, game: &G, device: Device) -> Result<(), LearnerError> {
        match device {
            Device::Cpu => Ok(()),
            Device::Cuda(number) => on_device::check(self, game, number),
        }
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let Needs { tuples, coherent, bytes } = self.needs(training.game)?;
        let (count, weights) = (tuples.cells().len(), tuples.weights());
        let (needed, shown) = (show(bytes), whole(weights as f64));
        observer.begin(&format!("{count} tuples with {shown} weights need {needed} of memory"))?;
        ensure_memory(bytes)?;
        let network = Network::new(training.game, tuples, self.network.initial)?;
        if let Some(weights) = self.initial_weights(training.game, network.tuples())? {
            for (word, weight) in network.weights().iter().zip(weights) {
                store(word, weight);
            }
        }
        if !network.memory().huge_pages() {
            observer.begin("The system provides no huge pages: training will be slower")?;
        }
        let coherence = if coherent { Some(Coherence::new(weights)?) } else { None };
        let device = match training.device {
            Device::Cpu => None,
            Device::Cuda(number) => {
                let seed = training.recipe.seed;
                let device = OnDevice::new(self, training.game, network.tuples(), number, seed)?;
                observer.begin(&device.describe())?;
                Some(device)
            }
        };
        let pools = (0..training.threads).map(|_| StartPool::default()).collect();
        let spans = Span::all(&training.recipe.budget, self.phases.iter().map(|phase| phase.share));
        let plan = self;
        Ok(Box::new(NTupleLearner { training, plan, spans, network, coherence, pools, device }))
    }
}

/// Trains the network.
struct NTupleLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a NTuplePlan,
    spans: Vec<Span>,
    network: Network<G>,
    coherence: Option<Coherence>,
    /// The start pool of each thread.
    pools: Vec<StartPool<G::State>>,
    /// The network on a GPU, which then is ahead of the one here.
    device: Option<OnDevice>,
}

/// The start pool of each thread: its turn, and its states as text; the games of a GPU.
#[derive(Serialize, Deserialize)]
struct State {
    pools: Vec<(usize, Vec<String>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cuda: Option<GamesOnDevice>,
}

impl<G: Spec> Learner for NTupleLearner<'_, G> {
    fn identity(&self) -> String {
        let tuples = self.network.tuples();
        format!("tuples {:?} and stages {:?}", tuples.cells(), tuples.stages())
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let here = context.position().in_unit_of(context.budget());
        let current = self.spans.iter().position(|span| here < span.end);
        let phase = current.unwrap_or(self.spans.len() - 1);
        if let Some(device) = &mut self.device {
            let (weights, coherence) = (self.network.memory_mut(), self.coherence.as_mut());
            device.upload(
                weights,
                coherence.map(Coherence::memory_mut),
                context.position().episodes,
            )?;
            let games = device.play(&self.plan.phases[phase], self.spans[phase], context)?;
            return Ok(Round { games, phase, ..Round::default() });
        }
        let workers = Workers {
            training: &self.training,
            network: &self.network,
            coherence: self.coherence.as_ref(),
            phase: self.plan.phases[phase],
            search: self.plan.network.search,
            span: self.spans[phase],
            context,
        };
        let games = workers.play(&mut self.pools);
        Ok(Round { games, phase, ..Round::default() })
    }

    fn gpu(&self) -> Option<String> {
        self.device.as_ref().map(|device| device.name().to_owned())
    }

    fn synchronize(&mut self) -> Result<(), LearnerError> {
        let Some(device) = &mut self.device else { return Ok(()) };
        let coherence = self.coherence.as_mut().map(Coherence::memory_mut);
        device.download(self.network.memory_mut(), coherence)?;
        Ok(())
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        let texts = |pool: &StartPool<G::State>| {
            let states = pool.states.iter().map(|state| self.training.game.state_text(state));
            (pool.turn, states.collect())
        };
        let cuda = self.device.as_ref().and_then(OnDevice::games);
        serde_json::to_value(State { pools: self.pools.iter().map(texts).collect(), cuda })
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let State { pools, cuda } = serde_json::from_value(state)?;
        if let (Some(device), Some(games)) = (&mut self.device, cuda) {
            device.resume(&games)?;
        }
        for (pool, (turn, texts)) in self.pools.iter_mut().zip(&pools) {
            let states = texts.iter().map(|text| self.training.game.parse_state(text));
            *pool = StartPool { states: states.collect::<Result<_, _>>()?, turn: *turn };
        }
        Ok(())
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let mut tensors = vec![("weights", self.network.memory_mut().bytes_mut())];
        if let Some(coherence) = &mut self.coherence {
            tensors.push(("coherence", coherence.memory_mut().bytes_mut()));
        }
        tensors
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        Ok(self.network.save(path, info, self.plan.phases[0].values)?)
    }
}
