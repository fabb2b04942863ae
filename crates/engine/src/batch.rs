//! `GameBatch`: many games of some rules that step at once, behind an object-safe type.

mod agents;
mod tree;

use std::ops::ControlFlow;

use afterstate_core::{Rng, Step, TextError};
use afterstate_games::picture::Scene;
use afterstate_games::spec::Spec;

pub use agents::AgentBatch;
pub use tree::{SearchTree, TooManyBoards};

/// What becomes of a game that is over, terminated or truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// The next step starts a new game instead of playing its action.
    NextStep,
    /// A new game starts within the step that ended the old one.
    SameStep,
    /// Nothing: the caller restarts it. Until then every action is illegal.
    Disabled,
}

/// What a player sees of every game, in buffers of the caller.
pub struct Observed<'a> {
    /// The cells of all boards ([`Spec::write_board`]): one element per game and cell.
    pub cells: &'a mut [u8],
    /// The pieces that the player sees ([`Spec::write_pieces`]): one element per game and place.
    pub pieces: &'a mut [u8],
    /// Which actions are legal: one element per game and action. Empty if nobody asks.
    pub legal: &'a mut [bool],
}

/// The results of a step, in buffers of the caller: one element per game.
pub struct Stepped<'a> {
    /// The rewards.
    pub rewards: &'a mut [f32],
    /// Whether the new state has no legal move.
    pub terminated: &'a mut [bool],
    /// Whether the game has had as many moves as its rules allow.
    pub truncated: &'a mut [bool],
    /// Whether the action was illegal: then nothing has changed, and the reward is 0.
    pub illegal: &'a mut [bool],
    /// The states after the step: with [`Autoreset::SameStep`], those of the new games.
    pub observed: Observed<'a>,
    /// With [`Autoreset::SameStep`], the last states of the games that are over; the others are left
    /// alone.
    pub last: Option<Observed<'a>>,
}

/// The legal moves of some games: those of game `i` are at `offsets[i]..offsets[i + 1]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Afterstates {
    /// Where the moves of each game begin, and the end.
    pub offsets: Vec<u64>,
    /// The actions.
    pub actions: Vec<u32>,
    /// The reward of each.
    pub rewards: Vec<f32>,
    /// The cells of the board after each.
    pub cells: Vec<u8>,
}

/// Many independent games. Game `i` draws from the stream (seed, i) and uses element `i` of every
/// slice; actions are the numbers of [`Game::action`](afterstate_core::Game::action). Steps and
/// observations do not allocate. Every call panics if the length of a slice does not match or a game
/// does not exist.
pub trait GameBatch: AgentBatch + Send + Sync {
    /// The number of games.
    fn games(&self) -> usize;

    /// The number of actions of the rules.
    fn actions(&self) -> usize;

    /// The number of cells of a board, row by row.
    fn cells(&self) -> usize;

    /// The number of columns of a board.
    fn columns(&self) -> usize;

    /// The number of values of a cell.
    fn cell_values(&self) -> u32;

    /// How many pieces a player sees at most.
    fn piece_slots(&self) -> usize;

    /// The number of different pieces.
    fn piece_kinds(&self) -> usize;

    /// Plays one action in every game and observes what follows.
    fn step(&mut self, actions: &[u32], autoreset: Autoreset, stepped: &mut Stepped);

    /// Observes every game.
    fn observe(&self, observed: &mut Observed);

    /// The legal moves of every game, in place of what is there.
    fn afterstates(&self, into: &mut Afterstates);

    /// Starts a new game in place of one, from the same stream.
    fn restart(&mut self, game: usize);

    /// Starts a new game in place of one, from the stream (seed, number).
    fn reseed(&mut self, game: usize, seed: u64, number: u64);

    /// The rewards of a game so far.
    fn score(&self, game: usize) -> f64;

    /// Moves of a game so far.
    fn moves(&self, game: usize) -> u64;

    /// Whether a game is over and not yet restarted.
    fn is_over(&self, game: usize) -> bool;

    /// The state of a game as text.
    fn state_text(&self, game: usize) -> String;

    /// Sets a game to a state, as text.
    fn set_state(&mut self, game: usize, text: &str) -> Result<(), TextError>;

    /// The generator of a game, for copies of it ([`Rng::to_bytes`]).
    fn generator(&self, game: usize) -> [u8; 32];

    /// Sets what [`GameBatch::set_state`] does not: the generator, the score and the number of moves.
    fn set_generator(&mut self, game: usize, generator: [u8; 32], score: f64, moves: u64);

    /// The state of a game drawn for a player.
    fn drawing(&self, game: usize) -> String;

    /// The same as data of a picture.
    fn scene(&self, game: usize) -> Scene;
}

/// One game of a batch.
#[derive(Clone)]
struct One<S> {
    state: S,
    rng: Rng,
    score: f64,
    moves: u64,
    over: bool,
}

/// A batch of a game with its types.
pub(crate) struct TypedBatch<G: Spec> {
    game: G,
    games: Vec<One<G::State>>,
}

impl<G: Spec> TypedBatch<G> {
    pub(crate) fn new(game: &G, games: usize, seed: u64) -> TypedBatch<G> {
        let one = |number| start(game, Rng::stream(seed, number));
        TypedBatch { game: game.clone(), games: (0..games as u64).map(one).collect() }
    }
}

#[inline]
fn start<G: Spec>(game: &G, mut rng: Rng) -> One<G::State> {
    One { state: game.start(&mut rng), rng, score: 0.0, moves: 0, over: false }
}

/// Writes what the player sees of one game into its slices. Returns whether there is a legal move.
#[inline]
fn observe<G: Spec>(
    game: &G,
    state: &G::State,
    (cells, pieces, legal): (&mut [u8], &mut [u8], &mut [bool]),
) -> bool {
    game.write_board(&game.board_of(state), cells);
    game.write_pieces(state, pieces);
    if legal.is_empty() {
        return game.try_moves(state, |_, _| ControlFlow::Break(())).is_break();
    }
    legal.fill(false);
    let mut any = false;
    game.for_each_legal(state, |mv| {
        legal[game.action_number(mv)] = true;
        any = true;
    });
    any
}

impl Observed<'_> {
    fn check(&self, batch: &(impl GameBatch + ?Sized)) {
        let games = batch.games();
        assert_eq!(self.cells.len(), games * batch.cells(), "one element per game and cell");
        assert_eq!(self.pieces.len(), games * batch.piece_slots(), "one element per piece");
        let legal = self.legal.len();
        assert!(legal == 0 || legal == games * batch.actions(), "one element per action, or none");
    }

    /// The parts of one game.
    #[inline]
    fn of(&mut self, number: usize, games: usize) -> (&mut [u8], &mut [u8], &mut [bool]) {
        (
            part(self.cells, number, games),
            part(self.pieces, number, games),
            part(self.legal, number, games),
        )
    }
}

#[inline]
fn part<T>(slice: &mut [T], number: usize, games: usize) -> &mut [T] {
    let len = slice.len() / games;
    &mut slice[number * len..][..len]
}

impl<G: Spec> GameBatch for TypedBatch<G> {
    fn games(&self) -> usize {
        self.games.len()
    }

    fn actions(&self) -> usize {
        self.game.actions()
    }

    fn cells(&self) -> usize {
        self.game.cell_count()
    }

    fn columns(&self) -> usize {
        self.game.cell_columns()
    }

    fn cell_values(&self) -> u32 {
        self.game.board_values()
    }

    fn piece_slots(&self) -> usize {
        self.game.piece_slots()
    }

    fn piece_kinds(&self) -> usize {
        self.game.piece_kinds()
    }

    fn step(&mut self, actions: &[u32], autoreset: Autoreset, stepped: &mut Stepped) {
        let count = self.games();
        let Stepped { rewards, terminated, truncated, illegal, observed, last } = stepped;
        for len in [actions.len(), rewards.len(), terminated.len(), truncated.len(), illegal.len()]
        {
            assert_eq!(len, count, "one element per game");
        }
        observed.check(self);
        last.iter().for_each(|last| last.check(self));
        let (game, limit) = (&self.game, self.game.limit().unwrap_or(u64::MAX));
        let (all, bounds) = (&mut self.games[..], game.actions());
        for (number, (one, &action)) in all.iter_mut().zip(actions).enumerate() {
            let (mut reward, mut played, mut wrong) = (0.0, false, false);
            if one.over && autoreset == Autoreset::NextStep {
                *one = start(game, one.rng.clone());
            } else {
                let action = action as usize;
                let playable = action < bounds && !one.over;
                let step = playable.then(|| game.play(&one.state, game.action(action)).ok());
                match step.flatten() {
                    None => wrong = true,
                    Some(Step { after, reward: own }) => {
                        one.state = game.sample(&after, &mut one.rng);
                        one.moves += 1;
                        one.score += f64::from(own);
                        (reward, played) = (own, true);
                    }
                }
            }
            let movable = observe(game, &one.state, observed.of(number, count));
            rewards[number] = reward;
            illegal[number] = wrong;
            terminated[number] = played && !movable;
            truncated[number] = played && movable && one.moves >= limit;
            one.over |= terminated[number] || truncated[number];
            if one.over && autoreset == Autoreset::SameStep {
                if let Some(last) = last {
                    observe(game, &one.state, last.of(number, count));
                }
                *one = start(game, one.rng.clone());
                observe(game, &one.state, observed.of(number, count));
            }
        }
    }

    fn observe(&self, observed: &mut Observed) {
        observed.check(self);
        let count = self.games();
        for (number, one) in self.games.iter().enumerate() {
            observe(&self.game, &one.state, observed.of(number, count));
        }
    }

    fn afterstates(&self, into: &mut Afterstates) {
        let Afterstates { offsets, actions, rewards, cells } = into;
        offsets.clear();
        actions.clear();
        rewards.clear();
        cells.clear();
        offsets.push(0);
        for one in &self.games {
            self.game.for_each_move(&one.state, |mv, step| {
                actions.push(self.game.action_number(mv) as u32);
                rewards.push(step.reward);
                let begin = cells.len();
                cells.resize(begin + self.game.cell_count(), 0);
                self.game.write_board(&step.after, &mut cells[begin..]);
            });
            offsets.push(actions.len() as u64);
        }
    }

    fn restart(&mut self, game: usize) {
        self.games[game] = start(&self.game, self.games[game].rng.clone());
    }

    fn reseed(&mut self, game: usize, seed: u64, number: u64) {
        self.games[game] = start(&self.game, Rng::stream(seed, number));
    }

    fn score(&self, game: usize) -> f64 {
        self.games[game].score
    }

    fn moves(&self, game: usize) -> u64 {
        self.games[game].moves
    }

    fn is_over(&self, game: usize) -> bool {
        self.games[game].over
    }

    fn state_text(&self, game: usize) -> String {
        self.game.state_text(&self.games[game].state)
    }

    fn set_state(&mut self, game: usize, text: &str) -> Result<(), TextError> {
        let state = self.game.parse_state(text)?;
        let over = self.game.count_moves(&state) == 0;
        let one = &mut self.games[game];
        (one.state, one.over, one.score, one.moves) = (state, over, 0.0, 0);
        Ok(())
    }

    fn generator(&self, game: usize) -> [u8; 32] {
        self.games[game].rng.to_bytes()
    }

    fn set_generator(&mut self, game: usize, generator: [u8; 32], score: f64, moves: u64) {
        let limit = self.game.limit().unwrap_or(u64::MAX);
        let one = &mut self.games[game];
        (one.rng, one.score, one.moves) = (Rng::from_bytes(generator), score, moves);
        one.over |= moves >= limit;
    }

    fn drawing(&self, game: usize) -> String {
        self.game.drawing(&self.games[game].state)
    }

    fn scene(&self, game: usize) -> Scene {
        self.game.scene(&self.games[game].state)
    }
}
