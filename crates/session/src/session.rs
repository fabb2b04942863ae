//! `Session`: a game in progress, of any game.

use afterstate_agents::{Analysis, LoadedAgent, NotSearchable, OtherRules};
use afterstate_core::TextError;
use afterstate_games::picture::Figure;
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::Explanation;

use crate::hints::Hints;
use crate::typed::TypedSession;
use crate::{Replay, View};

/// A request that a session refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The text is not a board or not a move.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The rules do not allow the move.
    #[error("{mv}: {why}")]
    Illegal {
        /// The move.
        mv: String,
        /// Why not.
        why: String,
    },
    /// There is no move with that number.
    #[error("there is no move number {number}: the state has {moves} legal moves, counted from 0")]
    Number {
        /// The number that was asked for.
        number: usize,
        /// How many moves there are.
        moves: usize,
    },
    /// The game is over.
    #[error("the game is over")]
    Finished,
    /// The game is truncated.
    #[error("the game is over: it has reached the limit of {0} moves")]
    Truncated(u64),
    /// The agent cannot search.
    #[error(transparent)]
    NotSearchable(#[from] NotSearchable),
    /// The agent was loaded for other rules.
    #[error(transparent)]
    OtherRules(#[from] OtherRules),
    /// The agent has no values.
    #[error("{0} has no values that can be explained by parts")]
    NoValues(String),
}

/// A game in progress, of any game. It can be sent to another thread.
pub type GameSession = Box<dyn Session>;

/// Opens a new game, or one that continues from a drawn board. Game 0 of an evaluation with the
/// same seed has the same chance outcomes.
pub fn open<G: Spec>(
    game: &G,
    seed: u64,
    board: Option<&str>,
) -> Result<GameSession, SessionError> {
    let board = board.map(|board| game.parse_state(board)).transpose()?;
    Ok(Box::new(TypedSession::new(game, seed, board)))
}

/// The operations of a session of any game.
///
/// ```
/// use afterstate_games::twenty48::Twenty48;
///
/// let board = "2 2 . .|. . . .|. . . .|. . . .";
/// let mut session = afterstate_session::open(&Twenty48::standard(), 1, Some(board))?;
/// session.play("left")?;
/// assert_eq!(session.score(), 4.0);
/// let tiles = session.drawing();
/// session.undo();
/// session.redo();
/// assert_eq!(session.drawing(), tiles, "chance repeats itself");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Session: Send {
    /// The rules in their shortest form.
    fn rules(&self) -> String;

    /// The seed of the chance outcomes.
    fn seed(&self) -> u64;

    /// Everything to show, with every legal move.
    fn view(&self) -> View;

    /// The same without the moves, for spectators.
    fn glance(&self) -> View;

    /// Every piece of the rules; none in games without pieces.
    fn pieces(&self) -> Vec<Figure>;

    /// The board as text, framed for a player.
    fn drawing(&self) -> String;

    /// The number of moves played.
    fn moves(&self) -> u64;

    /// The sum of all rewards.
    fn score(&self) -> f64;

    /// Whether no move can be played: the state is terminal, or the game is truncated by its rules.
    fn finished(&self) -> bool;

    /// The largest tile, in games with tiles.
    fn reached(&self) -> Option<u64>;

    /// Plays a move by its text.
    fn play(&mut self, mv: &str) -> Result<(), SessionError>;

    /// Plays a move by its number in [`View::options`].
    fn play_number(&mut self, number: usize) -> Result<(), SessionError>;

    /// Undoes the last move; false at the start, and in a game of more than
    /// [`MAX_RECORDED`](crate::MAX_RECORDED) moves if no snapshot is left.
    fn undo(&mut self) -> bool;

    /// Redoes the move that was undone last; false if there is none.
    fn redo(&mut self) -> bool;

    /// Undoes all moves, to be redone one after the other by [`Session::redo`].
    fn rewind(&mut self) -> bool {
        self.go_to(0)
    }

    /// Goes to the position after that many moves, played or undone; false if there is none.
    fn go_to(&mut self, moves: u64) -> bool;

    /// Every move with its value to an agent, the best first.
    fn hints(
        &self,
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError>;

    /// The analysis of the board by an agent; `None` if it has no values. A truncated game is
    /// refused.
    fn analyze(
        &self,
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError>;

    /// The parts of the value of a move without search; the move is given by its number in
    /// [`View::options`].
    fn explain(&self, agent: &LoadedAgent, number: usize) -> Result<Explanation, SessionError>;

    /// The number of the move that an agent would play; `None` if the game is over.
    fn choose(&self, agent: &LoadedAgent, search: &Search) -> Result<Option<usize>, SessionError>;

    /// Lets an agent play at most `max` moves; returns how many it played.
    fn play_by(
        &mut self,
        agent: &LoadedAgent,
        search: &Search,
        max: u64,
    ) -> Result<u64, SessionError>;

    /// The game so far as a replay; `None` if it is longer than the record.
    fn replay(&self) -> Option<Replay>;
}
