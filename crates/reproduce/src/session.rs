//! `Session`: the trainings of some experiments, each run once and kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use afterstate_lab::evaluate::EvaluateError;
use afterstate_lab::recipe::{RecipeError, Valued};
use afterstate_lab::run::{Folder, Observer, RunError, train};
use afterstate_lab::{Agent, Plan, evaluate};

use crate::form::Form;
use crate::machine::machine;
use crate::measure::EpisodeResult;
use crate::training::{Cost, Finished, Trained, Training, at};

/// What experiments are run with.
pub struct Session<'a> {
    /// How much of the published budgets is spent.
    pub form: Form,
    /// The folder of the runs.
    pub work: PathBuf,
    /// The seed of every training.
    pub seed: u64,
    /// Threads to train and to play on.
    pub threads: usize,
    /// Set from outside to stop: a training under way is saved, and goes on next time.
    pub stop: &'a AtomicBool,
    /// Who watches.
    pub watch: &'a mut dyn Observer,
}

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A training failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The trained agent could not be played.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The recipe is wrong: a bug.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The rules or what is seen of them are wrong: a bug.
    #[error("{0}")]
    Rules(String),
    /// A game cannot be written out.
    #[error("met a game with too many states to write out, expected a small one")]
    TooLarge,
    /// A chart could not be drawn.
    #[error(transparent)]
    Chart(#[from] afterstate_lab::chart::ChartError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The work folder holds something else.
    #[error(
        "{0} holds a run of another recipe, expected none or one of this experiment: remove it"
    )]
    Other(String),
    /// An agent has no such name: a bug.
    #[error(transparent)]
    Agent(afterstate_lab::agent::UnknownAgent),
    /// It was stopped.
    #[error("stopped; what was trained or played is saved, and the same command goes on")]
    Stopped,
}

impl Session<'_> {
    /// Trains, or goes on, or reads what is finished.
    pub fn trained(&mut self, training: Training) -> Result<Trained, Error> {
        let path = self.work.join(self.form.name).join(training.name(self.seed));
        let recipe = training.recipe(&self.form, self.seed)?;
        let folder = match Folder::open(&path) {
            Ok(folder) if *folder.recipe() == recipe => folder,
            Ok(_) => return Err(Error::Other(path.display().to_string())),
            Err(RunError::Missing(_)) => {
                let before = training.before().map(|before| self.trained(before)).transpose()?;
                // The recipe comes last: it makes the folder a run.
                if let Some(before) = before {
                    self.go_on(&before.training, &path)?;
                }
                Folder::create(&path, recipe)?
            }
            Err(error) => return Err(error.into()),
        };
        let finished = match Finished::read(&folder) {
            Some(finished) => {
                self.watch.plan(&format!("{}: already trained", path.display()))?;
                finished
            }
            None => self.finish(&training, &folder)?,
        };
        Ok(Trained { training, windows: folder.metrics()?, finished })
    }

    /// Starts a run where a shorter one ended.
    fn go_on(&self, before: &Training, folder: &Path) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let old = self.work.join(self.form.name).join(before.name(self.seed));
        for name in ["metrics.jsonl", "checkpoint.safetensors"] {
            let from = old.join(name);
            fs::copy(&from, folder.join(name)).map_err(at(&from))?;
        }
        Ok(())
    }

    fn finish(&mut self, training: &Training, folder: &Folder) -> Result<Finished, Error> {
        let games = self.form.episodes(training.episodes);
        self.watch.plan(&format!("{}: {games} games", folder.path().display()))?;
        let outcome = train(folder, self.threads, self.stop, self.watch)?;
        if !outcome.finished {
            return Err(Error::Stopped);
        }
        // The player chooses by the values of afterstates.
        let played = match training.values {
            Valued::Afterstates => Some(self.play(folder)?),
            Valued::States => None,
        };
        let position = outcome.position;
        let cost = Cost {
            training: training.name(self.seed),
            episodes: position.episodes,
            moves: position.moves,
            seconds: position.seconds,
            threads: self.threads,
            machine: machine(),
        };
        let finished = Finished { cost, played };
        finished.write(folder)?;
        if !training.goes_on {
            // As large as the agent, and of no more use.
            let _ = fs::remove_file(folder.checkpoint());
        }
        Ok(finished)
    }

    fn play(&self, folder: &Folder) -> Result<EpisodeResult, Error> {
        // Games of an evaluation are never games of the training.
        let seed = self.seed ^ 0x5eed;
        let threads = Some(self.threads);
        let plan = Plan { games: self.form.games, seed, threads, max_moves: None };
        let evaluation = evaluate(&folder.spec()?, &Agent::File(folder.agent()), &plan)?;
        Ok(EpisodeResult::of(&evaluation, &plan))
    }
}
