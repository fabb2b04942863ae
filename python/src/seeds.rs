//! `Seeds`: from which streams the games of a batch start again.

use afterstate_engine::GameBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::numbers::whole;

/// The seeds of the games of a batch.
pub(crate) enum Seeds {
    /// None: every game goes on with its own stream.
    Own,
    /// One for all: game i draws from the stream (seed, i).
    Common(u64),
    /// One for each, which draws from the stream (seed, 0).
    Each(Vec<u64>),
}

impl Seeds {
    /// From nothing, a number, or as many numbers as there are games.
    pub(crate) fn read(given: Option<&Bound<'_, PyAny>>, games: usize) -> PyResult<Seeds> {
        let Some(given) = given else { return Ok(Seeds::Own) };
        if !given.hasattr("__len__")? {
            return whole(given).map(Seeds::Common);
        }
        let seeds: Vec<u64> = given.try_iter()?.map(|one| whole(&one?)).collect::<PyResult<_>>()?;
        if seeds.len() != games {
            let message = format!("{} seeds for {games} games: expected one per game", seeds.len());
            return Err(PyValueError::new_err(message));
        }
        Ok(Seeds::Each(seeds))
    }

    /// Starts new games in place of all, or of those with a true element in a mask, which has one per
    /// game.
    pub(crate) fn start(&self, batch: &mut dyn GameBatch, mask: Option<&[bool]>) {
        for game in (0..batch.games()).filter(|&game| mask.is_none_or(|mask| mask[game])) {
            match self {
                Seeds::Own => batch.restart(game),
                Seeds::Common(seed) => batch.reseed(game, *seed, game as u64),
                Seeds::Each(seeds) => batch.reseed(game, seeds[game], 0),
            }
        }
    }
}
