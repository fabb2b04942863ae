//! `Tuples`: the tuples of an n-tuple network and the memory layout of their weights.

use crate::Cells;
use afterstate_core::policy::Choice;

/// The tuples of a network; their weights are consecutive parts of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuples {
    tuples: Vec<Vec<usize>>,
    values: u32,
    symmetries: usize,
    stages: Vec<u64>,
    /// Whether boards of later stages use the weights of the first.
    first_stage_only: bool,
    /// The number of weights of one stage.
    stage_weights: u64,
}

/// Why some tuples make no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TuplesError {
    /// There is no tuple.
    #[error("no tuples: a network needs at least one")]
    None,
    /// A cell is not on the board or occurs twice.
    #[error("tuple {tuple:?}: invalid cell {cell}: expected cells from 0 to {last}, each once")]
    Cell {
        /// The tuple.
        tuple: Vec<usize>,
        /// The invalid cell.
        cell: usize,
        /// The last cell of the board.
        last: usize,
    },
    /// The number of values per cell is not that of the game.
    #[error("invalid number of values per cell {found}: expected {own} or {legacy}")]
    Values {
        /// The number of values found.
        found: u32,
        /// The number of values of the game.
        own: u32,
        /// The number of values in older files.
        legacy: u32,
    },
    /// The stages are not in ascending order.
    #[error("invalid stages {0:?}: each must begin after the one before")]
    Stages(Vec<u64>),
    /// The indices of the weights exceed 32 bits.
    #[error("the tuples have {weights} weights: a network has at most {max}")]
    TooMany {
        /// The number of weights.
        weights: u128,
        /// The largest number of weights.
        max: u64,
    },
}

impl Tuples {
    /// The largest number of weights of a network: their indices have 32 bits.
    pub const MAX_WEIGHTS: u64 = 1 << 32;

    /// Checks the tuples of a network for a game.
    ///
    /// All images of a tuple have the same active features, so the image with the largest cells is
    /// stored, in ascending order. Its lowest digits are inner cells, which change most often, so
    /// that successive lookups are close together in memory.
    pub fn new<G: Cells>(game: &G, tuples: &[Vec<usize>]) -> Result<Tuples, TuplesError> {
        Tuples::with_values(game, tuples, game.cell_values())
    }

    /// The same for weights with another number of values per digit: that of the game, or
    /// [`Tuples::legacy_values`] of older files.
    pub fn with_values<G: Cells>(
        game: &G,
        tuples: &[Vec<usize>],
        values: u32,
    ) -> Result<Tuples, TuplesError> {
        if tuples.is_empty() {
            return Err(TuplesError::None);
        }
        let (own, legacy) = (game.cell_values(), Tuples::legacy_values(game));
        if values != own && values != legacy {
            return Err(TuplesError::Values { found: values, own, legacy });
        }
        let count = game.cell_count();
        let mut weights: u128 = 0;
        let mut sorted = Vec::new();
        for tuple in tuples {
            let mut cells = tuple.clone();
            cells.sort_unstable();
            let twice = cells.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
            if let Some(cell) = twice.or(cells.iter().copied().find(|&cell| cell >= count)) {
                return Err(TuplesError::Cell { tuple: tuple.clone(), cell, last: count - 1 });
            }
            let own = u128::from(values).checked_pow(cells.len() as u32);
            weights += own.unwrap_or(u128::MAX).min(u128::MAX >> 1);
            if weights > u128::from(Tuples::MAX_WEIGHTS) {
                return Err(TuplesError::TooMany { weights, max: Tuples::MAX_WEIGHTS });
            }
            let image = |k| {
                let mut image: Vec<usize> =
                    cells.iter().map(|&c| game.apply_symmetry_to_cell(k, c)).collect();
                image.sort_unstable();
                image
            };
            sorted.push((0..game.symmetries()).map(image).max().unwrap_or(cells));
        }
        let (symmetries, stages) = (game.symmetries(), Vec::new());
        let stage_weights = weights as u64;
        let first_stage_only = false;
        Ok(Tuples { tuples: sorted, values, symmetries, stages, first_stage_only, stage_weights })
    }

    /// The number of values per digit in files without that number: a power of two for every game.
    pub fn legacy_values<G: Cells>(game: &G) -> u32 {
        if game.cell_values() <= 2 { 2 } else { 16 }
    }

    /// The number of values of a digit of an index.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The cells of each tuple, in ascending order: the first is the lowest digit.
    pub fn cells(&self) -> &[Vec<usize>] {
        &self.tuples
    }

    /// The same tuples with one set of weights per stage: the first for the start of a game,
    /// another from each of these values of [`Cells::progress`].
    pub fn with_stages(self, stages: Vec<u64>) -> Result<Tuples, TuplesError> {
        if !stages.is_sorted_by(|a, b| a < b) {
            return Err(TuplesError::Stages(stages));
        }
        let weights = u128::from(self.stage_weights()) * (stages.len() as u128 + 1);
        if weights > u128::from(Tuples::MAX_WEIGHTS) {
            return Err(TuplesError::TooMany { weights, max: Tuples::MAX_WEIGHTS });
        }
        Ok(Tuples { stages, ..self })
    }

    /// The thresholds between stages; none for a network with one set of weights.
    pub fn stages(&self) -> &[u64] {
        &self.stages
    }

    /// Whether boards use the weights of their stage, or all of them those of the first.
    pub fn use_stages(&mut self, used: bool) {
        self.first_stage_only = !used;
    }

    /// The stage at a value of [`Cells::progress`].
    #[inline]
    pub fn stage_at(&self, progress: u64) -> usize {
        if self.first_stage_only {
            return 0;
        }
        self.stages.iter().take_while(|&&begin| begin <= progress).count()
    }

    /// Moves indices of the first stage to the stage at a value of [`Cells::progress`].
    #[inline]
    pub fn add_stage(&self, progress: impl FnOnce() -> u64, indices: &mut [u32]) {
        if !self.stages.is_empty() {
            let begin = (self.stage_at(progress()) as u64 * self.stage_weights()) as u32;
            indices.iter_mut().for_each(|index| *index += begin);
        }
    }

    /// The indices of the afterstates of all moves, in their stages: [`Cells::indices_of_moves`].
    #[inline(always)]
    pub fn indices_of_moves<G: Cells>(
        &self,
        game: &G,
        compiled: &G::Compiled,
        moves: &[Choice<G>],
        out: &mut Vec<u32>,
    ) {
        let active_features = self.active_features();
        game.indices_of_moves(compiled, moves, active_features, out);
        if !self.stages.is_empty() {
            for ((_, step), own) in moves.iter().zip(out.chunks_mut(active_features)) {
                self.add_stage(|| game.progress(&step.after), own);
            }
        }
    }

    /// The number of weights of all stages.
    pub fn weights(&self) -> u64 {
        self.stage_weights() * (self.stages.len() as u64 + 1)
    }

    /// The number of weights of one stage.
    #[inline]
    pub fn stage_weights(&self) -> u64 {
        self.stage_weights
    }

    /// The number of active features of an afterstate.
    pub fn active_features(&self) -> usize {
        self.tuples.len() * self.symmetries
    }

    /// For each active feature the first one of its tuple that reads the same cells, in another
    /// order: where a symmetry maps a tuple onto itself there are several.
    pub fn first_alike<G: Cells>(&self, game: &G) -> Vec<usize> {
        let image = |tuple: &[usize], k| {
            let mut cells: Vec<usize> =
                tuple.iter().map(|&cell| game.apply_symmetry_to_cell(k, cell)).collect();
            cells.sort_unstable();
            cells
        };
        let mut first_alike = Vec::new();
        for tuple in &self.tuples {
            let begin = first_alike.len();
            let images: Vec<_> = (0..self.symmetries).map(|k| image(tuple, k)).collect();
            let first = |own| images.iter().position(|other| other == own).unwrap_or(0);
            first_alike.extend(images.iter().map(|own| begin + first(own)));
        }
        first_alike
    }

    /// The offset of the weights of each tuple in the first stage.
    pub fn offsets(&self) -> Vec<u64> {
        let begin = |sum: &mut u64, tuple: &Vec<usize>| {
            let offset = *sum;
            *sum += self.weights_of(tuple);
            Some(offset)
        };
        self.tuples.iter().scan(0, begin).collect()
    }

    /// The permutation of the weights of each tuple.
    pub fn permutations(&self) -> Vec<IndexPermutation> {
        let large = |tuple: &Vec<usize>| {
            let weights = self.weights_of(tuple);
            weights >= IndexPermutation::BLOCK && weights.is_multiple_of(IndexPermutation::BLOCK)
        };
        let permutation = |(number, tuple)| IndexPermutation::new(number, large(tuple));
        self.tuples.iter().enumerate().map(permutation).collect()
    }

    fn weights_of(&self, tuple: &[usize]) -> u64 {
        u64::from(self.values).pow(tuple.len() as u32)
    }
}

/// The permutation of the weights of a large tuple.
///
/// Most cells have small values, so the indices of real boards agree in most digits, and in index
/// order their weights would compete for a few cache sets. The permutation mixes the high digits
/// into the middle ones, within blocks of 2^16 weights; the sixteen weights of a cache line stay
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexPermutation {
    /// Added to the mixed high bits; differs between tuples.
    pub salt: u16,
    /// The mask of the bits that the high bits change.
    pub middle: u16,
    /// The mask of the bits that the middle bits change.
    pub low: u16,
}

impl IndexPermutation {
    /// Only tuples whose number of weights is a multiple of this are permuted.
    pub const BLOCK: u64 = 1 << 16;
    /// The multiplier of the high bits, the fastest of several in a benchmark.
    pub const FACTOR: u16 = 0x6d35;
    /// The right shift of the middle bits.
    pub const SHIFT: u32 = 6;

    fn new(tuple: usize, large: bool) -> IndexPermutation {
        let salt = ((tuple as u16) << 8).wrapping_mul(IndexPermutation::FACTOR);
        if large {
            IndexPermutation { salt, middle: 0xfff0, low: 0x03f0 }
        } else {
            IndexPermutation { salt, middle: 0, low: 0 }
        }
    }

    /// The position of the weight with an index.
    #[inline(always)]
    pub fn place(self, index: u32) -> u32 {
        let high =
            ((index >> 16) as u16).wrapping_mul(IndexPermutation::FACTOR).wrapping_add(self.salt);
        let mixed = index ^ u32::from(high & self.middle);
        mixed ^ (mixed >> IndexPermutation::SHIFT & u32::from(self.low))
    }
}

/// Feature lookup one cell at a time: the reference implementation of every faster one, and the
/// implementation of games without a faster one.
#[derive(Clone, Debug)]
pub struct ReferenceTuples {
    /// Offset, permutation and cells of each tuple under each symmetry.
    images: Vec<(u32, IndexPermutation, Vec<usize>)>,
    values: u32,
}

impl ReferenceTuples {
    /// Compiles tuples.
    pub fn new<G: Cells>(game: &G, tuples: &Tuples) -> ReferenceTuples {
        let mut images = Vec::new();
        let layout = tuples.offsets().into_iter().zip(tuples.permutations());
        for (tuple, (offset, permutation)) in tuples.cells().iter().zip(layout) {
            for k in 0..game.symmetries() {
                let image =
                    tuple.iter().map(|&cell| game.apply_symmetry_to_cell(k, cell)).collect();
                images.push((offset as u32, permutation, image));
            }
        }
        ReferenceTuples { images, values: tuples.values() }
    }

    /// The indices of the active features of an afterstate.
    pub fn indices<G: Cells>(&self, game: &G, after: &G::After, out: &mut [u32]) {
        for ((offset, permutation, cells), index) in self.images.iter().zip(out) {
            let digits = cells.iter().rev();
            let number = digits.fold(0, |n, &cell| n * self.values + game.cell(after, cell));
            *index = offset + permutation.place(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agent files store their weights in this order.
    #[test]
    fn value_stability() {
        let place = |tuple, index| IndexPermutation::new(tuple, true).place(index);
        assert_eq!(place(0, 0x12_3456), 0x12_9b86);
        assert_eq!(place(1, 0x12_3456), 0x12_d5b6);
        assert_eq!(place(3, 0xfe_dcba), 0xfe_25ba);
    }

    #[test]
    fn the_permutation_is_a_bijection_that_keeps_cache_lines() {
        for (tuple, weights) in [(0, 1 << 24), (3, 1 << 24), (300, 1 << 20), (7, 1 << 16)] {
            let permutation = IndexPermutation::new(tuple, true);
            let mut taken = vec![false; weights];
            let (mut moved, mut apart) = (0, 0);
            for index in 0..weights as u32 {
                let place = permutation.place(index);
                assert!(!std::mem::replace(&mut taken[place as usize], true), "{tuple} {index}");
                moved += u32::from(place != index);
                apart += u32::from(place >> 4 != permutation.place(index & !15) >> 4);
            }
            assert!(moved > weights as u32 / 2, "{tuple}");
            assert_eq!(apart, 0, "the sixteen weights of a cache line stay together");
        }
        let small = IndexPermutation::new(3, false);
        assert!((0..1 << 12).all(|index| small.place(index) == index));
    }
}
