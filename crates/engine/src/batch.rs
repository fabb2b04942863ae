//! `GameBatch`: many games of some rules that step at once, behind an object-safe type.

use afterstate_core::Rng;
use afterstate_core::batch::{StepOutcome, legal_actions_batch, start_batch, step_batch};
use afterstate_games::spec::Spec;

/// Many independent games. Game `i` draws from the stream (seed, i) and uses element `i` of every
/// slice; actions are the numbers of [`Game::action`](afterstate_core::Game::action). No call but
/// [`GameBatch::state_text`] allocates; every call panics if the length of a slice does not match. The
/// move limit of the rules is not applied: the caller counts moves and truncates.
pub trait GameBatch: Send {
    /// The number of games.
    fn games(&self) -> usize;

    /// The number of actions of the rules.
    fn actions(&self) -> usize;

    /// The number of cells of a board.
    fn cells(&self) -> usize;

    /// Plays one action in every game.
    fn step(&mut self, actions: &[u32], rewards: &mut [f32], outcomes: &mut [StepOutcome]);

    /// Starts a new game in place of one, from the same stream.
    fn restart(&mut self, game: usize);

    /// Which actions are legal: one element per game and action.
    fn legal_actions(&self, mask: &mut [bool]);

    /// The cells of all boards, as n-tuple networks see them: one element per game and cell.
    fn write_cells(&self, cells: &mut [u8]);

    /// The state of a game as text.
    fn state_text(&self, game: usize) -> String;
}

/// A batch of a game with its types.
pub(crate) struct TypedBatch<G: Spec> {
    game: G,
    states: Vec<G::State>,
    rngs: Vec<Rng>,
}

impl<G: Spec> TypedBatch<G> {
    pub(crate) fn new(game: &G, games: usize, seed: u64) -> TypedBatch<G> {
        let mut rngs: Vec<Rng> = (0..games as u64).map(|game| Rng::stream(seed, game)).collect();
        let mut any = Rng::stream(seed, 0);
        let mut states = vec![game.start(&mut any); games];
        start_batch(game, &mut rngs, &mut states);
        TypedBatch { game: game.clone(), states, rngs }
    }
}

impl<G: Spec> GameBatch for TypedBatch<G> {
    fn games(&self) -> usize {
        self.states.len()
    }

    fn actions(&self) -> usize {
        self.game.actions()
    }

    fn cells(&self) -> usize {
        self.game.cell_count()
    }

    fn step(&mut self, actions: &[u32], rewards: &mut [f32], outcomes: &mut [StepOutcome]) {
        step_batch(&self.game, &mut self.states, actions, &mut self.rngs, rewards, outcomes);
    }

    fn restart(&mut self, game: usize) {
        self.states[game] = self.game.start(&mut self.rngs[game]);
    }

    fn legal_actions(&self, mask: &mut [bool]) {
        legal_actions_batch(&self.game, &self.states, mask);
    }

    fn write_cells(&self, cells: &mut [u8]) {
        let count = self.cells();
        assert_eq!(cells.len(), self.states.len() * count, "one element per game and cell");
        for (state, cells) in self.states.iter().zip(cells.chunks_exact_mut(count)) {
            let board = self.game.board_of(state);
            for (number, cell) in cells.iter_mut().enumerate() {
                *cell = self.game.cell(&board, number) as u8;
            }
        }
    }

    fn state_text(&self, game: usize) -> String {
        self.game.state_text(&self.states[game])
    }
}
