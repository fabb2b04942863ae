//! Weights of Tetris features that a run learned, and the games that they play.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::statistics::{exposure, exposure_truncated};
use afterstate_agents::{Summary, machine};
use afterstate_core::{Ending, Episode, Rng};
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tetris::Tetris;
use afterstate_search::Search;
use afterstate_values::Model;
use serde::{Deserialize, Serialize};

use crate::cache::{RunPlan, TrainedRun};
use crate::files::write_json;
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// The lines of games without learning.
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

/// A finished game.
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
    /// Where the last of them was played; empty in files of version 0.1.
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

    /// The note of a report with truncated games.
    pub(crate) fn note(&self) -> Option<String> {
        let cut = self.lines.len() as u64 - self.ends;
        (cut > 0).then(|| {
            let none = if self.ends == 0 { ": no game ended" } else { "" };
            format!("{cut} of {} games were truncated{none}.", self.lines.len())
        })
    }
}

/// Plays Tetris.
pub(crate) struct Player<'a> {
    pub(crate) name: &'a str,
    pub(crate) model: &'a dyn Model<Tetris>,
    pub(crate) search: Search,
}

impl TrainingCache<'_> {
    /// Learns weights by a recipe, resumes, or reads what is finished.
    pub(crate) fn learn_weights(&mut self, name: &str, recipe: &str) -> Result<TrainedRun, Error> {
        self.run(&RunPlan {
            name,
            recipe,
            continues: None,
            evaluate: false,
            keep_checkpoint: true,
            keep_agent: true,
            bytes: 0,
            threads: self.threads,
        })
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
        let (_, model) = afterstate_values::model::load(&run.folder.agent(), &game)?;
        let player =
            Player { name: &run.finished.cost.training, model: &*model, search: Search::GREEDY };
        self.play_games(&path, &game, &player, games, max_moves)
    }

    /// Plays games, resumes, or reads what was played. Every thread takes the next game when it has
    /// finished one, so that a stop loses only the games under way.
    pub(crate) fn play_games(
        &mut self,
        path: &Path,
        game: &Tetris,
        player: &Player,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let mut saved: SavedGames = self.saved(path)?.unwrap_or_default();
        let missing: Vec<u64> = (0..games).filter(|one| !saved.games.contains_key(one)).collect();
        let (seed, stop, before) = (evaluation_seed(self.seed), self.stop, saved.seconds);
        let (next, clock, name) = (AtomicUsize::new(0), Instant::now(), player.name);
        let (send, finished) = mpsc::channel();
        let play = |send: mpsc::Sender<(u64, PlayedGame)>| {
            while let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed))
                && !stop.load(Ordering::Relaxed)
            {
                let mut rng = Rng::stream(seed, number);
                let mut policy = player.model.searching(&player.search);
                let Episode { score: lines, moves, ending, .. } =
                    Episode::play_up_to(max_moves, game, &mut policy, &mut rng);
                let truncated = ending == Ending::Truncated;
                if send.send((number, PlayedGame { lines, moves, truncated })).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.threads.min(missing.len()) {
                let (send, play) = (send.clone(), &play);
                scope.spawn(move || play(send));
            }
            drop(send);
            let mut last_save = f64::NEG_INFINITY;
            for (number, played) in finished {
                saved.games.insert(number, played);
                saved.machine = machine();
                saved.seconds = before + clock.elapsed().as_secs_f64();
                if saved.seconds - last_save >= SAVE_SECONDS {
                    write_json(path, &saved)?;
                    last_save = saved.seconds;
                    let played = saved.games.len();
                    self.observer.begin(&format!("{name}: {played} of {games} games played"))?;
                }
            }
            if missing.is_empty() { Ok(()) } else { write_json(path, &saved) }
        })?;
        if (saved.games.len() as u64) < games {
            return Err(Error::Stopped);
        }
        Ok(GameScores::of(&saved))
    }
}

/// The rules of a well.
pub(crate) fn tetris(spec: GameSpec) -> Result<Tetris, Error> {
    match spec {
        GameSpec::Tetris(game) => Ok(game),
        other => Err(Error::Game { rules: other.to_string(), game: Tetris::NAME }),
    }
}
