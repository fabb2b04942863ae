//! Training: rounds of play and learning, with metrics, checkpoints and a result.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_values::file::{AgentInfo, Trained};

use super::budget::Position;
use super::checkpoint::{self, Progress};
use super::events::Events;
use super::folder::{Folder, RunError};
use super::learners;
use super::metrics::{Window, Windows};
use super::training::{RoundContext, Training};
use crate::recipe::Recipe;

/// How long threads play before they meet: as often as checkpoints want it, within reason.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(400);

/// Where a training stands, for whoever watches it.
#[derive(Clone, Debug)]
pub struct Status<'a> {
    /// How far it has come.
    pub position: Position,
    /// The part of the whole budget that is spent, from 0 to 1.
    pub fraction: f64,
    /// Moves in each second of the last round.
    pub moves_per_second: f64,
    /// The windows that this round filled.
    pub windows: &'a [Window],
}

/// What to do while a training goes on.
pub trait Observer {
    /// Told once, before memory is taken: what the training will need.
    fn plan(&mut self, note: &str) -> Result<(), RunError> {
        let _ = note;
        Ok(())
    }

    /// Told when something is worth knowing, such as a system of equations without one solution.
    fn note(&mut self, note: &str) -> Result<(), RunError> {
        let _ = note;
        Ok(())
    }

    /// Told after every round.
    fn round(&mut self, status: &Status) -> Result<(), RunError>;
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How far it came.
    pub position: Position,
    /// Whether the budget is spent, or it was stopped before.
    pub finished: bool,
}

/// Trains by the recipe of a run folder until its budget is spent or `stop` is set; goes on from
/// the checkpoint if the folder has one.
pub fn train(
    folder: &Folder,
    threads: usize,
    stop: &AtomicBool,
    watch: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    struct Train<'a>(&'a Folder, GameSpec, usize, &'a AtomicBool, &'a mut dyn Observer);
    impl Visitor for Train<'_> {
        type Output = Result<Outcome, RunError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let Train(folder, spec, threads, stop, watch) = self;
            let training = learners::open(game, folder.recipe(), threads, watch)?;
            let rules = (spec.to_string(), G::VERSION);
            Run::open(folder, rules, training)?.go_on(stop, watch)
        }
    }
    let _lock = folder.hold()?;
    folder.forget_stop();
    let spec = folder.spec()?;
    spec.with(Train(folder, spec.clone(), threads.max(1), stop, watch))
}

/// Whether a recipe can be trained on this machine, before anything is made for it.
pub fn check(recipe: &Recipe) -> Result<(), RunError> {
    struct Check<'a>(&'a Recipe);
    impl Visitor for Check<'_> {
        type Output = Result<(), RunError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            learners::check(game, self.0)
        }
    }
    let spec = recipe.spec().map_err(|error| RunError::Recipe {
        path: "the recipe".to_owned(),
        source: Box::new(error),
    })?;
    spec.with(Check(recipe))
}

/// A training under way.
struct Run<'a> {
    folder: &'a Folder,
    recipe: &'a Recipe,
    /// The game's spec and its version.
    rules: (String, u32),
    training: Box<dyn Training + 'a>,
    windows: Windows,
    position: Position,
    /// Whether the learner has nothing left to learn.
    over: bool,
    saved: Instant,
}

impl<'a> Run<'a> {
    fn open(
        folder: &'a Folder,
        rules: (String, u32),
        mut training: Box<dyn Training + 'a>,
    ) -> Result<Run<'a>, RunError> {
        let recipe = folder.recipe();
        let window = if training.iterates() { u64::MAX } else { recipe.log.window };
        let (mut windows, mut position) = (Windows::new(window), Position::default());
        let (mut metrics_bytes, mut over) = (0, false);
        if let Some(progress) = checkpoint::load(&folder.checkpoint(), &rules.0, &mut *training)? {
            (position, windows) = (progress.position, progress.windows);
            (metrics_bytes, over) = (progress.metrics_bytes, progress.over);
        }
        folder.cut_metrics(metrics_bytes)?;
        let saved = Instant::now();
        Ok(Run { folder, recipe, rules, training, windows, position, over, saved })
    }

    fn go_on(mut self, stop: &AtomicBool, watch: &mut dyn Observer) -> Result<Outcome, RunError> {
        let mut events = Events::open(self.folder.path(), self.position)?;
        let length = Duration::try_from_secs_f64(self.recipe.log.checkpoint_seconds);
        let length = length.unwrap_or(LONGEST).clamp(SHORTEST, LONGEST);
        let folder = self.folder;
        let asked = || stop.load(Ordering::Relaxed) || folder.is_asked_to_stop();
        while !self.finished() && !asked() {
            let before = self.position;
            let turn = RoundContext::new(self.recipe.budget, before, length, stop);
            let round = self.training.round(&turn)?;
            self.position = turn.position();
            self.over = round.over;
            let full = self.windows.take(&round, self.position.seconds);
            self.folder.add_metrics(&full)?;
            events.add(&full)?;
            let seconds = self.position.seconds - before.seconds;
            let status = Status {
                position: self.position,
                fraction: if self.finished() {
                    1.0
                } else {
                    self.position.part_of(&self.recipe.budget)
                },
                moves_per_second: (self.position.moves - before.moves) as f64 / seconds,
                windows: &full,
            };
            let notes = round.notes.iter().try_for_each(|note| watch.note(note));
            if let Err(error) = notes.and_then(|()| watch.round(&status)) {
                // Nothing is lost because nobody looks.
                self.save()?;
                return Err(error);
            }
            if self.saved.elapsed().as_secs_f64() > self.recipe.log.checkpoint_seconds {
                self.save()?;
            }
        }
        self.save()?;
        let Position { episodes, moves, .. } = self.position;
        let (recipe, seed) = (self.recipe.text(), self.recipe.seed);
        let trained = Some(Trained { recipe, seed, episodes, moves });
        let info = AgentInfo { trained, ..AgentInfo::new(&*self.rules.0, self.rules.1) };
        self.training.save_agent(&self.folder.agent(), &info)?;
        folder.forget_stop();
        Ok(Outcome { position: self.position, finished: self.finished() })
    }

    fn finished(&self) -> bool {
        self.over || self.position.spends(&self.recipe.budget)
    }

    fn save(&mut self) -> Result<(), RunError> {
        let progress = Progress {
            game: self.rules.0.clone(),
            learner: self.training.identity(),
            position: self.position,
            windows: self.windows.clone(),
            metrics_bytes: self.folder.metrics_bytes()?,
            over: self.over,
            state: serde_json::Value::Null,
        };
        checkpoint::save(&self.folder.checkpoint(), progress, &mut *self.training)?;
        self.saved = Instant::now();
        Ok(())
    }
}
