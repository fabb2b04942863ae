//! `Snapshot`: a position with everything that is needed to continue from it reproducibly.

use afterstate_core::Rng;
use afterstate_core::policy::Choice;
use afterstate_games::picture::{Kind, Motion, Scene, UNKNOWN};
use afterstate_games::spec::Spec;

/// A position of a session.
pub(crate) struct Snapshot<G: Spec> {
    pub(crate) state: G::State,
    /// The RNG of the next chance outcome.
    rng: Rng,
    pub(crate) score: f64,
    /// The colour of every cell: the piece that it came from.
    pub(crate) paint: Box<[u8]>,
    /// The move that led here.
    pub(crate) by: Option<G::Move>,
}

/// The RNG of a stochastic agent after some moves. It is not the RNG of chance outcomes, so a game
/// is determined by its seed and moves.
pub fn agent_rng(seed: u64, moves: u64) -> Rng {
    Rng::stream(seed, u64::MAX - moves)
}

impl<G: Spec> Snapshot<G> {
    /// The start: a given board, or one drawn by chance.
    pub(crate) fn first(game: &G, seed: u64, board: Option<G::State>) -> Snapshot<G> {
        let mut rng = Rng::stream(seed, 0);
        // A given board does not change the chance outcomes that follow.
        let start = game.start(&mut rng);
        let state = board.unwrap_or(start);
        let paint = game.scene(&state).cells.into_boxed_slice();
        Snapshot { state, rng, score: 0.0, paint, by: None }
    }

    /// The snapshot after a move. The same move has the same chance outcome.
    pub(crate) fn after(&self, game: &G, choice: &Choice<G>) -> Snapshot<G> {
        let (mv, step) = *choice;
        let mut rng = self.rng.clone();
        let state = game.sample(&step.after, &mut rng);
        let paint = self.painted(game, choice, game.scene(&state));
        Snapshot { state, rng, score: self.score + f64::from(step.reward), paint, by: Some(mv) }
    }

    /// The colours after a move that leads to a scene.
    fn painted(&self, game: &G, choice: &Choice<G>, next: Scene) -> Box<[u8]> {
        let mut after = next.cells.into_boxed_slice();
        if next.kind == Kind::Tiles {
            return after;
        }
        let mark = game.mark(&self.state, choice);
        let mut before = self.paint.clone();
        let hand = game.scene(&self.state).hand;
        let own = mark.piece.and_then(|piece| hand.get(piece));
        let color = own.map_or(UNKNOWN, |figure| figure.number + 1);
        mark.covers.iter().for_each(|&cell| before[cell] = color);
        // Cells above the top of the board belong to the piece.
        after.iter_mut().filter(|cell| **cell != 0).for_each(|cell| *cell = color);
        for Motion { from, to } in game.motion(&self.state, choice) {
            after[to] = before[from];
        }
        after
    }
}
