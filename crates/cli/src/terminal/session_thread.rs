//! `SessionThread`: the session on a thread of its own, so that a long search never delays a key.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_agents::LoadedAgent;
use afterstate_games::spec::GameSpec;
use afterstate_search::Search;
use afterstate_session::{GameSession, Hints, Replay, SessionError, View};
use anyhow::bail;

/// A request to the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    /// Play the legal move with this index.
    Play(usize),
    Undo,
    Redo,
    /// Let the agent play one move.
    Step,
    /// Let the agent play for this long.
    Run(Duration),
    /// Start a new game with this seed.
    New(u64),
    /// Turn hints on or off.
    Hints(bool),
    /// Change the search of the agent.
    Search(Search),
    /// Return the replay of the game.
    Replay,
}

/// The session after a request.
pub(crate) struct Status {
    pub(crate) view: View,
    pub(crate) hints: Option<Hints>,
    /// Why the request failed.
    pub(crate) note: Option<String>,
    /// Moves per second of the agent, after `Request::Run`.
    pub(crate) speed: Option<f64>,
    /// The replay, after `Request::Replay`; `None` if the game is too long.
    pub(crate) replay: Option<Replay>,
}

/// A handle to the thread that owns the session.
pub(crate) struct SessionThread {
    requests: Sender<Request>,
    answers: Receiver<Status>,
    /// Requests without an answer.
    pending: usize,
}

struct Game {
    rules: GameSpec,
    session: GameSession,
    agent: LoadedAgent,
    search: Search,
    threads: usize,
    hints: bool,
}

impl SessionThread {
    /// Starts the thread; the agent plays and gives hints.
    pub(crate) fn start(
        rules: GameSpec,
        session: GameSession,
        agent: LoadedAgent,
        search: Search,
    ) -> SessionThread {
        let (requests, received) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let threads = afterstate_core::threads::cores();
        let mut game = Game { rules, session, agent, search, threads, hints: false };
        thread::spawn(move || {
            while let Ok(request) = received.recv() {
                if answer.send(game.answer(&request)).is_err() {
                    break;
                }
            }
        });
        SessionThread { requests, answers, pending: 0 }
    }

    /// Sends a request; its answer comes later.
    pub(crate) fn send(&mut self, request: Request) {
        if self.requests.send(request).is_ok() {
            self.pending += 1;
        }
    }

    /// Whether a request has no answer yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.pending > 0
    }

    /// The next answer, if it arrives within `timeout`.
    pub(crate) fn receive(&mut self, timeout: Duration) -> anyhow::Result<Option<Status>> {
        match self.answers.recv_timeout(timeout) {
            Ok(status) => {
                self.pending -= 1;
                Ok(Some(status))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // The panic hook has printed the reason.
            Err(RecvTimeoutError::Disconnected) => bail!("the thread of the game has panicked"),
        }
    }
}

impl Game {
    fn answer(&mut self, request: &Request) -> Status {
        let mut speed = None;
        let result: Result<(), String> = match *request {
            Request::Play(number) => as_text(self.session.play_number(number)),
            Request::Undo => self.attempt(|session| session.undo(), "no move to undo"),
            Request::Redo => self.attempt(|session| session.redo(), "no move to redo"),
            Request::Step => {
                as_text(self.session.play_by(&self.agent, &self.search, 1).map(|_| ()))
            }
            Request::Run(time) => as_text(self.run(time).map(|moves| speed = Some(moves))),
            Request::New(seed) => {
                let opened = afterstate_engine::open(&self.rules).session(seed, None);
                as_text(opened.map(|session| self.session = session))
            }
            Request::Hints(wanted) => {
                self.hints = wanted;
                Ok(())
            }
            Request::Search(search) => {
                self.search = search;
                Ok(())
            }
            Request::Replay => {
                let replay = self.session.replay();
                let (hints, note) = (None, None);
                return Status { view: self.session.view(), hints, note, speed, replay };
            }
        };
        let mut note = result.err();
        let hints = self.hints.then(|| self.session.hints(&self.agent, &self.search, self.threads));
        let hints =
            hints.and_then(|hints| hints.map_err(|error| note = Some(error.to_string())).ok());
        Status { view: self.session.view(), hints, note, speed, replay: None }
    }

    fn attempt(
        &mut self,
        action: impl FnOnce(&mut GameSession) -> bool,
        note: &str,
    ) -> Result<(), String> {
        if action(&mut self.session) { Ok(()) } else { Err(note.to_owned()) }
    }

    /// Lets the agent play for some time; returns moves per second.
    fn run(&mut self, time: Duration) -> Result<f64, SessionError> {
        let (begin, mut moves, mut batch) = (Instant::now(), 0, 1);
        while begin.elapsed() < time {
            let played = self.session.play_by(&self.agent, &self.search, batch)?;
            moves += played;
            if played < batch {
                break;
            }
            // A search may take the whole time for one move; a greedy agent plays thousands.
            if begin.elapsed() < time / 4 {
                batch = (batch * 2).min(4_096);
            }
        }
        Ok(moves as f64 / begin.elapsed().as_secs_f64().max(1e-9))
    }
}

fn as_text(result: Result<(), SessionError>) -> Result<(), String> {
    result.map_err(|error| error.to_string())
}
