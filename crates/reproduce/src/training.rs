//! `Training`: one run of the laboratory that experiments share.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_lab::recipe::{Recipe, RecipeError, Valued};
use afterstate_lab::run::{Folder, Window};
use serde::{Deserialize, Serialize};

use crate::form::Form;
use crate::measure::EpisodeResult;
use crate::session::Error;

/// TD(0) on 2048 with a network, a rate and a budget: all that tells one training from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// A named set of tuples.
    pub network: &'static str,
    /// The learning rate in all.
    pub rate: f32,
    /// What is valued.
    pub values: Valued,
    /// The published number of games.
    pub episodes: u64,
    /// The number of games after which it goes on from a shorter training like it.
    pub after: Option<u64>,
    /// Whether a longer training goes on from it: its checkpoint is kept.
    pub goes_on: bool,
}

impl Training {
    /// A training of afterstates for 300,000 games.
    pub const fn of(network: &'static str, rate: f32) -> Training {
        let (values, episodes) = (Valued::Afterstates, 300_000);
        Training { network, rate, values, episodes, after: None, goes_on: false }
    }

    /// The shorter training that it goes on from.
    pub fn before(&self) -> Option<Training> {
        self.after.map(|episodes| Training { episodes, after: None, goes_on: true, ..*self })
    }

    /// The name of its folder.
    pub fn name(&self, seed: u64) -> String {
        let values = match self.values {
            Valued::Afterstates => "afterstates",
            Valued::States => "states",
        };
        let thousands = self.episodes / 1_000;
        format!("{}-{values}-rate{}-{thousands}k-seed{seed}", self.network, self.rate)
    }

    /// The tuples that a form uses.
    pub(crate) fn tuples(&self, form: &Form) -> &'static str {
        form.tuples.unwrap_or(self.network)
    }

    /// Its recipe.
    pub(crate) fn recipe(&self, form: &Form, seed: u64) -> Result<Recipe, RecipeError> {
        let values = match self.values {
            Valued::Afterstates => "afterstates",
            Valued::States => "states",
        };
        let text = format!(
            "game = '2048:4x4'\nseed = {seed}\n[budget]\nepisodes = {}\n[network]\ntuples = '{}'\n\
             [[phase]]\nmethod = 'td'\nrate = {:?}\nvalues = '{values}'\n[log]\nwindow = {}\n",
            form.episodes(self.episodes),
            self.tuples(form),
            self.rate,
            form.window,
        );
        Recipe::parse(&text, &[])
    }
}

/// What a finished training leaves beside its run, so that it is not run or played again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    #[serde(flatten)]
    pub(crate) cost: Cost,
    /// Games without learning; not for values of states, by which the player cannot choose.
    pub(crate) played: Option<EpisodeResult>,
}

/// What a training took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The name of its folder.
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

const FINISHED: &str = "finished.json";

impl Finished {
    fn path(folder: &Folder) -> PathBuf {
        folder.path().join(FINISHED)
    }

    /// The mark of a finished training, if it is there and whole.
    pub(crate) fn read(folder: &Folder) -> Option<Finished> {
        serde_json::from_str(&fs::read_to_string(Finished::path(folder)).ok()?).ok()
    }

    pub(crate) fn write(&self, folder: &Folder) -> Result<(), Error> {
        let path = Finished::path(folder);
        let text = serde_json::to_string(self).map_err(|error| at(&path)(error.into()))?;
        fs::write(&path, text + "\n").map_err(at(&path))
    }
}

/// An error of one file.
pub(crate) fn at(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::File { path: path.clone(), source }
}

/// A finished training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Which.
    pub training: Training,
    /// Its curve.
    pub windows: Vec<Window>,
    pub(crate) finished: Finished,
}
