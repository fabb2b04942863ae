//! The readers of a run's files over bytes in memory: the code that reads folders, without their files.
//! Fuzzing calls it millions of times.

use afterstate_core::Device;
use afterstate_games::spec::Spec;
use serde_json::Value;

use super::checkpoint::{self, Progress};
use super::error::RunError;
use super::folder::windows;
use super::overview::{Facts, Overview, RunState};
use super::pieces::unpack_to;
use super::train::{Observer, Status};
use crate::learners::{Learner, LearnerError, Training};
use crate::metrics::Window;
use crate::recipe::Recipe;

/// A training whose checkpoints are bytes.
pub struct InMemory<'a> {
    /// The rules as text.
    rules: String,
    recipe: &'a Recipe,
    /// Opens its learner anew.
    open: Box<dyn Fn() -> Result<Box<dyn Learner + 'a>, LearnerError> + 'a>,
    /// `None` after a checkpoint that was refused when a part of it had been read.
    learner: Option<Box<dyn Learner + 'a>>,
}

/// A learner that nobody observes.
struct Unobserved;

impl Observer for Unobserved {
    fn round(&mut self, _: &Status) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> InMemory<'a> {
    /// A training by a recipe on one thread.
    pub fn open<G: Spec>(game: &'a G, recipe: &'a Recipe) -> Result<InMemory<'a>, RunError> {
        let open = Box::new(move || {
            let training = Training { game, recipe, threads: 1, device: Device::Cpu };
            recipe.learner.open(training, &mut Unobserved)
        });
        let learner = Some(open()?);
        Ok(InMemory { rules: game.spec(), recipe, open, learner })
    }

    /// Resumes from a checkpoint and saves another one at once, as a training that is stopped before its
    /// first round does.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<Vec<u8>, RunError> {
        let mut learner = match self.learner.take() {
            Some(learner) => learner,
            None => (self.open)()?,
        };
        let mut is_changed = false;
        let loaded = checkpoint::load_bytes(bytes, &self.rules, &mut *learner, &mut is_changed);
        if loaded.is_ok() || !is_changed {
            self.learner = Some(learner);
        }
        let progress = loaded?;
        let _ = progress.position.share_of(&self.recipe.budget);
        let learner = self.learner.as_mut().ok_or("no learner").map_err(LearnerError::from)?;
        learner.synchronize()?;
        let progress = Progress {
            game: self.rules.clone(),
            learner: learner.identity(),
            state: Value::Null,
            ..progress
        };
        checkpoint::to_bytes(progress, &mut **learner)
    }
}

/// The windows in the bytes of `metrics.jsonl`.
pub fn metrics(bytes: &[u8]) -> Vec<Window> {
    windows(bytes)
}

/// The progress of a run by a recipe that is not being trained and has these windows.
pub fn overview(recipe: &Recipe, windows: &[Window]) -> Overview {
    Facts::default().overview(recipe, RunState::Stopped, windows)
}

/// The files of a run in pieces, by their names.
pub fn unpack(pieces: &[&[u8]]) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
    let open = |number: u32| {
        let piece = pieces.get(number as usize).copied();
        piece.ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let mut files = Vec::new();
    unpack_to(open, bytes, |name, bytes, stream| {
        let mut file = Vec::new();
        let read = std::io::copy(&mut std::io::Read::take(stream, bytes), &mut file)?;
        files.push((name.to_owned(), file));
        if read == bytes { Ok(()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
    })?;
    Ok(files)
}
