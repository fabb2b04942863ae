//! `Dealer`: the sitting on a thread of its own, so that a long search never holds up a key.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_games::spec::GameSpec;
use afterstate_lab::sitting::{GameSession, Hints, LoadedAgent, Replay, SessionError, View};
use afterstate_search::Search;
use anyhow::bail;

/// What the dealer is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    /// Make a move by its number.
    Make(usize),
    /// Take a move back.
    Undo,
    /// Make a move again.
    Redo,
    /// Let the agent make a move.
    Step,
    /// Let the agent make moves for so long.
    Run(Duration),
    /// Begin anew with a seed.
    New(u64),
    /// Say what moves are worth, or no longer.
    Hints(bool),
    /// Look ahead in another way.
    Search(Search),
    /// Give the whole game.
    Replay,
}

/// How it stands after something was done.
pub(crate) struct Standing {
    pub(crate) view: View,
    pub(crate) hints: Option<Hints>,
    /// What went wrong.
    pub(crate) note: Option<String>,
    /// Moves that the agent made in a second, if it was let run.
    pub(crate) speed: Option<f64>,
    /// The whole game, if it was asked for.
    pub(crate) replay: Option<Replay>,
}

/// The thread with the sitting.
pub(crate) struct Dealer {
    asks: Sender<Ask>,
    answers: Receiver<Standing>,
    waiting: usize,
}

struct Game {
    rules: GameSpec,
    sitting: GameSession,
    partner: LoadedAgent,
    search: Search,
    threads: usize,
    hints: bool,
}

impl Dealer {
    /// Starts with a sitting, and with an agent that can play and advise.
    pub(crate) fn start(
        rules: GameSpec,
        sitting: GameSession,
        partner: LoadedAgent,
        search: Search,
    ) -> Dealer {
        let (asks, asked) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let threads = crate::progress::cores();
        let mut game = Game { rules, sitting, partner, search, threads, hints: false };
        thread::spawn(move || {
            while let Ok(ask) = asked.recv() {
                if answer.send(game.answer(&ask)).is_err() {
                    break;
                }
            }
        });
        Dealer { asks, answers, waiting: 0 }
    }

    /// Asks for something; the answer comes later.
    pub(crate) fn ask(&mut self, ask: Ask) {
        if self.asks.send(ask).is_ok() {
            self.waiting += 1;
        }
    }

    /// Whether an answer is still to come.
    pub(crate) fn is_busy(&self) -> bool {
        self.waiting > 0
    }

    /// An answer, if there is one by then.
    pub(crate) fn answer(&mut self, most: Duration) -> anyhow::Result<Option<Standing>> {
        match self.answers.recv_timeout(most) {
            Ok(standing) => {
                self.waiting -= 1;
                Ok(Some(standing))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // It has panicked and said so.
            Err(RecvTimeoutError::Disconnected) => bail!("the game could not go on"),
        }
    }
}

impl Game {
    fn answer(&mut self, ask: &Ask) -> Standing {
        let mut speed = None;
        let done = match *ask {
            Ask::Make(number) => self.sitting.play_number(number),
            Ask::Undo => self.tried(GameSession::undo, "nothing to take back"),
            Ask::Redo => self.tried(GameSession::redo, "nothing to make again"),
            Ask::Step => self.sitting.play_by(&self.partner, &self.search, 1).map(|_| ()),
            Ask::Run(time) => self.run(time).map(|moves| speed = Some(moves)),
            Ask::New(seed) => {
                self.sitting = GameSession::new(&self.rules, seed);
                Ok(())
            }
            Ask::Hints(wanted) => {
                self.hints = wanted;
                Ok(())
            }
            Ask::Search(search) => {
                self.search = search;
                Ok(())
            }
            Ask::Replay => {
                let replay = self.sitting.replay();
                let (hints, note) = (None, None);
                return Standing { view: self.sitting.view(), hints, note, speed, replay };
            }
        };
        let mut note = done.err().map(|error| error.to_string());
        let hints =
            self.hints.then(|| self.sitting.hints(&self.partner, &self.search, self.threads));
        let hints =
            hints.and_then(|hints| hints.map_err(|error| note = Some(error.to_string())).ok());
        Standing { view: self.sitting.view(), hints, note, speed, replay: None }
    }

    fn tried(
        &mut self,
        act: impl FnOnce(&mut GameSession) -> bool,
        note: &str,
    ) -> Result<(), SessionError> {
        if act(&mut self.sitting) {
            return Ok(());
        }
        Err(SessionError::Text(note.to_owned()))
    }

    /// Plays for some time; returns moves a second.
    fn run(&mut self, time: Duration) -> Result<f64, SessionError> {
        let (begin, mut moves, mut batch) = (Instant::now(), 0, 1);
        while begin.elapsed() < time {
            let made = self.sitting.play_by(&self.partner, &self.search, batch)?;
            moves += made;
            if made < batch {
                break;
            }
            // A search takes long for one move, a greedy agent makes thousands meanwhile.
            if begin.elapsed() < time / 4 {
                batch = (batch * 2).min(4_096);
            }
        }
        Ok(moves as f64 / begin.elapsed().as_secs_f64().max(1e-9))
    }
}
