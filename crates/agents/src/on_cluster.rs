//! Evaluation on a cluster: the same games as on this machine, since game i draws from the stream
//! (seed, i) wherever it is played.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use afterstate_core::cluster::{Job, Shards, Work, WorkError, connected};
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::Model;
use afterstate_values::file::{AgentFileError, Problem};
use afterstate_values::model;
use serde::{Deserialize, Serialize};

use crate::evaluate::{
    EvaluateError, Evaluation, EvaluationProgress, EvaluationSettings, PlayedGame, play_range,
    summarise,
};
use crate::on_device::Observe;
use crate::{Agent, NotSearchable};

/// The kind of these jobs.
pub const KIND: &str = "evaluation";

/// How long answers are waited for between two looks at the stop flag.
const WAIT: Duration = Duration::from_millis(200);

/// What the workers of an evaluation are told.
#[derive(Serialize, Deserialize)]
struct Settings {
    /// The agent; the data of the job is its file if it has one.
    agent: String,
    search: String,
    seed: u64,
    max_moves: Option<u64>,
}

/// Plays the games of an evaluation on the cluster of this process.
pub(crate) fn evaluate<G: Spec>(
    game: &G,
    agent: &Agent,
    search: &Search,
    settings: &EvaluationSettings,
    stop: &AtomicBool,
    observe: Observe,
) -> Result<Evaluation, EvaluateError> {
    if settings.games == 0 {
        return Err(EvaluateError::NoGames);
    }
    let clock = Instant::now();
    let &EvaluationSettings { games, seed, max_moves, .. } = settings;
    let (agent, data) = match agent {
        Agent::File(path) => (path.display().to_string(), read(path)?),
        agent => (agent.resolve(game).to_string(), Vec::new()),
    };
    let told = Settings { agent, search: search.to_string(), seed, max_moves };
    let (kind, rules) = (KIND.to_owned(), game.spec());
    let job =
        Job { kind, rules, settings: serde_json::to_string(&told).map_err(|e| wrong(&e))?, data };
    let cluster = connected()?;
    let mut shards = Shards::new(&*cluster, &job, games as usize)?;
    let task = |numbers: Range<usize>| format!("{} {}", numbers.start, numbers.len());
    let mut played: Vec<PlayedGame> = Vec::new();
    let mut moves = 0;
    while !shards.is_done() {
        if stop.load(Ordering::Relaxed) {
            return Err(EvaluateError::Stopped);
        }
        for part in shards.advance(&*cluster, WAIT, &task)? {
            let answer: Vec<PlayedGame> =
                serde_json::from_slice(&part.bytes).map_err(|e| wrong(&e))?;
            if answer.len() != part.items.len() {
                return Err(wrong(&format!("{} games instead of {:?}", answer.len(), part.items)));
            }
            moves += answer.iter().map(|game| game.moves).sum::<u64>();
            played.extend(answer);
        }
        let seconds = clock.elapsed().as_secs_f64();
        let cluster = Some(cluster.status());
        observe(EvaluationProgress { games: played.len() as u64, moves, seconds, cluster });
    }
    summarise(game, &played, clock.elapsed().as_secs_f64())
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, EvaluateError> {
    let file = if path.is_dir() { path.join("agent.safetensors") } else { path.to_owned() };
    let failed = |error| AgentFileError { path: file.clone(), problem: Problem::Read(error) };
    fs::read(&file).map_err(|error| EvaluateError::Agent(failed(error).into()))
}

fn wrong(what: &dyn ToString) -> EvaluateError {
    EvaluateError::Answer(what.to_string())
}

/// An evaluation as a worker has prepared it.
struct Prepared<G: Spec> {
    game: G,
    model: Box<dyn Model<G>>,
    search: Search,
    settings: Settings,
}

/// Prepares an evaluation.
pub fn prepare<G: Spec>(game: &G, job: &Job) -> Result<Box<dyn Work>, WorkError> {
    let settings: Settings = serde_json::from_str(&job.settings)?;
    let search: Search = settings.search.parse()?;
    let model = match job.data.is_empty() {
        true => settings.agent.parse::<Agent>()?.load(game)?,
        false => load(&job.data, game)?,
    };
    if !search.is_greedy() && model.evaluator().is_none() {
        return Err(NotSearchable::new(&settings.agent, &search).into());
    }
    Ok(Box::new(Prepared { game: game.clone(), model, search, settings }))
}

/// Loads an agent from the bytes of its file: a large network is mapped, as from the file itself.
fn load<G: Spec>(bytes: &[u8], game: &G) -> Result<Box<dyn Model<G>>, WorkError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("afterstate-{}-{number}", std::process::id()));
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = created.and_then(|mut file| file.write_all(bytes));
    let loaded = written.map_err(WorkError::from).and_then(|()| Ok(model::load(&path, game)?.1));
    // What is mapped stays; the name is not needed.
    let _ = fs::remove_file(&path);
    loaded
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let mut words = task.split(' ').map(str::parse::<u64>);
        let (Some(first), Some(games), None) = (words.next(), words.next(), words.next()) else {
            return Err(format!("{task:?} is no range of games").into());
        };
        let &Settings { seed, max_moves, .. } = &self.settings;
        let games = EvaluationSettings {
            games: games?,
            seed,
            max_moves,
            threads: Some(1),
            ..EvaluationSettings::default()
        };
        let never = AtomicBool::new(false);
        let played = play_range(&self.game, &*self.model, &self.search, first?, &games, &never);
        Ok(serde_json::to_vec(&played)?)
    }
}
