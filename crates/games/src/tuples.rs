//! `Tuples`: the tuples of an n-tuple network, and how their weights are laid out in memory.

use crate::Cells;

/// The tuples of a network with the place of each one's weights in a common table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuples {
    tuples: Vec<Vec<usize>>,
    values: u32,
    symmetries: usize,
    stages: Vec<u64>,
}

/// Why some tuples make no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TuplesError {
    /// There is nothing to look up.
    #[error("met no tuple, expected at least one")]
    None,
    /// The number of a cell is too large, or a cell is there twice.
    #[error("tuple {tuple:?}: met cell {cell}, expected cells from 0 to {last}, each once")]
    Cell {
        /// The tuple.
        tuple: Vec<usize>,
        /// The cell that is wrong.
        cell: usize,
        /// The last cell of the board.
        last: usize,
    },
    /// The weights are none of the game's.
    #[error("met weights for {met} values a cell, expected {own} or {once}")]
    Values {
        /// How many there are.
        met: u32,
        /// How many the game has.
        own: u32,
        /// How many it had once.
        once: u32,
    },
    /// Stages do not follow each other.
    #[error("met stages {0:?}, expected each to begin after the one before")]
    Stages(Vec<u64>),
    /// The weights cannot be numbered by 32 bits.
    #[error("met tuples with {weights} weights, expected at most {most}")]
    TooMany {
        /// How many there would be.
        weights: u128,
        /// How many there may be.
        most: u64,
    },
}

impl Tuples {
    /// The most weights of a network: their numbers have 32 bits.
    pub const MAX_WEIGHTS: u64 = 1 << 32;

    /// Checks the tuples of a network for a game.
    ///
    /// Every tuple is looked up under all symmetries, so any of its images does as well. The one
    /// that lies furthest back is taken, with its cells in ascending order: its lowest digits are
    /// cells of the inside, which change most, and weights that are looked up one after the other
    /// lie close together in memory.
    pub fn new<G: Cells>(game: &G, tuples: &[Vec<usize>]) -> Result<Tuples, TuplesError> {
        Tuples::with_values(game, tuples, game.cell_values())
    }

    /// The same for weights from the time when every digit had a power of two of values: room for
    /// sixteen tiles on every board of 2048.
    pub fn with_values<G: Cells>(
        game: &G,
        tuples: &[Vec<usize>],
        values: u32,
    ) -> Result<Tuples, TuplesError> {
        if tuples.is_empty() {
            return Err(TuplesError::None);
        }
        let (own, once) = (game.cell_values(), Tuples::values_once(game));
        if values != own && values != once {
            return Err(TuplesError::Values { met: values, own, once });
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
                return Err(TuplesError::TooMany { weights, most: Tuples::MAX_WEIGHTS });
            }
            let image = |k| {
                let mut turned: Vec<usize> =
                    cells.iter().map(|&c| game.apply_symmetry_to_cell(k, c)).collect();
                turned.sort_unstable();
                turned
            };
            sorted.push((0..game.symmetries()).map(image).max().unwrap_or(cells));
        }
        let (symmetries, stages) = (game.symmetries(), Vec::new());
        Ok(Tuples { tuples: sorted, values, symmetries, stages })
    }

    /// How many values a digit had before each game had its own number.
    pub fn values_once<G: Cells>(game: &G) -> u32 {
        if game.cell_values() <= 2 { 2 } else { 16 }
    }

    /// How many values a digit of an index may have.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The cells of each tuple, in ascending order: the first is the lowest digit.
    pub fn cells(&self) -> &[Vec<usize>] {
        &self.tuples
    }

    /// The same tuples with a set of weights for every stage of a game: the first for the
    /// beginning, another from each of these values of [`Cells::progress`] on.
    pub fn with_stages(self, stages: Vec<u64>) -> Result<Tuples, TuplesError> {
        if !stages.is_sorted_by(|a, b| a < b) {
            return Err(TuplesError::Stages(stages));
        }
        let weights = u128::from(self.stage_weights()) * (stages.len() as u128 + 1);
        if weights > u128::from(Tuples::MAX_WEIGHTS) {
            return Err(TuplesError::TooMany { weights, most: Tuples::MAX_WEIGHTS });
        }
        Ok(Tuples { stages, ..self })
    }

    /// Where new stages begin; none for a network with one set of weights.
    pub fn stages(&self) -> &[u64] {
        &self.stages
    }

    /// The number of the stage at a value of [`Cells::progress`].
    #[inline]
    pub fn stage_at(&self, progress: u64) -> usize {
        self.stages.iter().take_while(|&&begin| begin <= progress).count()
    }

    /// Moves the numbers of weights of the first stage to the stage at a value of
    /// [`Cells::progress`].
    #[inline]
    pub fn add_stage(&self, progress: impl FnOnce() -> u64, numbers: &mut [u32]) {
        if !self.stages.is_empty() {
            let begin = (self.stage_at(progress()) as u64 * self.stage_weights()) as u32;
            numbers.iter_mut().for_each(|number| *number += begin);
        }
    }

    /// How many weights there are in all.
    pub fn weights(&self) -> u64 {
        self.stage_weights() * (self.stages.len() as u64 + 1)
    }

    /// How many weights one stage has.
    pub fn stage_weights(&self) -> u64 {
        self.cells().iter().map(|tuple| self.weights_of(tuple)).sum()
    }

    /// How many weights one afterstate looks up.
    pub fn active_features(&self) -> usize {
        self.tuples.len() * self.symmetries
    }

    /// Where the weights of each tuple begin, in the first stage.
    pub fn offsets(&self) -> Vec<u64> {
        let begin = |sum: &mut u64, tuple: &Vec<usize>| {
            let offset = *sum;
            *sum += self.weights_of(tuple);
            Some(offset)
        };
        self.tuples.iter().scan(0, begin).collect()
    }

    /// How the weights of each tuple lie among those that belong to it.
    pub fn permutations(&self) -> Vec<IndexPermutation> {
        let large = |tuple: &Vec<usize>| {
            let weights = self.weights_of(tuple);
            weights >= IndexPermutation::BLOCK && weights.is_multiple_of(IndexPermutation::BLOCK)
        };
        let spread = |(number, tuple)| IndexPermutation::new(number, large(tuple));
        self.tuples.iter().enumerate().map(spread).collect()
    }

    fn weights_of(&self, tuple: &[usize]) -> u64 {
        u64::from(self.values).pow(tuple.len() as u32)
    }
}

/// Where the weights of a large tuple lie: not in the order of their indices.
///
/// Most cells hold small values, so the indices of real boards agree in most of their digits, and
/// in plain order their weights would crowd into few of the sets of a processor's caches and push
/// each other out. So the middle digits are mixed with the high ones, within blocks of 2^16
/// weights; the sixteen weights of a cache line stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexPermutation {
    /// Added to what the high bits give: another number for every tuple.
    pub salt: u16,
    /// The bits that change by the high bits.
    pub middle: u16,
    /// The bits that change by the middle ones.
    pub low: u16,
}

impl IndexPermutation {
    /// Weights of a tuple with fewer, or with no multiple of it, stay in order.
    pub const BLOCK: u64 = 1 << 16;
    /// What the high bits are multiplied by: the best of some that were tried.
    pub const FACTOR: u16 = 0x6d35;
    /// How far the middle bits are moved down.
    pub const SHIFT: u32 = 6;

    fn new(tuple: usize, large: bool) -> IndexPermutation {
        let salt = ((tuple as u16) << 8).wrapping_mul(IndexPermutation::FACTOR);
        if large {
            IndexPermutation { salt, middle: 0xfff0, low: 0x03f0 }
        } else {
            IndexPermutation { salt, middle: 0, low: 0 }
        }
    }

    /// The place of the weight with an index.
    #[inline(always)]
    pub fn place(self, index: u32) -> u32 {
        let high =
            ((index >> 16) as u16).wrapping_mul(IndexPermutation::FACTOR).wrapping_add(self.salt);
        let mixed = index ^ u32::from(high & self.middle);
        mixed ^ (mixed >> IndexPermutation::SHIFT & u32::from(self.low))
    }
}

/// Lookups one cell at a time: the slow twin of every faster way, and the way of games that have
/// no faster one.
#[derive(Clone, Debug)]
pub struct ReferenceTuples {
    /// Offset, order and cells of each tuple under each symmetry.
    looked_up: Vec<(u32, IndexPermutation, Vec<usize>)>,
    values: u32,
}

impl ReferenceTuples {
    /// Makes tuples ready.
    pub fn new<G: Cells>(game: &G, tuples: &Tuples) -> ReferenceTuples {
        let mut looked_up = Vec::new();
        let placed = tuples.offsets().into_iter().zip(tuples.permutations());
        for (tuple, (offset, spread)) in tuples.cells().iter().zip(placed) {
            for k in 0..game.symmetries() {
                let turned =
                    tuple.iter().map(|&cell| game.apply_symmetry_to_cell(k, cell)).collect();
                looked_up.push((offset as u32, spread, turned));
            }
        }
        ReferenceTuples { looked_up, values: tuples.values() }
    }

    /// The numbers of the weights of an afterstate.
    pub fn indices<G: Cells>(&self, game: &G, after: &G::After, out: &mut [u32]) {
        for ((offset, spread, cells), number) in self.looked_up.iter().zip(out) {
            let digits = cells.iter().rev();
            let index = digits.fold(0, |n, &cell| n * self.values + game.cell(after, cell));
            *number = offset + spread.place(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agent files hold their weights in this order.
    #[test]
    fn places_never_change() {
        let place = |tuple, index| IndexPermutation::new(tuple, true).place(index);
        assert_eq!(place(0, 0x12_3456), 0x12_9b86);
        assert_eq!(place(1, 0x12_3456), 0x12_d5b6);
        assert_eq!(place(3, 0xfe_dcba), 0xfe_25ba);
    }

    #[test]
    fn every_weight_has_a_place_of_its_own() {
        for (tuple, weights) in [(0, 1 << 24), (3, 1 << 24), (300, 1 << 20), (7, 1 << 16)] {
            let spread = IndexPermutation::new(tuple, true);
            let mut taken = vec![false; weights];
            let (mut moved, mut apart) = (0, 0);
            for index in 0..weights as u32 {
                let place = spread.place(index);
                assert!(!std::mem::replace(&mut taken[place as usize], true), "{tuple} {index}");
                moved += u32::from(place != index);
                apart += u32::from(place >> 4 != spread.place(index & !15) >> 4);
            }
            assert!(moved > weights as u32 / 2, "{tuple}");
            assert_eq!(apart, 0, "the sixteen weights of a line stay together");
        }
        let small = IndexPermutation::new(3, false);
        assert!((0..1 << 12).all(|index| small.place(index) == index));
    }
}
