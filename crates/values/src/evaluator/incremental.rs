//! `Incremental`: values of the moves of a state by the weights that each of them changes.

use afterstate_core::policy::Choice;
use afterstate_games::{Cells, Change};

use crate::{QuantizedNetwork, Values};

/// The largest numbers of features and tuples, so that indices need no bounds check.
const FEATURES: usize = 1 << u8::BITS;
const TUPLES: usize = 32;

/// Evaluates moves from the sums of the board before them. Sums of 16-bit weights are exact, so that
/// values are those of [`QuantizedNetwork`] bit by bit.
pub(super) struct Incremental<'a, G: Cells> {
    network: &'a QuantizedNetwork<G>,
    /// The merged weights, after the first state.
    weights: &'a [i32],
    /// For each feature the first that reads the same cells.
    first_alike: Vec<usize>,
    /// The board before the moves.
    board: Option<G::After>,
    /// The indices of its features, or those of a move that changes too much.
    indices: Vec<u32>,
    /// The index of the first weight of each tuple.
    offsets: Vec<u32>,
    /// What the board has in each stage, as far as it was asked for.
    stages: Vec<StageSums>,
}

/// The weights of a board in one stage.
#[derive(Clone)]
struct StageSums {
    known: bool,
    features: [Feature; FEATURES],
    /// The sum of the weights of each tuple.
    sums: [i32; TUPLES],
}

/// An active feature, or several that read the same cells.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Feature {
    /// The index of the first weight of its tuple.
    begin: u32,
    /// The index in that tuple.
    index: u16,
    weight: i32,
}

const UNKNOWN: StageSums = StageSums {
    known: false,
    features: [Feature { begin: 0, index: 0, weight: 0 }; FEATURES],
    sums: [0; TUPLES],
};

impl<'a, G: Cells> Incremental<'a, G> {
    /// `None` if the game does not know what moves change in this network.
    pub(super) fn new(network: &'a QuantizedNetwork<G>) -> Option<Incremental<'a, G>> {
        let tuples = network.tuples();
        let fits = tuples.active_features() <= FEATURES && tuples.cells().len() <= TUPLES;
        (fits && G::has_changes(network.compiled())).then(|| Incremental {
            network,
            weights: &[],
            first_alike: Vec::new(),
            board: None,
            offsets: tuples.offsets().into_iter().map(|offset| offset as u32).collect(),
            indices: vec![0; tuples.active_features()],
            stages: vec![UNKNOWN; tuples.stages().len() + 1],
        })
    }

    /// Begins with the moves of a state.
    #[inline]
    pub(super) fn start(&mut self, game: &G, state: &G::State) {
        if self.weights.is_empty() {
            self.weights = self.network.merged_weights(game);
            self.first_alike = self.network.tuples().first_alike(game);
        }
        let board = game.board_of(state);
        if self.board != Some(board) {
            self.board = Some(board);
            self.stages.iter_mut().for_each(|stage| stage.known = false);
        }
    }

    pub(super) fn clear(&mut self) {
        self.board = None;
    }

    /// The value of the afterstate of a move of the state.
    #[inline]
    pub(super) fn value(&mut self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let network = self.network;
        let after = &choice.1.after;
        let Some(changes) = game.changes(network.compiled(), state, choice) else {
            network.indices(game, after, &mut self.indices);
            return network.sum(&self.indices);
        };
        let stage = network.tuples().stage_at(game.progress(after));
        if !self.stages[stage].known {
            self.look_up(game, state, stage);
        }
        let sums = self.stages[stage].sums_after(self.weights, changes);
        network.value_of_sums(stage, &sums)
    }

    /// Looks up the weights of the board before the moves.
    #[inline(never)]
    fn look_up(&mut self, game: &G, state: &G::State, stage: usize) {
        let (network, tuples) = (self.network, self.network.tuples());
        game.indices(network.compiled(), &game.board_of(state), &mut self.indices);
        let symmetries = tuples.active_features() / tuples.cells().len();
        let stage_begin = stage as u64 * tuples.stage_weights();
        let StageSums { known, features, sums } = &mut self.stages[stage];
        (*known, *sums) = (true, [0; TUPLES]);
        for (number, (&index, feature)) in self.indices.iter().zip(features).enumerate() {
            if self.first_alike[number] != number {
                continue;
            }
            let tuple = number / symmetries;
            let index = (index - self.offsets[tuple]) as u16;
            let begin = stage_begin as u32 + self.offsets[tuple];
            let weight = self.weights[begin as usize + usize::from(index)];
            *feature = Feature { begin, index, weight };
            sums[tuple] += weight;
        }
    }
}

impl StageSums {
    /// The sum of each tuple after a move.
    #[inline]
    fn sums_after(&self, weights: &[i32], changes: &[Change]) -> [i32; TUPLES] {
        let mut sums = self.sums;
        for &Change { feature, tuple, flip } in changes {
            let Feature { begin, index, weight } = self.features[usize::from(feature)];
            let changed = weights[begin as usize + usize::from(index ^ flip)];
            sums[usize::from(tuple) % TUPLES] += changed - weight;
        }
        sums
    }
}
