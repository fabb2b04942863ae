//! Games without learning that are saved as they finish: of weights that a run learned, and of agents.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use afterstate_agents::evaluate::{self, EvaluateError, Stoppable, evaluation_seed};
use afterstate_agents::on_cluster::{Numbered, play_numbered};
use afterstate_agents::statistics::{exposure, exposure_truncated};
use afterstate_agents::{Agent, EvaluationSettings, Summary};
use afterstate_core::{Device, Ending, Episode, Rng};
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tetris::Tetris;
use afterstate_search::Search;
use serde::{Deserialize, Serialize};

use crate::cache::{RunPlan, TrainedRun};
use crate::files::write_json;
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// The scores of games without learning: lines, in Tetris.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameScores {
    pub(crate) lines: Vec<f64>,
    /// Games that were not truncated.
    pub(crate) ends: u64,
    pub(crate) moves: u64,
    /// Seconds on the clock.
    pub(crate) seconds: f64,
    /// Where the games were played.
    pub(crate) machine: String,
}

/// A finished game. In files its score is called lines.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PlayedGame {
    lines: f64,
    moves: u64,
    truncated: bool,
}

/// The finished games of a player, by their numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedGames {
    games: BTreeMap<u64, PlayedGame>,
    seconds: f64,
    /// Where they were played; empty in files of version 0.1.
    #[serde(default)]
    machine: String,
}

/// Finished games are saved when so many seconds have passed.
const SAVE_SECONDS: f64 = 5.0;

impl GameScores {
    pub(crate) const NONE: GameScores =
        GameScores { lines: Vec::new(), ends: 0, moves: 0, seconds: 0.0, machine: String::new() };

    fn of(saved: &SavedGames) -> GameScores {
        let games = || saved.games.values();
        GameScores {
            lines: games().map(|game| game.lines).collect(),
            ends: games().filter(|game| !game.truncated).count() as u64,
            moves: games().map(|game| game.moves).sum(),
            seconds: saved.seconds,
            machine: match &*saved.machine {
                "" => "not recorded".to_owned(),
                machine => machine.to_owned(),
            },
        }
    }

    /// Lines to the end of a game: all lines over all ends.
    pub(crate) fn mean(&self) -> Option<Value> {
        let truncated = self.ends < self.lines.len() as u64;
        let exposure = if truncated { exposure_truncated } else { exposure };
        Value::exposure(exposure(self.lines.iter().sum(), self.ends))
    }

    /// Adds the games of another training.
    pub(crate) fn extend(&mut self, other: &GameScores) {
        self.lines.extend(&other.lines);
        self.ends += other.ends;
        self.moves += other.moves;
        self.seconds += other.seconds;
    }

    pub(crate) fn median(&self) -> Option<Value> {
        let summary = Summary::of(&self.lines)?;
        let mut sorted = self.lines.clone();
        sorted.sort_by(f64::total_cmp);
        // The number of games below the true median is binomial: its interval in ranks.
        let (half, wide) = (sorted.len() as f64 / 2.0, 0.98 * (sorted.len() as f64).sqrt());
        let (low, high) = ((half - wide).floor(), (half + wide).ceil());
        let inside = low >= 1.0 && high < sorted.len() as f64;
        let ends = inside.then(|| (sorted[low as usize - 1], sorted[high as usize]));
        Some(Value::within(summary.median, ends))
    }

    pub(crate) fn max(&self) -> Option<Value> {
        Summary::of(&self.lines).map(|summary| Value::exact(summary.max))
    }

    /// Moves to the end of a game: all moves over all ends.
    pub(crate) fn moves_to_the_end(&self) -> Option<Value> {
        Value::exposure(exposure_truncated(self.moves as f64, self.ends))
    }

    /// The note of a report with truncated games.
    pub(crate) fn note(&self) -> Option<String> {
        let cut = self.lines.len() as u64 - self.ends;
        (cut > 0).then(|| {
            let none = if self.ends == 0 { ": no game ended" } else { "" };
            format!("{cut} of {} games were truncated{none}.", self.lines.len())
        })
    }
}

/// An agent that plays games.
pub(crate) struct Player<'a> {
    pub(crate) name: &'a str,
    pub(crate) agent: Agent,
    pub(crate) search: Search,
}

impl TrainingCache<'_> {
    /// Learns weights by a recipe, resumes, or reads what is finished.
    pub(crate) fn learn_weights(&mut self, name: &str, recipe: &str) -> Result<TrainedRun, Error> {
        self.run(&RunPlan { keep_checkpoint: true, ..RunPlan::agent(name, recipe) })
    }

    /// Plays games with learned weights, resumes, or reads what was played.
    pub(crate) fn play_weights(
        &mut self,
        run: &TrainedRun,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let path = run.folder.path().join(format!("strength-{games}-cut{max_moves}.json"));
        let game = tetris(run.folder.recipe().rules.clone())?;
        let agent = Agent::File(run.folder.agent());
        let player = Player { name: &run.finished.cost.training, agent, search: Search::GREEDY };
        self.play_games(&path, &game, &player, games, max_moves)
    }

    /// Plays games, resumes, or reads what was played. A stop loses only the games under way.
    pub(crate) fn play_games<G: Spec>(
        &mut self,
        path: &Path,
        game: &G,
        player: &Player,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let mut saved: SavedGames = self.saved(path)?.unwrap_or_default();
        let missing: Vec<u64> = (0..games).filter(|one| !saved.games.contains_key(one)).collect();
        let before = saved.seconds;
        let (clock, name) = (Instant::now(), player.name);
        let (send, finished) = mpsc::channel();
        let (device, threads, seed, stop) =
            (self.device, self.threads, evaluation_seed(self.seed), self.stop);
        let settings = EvaluationSettings {
            games: missing.len() as u64,
            seed,
            max_moves: Some(max_moves),
            threads: Some(threads),
            device,
        };
        thread::scope(|scope| {
            let (missing, settings) = (&missing[..], &settings);
            // The games are over when the sender is dropped.
            let played = scope.spawn(move || match device {
                Device::Cluster => on_cluster(game, player, settings, missing, stop, &send),
                _ => here(game, player, settings, missing, stop, &send),
            });
            let mut last_save = f64::NEG_INFINITY;
            for (number, played) in finished {
                saved.games.insert(number, played);
                let machine = self.machine();
                if !saved.machine.contains(&machine) {
                    let others = if saved.machine.is_empty() { "" } else { "; " };
                    saved.machine += &format!("{others}{machine}");
                }
                saved.seconds = before + clock.elapsed().as_secs_f64();
                if saved.seconds - last_save >= SAVE_SECONDS {
                    write_json(path, &saved)?;
                    last_save = saved.seconds;
                    let played = saved.games.len();
                    self.observer.begin(&format!("{name}: {played} of {games} games played"))?;
                }
            }
            if !missing.is_empty() {
                write_json(path, &saved)?;
            }
            played.join().unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        if (saved.games.len() as u64) < games {
            return Err(Error::Stopped);
        }
        Ok(GameScores::of(&saved))
    }
}

/// Plays games on the threads of this machine; each takes the next game when it has finished one.
fn here<G: Spec>(
    game: &G,
    player: &Player,
    &EvaluationSettings { seed, max_moves, threads, .. }: &EvaluationSettings,
    missing: &[u64],
    stop: &AtomicBool,
    finished: &Sender<(u64, PlayedGame)>,
) -> Result<(), Error> {
    let model = player.agent.load(game)?;
    let next = AtomicUsize::new(0);
    let play = |finished: Sender<(u64, PlayedGame)>| {
        while let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed))
            && !stop.load(Ordering::Relaxed)
        {
            let mut rng = Rng::stream(seed, number);
            let mut policy = Stoppable { policy: model.searching(&player.search), stop };
            let Episode { score: lines, moves, ending, .. } =
                Episode::play_up_to(max_moves.unwrap_or(u64::MAX), game, &mut policy, &mut rng);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let truncated = ending == Ending::Truncated;
            if finished.send((number, PlayedGame { lines, moves, truncated })).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.unwrap_or(1).min(missing.len()) {
            let (finished, play) = (finished.clone(), &play);
            scope.spawn(move || play(finished));
        }
    });
    Ok(())
}

/// Plays the same games on the cluster of this process.
fn on_cluster<G: Spec>(
    game: &G,
    player: &Player,
    settings: &EvaluationSettings,
    missing: &[u64],
    stop: &AtomicBool,
    finished: &Sender<(u64, PlayedGame)>,
) -> Result<(), Error> {
    let numbered = Numbered { count: missing.len(), number: &|item| missing[item] };
    let (agent, search) = (&player.agent, &player.search);
    let played = play_numbered(game, agent, search, settings, &numbered, stop, &mut |games| {
        let mut games = games.iter();
        let sent = games.try_for_each(
            |&(number, evaluate::PlayedGame { score: lines, moves, truncated, .. })| {
                finished.send((number, PlayedGame { lines, moves, truncated }))
            },
        );
        // Nobody receives them if the file cannot be written.
        if sent.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match played {
        // Those that were answered are saved.
        Err(EvaluateError::Stopped) => Ok(()),
        played => Ok(played?),
    }
}

/// The rules of a well.
pub(crate) fn tetris(spec: GameSpec) -> Result<Tetris, Error> {
    match spec {
        GameSpec::Tetris(game) => Ok(game),
        other => Err(Error::Game { rules: other.to_string(), game: Tetris::NAME }),
    }
}
