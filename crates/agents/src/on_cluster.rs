//! Evaluation on a cluster: the same games as on this machine, since game i draws from the stream
//! (seed, i) wherever it is played.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::ops::{ControlFlow, Range};
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
    let cluster = connected()?;
    let mut played: Vec<PlayedGame> = Vec::new();
    let mut moves = 0;
    let all = Numbered { count: settings.games as usize, number: &|item| item as u64 };
    play_numbered(game, agent, search, settings, &all, stop, &mut |games| {
        moves += games.iter().map(|(_, game)| game.moves).sum::<u64>();
        played.extend(games.iter().map(|(_, game)| game));
        let seconds = clock.elapsed().as_secs_f64();
        let cluster = Some(cluster.status());
        observe(EvaluationProgress { games: played.len() as u64, moves, seconds, cluster });
        ControlFlow::Continue(())
    })?;
    summarise(game, &played, clock.elapsed().as_secs_f64())
}

/// A game of an evaluation with its number.
pub type NumberedGame = (u64, PlayedGame);

/// Some games of an evaluation, by their numbers.
pub struct Numbered<'a> {
    /// How many they are.
    pub count: usize,
    /// The number of each of them, ascending.
    pub number: &'a dyn Fn(usize) -> u64,
}

/// Plays some games of an evaluation on the cluster of this process, and tells them in their order,
/// with their numbers, as they are answered, until it is told to break; it tells none where none was
/// answered for a while.
pub fn play_numbered<G: Spec>(
    game: &G,
    agent: &Agent,
    search: &Search,
    settings: &EvaluationSettings,
    numbered: &Numbered,
    stop: &AtomicBool,
    played: &mut dyn FnMut(&[NumberedGame]) -> ControlFlow<()>,
) -> Result<(), EvaluateError> {
    let &EvaluationSettings { seed, max_moves, .. } = settings;
    let (agent, data) = match agent {
        Agent::File(path) => (path.display().to_string(), read(path)?),
        agent => (agent.resolve(game).to_string(), Vec::new()),
    };
    let told = Settings { agent, search: search.to_string(), seed, max_moves };
    let (kind, rules) = (KIND.to_owned(), game.spec());
    let settings = serde_json::to_string(&told).map_err(|e| wrong(&e))?;
    let job = Job { kind, rules, settings, data, seconds: None };
    let cluster = connected()?;
    let mut shards = Shards::new(&*cluster, &job, numbered.count)?;
    while !shards.is_done() {
        if stop.load(Ordering::Relaxed) {
            return Err(EvaluateError::Stopped);
        }
        let mut games = Vec::new();
        for part in shards.advance(&*cluster, WAIT, &|items| task(items.map(numbered.number)))? {
            let answer: Vec<PlayedGame> =
                serde_json::from_slice(&part.bytes).map_err(|e| wrong(&e))?;
            if answer.len() != part.items.len() {
                return Err(wrong(&format!("{} games instead of {:?}", answer.len(), part.items)));
            }
            games.extend(part.items.map(numbered.number).zip(answer));
        }
        if played(&games).is_break() {
            return Err(EvaluateError::Stopped);
        }
    }
    Ok(())
}

/// Ascending numbers of games as text: the first of each range, and how many it has.
fn task(numbers: impl Iterator<Item = u64>) -> String {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    let words = ranges.iter().map(|range| format!("{} {}", range.start, range.end - range.start));
    words.collect::<Vec<_>>().join(" ")
}

/// The ranges of a task.
fn ranges(task: &str) -> Option<Vec<Range<u64>>> {
    let words: Vec<u64> = task.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let (pairs, []) = words.as_chunks::<2>() else { return None };
    pairs.iter().map(|&[first, games]| Some(first..first.checked_add(games)?)).collect()
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
        let ranges = ranges(task).ok_or_else(|| format!("{task:?} are no games"))?;
        let &Settings { seed, max_moves, .. } = &self.settings;
        let never = AtomicBool::new(false);
        let mut played = Vec::new();
        for range in ranges {
            let settings = EvaluationSettings {
                games: range.end - range.start,
                seed,
                max_moves,
                threads: Some(1),
                ..EvaluationSettings::default()
            };
            let (game, model, first) = (&self.game, &*self.model, range.start);
            played.extend(play_range(game, model, &self.search, first, &settings, &never));
        }
        Ok(serde_json::to_vec(&played)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_handed_out_by_their_ranges() {
        assert_eq!(task(0..5), "0 5");
        let text = task([0, 1, 2, 7, 9, 10].into_iter());
        assert_eq!(text, "0 3 7 1 9 2");
        assert_eq!(ranges(&text).unwrap(), [0..3, 7..8, 9..11]);
        for wrong in ["", "3", "1 2 3", "-1 2", "1 x", "18446744073709551615 2"] {
            assert_eq!(ranges(wrong), None, "{wrong:?}");
        }
    }
}
