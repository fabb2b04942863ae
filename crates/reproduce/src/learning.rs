//! `Learning`: weights of Tetris that are learned by a recipe and then play, both in a folder of the
//! work folder that is gone on with.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use afterstate_core::{Ending, Episode, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_lab::agent::AgentError;
use afterstate_lab::evaluate::EvaluateError;
use afterstate_lab::recipe::Recipe;
use afterstate_lab::run::{Folder, RunError, Window, train};
use afterstate_lab::statistics::exposure;
use afterstate_lab::{Agent, Summary};
use afterstate_search::Search;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::machine::machine;
use crate::measure::Value;
use crate::training::{Cost, Finished, at};
use crate::{Error, Session};

/// A finished run.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    folder: Folder,
    /// A line for each iteration.
    pub(crate) windows: Vec<Window>,
    pub(crate) cost: Cost,
}

impl Learned {
    /// The best mean of an iteration so far, after each iteration.
    pub(crate) fn best_so_far(&self) -> impl Iterator<Item = (&Window, f64)> {
        let mut best = 0.0_f64;
        self.windows.iter().map(move |window| {
            best = best.max(candidate(window));
            (window, best)
        })
    }

    /// The best mean of any iteration.
    pub(crate) fn best(&self) -> f64 {
        self.best_so_far().last().map_or(0.0, |(_, best)| best)
    }
}

/// The mean lines of the best candidate of an iteration.
pub(crate) fn candidate(window: &Window) -> f64 {
    window.extra.get("best").copied().unwrap_or(window.mean)
}

/// Games of learned weights: what they came to, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Strength {
    pub(crate) lines: Vec<f64>,
    /// Games that were not cut off.
    ends: u64,
}

impl Strength {
    /// Lines to the end of a game: all lines over all ends.
    pub(crate) fn mean(&self) -> Option<Value> {
        let exposure = exposure(self.lines.iter().sum(), self.ends);
        let (value, high) = exposure.mean.zip(exposure.high)?;
        Some(Value { value, ci95: Some((exposure.low, high)) })
    }

    /// Games of another training like it.
    pub(crate) fn add(&mut self, other: &Strength) {
        self.lines.extend(&other.lines);
        self.ends += other.ends;
    }

    /// The median of what the games came to.
    pub(crate) fn median(&self) -> Option<Value> {
        Summary::of(&self.lines).map(|summary| Value::exact(summary.median))
    }

    /// The most of any game.
    pub(crate) fn max(&self) -> Option<Value> {
        Summary::of(&self.lines).map(|summary| Value::exact(summary.max))
    }

    /// What to say of games that did not end.
    pub(crate) fn note(&self) -> Option<String> {
        let cut = self.lines.len() as u64 - self.ends;
        (cut > 0).then(|| {
            let none = if self.ends == 0 { ": no game ended" } else { "" };
            format!("{cut} of {} games were cut off{none}.", self.lines.len())
        })
    }
}

impl Session<'_> {
    /// Whether this is a test: everything as short as it can be.
    pub(crate) fn tiny(&self) -> bool {
        self.form.tuples.is_some()
    }

    /// Learns by a recipe, or goes on, or reads what is finished.
    pub(crate) fn learned(&mut self, name: &str, recipe: &str) -> Result<Learned, Error> {
        let path = self.work.join(self.form.name).join(name);
        let recipe = Recipe::parse(recipe, &[])?;
        let folder = match Folder::open(&path) {
            Ok(folder) if *folder.recipe() == recipe => folder,
            Ok(_) => return Err(Error::Other(path.display().to_string())),
            Err(RunError::Missing(_)) => Folder::create(&path, recipe)?,
            Err(error) => return Err(error.into()),
        };
        let cost = match Finished::read(&folder) {
            Some(finished) => {
                self.watch.plan(&format!("{}: already learned", path.display()))?;
                finished.cost
            }
            None => {
                self.watch.plan(&format!("{}: learning", path.display()))?;
                let outcome = train(&folder, self.threads, self.stop, self.watch)?;
                if !outcome.finished {
                    return Err(Error::Stopped);
                }
                let cost = Cost {
                    training: name.to_owned(),
                    episodes: outcome.position.episodes,
                    moves: outcome.position.moves,
                    seconds: outcome.position.seconds,
                    threads: self.threads,
                    machine: machine(),
                };
                let finished = Finished { cost, played: None };
                finished.write(&folder)?;
                finished.cost
            }
        };
        Ok(Learned { windows: folder.metrics()?, cost, folder })
    }

    /// Plays games with what was learned, or goes on, or reads what was played.
    pub(crate) fn strength(
        &mut self,
        learned: &Learned,
        games: u64,
        max_moves: u64,
    ) -> Result<Strength, Error> {
        let path = learned.folder.path().join(format!("strength-{games}-cut{max_moves}.json"));
        let read = fs::read_to_string(&path).ok();
        let mut all: Strength =
            read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let spec = learned.folder.spec()?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(EvaluateError::from)?;
        let name = &learned.cost.training;
        self.watch.plan(&format!("{name}: {} of {games} games played", all.lines.len()))?;
        while (all.lines.len() as u64) < games {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let first = all.lines.len() as u64;
            let block = Block {
                agent: learned.folder.agent(),
                // Games of an evaluation are never games of the learning.
                seed: self.seed ^ 0x5eed,
                games: (first..games.min(first + 8 * self.threads as u64)).collect(),
                max_moves,
            };
            let played = pool.install(|| block.play(&spec)).map_err(EvaluateError::from)?;
            all.lines.extend(played.iter().map(|game| game.0));
            all.ends += played.iter().filter(|game| game.1).count() as u64;
            let text = serde_json::to_string(&all).map_err(|error| at(&path)(error.into()))?;
            let part = path.with_extension("part");
            let written = fs::write(&part, text + "\n").and_then(|()| fs::rename(&part, &path));
            written.map_err(at(&path))?;
        }
        Ok(all)
    }
}

/// Some games, by their numbers.
struct Block {
    agent: PathBuf,
    seed: u64,
    games: Vec<u64>,
    max_moves: u64,
}

impl Block {
    /// The lines of each game, and whether it ended.
    fn play(self, spec: &GameSpec) -> Result<Vec<(f64, bool)>, AgentError> {
        spec.with(self)
    }
}

impl Visitor for Block {
    type Output = Result<Vec<(f64, bool)>, AgentError>;

    fn visit<G: Spec>(self, game: &G) -> Self::Output {
        let loaded = Agent::File(self.agent.clone()).load(game)?;
        let play = |&number: &u64| {
            let mut policy = loaded.searching(&Search::GREEDY);
            let mut rng = Rng::stream(self.seed, number);
            let game = Episode::play_up_to(self.max_moves, game, &mut policy, &mut rng);
            (game.score, game.ending != Ending::Truncated)
        };
        Ok(self.games.par_iter().map(play).collect())
    }
}
