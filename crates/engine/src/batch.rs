//! `GameBatch`: many games of some rules that step at once, behind an object-safe type.

mod agents;
mod buffers;
mod draw;
mod tree;

use std::ops::ControlFlow;

use afterstate_core::{Rng, Step, TextError, threads};
use afterstate_games::picture::Scene;
use afterstate_games::spec::Spec;

pub use agents::AgentBatch;
pub use buffers::{Observed, Stepped};
pub use draw::draw_legal;
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

    /// Sets how many threads step the games: 1 unless this is called. Threads start with every step,
    /// so that they pay for thousands of games.
    fn set_threads(&mut self, threads: usize);

    /// Plays one action in every game and observes what follows.
    fn step(&mut self, actions: &[u32], autoreset: Autoreset, stepped: Stepped);

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

    /// The same games again, which go on exactly alike.
    fn copy(&self) -> Box<dyn GameBatch>;
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
#[derive(Clone)]
pub(crate) struct TypedBatch<G: Spec> {
    game: G,
    games: Vec<One<G::State>>,
    threads: usize,
}

impl<G: Spec> TypedBatch<G> {
    pub(crate) fn new(game: &G, games: usize, seed: u64) -> TypedBatch<G> {
        let one = |number| start(game, Rng::stream(seed, number));
        TypedBatch { game: game.clone(), games: (0..games as u64).map(one).collect(), threads: 1 }
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

/// Plays one action in each of some games and observes what follows.
fn step<G: Spec>(
    game: &G,
    games: &mut [One<G::State>],
    actions: &[u32],
    autoreset: Autoreset,
    stepped: Stepped,
) {
    let Stepped { rewards, terminated, truncated, illegal, mut observed, mut last } = stepped;
    let (widths, bounds) = (observed.widths(games.len()), game.actions());
    let limit = game.limit().unwrap_or(u64::MAX);
    for (number, (one, &action)) in games.iter_mut().zip(actions).enumerate() {
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
        let movable = observe(game, &one.state, observed.of(number, widths));
        rewards[number] = reward;
        illegal[number] = wrong;
        terminated[number] = played && !movable;
        truncated[number] = played && movable && one.moves >= limit;
        one.over |= terminated[number] || truncated[number];
        if one.over && autoreset == Autoreset::SameStep {
            if let Some(last) = &mut last {
                observe(game, &one.state, last.of(number, widths));
            }
            *one = start(game, one.rng.clone());
            observe(game, &one.state, observed.of(number, widths));
        }
    }
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

    fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    fn step(&mut self, actions: &[u32], autoreset: Autoreset, stepped: Stepped) {
        assert_eq!(actions.len(), self.games(), "one action per game");
        assert!(stepped.fits(self), "one element per game, cell, place and action");
        let game = &self.game;
        let len = self.games.len().div_ceil(self.threads);
        if len == self.games.len() {
            return step(game, &mut self.games, actions, autoreset, stepped);
        }
        let mut rest = Some(stepped);
        let parts = self.games.chunks_mut(len).zip(actions.chunks(len)).map(|(games, actions)| {
            let (own, others) = rest.take().map(|rest| rest.split(games.len())).unzip();
            rest = others;
            (games, actions, own)
        });
        threads::scoped(parts, |(games, actions, stepped)| {
            stepped.map(|stepped| step(game, games, actions, autoreset, stepped))
        });
    }

    fn observe(&self, observed: &mut Observed) {
        assert!(observed.fits(self), "one element per game and cell, place and action");
        let widths = observed.widths(self.games());
        for (number, one) in self.games.iter().enumerate() {
            observe(&self.game, &one.state, observed.of(number, widths));
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

    fn copy(&self) -> Box<dyn GameBatch> {
        Box::new(self.clone())
    }
}
