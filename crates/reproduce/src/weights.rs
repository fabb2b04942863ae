//! Weights of Tetris features that a run learned, and the games that they play.

use afterstate_agents::Summary;
use afterstate_agents::evaluate::evaluation_seed;
use afterstate_agents::statistics::exposure;
use afterstate_core::{Ending, Episode, Rng, threads};
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tetris::Tetris;
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
            format!("{cut} of {} games were cut off{none}.", self.lines.len())
        })
    }
}

impl TrainingCache<'_> {
    /// Learns weights by a recipe, resumes, or reads what is finished.
    pub(crate) fn learn_weights(&mut self, name: &str, recipe: &str) -> Result<TrainedRun, Error> {
        let (continues, evaluate, keep_checkpoint) = (None, false, true);
        self.run(&RunPlan { name, recipe, continues, evaluate, keep_checkpoint })
    }

    /// Plays games with learned weights, resumes, or reads what was played.
    pub(crate) fn play_weights(
        &mut self,
        run: &TrainedRun,
        games: u64,
        max_moves: u64,
    ) -> Result<GameScores, Error> {
        let path = run.folder.path().join(format!("strength-{games}-cut{max_moves}.json"));
        let mut scores = self.saved(&path)?.unwrap_or(GameScores::NONE);
        let game = tetris(run.folder.recipe().rules.clone())?;
        let (_, model) = afterstate_values::model::load(&run.folder.agent(), &game)?;
        let seed = evaluation_seed(self.seed);
        let name = &run.finished.cost.training;
        self.observer.begin(&format!("{name}: {} of {games} games played", scores.lines.len()))?;
        while (scores.lines.len() as u64) < games {
            self.check_stopped()?;
            let first = scores.lines.len() as u64;
            let block = (games - first).min(8 * self.threads as u64);
            let play = |number| {
                let mut rng = Rng::stream(seed, first + number as u64);
                Episode::play_up_to(max_moves, &game, &mut model.policy(), &mut rng)
            };
            let played = threads::map(self.threads, block as usize, play);
            scores.lines.extend(played.iter().map(|game| game.score));
            let ended = played.iter().filter(|game| game.ending != Ending::Truncated);
            scores.ends += ended.count() as u64;
            write_json(&path, &scores)?;
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
