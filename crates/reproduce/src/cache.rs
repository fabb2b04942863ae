//! `TrainingCache`: runs each training once, in a folder, and shares it between experiments.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io};

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_core::Device;
use afterstate_core::cluster::connected;
use afterstate_search::Search;
use afterstate_train::recipe::Recipe;
use afterstate_train::run::{Folder, Observer, RunError};
use afterstate_train::{Hardware, LearnerPlan, Window};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::at_once::at_once;
use crate::carr::TableCache;
use crate::files::{create_folder, file_error, remove_file, write_json};
use crate::measure::PlayedGames;
use crate::memory_queue::MemoryQueue;
use crate::{Error, Scale};
use afterstate_agents::machine;

/// The settings of some experiments, and the trainings that they share.
pub struct TrainingCache<'a> {
    /// How much of the published budgets is spent.
    pub scale: Scale,
    /// The folder of the trainings.
    pub folder: PathBuf,
    /// The seed of every training.
    pub seed: u64,
    /// Threads to train and to play on.
    pub threads: usize,
    /// Where agents play, in experiments that are made for a GPU.
    pub device: Device,
    /// Set from outside to stop: a training under way is saved, and the next call resumes it.
    pub stop: &'a AtomicBool,
    /// Receives progress.
    pub observer: &'a mut dyn Observer,
    /// Tables that were trained by this process.
    pub tables: &'a mut TableCache,
}

/// What a training took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The name of its folder, or of the agent that played.
    pub training: String,
    /// Games.
    pub episodes: u64,
    /// Moves.
    pub moves: u64,
    /// Seconds on the clock.
    pub seconds: f64,
    /// Threads that trained, at the end.
    pub threads: usize,
    /// Where it was trained.
    pub machine: String,
}

/// A training by a recipe.
pub(crate) struct RunPlan<'a> {
    /// The name of its folder.
    pub(crate) name: &'a str,
    pub(crate) recipe: &'a str,
    /// The finished run whose metrics and checkpoint it starts from.
    pub(crate) continues: Option<&'a str>,
    /// Whether the trained agent plays games without learning.
    pub(crate) evaluate: bool,
    /// Whether the checkpoint is kept after the training.
    pub(crate) keep_checkpoint: bool,
    /// Whether the agent is kept after it has played.
    pub(crate) keep_agent: bool,
    /// The memory of its weights.
    pub(crate) bytes: u64,
    /// The threads that train it when several runs train at the same time.
    pub(crate) threads: usize,
}

impl<'a> RunPlan<'a> {
    /// A training on one thread that leaves an agent and plays no games.
    pub(crate) fn agent(name: &'a str, recipe: &'a str) -> RunPlan<'a> {
        RunPlan {
            name,
            recipe,
            continues: None,
            evaluate: false,
            keep_checkpoint: false,
            keep_agent: true,
            bytes: 0,
            threads: 1,
        }
    }
}

/// A finished training.
#[derive(Clone, Debug)]
pub(crate) struct TrainedRun {
    pub(crate) folder: Folder,
    /// Its learning curve.
    pub(crate) windows: Vec<Window>,
    pub(crate) finished: Finished,
}

/// Marks a run as finished, so that it is not trained or evaluated again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    #[serde(flatten)]
    pub(crate) cost: Cost,
    pub(crate) played: Option<PlayedGames>,
}

impl<'a> TrainingCache<'a> {
    /// The path of a training or of a file of games.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(self.scale.name()).join(name)
    }

    /// Where agents play and learners learn: this machine, beside the cluster that it shares games out to.
    pub(crate) fn machine(&self) -> String {
        machine_of(self.device)
    }

    pub(crate) fn check_stopped(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// A value that was saved earlier. A damaged file counts as none, which the observer reports.
    pub(crate) fn saved<T: DeserializeOwned>(&mut self, path: &Path) -> Result<Option<T>, Error> {
        saved(path, self.observer)
    }

    /// Trains on all threads, resumes, or reads what is finished.
    pub(crate) fn run(&mut self, plan: &RunPlan) -> Result<TrainedRun, Error> {
        let (folder, finished) = self.open(plan)?;
        let finished = match finished {
            Some(finished) => finished,
            None => self.training(self.threads).run(plan, &folder, self.observer)?,
        };
        Ok(TrainedRun { windows: folder.metrics()?, finished, folder })
    }

    /// The same of several runs with different names, each on its own number of threads, as many at
    /// the same time as there are threads and as fit into memory: how many does not change what those
    /// on one thread learn.
    pub(crate) fn run_all(&mut self, plans: &[RunPlan]) -> Result<Vec<TrainedRun>, Error> {
        let open: Vec<_> = plans.iter().map(|plan| self.open(plan)).collect::<Result<_, _>>()?;
        let each = self.training(1);
        // A worker has one thread. Others stay here, as many at once as without a cluster.
        let on_worker = |plan: &RunPlan| each.cluster && plan.threads == 1;
        let training =
            |plan: &RunPlan| Training { threads: plan.threads, whole: on_worker(plan), ..each };
        let pending = plans.iter().zip(&open).filter(|(_, (_, finished))| finished.is_none());
        let pending: Vec<_> = pending.map(|(plan, (folder, _))| (plan, folder)).collect();
        // The memory that counts is that of this machine.
        let needs = |plan: &RunPlan| if on_worker(plan) { 0 } else { plan.bytes };
        let queue = MemoryQueue::new(pending.iter().map(|(plan, _)| needs(plan)));
        let threads = match pending.iter().all(|(plan, _)| on_worker(plan)) {
            // A training waits on a thread of this machine for its worker.
            true if !pending.is_empty() => {
                let cluster = connected().map_err(|error| RunError::Learner(error.into()))?;
                cluster.status().workers.max(1)
            }
            _ => self.threads,
        };
        let trained = at_once(threads, pending.len(), self.observer, |_, observer| {
            let turn = queue.next()?;
            let (plan, folder) = pending[turn.number];
            Some((turn.number, training(plan).run(plan, folder, observer)))
        })?;
        let mut trained: Vec<_> = trained.into_iter().flatten().collect();
        trained.sort_by_key(|&(number, _)| number);
        let mut trained = trained.into_iter().map(|(_, finished)| finished);
        let mut runs = Vec::new();
        for (folder, finished) in open {
            let finished = match finished.map_or_else(|| trained.next(), |found| Some(Ok(found))) {
                Some(finished) => finished?,
                None => return Err(Error::Stopped),
            };
            runs.push(TrainedRun { windows: folder.metrics()?, finished, folder });
        }
        Ok(runs)
    }

    /// Opens or creates the folder of a run, and reads whether it is finished.
    fn open(&mut self, plan: &RunPlan) -> Result<(Folder, Option<Finished>), Error> {
        let path = self.path(plan.name);
        let recipe = Recipe::parse(plan.recipe, &[])?;
        let folder = loop {
            match Folder::open(&path) {
                Ok(folder) if *folder.recipe() == recipe => break folder,
                Ok(_) => return Err(Error::OtherRecipe(path.display().to_string())),
                Err(RunError::Missing(_)) => {
                    if let Some(before) = plan.continues {
                        self.start_from(before, &path)?;
                    }
                    // The recipe comes last: it makes the folder a run.
                    match Folder::create(&path, recipe.clone()) {
                        // Another process has just begun the same run.
                        Err(RunError::Taken(_) | RunError::Locked(_)) => self.check_stopped()?,
                        created => break created?,
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        let finished = self.saved(&path.join(FINISHED))?;
        if finished.is_some() {
            self.observer.begin(&format!("{}: already trained", path.display()))?;
        }
        Ok((folder, finished))
    }

    fn training(&self, threads: usize) -> Training<'a> {
        let cluster = self.device == Device::Cluster;
        let (scale, device, stop) = (self.scale, self.device, self.stop);
        Training { scale, threads, device, cluster, whole: false, stop }
    }

    /// Starts a run where another ended.
    fn start_from(&self, before: &str, folder: &Path) -> Result<(), Error> {
        create_folder(folder)?;
        for name in ["metrics.jsonl", "checkpoint.safetensors"] {
            let from = self.path(before).join(name);
            fs::copy(&from, folder.join(name)).map_err(file_error(&from))?;
        }
        Ok(())
    }
}

/// A value that was saved earlier. A damaged file counts as none, which the observer reports.
fn saved<T: DeserializeOwned>(
    path: &Path,
    observer: &mut dyn Observer,
) -> Result<Option<T>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(file_error(path)(error)),
    };
    match serde_json::from_str(&text) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            observer.note(&format!("{}: {error}; measured again", path.display()))?;
            Ok(None)
        }
    }
}

/// The machines of a device. Workers of a cluster do not tell what machines they are.
fn machine_of(device: Device) -> String {
    match device {
        Device::Cluster => format!("a cluster; driver: {}", machine()),
        _ => machine(),
    }
}

/// The file that marks a finished run.
const FINISHED: &str = "finished.json";

/// How runs are trained.
#[derive(Clone, Copy)]
struct Training<'a> {
    scale: Scale,
    threads: usize,
    /// Where learners learn that can: an NVIDIA GPU, or else the processor.
    device: Device,
    /// Whether games are played on the cluster, where they can be shared out.
    cluster: bool,
    /// Whether it is one of several, each on one thread.
    whole: bool,
    stop: &'a AtomicBool,
}

/// What became of a run that is to be trained.
enum Begun {
    /// Another process has finished it.
    Finished(Finished),
    Locked(Box<Folder>),
}

/// How long it takes to see that another process has finished a run.
const PAUSE: Duration = Duration::from_millis(200);

impl Training<'_> {
    fn run(
        self,
        plan: &RunPlan,
        folder: &Folder,
        observer: &mut dyn Observer,
    ) -> Result<Finished, Error> {
        let path = folder.path().join(FINISHED);
        let folder = &match self.lock(folder, &path, observer)? {
            Begun::Finished(finished) => return Ok(finished),
            Begun::Locked(folder) => *folder,
        };
        observer.begin(&format!("{}: training", folder.path().display()))?;
        let engine = afterstate_engine::open(&folder.recipe().rules);
        let mut hardware = Hardware::threads(self.threads);
        if matches!(self.device, Device::Cuda(_))
            && engine.check(folder.recipe(), self.device).is_ok()
        {
            hardware.device = self.device;
        }
        // Learners of networks would exchange weights: that is no longer what was published.
        let network = matches!(folder.recipe().learner, LearnerPlan::NTuple(_));
        if self.cluster
            && !self.whole
            && !network
            && engine.check(folder.recipe(), Device::Cluster).is_ok()
        {
            hardware.device = Device::Cluster;
        }
        let outcome = match self.whole {
            true => folder.train_on_cluster(&engine.rules(), self.stop, observer)?,
            false => engine.train(folder, hardware, self.stop, observer)?,
        };
        if !outcome.finished {
            if !plan.keep_agent {
                // The checkpoint is as large, and all that resuming needs.
                remove_file(&folder.agent())?;
            }
            return Err(Error::Stopped);
        }
        let played = plan.evaluate.then(|| self.evaluate(folder)).transpose()?;
        let cost = Cost {
            training: plan.name.to_owned(),
            episodes: outcome.position.episodes,
            moves: outcome.position.moves,
            seconds: outcome.position.seconds,
            threads: self.threads,
            machine: match self.whole {
                true => format!("a worker of a cluster; driver: {}", machine()),
                false => machine_of(hardware.device),
            },
        };
        let finished = Finished { cost, played };
        write_json(&path, &finished)?;
        if !plan.keep_checkpoint {
            // As large as the agent, and of no further use.
            remove_file(&folder.checkpoint())?;
        }
        if !plan.keep_agent {
            remove_file(&folder.agent())?;
        }
        Ok(finished)
    }

    /// Locks a run. One that another process trains, for an experiment with the same trainings, is
    /// waited for.
    fn lock(
        self,
        folder: &Folder,
        finished: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Begun, Error> {
        let mut told = false;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let locked = folder.locked();
            // Read after the lock was asked for: who holds it may have finished in between.
            if let Some(finished) = saved(finished, observer)? {
                return Ok(Begun::Finished(finished));
            }
            match locked {
                Err(RunError::Locked(_)) if !told => {
                    let path = folder.path().display();
                    observer.note(&format!("{path}: waiting for another process to train it"))?;
                    told = true;
                }
                Err(RunError::Locked(_)) => std::thread::sleep(PAUSE),
                locked => return Ok(Begun::Locked(Box::new(locked?))),
            }
        }
    }

    fn evaluate(self, folder: &Folder) -> Result<PlayedGames, Error> {
        let (games, seed) = (self.scale.games(), evaluation_seed(folder.recipe().seed));
        let settings = EvaluationSettings {
            games,
            seed,
            threads: Some(self.threads),
            max_moves: None,
            device: if self.cluster { Device::Cluster } else { Device::Cpu },
        };
        let engine = afterstate_engine::open(&folder.recipe().rules);
        let agent = Agent::File(folder.agent());
        let evaluation = engine.evaluate(&agent, &Search::GREEDY, &settings)?;
        Ok(PlayedGames::of(&evaluation, &settings))
    }
}
