//! `Tally`: games of an agent that were played in blocks, kept in a file and gone on with.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use afterstate_games::spec::{GameSpec, SpecError};
use afterstate_lab::statistics::{Exposure, exposure};
use afterstate_lab::{Agent, Plan, evaluate};
use serde::{Deserialize, Serialize};

use crate::machine::machine;
use crate::training::{Cost, at};
use crate::{Error, Session};

/// A file is written after so many blocks at most.
const BLOCKS: u64 = 50;

/// What some games came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    games: u64,
    /// Games that were not cut off.
    pub(crate) ends: u64,
    /// All scores.
    pub(crate) total: f64,
    moves: u64,
    seconds: f64,
}

/// Games to play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Games {
    pub(crate) agent: &'static str,
    pub(crate) rules: &'static str,
    pub(crate) games: u64,
    /// Games are cut off after so many moves.
    pub(crate) max_moves: Option<u64>,
}

impl Tally {
    /// The score to expect of a game that nothing cuts off.
    pub(crate) fn exposure(&self) -> Exposure {
        exposure(self.total, self.ends)
    }

    /// What it took.
    pub(crate) fn cost(&self, agent: &str, threads: usize) -> Cost {
        let (episodes, moves, seconds) = (self.games, self.moves, self.seconds);
        let training = agent.to_owned();
        Cost { training, episodes, moves, seconds, threads, machine: machine() }
    }
}

impl Session<'_> {
    /// Plays games, or goes on, or reads what was played.
    pub(crate) fn played(&mut self, games: Games) -> Result<Tally, Error> {
        let Games { agent, rules, games: all, max_moves } = games;
        let path = self.tally_path(games);
        let read = fs::read_to_string(&path).ok();
        let mut tally: Tally =
            read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let player: Agent = agent.parse().map_err(Error::Agent)?;
        let spec: GameSpec =
            rules.parse().map_err(|error: SpecError| Error::Rules(error.to_string()))?;
        let size = all.div_ceil(BLOCKS);
        self.watch.plan(&format!("{agent}, {rules}: {} of {all} games played", tally.games))?;
        while tally.games < all {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            // Each block has a seed of its own; the first game says which block it is.
            let seed = self.seed ^ (tally.games + 1) << 24;
            let games = size.min(all - tally.games);
            let plan = Plan { games, seed, threads: Some(self.threads), max_moves };
            let played = evaluate(&spec, &player, &plan)?;
            tally.games += games;
            tally.ends += games - played.cut_off;
            tally.total += (played.score.mean * games as f64).round();
            tally.moves += played.moves;
            tally.seconds += played.seconds;
            self.write_tally(&path, &tally)?;
        }
        Ok(tally)
    }

    fn tally_path(&self, games: Games) -> PathBuf {
        let Games { agent, rules, games, max_moves } = games;
        let cut = max_moves.map_or(String::new(), |moves| format!("-cut{moves}"));
        let name = format!("{agent}-{rules}-{games}{cut}-seed{}.json", self.seed);
        self.work.join(self.form.name).join(name.replace(':', "-"))
    }

    fn write_tally(&self, path: &PathBuf, tally: &Tally) -> Result<(), Error> {
        let folder = self.work.join(self.form.name);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let text = serde_json::to_string(tally).map_err(|error| at(path)(error.into()))?;
        let part = path.with_extension("part");
        let written = fs::write(&part, text + "\n").and_then(|()| fs::rename(&part, path));
        written.map_err(at(path))
    }
}
