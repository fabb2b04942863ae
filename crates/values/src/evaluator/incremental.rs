//! `Incremental`: values of the moves of a state by the weights that each of them changes.

use afterstate_core::policy::Choice;
use afterstate_games::{Cells, Change};

use crate::{QuantizedNetwork, Values};

/// The largest numbers of features and tuples: indices of this type need no bounds check.
const FEATURES: usize = 1 << u8::BITS;
const TUPLES: usize = 32;

/// Evaluates moves from the sums of the board before them. Sums of 16-bit weights are exact, so that
/// values are those of [`QuantizedNetwork`] bit by bit.
pub(super) struct Incremental<'a, G: Cells> {
    network: &'a QuantizedNetwork<G>,
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

/// An active feature in one word, because loads are what limits the speed: the index of the first
/// weight of its tuple (32 bits), the weight (16) and its index in the tuple (16).
#[derive(Clone, Copy)]
struct Feature(u64);

impl Feature {
    fn new(begin: u32, weight: i16, index: u16) -> Feature {
        Feature(u64::from(begin) << 32 | u64::from(weight as u16) << 16 | u64::from(index))
    }

    #[inline]
    fn weight(self) -> i16 {
        (self.0 >> 16) as i16
    }

    /// The index of the weight after bits of it are flipped.
    #[inline]
    fn flipped(self, flip: u16) -> u32 {
        (self.0 >> 32) as u32 + u32::from(self.0 as u16 ^ flip)
    }
}

const UNKNOWN: StageSums =
    StageSums { known: false, features: [Feature(0); FEATURES], sums: [0; TUPLES] };

impl<'a, G: Cells> Incremental<'a, G> {
    /// `None` if the game does not know what moves change in this network.
    pub(super) fn new(network: &'a QuantizedNetwork<G>) -> Option<Incremental<'a, G>> {
        let tuples = network.tuples();
        let fits = tuples.active_features() <= FEATURES && tuples.cells().len() <= TUPLES;
        (fits && G::has_changes(network.compiled())).then(|| Incremental {
            network,
            board: None,
            offsets: tuples.offsets().into_iter().map(|offset| offset as u32).collect(),
            indices: vec![0; tuples.active_features()],
            stages: vec![UNKNOWN; tuples.stages().len() + 1],
        })
    }

    /// Begins with the moves of a state.
    #[inline]
    pub(super) fn start(&mut self, game: &G, state: &G::State) {
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
        let sums = self.stages[stage].sums_after(network, changes);
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
            let tuple = number / symmetries;
            let index = index - self.offsets[tuple];
            let begin = stage_begin as u32 + self.offsets[tuple];
            let weight = network.integer_weight(begin + index);
            *feature = Feature::new(begin, weight, index as u16);
            sums[tuple] += i32::from(weight);
        }
    }
}

impl StageSums {
    /// The sum of each tuple after a move.
    #[inline]
    fn sums_after<G: Cells>(
        &self,
        network: &QuantizedNetwork<G>,
        changes: &[Change],
    ) -> [i32; TUPLES] {
        let mut sums = self.sums;
        for &Change { feature, tuple, flip } in changes {
            let feature = self.features[usize::from(feature)];
            let changed = i32::from(network.integer_weight(feature.flipped(flip)));
            sums[usize::from(tuple) % TUPLES] += changed - i32::from(feature.weight());
        }
        sums
    }
}
