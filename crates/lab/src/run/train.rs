//! Training: rounds of play and learning, with metrics, checkpoints and a result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterstate_core::Tuples;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_learn::Coherence;
use afterstate_values::file::{self, AgentInfo, Trained};
use afterstate_values::memory::{free, show};
use afterstate_values::{MemoryError, Network};

use super::budget::{Position, Span};
use super::checkpoint::{self, Progress};
use super::events::Events;
use super::folder::{Folder, RunError};
use super::metrics::{Window, Windows};
use super::worker::{Pool, Round};
use crate::patterns;
use crate::recipe::{Method, Patterns, Recipe};

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
pub trait Watch {
    /// Told once, before memory is taken: what the training will need.
    fn plan(&mut self, note: &str) -> Result<(), RunError> {
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
    watch: &mut dyn Watch,
) -> Result<Outcome, RunError> {
    struct Train<'a>(&'a Folder, GameSpec, usize, &'a AtomicBool, &'a mut dyn Watch);
    impl Visitor for Train<'_> {
        type Output = Result<Outcome, RunError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let Train(folder, spec, threads, stop, watch) = self;
            Training::open(game, &spec, folder, threads, watch)?.run(stop, watch)
        }
    }
    let _lock = folder.hold()?;
    let spec = folder.spec()?;
    spec.with(Train(folder, spec.clone(), threads.max(1), stop, watch))
}

/// Whether a recipe can be trained on this machine, before anything is made for it.
pub fn check(recipe: &Recipe) -> Result<(), RunError> {
    struct Check<'a>(&'a Recipe);
    impl Visitor for Check<'_> {
        type Output = Result<(), RunError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            Needs::of(game, self.0)?.fit()
        }
    }
    let spec = recipe.spec().map_err(|error| RunError::Recipe {
        path: "the recipe".to_owned(),
        source: Box::new(error),
    })?;
    spec.with(Check(recipe))
}

/// What a training needs of the machine.
struct Needs {
    tuples: Tuples,
    coherent: bool,
    bytes: u64,
}

impl Needs {
    fn of<G: Spec>(game: &G, recipe: &Recipe) -> Result<Needs, RunError> {
        let patterns = match &recipe.network.tuples {
            Patterns::One(one) => std::slice::from_ref(one),
            Patterns::Many(many) => &many[..],
        };
        let tuples = patterns::tuples(game, patterns)?.with_stages(recipe.network.stages.clone());
        let tuples = tuples.map_err(patterns::PatternError::from)?;
        let coherent = recipe.phase.iter().any(|phase| phase.method == Method::Tc);
        let more = if coherent { Coherence::bytes(tuples.weights()) } else { 0 };
        let bytes = Network::<G>::bytes(&tuples) + more;
        Ok(Needs { tuples, coherent, bytes })
    }

    /// The system gives each table for itself, and only takes the memory when it is written to:
    /// whether all of them fit has to be asked before.
    fn fit(&self) -> Result<(), RunError> {
        let needed = self.bytes;
        match free() {
            Some(free) if needed > free => Err(MemoryError::TooLarge { needed, free }.into()),
            _ => Ok(()),
        }
    }
}

/// A training under way.
struct Training<'a, G: Spec> {
    game: &'a G,
    spec: &'a GameSpec,
    folder: &'a Folder,
    recipe: &'a Recipe,
    network: Network<G>,
    coherence: Option<Coherence>,
    pools: Vec<Pool<G::State>>,
    windows: Windows,
    position: Position,
    saved: Instant,
}

impl<'a, G: Spec> Training<'a, G> {
    fn open(
        game: &'a G,
        spec: &'a GameSpec,
        folder: &'a Folder,
        threads: usize,
        watch: &mut dyn Watch,
    ) -> Result<Training<'a, G>, RunError> {
        let recipe = folder.recipe();
        let needs = Needs::of(game, recipe)?;
        let (count, weights) = (needs.tuples.cells().len(), needs.tuples.weights());
        watch.plan(&format!(
            "{count} tuples with {weights} weights need {} of memory",
            show(needs.bytes)
        ))?;
        needs.fit()?;
        let Needs { tuples, coherent, .. } = needs;
        let mut network = Network::new(game, tuples, recipe.network.initial)?;
        if !network.memory().huge_pages() {
            watch
                .plan("The system gives no huge pages: training will be slower than it could be")?;
        }
        let mut coherence = if coherent { Some(Coherence::new(weights)?) } else { None };
        let mut pools: Vec<Pool<G::State>> = (0..threads).map(|_| Pool::default()).collect();
        let (mut windows, mut position) = (Windows::new(recipe.log.window), Position::default());
        let mut metrics_bytes = 0;
        if let Some(progress) = checkpoint::load(
            &folder.checkpoint(),
            &spec.to_string(),
            &mut network,
            coherence.as_mut(),
        )? {
            position = progress.position;
            windows = progress.windows;
            for (pool, (turn, texts)) in pools.iter_mut().zip(&progress.pools) {
                let states = texts.iter().map(|text| game.parse_state(text));
                let states = states
                    .collect::<Result<_, _>>()
                    .map_err(|error| folder.damaged(&error.to_string()))?;
                *pool = Pool { states, turn: *turn };
            }
            metrics_bytes = progress.metrics_bytes;
        }
        folder.cut_metrics(metrics_bytes)?;
        let saved = Instant::now();
        Ok(Training {
            game,
            spec,
            folder,
            recipe,
            network,
            coherence,
            pools,
            windows,
            position,
            saved,
        })
    }

    fn run(mut self, stop: &AtomicBool, watch: &mut dyn Watch) -> Result<Outcome, RunError> {
        let spans = Span::all(self.recipe);
        let search =
            self.recipe.search().map_err(|error| self.folder.damaged(&error.to_string()))?;
        let mut events = Events::open(self.folder.path(), self.position)?;
        let whole = spans.last().map_or(0.0, |span| span.end);
        let length = Duration::try_from_secs_f64(self.recipe.log.checkpoint_seconds);
        let length = length.unwrap_or(LONGEST).clamp(SHORTEST, LONGEST);
        for (number, (phase, span)) in self.recipe.phase.iter().zip(&spans).enumerate() {
            while self.position.in_unit_of(&self.recipe.budget) < span.end
                && !stop.load(Ordering::Relaxed)
            {
                let before = self.position;
                let round = Round {
                    game: self.game,
                    network: &self.network,
                    coherence: self.coherence.as_ref(),
                    phase: *phase,
                    search,
                    span: *span,
                    budget: self.recipe.budget,
                    seed: self.recipe.seed,
                    stop,
                    length,
                    clock: Instant::now(),
                    seconds_before: before.seconds,
                    episodes: AtomicU64::new(before.episodes),
                    moves: AtomicU64::new(before.moves),
                };
                let games = round.play(&mut self.pools);
                self.position = Position {
                    episodes: round.episodes.load(Ordering::Relaxed),
                    moves: round.moves.load(Ordering::Relaxed),
                    seconds: before.seconds + round.clock.elapsed().as_secs_f64(),
                };
                let full = self.windows.take(games, self.position.seconds, number);
                self.folder.add_metrics(&full)?;
                events.add(&full)?;
                let spent = self.position.in_unit_of(&self.recipe.budget);
                let seconds = self.position.seconds - before.seconds;
                let watched = watch.round(&Status {
                    position: self.position,
                    fraction: if whole > 0.0 { (spent / whole).min(1.0) } else { 1.0 },
                    moves_per_second: (self.position.moves - before.moves) as f64 / seconds,
                    windows: &full,
                });
                if let Err(error) = watched {
                    // Nothing is lost because nobody looks.
                    self.save()?;
                    return Err(error);
                }
                if self.saved.elapsed().as_secs_f64() > self.recipe.log.checkpoint_seconds {
                    self.save()?;
                }
            }
        }
        let finished = self.position.in_unit_of(&self.recipe.budget) >= whole;
        self.save()?;
        let info = AgentInfo {
            trained: Some(self.trained()),
            ..AgentInfo::new(self.spec.to_string(), G::VERSION)
        };
        file::save(&self.folder.agent(), &info, &mut self.network)?;
        Ok(Outcome { position: self.position, finished })
    }

    fn trained(&self) -> Trained {
        let Position { episodes, moves, .. } = self.position;
        Trained { recipe: self.recipe.text(), seed: self.recipe.seed, episodes, moves }
    }

    fn save(&mut self) -> Result<(), RunError> {
        let texts = |pool: &Pool<G::State>| {
            let states = pool.states.iter().map(|state| self.game.state_text(state));
            (pool.turn, states.collect())
        };
        let progress = Progress {
            game: self.spec.to_string(),
            tuples: self.network.tuples().cells().to_vec(),
            stages: self.network.tuples().stages().to_vec(),
            position: self.position,
            windows: self.windows.clone(),
            pools: self.pools.iter().map(texts).collect(),
            metrics_bytes: self.folder.metrics_bytes()?,
        };
        let path = self.folder.checkpoint();
        checkpoint::save(&path, &progress, &mut self.network, self.coherence.as_mut())?;
        self.saved = Instant::now();
        Ok(())
    }
}
