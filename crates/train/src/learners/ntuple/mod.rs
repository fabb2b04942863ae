//! N-tuple networks learned by temporal differences, in phases.

mod average;
mod batches;
mod in_records;
mod on_device;
pub mod patterns;
mod plan;
mod remote;
mod start;
mod workers;

use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_core::Device;
use afterstate_core::numbers::whole;
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_learn::{BatchLearner, Coherence};
use afterstate_values::memory::show;
use afterstate_values::weights::store;
use afterstate_values::{AgentInfo, Network};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};

use average::WeightAverage;
use batches::{BatchRound, Batches, SavedGame};
use in_records::InRecords;
use on_device::{GamesOnDevice, OnDevice, Tables};
use patterns::PatternError;
pub use plan::{
    CudaTable, NTuplePlan, NetworkTable, Order, Patterns, Phase, Starts, UpdateRule, Variant,
};
use remote::RemoteLearners;
pub(super) use remote::{LEARN, prepare};
use workers::{StartPool, Workers};

use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, SAVED_GAME,
    Training, ensure_memory,
};
use crate::budget::Span;
use crate::recipe::{Budget, InvalidSetting, RecipeError};
use crate::run::Observer;

/// The tuples of a plan and the memory of its tables.
struct PlannedTables {
    tuples: Tuples,
    coherent: bool,
    bytes: u64,
}

impl NTuplePlan {
    fn tables<G: Spec>(&self, game: &G) -> Result<PlannedTables, PatternError> {
        let patterns = match &self.network.tuples {
            Patterns::One(one) => std::slice::from_ref(one),
            Patterns::Many(many) => &many[..],
        };
        let tuples = patterns::tuples(game, patterns)?.with_stages(self.network.stages.clone())?;
        let coherent = self.phases.iter().any(|phase| phase.method == UpdateRule::Tc);
        let weights = tuples.weights();
        let more = [
            (coherent, Coherence::bytes(weights)),
            (self.network.average > 0.0, Network::<G>::bytes(&tuples)),
            (self.network.batch.is_some(), BatchLearner::bytes(weights)),
        ];
        let more: u64 = more.iter().filter(|(used, _)| *used).map(|(_, bytes)| bytes).sum();
        let bytes = Network::<G>::bytes(&tuples) + more;
        Ok(PlannedTables { tuples, coherent, bytes })
    }

    /// What the games of a batch take, also in a checkpoint.
    fn batch_needs<G: Spec>(&self) -> Needs {
        let (games, each) = (self.network.batch.map_or(0, u64::from), Batches::<G>::game_bytes());
        Needs { memory: games * (SAVED_GAME.memory + each), disk: games * SAVED_GAME.disk }
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
        let tables = self.tables(game)?;
        self.initial_weights(game, &tables.tuples)?;
        Ok(ensure_memory(tables.bytes.saturating_add(self.batch_needs::<G>().memory))?)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let tables = self.tables(game)?;
        let Needs { memory, disk } = self.batch_needs::<G>();
        let agent = Network::<G>::bytes(&tables.tuples);
        Ok(Needs::of_tables(tables.bytes, agent).and(memory, disk))
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        self.network.agent.iter_mut().collect()
    }

    fn check_device<G: Spec>(&self, game: &G, device: Device) -> Result<(), LearnerError> {
        let forgets = self.phases.iter().any(|phase| phase.forget_coherence);
        match device {
            // Every exchange begins a phase anew on the workers, which would forget at each.
            Device::Cluster if forgets => Err("phase.forget_coherence: --cluster needs phases \
                without it; train the recipe on one machine"
                .into()),
            Device::Cpu | Device::Cluster => Ok(()),
            Device::Cuda(number) => on_device::check(self, game, number),
        }
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let PlannedTables { tuples, coherent, bytes } = self.tables(training.game)?;
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
        // Every page of the first stage is used soon: the budget is for learning.
        let first_stage = network.tuples().stage_weights();
        network.memory().populate(4 * first_stage);
        if let Some(coherence) = &coherence {
            coherence.memory().populate(Coherence::bytes(first_stage));
        }
        let device = match training.device {
            Device::Cpu | Device::Cluster => None,
            Device::Cuda(number) => {
                let seed = training.recipe.seed;
                let mut device =
                    OnDevice::new(self, training.game, network.tuples(), number, seed)?;
                observer.begin(&device.describe())?;
                Some(device)
            }
        };
        let remote = (training.device == Device::Cluster).then(RemoteLearners::new).transpose()?;
        let budget = &training.recipe.budget;
        let average = (self.network.average > 0.0).then(|| {
            WeightAverage::new(Network::<G>::bytes(network.tuples()), budget, self.network.average)
        });
        let average = average.transpose()?;
        let games = self.network.batch.filter(|_| device.is_none());
        let batches = games.map(|games| Batches::new(games, weights as usize));
        let learns_here = training.device == Device::Cpu;
        let records = learns_here.then(|| InRecords::new(self, &network)).flatten();
        if let Some(records) = &records {
            let more = show(records.bytes());
            observer.begin(&format!(
                "Weights and their sums are learned side by side in {more} more"
            ))?;
        }
        let pools = (0..training.threads).map(|_| StartPool::default()).collect();
        let spans = Span::all(&training.recipe.budget, self.phases.iter().map(|phase| phase.share));
        let plan = self;
        Ok(Box::new(NTupleLearner {
            training,
            plan,
            spans,
            network,
            coherence,
            average,
            records,
            pools,
            batches,
            device,
            remote,
            forgotten: None,
        }))
    }
}

/// Trains the network.
struct NTupleLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a NTuplePlan,
    spans: Vec<Span>,
    network: Network<G>,
    coherence: Option<Coherence>,
    average: Option<WeightAverage>,
    /// Where phases of temporal coherence learn, if there is room.
    records: Option<InRecords>,
    /// The start pool of each thread.
    pools: Vec<StartPool<G::State>>,
    /// The games of batch learning on the processor.
    batches: Option<Batches<G>>,
    /// The network on a GPU, which then is ahead of the one here.
    device: Option<OnDevice>,
    /// The learners of a cluster.
    remote: Option<RemoteLearners>,
    /// The phase at whose beginning the sums of coherence were last forgotten.
    forgotten: Option<usize>,
}

/// The start pool of each thread: its turn, and its states as text; the games of a GPU; the games of
/// batches; the samples of the mean of the weights; the phase that forgot the sums of coherence.
#[derive(Serialize, Deserialize)]
struct State {
    pools: Vec<(usize, Vec<String>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    batch: Option<Vec<SavedGame>>,
    #[serde(default)]
    samples: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cuda: Option<GamesOnDevice>,
}

impl<G: Spec> NTupleLearner<'_, G> {
    /// Plays and learns until the round is over or the budget reaches `end`.
    fn play(
        &mut self,
        phase: usize,
        end: f64,
        context: &RoundContext,
    ) -> Result<Vec<GameResult>, LearnerError> {
        let span = self.spans[phase];
        let forget = self.plan.phases[phase].forget_coherence && self.forgotten != Some(phase);
        if forget {
            self.forgotten = Some(phase);
        }
        if let Some(device) = &mut self.device {
            let (weights, coherence) = (self.network.memory_mut(), self.coherence.as_mut());
            let tables = Tables {
                weights,
                coherence: coherence.map(Coherence::memory_mut),
                mean: self.average.as_mut().map(|average| &mut average.mean),
            };
            device.upload(tables, context.position().episodes)?;
            if forget {
                device.forget_coherence()?;
            }
            return device.play(&self.plan.phases[phase], (span, end), context);
        }
        if let Some(remote) = &mut self.remote {
            let coherence = self.coherence.as_mut().map(Coherence::memory_mut);
            return remote.play(&self.training, self.network.memory_mut(), coherence, context);
        }
        if let (Some(records), Some(sums), true) = (&mut self.records, &self.coherence, forget) {
            records.leave(&self.network, sums, self.training.threads);
        }
        if let Some(coherence) = self.coherence.as_mut().filter(|_| forget) {
            coherence.memory_mut().bytes_mut().fill(0);
        }
        let (network, coherence) = (&self.network, self.coherence.as_ref());
        let training = &self.training;
        if let Some(batches) = &mut self.batches {
            let phase = &self.plan.phases[phase];
            let round = BatchRound { training, network, coherence, phase, span, end, context };
            return Ok(batches.play(&round));
        }
        let (phase, search) = (self.plan.phases[phase], self.plan.network.search);
        let records = match (&mut self.records, coherence) {
            (Some(records), Some(sums)) => {
                records.begin(self.plan, &phase, (network, sums), training.threads)
            }
            _ => None,
        };
        let workers =
            Workers { training, network, coherence, records, phase, search, span, end, context };
        Ok(workers.play(&mut self.pools))
    }
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
        let sample_at = self.average.as_mut().map_or(f64::INFINITY, |average| average.begin(here));
        let end = self.spans[phase].end.min(sample_at);
        self.network.use_stages(self.plan.phases[phase].stages);
        let games = self.play(phase, end, context);
        self.network.use_stages(true);
        let games = games?;
        let here = context.position().in_unit_of(context.budget());
        if let Some(average) = &mut self.average
            && let Some(number) = average.sample(here)
        {
            match &mut self.device {
                Some(device) => device.add_sample(number)?,
                None => average.add(self.network.memory(), number),
            }
        }
        Ok(Round { games, phase, ..Round::default() })
    }

    fn gpu(&self) -> Option<String> {
        self.device.as_ref().map(|device| device.name().to_owned())
    }

    fn synchronize(&mut self) -> Result<(), LearnerError> {
        if let (Some(records), Some(sums)) = (&self.records, &self.coherence) {
            records.copy_to(&self.network, sums, self.training.threads);
        }
        let Some(device) = &mut self.device else { return Ok(()) };
        device.download(Tables {
            weights: self.network.memory_mut(),
            coherence: self.coherence.as_mut().map(Coherence::memory_mut),
            mean: self.average.as_mut().map(|average| &mut average.mean),
        })
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        let texts = |pool: &StartPool<G::State>| {
            let states = pool.states.iter().map(|state| self.training.game.state_text(state));
            (pool.turn, states.collect())
        };
        let cuda = self.device.as_ref().and_then(OnDevice::games);
        serde_json::to_value(State {
            pools: self.pools.iter().map(texts).collect(),
            batch: self.batches.as_ref().map(|batches| batches.save(self.training.game)),
            samples: self.average.as_ref().map_or(0, |average| average.samples),
            forgotten: self.forgotten,
            cuda,
        })
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), LearnerError> {
        let State { pools, batch, samples, forgotten, cuda } = serde_json::from_value(state)?;
        self.forgotten = forgotten;
        if let (Some(batches), Some(games)) = (&mut self.batches, batch) {
            batches.restore(self.training.game, &games)?;
        }
        if let Some(average) = &mut self.average {
            average.samples = samples;
        }
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
        if let Some(average) = &mut self.average {
            tensors.push(("average", average.mean.bytes_mut()));
        }
        tensors
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        let values = self.plan.phases[0].values;
        let Some(average) = self.average.as_mut().filter(|average| average.samples > 0) else {
            return Ok(self.network.save(path, info, values)?);
        };
        // The mean takes the place of the weights while it is saved.
        self.network.memory_mut().bytes_mut().swap_with_slice(average.mean.bytes_mut());
        let saved = self.network.save(path, info, values);
        self.network.memory_mut().bytes_mut().swap_with_slice(average.mean.bytes_mut());
        Ok(saved?)
    }
}
