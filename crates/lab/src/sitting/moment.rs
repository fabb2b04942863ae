//! `Snapshot`: a position, and all that is needed to go on from it in the same way.

use afterstate_core::Rng;
use afterstate_core::policy::Choice;
use afterstate_games::picture::{Kind, Motion, Scene, UNKNOWN};
use afterstate_games::spec::Spec;

/// A position of a sitting.
pub(super) struct Snapshot<G: Spec> {
    pub(super) state: G::State,
    /// What chance deals next.
    rng: Rng,
    pub(super) score: f64,
    /// What every cell shows: of which piece it is.
    pub(super) paint: Box<[u8]>,
    /// The move that led here.
    pub(super) by: Option<G::Move>,
}

/// Where an agent that plays by chance draws its move after so many: not from what is dealt, so that
/// a game is told by its moves.
pub fn agent_rng(seed: u64, moves: u64) -> Rng {
    Rng::stream(seed, u64::MAX - moves)
}

impl<G: Spec> Snapshot<G> {
    /// The start, on a given board or as it is dealt.
    pub(super) fn first(game: &G, seed: u64, board: Option<G::State>) -> Snapshot<G> {
        let mut rng = Rng::stream(seed, 0);
        let dealt = game.start(&mut rng);
        let state = board.unwrap_or(dealt);
        let paint = game.scene(&state).cells.into_boxed_slice();
        Snapshot { state, rng, score: 0.0, paint, by: None }
    }

    /// What a move leads to. The same move leads to the same.
    pub(super) fn after(&self, game: &G, choice: &Choice<G>) -> Snapshot<G> {
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
        // Cells of a piece that came down from above the top are its own.
        after.iter_mut().filter(|cell| **cell != 0).for_each(|cell| *cell = color);
        for Motion { from, to } in game.motion(&self.state, choice) {
            after[to] = before[from];
        }
        after
    }
}
