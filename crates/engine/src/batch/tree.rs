//! `SearchTree`: expectimax of many games over boards that somebody else evaluates, all at once.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_games::spec::Spec;
use rustc_hash::FxHashMap;

/// The moves and chance outcomes of some games, to a depth in plies. The boards of its leaves, the
/// afterstates of the last ply, are valued by the caller in one call, each once: in 2048, half of the
/// leaves of two plies and a sixth of three are different boards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchTree {
    /// The actions of the moves of all games.
    actions: Vec<u32>,
    plies: Vec<Ply>,
    /// The number of the board of each leaf.
    leaves: Vec<u32>,
    cells: Vec<u8>,
    boards: usize,
}

/// The numbers of the boards of a tree that is being built.
pub(super) type Boards<G> = FxHashMap<<G as Game>::After, u32>;

/// The states of one ply with their moves, and the chance outcomes of these.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ply {
    /// The end of the moves of each state.
    states: Vec<usize>,
    /// The reward of each move.
    rewards: Vec<f32>,
    /// The end of the outcomes of each move; the last ply has none.
    moves: Vec<usize>,
    /// The probability of each outcome, which is a state of the next ply.
    probabilities: Vec<f32>,
}

/// A game with more boards than a tree may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "one position has more than {0} boards after {1} plies: search fewer plies, or allow more boards"
)]
pub struct TooManyBoards(pub usize, pub u32);

impl SearchTree {
    /// A tree of that many plies, at least one.
    pub(super) fn new(plies: u32) -> SearchTree {
        let plies = vec![Ply::default(); plies.max(1) as usize];
        SearchTree { plies, ..SearchTree::default() }
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.plies[0].states.len()
    }

    /// The cells of the different boards of its leaves, one board after the other.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The number of different boards.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// Adds a game; a terminal state has no moves. `false` if there were more than `max` boards: then
    /// the tree is as before, and `seen` is of no use any more.
    pub(super) fn add<G: Spec>(
        &mut self,
        game: &G,
        state: Option<&G::State>,
        seen: &mut Boards<G>,
        max: usize,
    ) -> bool {
        let before: Vec<[usize; 4]> = self.plies.iter().map(Ply::lengths).collect();
        let (leaves, boards) = (self.leaves.len(), self.boards);
        let added = match state {
            Some(state) => self.add_state(game, state, 0, seen, max),
            None => {
                let end = self.plies[0].rewards.len();
                self.plies[0].states.push(end);
                true
            }
        };
        if added {
            return true;
        }
        self.plies.iter_mut().zip(&before).for_each(|(ply, lengths)| ply.truncate(*lengths));
        self.actions.truncate(before[0][1]);
        self.leaves.truncate(leaves);
        self.cells.truncate(boards * game.cell_count());
        self.boards = boards;
        false
    }

    fn add_state<G: Spec>(
        &mut self,
        game: &G,
        state: &G::State,
        ply: usize,
        seen: &mut Boards<G>,
        max: usize,
    ) -> bool {
        let last = self.plies.len() - 1;
        let complete = game.try_moves(state, |mv, step| {
            self.plies[ply].rewards.push(step.reward);
            if ply == 0 {
                self.actions.push(game.action_number(mv) as u32);
            }
            if ply == last {
                let board = *seen.entry(step.after).or_insert_with(|| {
                    let begin = self.cells.len();
                    self.cells.resize(begin + game.cell_count(), 0);
                    game.write_board(&step.after, &mut self.cells[begin..]);
                    self.boards += 1;
                    self.boards as u32 - 1
                });
                self.leaves.push(board);
                return if self.boards <= max {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                };
            }
            let mut outcome = |state: G::State, probability: f64| {
                self.plies[ply].probabilities.push(probability as f32);
                if self.add_state(game, &state, ply + 1, seen, max) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            // Before the last ply, outcomes with the same moves count as one, as in every search.
            if ply + 1 == last {
                game.try_next_turn(&step.after, outcome)?;
            } else {
                game.try_chance(&step.after, &mut outcome)?;
            }
            let end = self.plies[ply].probabilities.len();
            self.plies[ply].moves.push(end);
            ControlFlow::Continue(())
        });
        let end = self.plies[ply].rewards.len();
        self.plies[ply].states.push(end);
        complete.is_continue()
    }

    /// The best action of each game, by the values of all boards: ties go to the first, and a game
    /// without moves has action 0.
    ///
    /// # Panics
    /// If there is not one value per board.
    pub fn best(&self, values: &[f32]) -> Vec<u32> {
        assert_eq!(values.len(), self.boards, "one value per board");
        let mut after_values: Vec<f32> =
            self.leaves.iter().map(|&board| values[board as usize]).collect();
        for (number, ply) in self.plies.iter().enumerate().skip(1).rev() {
            let before = &self.plies[number - 1];
            let best = ply.best(&after_values);
            let states = best.map(|best| best.map_or(0.0, |best| best.1)).collect::<Vec<f32>>();
            after_values.clear();
            let mut begin = 0;
            for &end in &before.moves {
                // In the order and the precision of `reference_expected_value`.
                let outcomes = before.probabilities[begin..end].iter().zip(&states[begin..end]);
                after_values
                    .push(outcomes.fold(0.0, |mean, (chance, value)| mean + chance * value));
                begin = end;
            }
        }
        let best = self.plies[0].best(&after_values);
        best.map(|best| best.map_or(0, |best| self.actions[best.0])).collect()
    }
}

impl Ply {
    fn lengths(&self) -> [usize; 4] {
        [self.states.len(), self.rewards.len(), self.moves.len(), self.probabilities.len()]
    }

    fn truncate(&mut self, [states, rewards, moves, probabilities]: [usize; 4]) {
        self.states.truncate(states);
        self.rewards.truncate(rewards);
        self.moves.truncate(moves);
        self.probabilities.truncate(probabilities);
    }

    /// The best move of each state and its value, reward included; `None` without moves.
    fn best(&self, after_values: &[f32]) -> impl Iterator<Item = Option<(usize, f32)>> {
        let begins = [0].into_iter().chain(self.states.iter().copied());
        begins.zip(&self.states).map(move |(begin, &end)| {
            let mut best: Option<(usize, f32)> = None;
            let moves = self.rewards[begin..end].iter().zip(&after_values[begin..end]);
            for (number, (reward, value)) in (begin..).zip(moves) {
                let value = reward + value;
                if best.is_none_or(|(_, max)| value > max) {
                    best = Some((number, value));
                }
            }
            best
        })
    }
}
