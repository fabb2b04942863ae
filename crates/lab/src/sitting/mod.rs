//! `GameSession`: one game in progress, whatever the game, for everybody who shows one: terminal, page,
//! film and replay.
//!
//! A sitting can go back and forth: chance deals the same again after the same moves. It keeps the
//! last thousand positions to go back to at once, and four bytes for every move of the first
//! million, from which it finds earlier positions and makes a [`Replay`]; a longer game goes on, but
//! has no replay. So a sitting never takes more than a few MiB.

mod course;
mod hints;
mod moment;
mod partner;
mod replay;
mod tally;
#[cfg(test)]
mod tests;
mod view;

use afterstate_games::spec::{GameSpec, Spec, SpecError, Visitor};
use afterstate_search::Search;

pub use crate::agent::{Explanation, Part};
use course::{DynSession, TypedSession};
pub use course::{KEPT, MAX_RECORDED};
pub use hints::{Hint, Hints};
pub use moment::agent_rng;
pub use partner::LoadedAgent;
pub use replay::{Replay, ReplayError};
pub use tally::{Standing, Tally};
pub use view::{Last, Offer, View};

use crate::advice::Analysis;

/// What cannot be done in a sitting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The rules are none.
    #[error(transparent)]
    Rules(#[from] SpecError),
    /// A text that is no board, or no move.
    #[error("{0}")]
    Text(String),
    /// A move that the rules do not allow.
    #[error("{mv}: {why}")]
    Illegal {
        /// The move.
        mv: String,
        /// Why not.
        why: String,
    },
    /// There is no move with that number.
    #[error("met move number {met}, expected one below {moves}")]
    Number {
        /// What was asked for.
        met: usize,
        /// How many moves there are.
        moves: usize,
    },
    /// Nothing can be played any more.
    #[error("the game is over")]
    Over,
    /// The agent was made ready for other rules.
    #[error("met an agent for {met}, expected one for {expected}")]
    LoadedAgent {
        /// Its rules.
        met: String,
        /// Those of the sitting.
        expected: String,
    },
    /// An agent that has no values.
    #[error("{0} has no values to look into")]
    NoValues(String),
}

/// One game in progress. It can be sent to another thread, and waits behind a lock well.
pub struct GameSession(Box<dyn DynSession>);

impl GameSession {
    /// A new game. Game number 0 of an evaluation by the same seed deals the same.
    pub fn new(rules: &GameSpec, seed: u64) -> GameSession {
        struct Sit(u64);
        impl Visitor for Sit {
            type Output = GameSession;
            fn visit<G: Spec>(self, game: &G) -> GameSession {
                GameSession(Box::new(TypedSession::new(game, self.0, None)))
            }
        }
        rules.with(Sit(seed))
    }

    /// A game that goes on from a drawn board.
    pub fn from_board(
        rules: &GameSpec,
        seed: u64,
        board: &str,
    ) -> Result<GameSession, SessionError> {
        struct Sit<'a>(u64, &'a str);
        impl Visitor for Sit<'_> {
            type Output = Result<GameSession, SessionError>;
            fn visit<G: Spec>(self, game: &G) -> Self::Output {
                let state = game.parse_state(self.1);
                let state = state.map_err(|error| SessionError::Text(error.to_string()))?;
                Ok(GameSession(Box::new(TypedSession::new(game, self.0, Some(state)))))
            }
        }
        rules.with(Sit(seed, board))
    }

    /// The rules in their shortest form.
    pub fn rules(&self) -> String {
        self.0.rules()
    }

    /// The seed of what chance deals.
    pub fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// Everything that there is to show, every legal move with it.
    pub fn view(&self) -> View {
        self.0.view(true)
    }

    /// The same without the moves: enough to watch.
    pub fn glance(&self) -> View {
        self.0.view(false)
    }

    /// How many moves have been made.
    pub fn moves(&self) -> u64 {
        self.0.moves()
    }

    /// The sum of all rewards.
    pub fn score(&self) -> f64 {
        self.0.score()
    }

    /// Whether nothing can be played any more: no move is left, or the limit of the rules reached.
    pub fn over(&self) -> bool {
        self.0.over()
    }

    /// What the game has reached, as the largest tile of 2048.
    pub fn reached(&self) -> Option<u64> {
        self.0.reached()
    }

    /// Plays a move by its text.
    pub fn play(&mut self, mv: &str) -> Result<(), SessionError> {
        self.0.play(mv)
    }

    /// Plays a move by its number in [`View::options`].
    pub fn play_number(&mut self, number: usize) -> Result<(), SessionError> {
        self.0.play_number(number)
    }

    /// Takes the last move back; false at the start, and in a game of more than
    /// [`MAX_RECORDED`] moves when all that is kept is taken back.
    pub fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Makes the move again that was taken back last; false if there is none.
    pub fn redo(&mut self) -> bool {
        self.0.redo()
    }

    /// Takes all moves back, to be made again one after the other by [`GameSession::redo`].
    pub fn rewind(&mut self) -> bool {
        self.0.go_to(0)
    }

    /// Goes to the position after so many moves of those made or taken back; false if there is
    /// none.
    pub fn go_to(&mut self, moves: u64) -> bool {
        self.0.go_to(moves)
    }

    /// What every move is worth to an agent, the best first.
    pub fn hints(
        &self,
        partner: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError> {
        self.0.hints(partner, search, threads)
    }

    /// What `advise` says of the board; `None` of an agent that has no values.
    pub fn advise(
        &self,
        partner: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError> {
        self.0.advise(partner, search, threads)
    }

    /// What the value of a move is made of, at first sight; the move by its number in
    /// [`View::options`].
    pub fn inside(
        &self,
        partner: &LoadedAgent,
        number: usize,
    ) -> Result<Explanation, SessionError> {
        self.0.inside(partner, number)
    }

    /// The number of the move that an agent would make; `None` if the game is over.
    pub fn choose(
        &self,
        partner: &LoadedAgent,
        search: &Search,
    ) -> Result<Option<usize>, SessionError> {
        self.0.choose(partner, search)
    }

    /// Lets an agent make up to so many moves; returns how many it made.
    pub fn play_by(
        &mut self,
        partner: &LoadedAgent,
        search: &Search,
        most: u64,
    ) -> Result<u64, SessionError> {
        self.0.play_by(partner, search, most)
    }

    /// The game so far as a replay; `None` if it was longer than what is recorded.
    pub fn replay(&self) -> Option<Replay> {
        self.0.replay()
    }
}
