//! The buffers that a batch of games writes into, and their parts.

use super::GameBatch;

/// What a player sees of every game, in buffers of the caller.
pub struct Observed<'a> {
    /// The cells of all boards: one element per game and cell. See
    /// [`write_board`](afterstate_games::spec::Spec::write_board).
    pub cells: &'a mut [u8],
    /// The pieces that the player sees: one element per game and place. See
    /// [`write_pieces`](afterstate_games::spec::Spec::write_pieces).
    pub pieces: &'a mut [u8],
    /// Which actions are legal: one element per game and action. Empty if nobody asks.
    pub legal: &'a mut [bool],
}

/// How many elements of each buffer one game has.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    cells: usize,
    pieces: usize,
    legal: usize,
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
    /// The states after the step: with [`SameStep`](super::Autoreset::SameStep), those of the new
    /// games.
    pub observed: Observed<'a>,
    /// With [`SameStep`](super::Autoreset::SameStep), the last states of the games that are over; the
    /// others are left alone.
    pub last: Option<Observed<'a>>,
}

impl Observed<'_> {
    /// Whether every buffer has the length that a batch writes.
    pub fn fits(&self, batch: &(impl GameBatch + ?Sized)) -> bool {
        let (games, legal) = (batch.games(), self.legal.len());
        self.cells.len() == games * batch.cells()
            && self.pieces.len() == games * batch.piece_slots()
            && (legal == 0 || legal == games * batch.actions())
    }

    /// The elements that one of so many games has.
    pub(super) fn widths(&self, games: usize) -> Widths {
        let games = games.max(1);
        Widths {
            cells: self.cells.len() / games,
            pieces: self.pieces.len() / games,
            legal: self.legal.len() / games,
        }
    }

    /// The parts of one game.
    #[inline]
    pub(super) fn of(
        &mut self,
        number: usize,
        widths: Widths,
    ) -> (&mut [u8], &mut [u8], &mut [bool]) {
        (
            &mut self.cells[number * widths.cells..][..widths.cells],
            &mut self.pieces[number * widths.pieces..][..widths.pieces],
            &mut self.legal[number * widths.legal..][..widths.legal],
        )
    }

    /// Those of the first `games` of `all` games, and the others.
    fn split(self, games: usize, all: usize) -> (Self, Self) {
        let Observed { cells, pieces, legal } = self;
        let (cells, more_cells) = split(cells, games, all);
        let (pieces, more_pieces) = split(pieces, games, all);
        let (legal, more_legal) = split(legal, games, all);
        (
            Observed { cells, pieces, legal },
            Observed { cells: more_cells, pieces: more_pieces, legal: more_legal },
        )
    }
}

impl Stepped<'_> {
    /// Whether every buffer has the length that a batch writes.
    pub fn fits(&self, batch: &(impl GameBatch + ?Sized)) -> bool {
        let Stepped { rewards, terminated, truncated, illegal, observed, last } = self;
        let lengths = [rewards.len(), terminated.len(), truncated.len(), illegal.len()];
        lengths == [batch.games(); 4]
            && observed.fits(batch)
            && last.as_ref().is_none_or(|last| last.fits(batch))
    }

    /// Those of the first `games` games, and the others.
    pub(super) fn split(self, games: usize) -> (Self, Self) {
        let all = self.rewards.len();
        let (rewards, more_rewards) = self.rewards.split_at_mut(games);
        let (terminated, more_terminated) = self.terminated.split_at_mut(games);
        let (truncated, more_truncated) = self.truncated.split_at_mut(games);
        let (illegal, more_illegal) = self.illegal.split_at_mut(games);
        let (observed, more_observed) = self.observed.split(games, all);
        let (last, more_last) = self.last.map(|last| last.split(games, all)).unzip();
        (
            Stepped { rewards, terminated, truncated, illegal, observed, last },
            Stepped {
                rewards: more_rewards,
                terminated: more_terminated,
                truncated: more_truncated,
                illegal: more_illegal,
                observed: more_observed,
                last: more_last,
            },
        )
    }
}

/// The elements of the first `games` of `all` games, and the others.
fn split<T>(slice: &mut [T], games: usize, all: usize) -> (&mut [T], &mut [T]) {
    let len = slice.len() / all;
    slice.split_at_mut(games * len)
}
