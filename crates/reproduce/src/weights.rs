//! Weights of Tetris features that a run learned, and the games that they play.

use std::path::Path;

use afterstate_agents::Summary;
use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::statistics::exposure;
use afterstate_core::{Ending, Episode, Rng, threads};
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GameScores {
    pub(crate) lines: Vec<f64>,
    /// Games that were not truncated.
    ends: u64,
}

impl GameScores {
    pub(crate) const NONE: GameScores = GameScores { lines: Vec::new(), ends: 0 };

    /// Lines to the end of a game: all lines over all ends.
    pub(crate) fn mean(&self) -> Option<Value> {
        Value::exposure(exposure(self.lines.iter().sum(), self.ends))
    }

    /// Adds the games of another training.
    pub(crate) fn extend(&mut self, other: &GameScores) {
        self.lines.extend(&other.lines);
        self.ends += other.ends;
    }

    pub(crate) fn median(&self) -> Option<Value> {
        Summary::of(&self.lines).map(|summary| Value::exact(summary.median))
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

impl Player<'_> {
    /// The games that are saved at once: few where each takes minutes.
    fn block(&self, threads: usize) -> u64 {
        let each = if self.search.is_greedy() { 8 } else { 2 };
        each * threads as u64
    }
}

impl TrainingCache<'_> {
    /// Learns weights by a recipe, resumes, or reads what is finished.
    pub(crate) fn learn_weights(&mut self, name: &str, recipe: &str) -> Result<TrainedRun, Error> {
        let (continues, evaluate, keep_checkpoint) = (None, false, true);
        self.run(&RunPlan { name, recipe, continues, evaluate, keep_checkpoint, keep_agent: true })
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

    /// Plays games, resumes, or reads what was played.
    pub(crate) fn play_games(
        &mut self,
        path: &Path,
        game: &Tetris,
        player: &Player,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let mut scores = self.saved(path)?.unwrap_or(GameScores::NONE);
        let seed = evaluation_seed(self.seed);
        while (scores.lines.len() as u64) < games {
            self.check_stopped()?;
            let (name, played) = (player.name, scores.lines.len());
            self.observer.begin(&format!("{name}: {played} of {games} games played"))?;
            let first = scores.lines.len() as u64;
            let block = (games - first).min(player.block(self.threads));
            let play = |number| {
                let mut rng = Rng::stream(seed, first + number as u64);
                let mut policy = player.model.searching(&player.search);
                Episode::play_up_to(max_moves, game, &mut policy, &mut rng)
            };
            let played = threads::map(self.threads, block as usize, play);
            scores.lines.extend(played.iter().map(|game| game.score));
            let ended = played.iter().filter(|game| game.ending != Ending::Truncated);
            scores.ends += ended.count() as u64;
            write_json(path, &scores)?;
        }
        Ok(scores)
    }
}

/// The rules of a well.
pub(crate) fn tetris(spec: GameSpec) -> Result<Tetris, Error> {
    match spec {
        GameSpec::Tetris(game) => Ok(game),
        other => Err(Error::Game { rules: other.to_string(), game: Tetris::NAME }),
    }
}
