//! Games as replays: read and verified, or recorded.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use afterstate::recording::{self, Format};
use afterstate_render::animation::Options;
use afterstate_session::{GameSession, Replay};
use pyo3::prelude::*;
use serde::Serialize;

use crate::agent::{Agent, parse_search};
use crate::errors::{os_error, replay_error, to_python, value_error};
use crate::interrupt::{OnInterrupt, interruptible};
use crate::numbers::whole;

/// A replay and what its session tells of it.
#[derive(Serialize)]
struct Game<'a> {
    #[serde(flatten)]
    replay: &'a Replay,
    rules: String,
    unit: &'static str,
    finished: bool,
    reached: Option<u64>,
    /// The start and the state after every move.
    states: Vec<String>,
}

impl Game<'_> {
    fn of<'a>(replay: &'a Replay, session: &mut GameSession) -> Game<'a> {
        let end = session.glance();
        session.rewind();
        let mut states = vec![session.glance().state];
        while session.redo() {
            states.push(session.glance().state);
        }
        let (finished, reached) = (end.finished, end.reached);
        Game { replay, rules: end.game, unit: end.unit, finished, reached, states }
    }
}

/// A replay from a file, every move of it verified, as a dictionary.
#[pyfunction]
pub(crate) fn read_replay(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let failed = |error| replay_error(path.display(), &error);
    let replay = Replay::read(&path).map_err(failed)?;
    let mut session = py.detach(|| afterstate_engine::verify(&replay)).map_err(failed)?;
    to_python(py, &Game::of(&replay, &mut session))
}

/// A game of an agent as a dictionary, written to a replay (.json) or a picture (.gif, .svg, .png) if
/// there is a path.
#[pyfunction]
pub(crate) fn record_game<'py>(
    py: Python<'py>,
    agent: &Bound<'py, Agent>,
    search: &str,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] moves: u64,
    out: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let (agent, search) = (agent.get(), parse_search(search)?);
    if !(1..=1_000_000).contains(&moves) {
        let message = format!("invalid number of moves {moves}: expected 1 to 1000000");
        return Err(value_error(message));
    }
    let is_replay = out.as_ref().is_some_and(|path| path.extension().is_some_and(|e| e == "json"));
    let format = match &out {
        Some(path) if !is_replay => Some(Format::of(path).map_err(|_| {
            value_error(format!(
                "cannot write {}: the name must end in .json, .gif, .svg or .png",
                path.display()
            ))
        })?),
        _ => None,
    };
    let (engine, loaded) = (Arc::clone(&agent.engine), agent.loaded.clone());
    let work = move |_: &AtomicBool| {
        let mut session = engine.session(seed, None).map_err(value_error)?;
        session.play_by(&loaded, &search, moves).map_err(value_error)?;
        let replay = session.replay().ok_or_else(|| value_error("the game is too long to record"));
        let replay = replay?.by(loaded.name(), &search.to_string());
        if let Some(path) = &out {
            let written = match format {
                Some(format) => {
                    let options = Options { cell: None, max_frames: 400, delay: 120 };
                    recording::write(path, format, &replay, &mut session, &options).map(|_| ())
                }
                None => recording::write_file(path, |file| {
                    file.extend_from_slice(replay.to_json().as_bytes());
                    Ok(())
                }),
            };
            written.map_err(|error| {
                let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
                os_error(
                    io.map_or(std::io::ErrorKind::Other, std::io::Error::kind),
                    format!("{error:#}"),
                )
            })?;
        }
        Ok::<_, PyErr>((replay, session))
    };
    let (replay, mut session) = interruptible(py, OnInterrupt::Leave, work, |_| Ok(()))??;
    to_python(py, &Game::of(&replay, &mut session))
}
