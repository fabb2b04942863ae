//! The features that a new tile changes: those whose tuples have its cell.

use afterstate_core::Symmetry;

use super::board::STRIDE;
use super::rules::bits;
use super::{Board, Twenty48};
use crate::outcomes::{Outcome, OutcomeIndices, PLACES, Unchanged};
use crate::{Cells, IndexPermutation, Tuples};

#[cfg(all(target_arch = "x86_64", not(portable)))]
use super::wide_outcomes::WideOutcomes;

/// The features of some tuples by the cells that they read.
#[derive(Clone, Debug)]
pub(super) struct OutcomeTuples {
    features: Vec<Feature>,
    /// For each nibble of a board the features that read it.
    readers: [Vec<Reader>; PLACES],
    unchanged: Vec<[f32; PLACES]>,
    values: u32,
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    wide: Option<WideOutcomes>,
}

/// An active feature.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// The nibbles that it reads, the first as its lowest digit.
    pub(super) nibbles: Vec<usize>,
    pub(super) offset: u32,
    pub(super) permutation: IndexPermutation,
}

/// A feature that reads a nibble.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    pub(super) feature: usize,
    /// The digit of the nibble in the index of the feature.
    pub(super) digit: usize,
}

impl OutcomeTuples {
    pub(super) fn new(game: &Twenty48, tuples: &Tuples) -> OutcomeTuples {
        let nibble = |cell: usize| STRIDE * (cell / game.width()) + cell % game.width();
        let mut features = Vec::new();
        let layout = tuples.offsets().into_iter().zip(tuples.permutations());
        for (cells, (offset, permutation)) in tuples.cells().iter().zip(layout) {
            for k in 0..game.symmetries() {
                let image = cells.iter().map(|&cell| nibble(game.apply_symmetry_to_cell(k, cell)));
                let nibbles = image.collect();
                features.push(Feature { nibbles, offset: offset as u32, permutation });
            }
        }
        let mut readers: [Vec<Reader>; PLACES] = Default::default();
        let mut unchanged = vec![[1.0; PLACES]; features.len()];
        for (number, (feature, row)) in features.iter().zip(&mut unchanged).enumerate() {
            for (digit, &nibble) in feature.nibbles.iter().enumerate() {
                readers[nibble].push(Reader { feature: number, digit });
                row[nibble] = 0.0;
            }
        }
        OutcomeTuples {
            #[cfg(all(target_arch = "x86_64", not(portable)))]
            wide: WideOutcomes::new(&features, &readers, tuples.values()),
            features,
            readers,
            unchanged,
            values: tuples.values(),
        }
    }

    /// The number of active features.
    #[inline(always)]
    pub(super) fn features(&self) -> usize {
        self.features.len()
    }

    /// The same features, looked up one after the other.
    #[cfg(test)]
    pub(super) fn one_by_one(&self) -> OutcomeTuples {
        OutcomeTuples {
            #[cfg(all(target_arch = "x86_64", not(portable)))]
            wide: None,
            ..self.clone()
        }
    }

    /// Adds what the new tiles change, where `tiles` are the nibbles of the board, clamped to the
    /// largest digit.
    #[inline(always)]
    pub(super) fn add(
        &self,
        game: &Twenty48,
        board: &Board,
        tiles: u64,
        list: &mut OutcomeIndices,
        prefetch: impl Fn(&[u32]),
    ) -> &Unchanged {
        let after = (list.afters.len() / self.features.len().max(1) - 1) as u32;
        for at in bits(game.empty_cells(*board)) {
            let (begin, place) = (list.outcomes.len(), (after, at / 4));
            self.add_place(place, tiles, &game.kinds().map(|kind| kind.0), list);
            list.outcomes[begin..].iter().for_each(|outcome| prefetch(list.changed_by(outcome)));
        }
        &self.unchanged
    }

    #[inline(always)]
    fn add_place(
        &self,
        place: (u32, u32),
        tiles: u64,
        powers: &(impl Iterator<Item = u64> + Clone),
        list: &mut OutcomeIndices,
    ) {
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        if let Some(wide) = &self.wide {
            return wide.add(place, tiles, powers, list);
        }
        self.add_one_by_one(place, tiles, powers.clone(), list);
    }

    fn add_one_by_one(
        &self,
        (after, place): (u32, u32),
        tiles: u64,
        powers: impl Iterator<Item = u64>,
        list: &mut OutcomeIndices,
    ) {
        let readers = &self.readers[place as usize % PLACES];
        for power in powers {
            let begin = list.changed.len() as u32;
            for &Reader { feature, digit } in readers {
                let Feature { nibbles, offset, permutation } = &self.features[feature];
                let before = nibbles.iter().rev().fold(0, |number, nibble| {
                    number * self.values + (tiles >> (4 * nibble) & 15) as u32
                });
                let index = before + power as u32 * self.values.pow(digit as u32);
                list.changed.push(permutation.place(index) + offset);
            }
            let end = list.changed.len() as u32;
            list.outcomes.push(Outcome { after, place, begin, end });
        }
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Game, Rng};

    use super::*;
    use crate::ReferenceTuples;

    /// Boards, tuples of every length and pairs of both.
    fn samples() -> Vec<(Twenty48, Tuples)> {
        let sizes = [(4, 4), (3, 3), (4, 2), (2, 4), (3, 4), (2, 2)];
        let of_size = |(width, height)| {
            let game = Twenty48::new(width, height, 0.1).unwrap();
            let size: usize = width * height;
            let lengths = (0..=size.min(7)).map(|n| (size - n..size).collect());
            let mut cells: Vec<Vec<usize>> = lengths.collect();
            cells.push((0..size).step_by(3).collect());
            let tuples = Tuples::new(&game, &cells).unwrap();
            (game, tuples)
        };
        let game = Twenty48::new(4, 4, 0.0).unwrap();
        let cells = ["012345", "456789", "012456", "45689a"];
        let cells = cells.map(|tuple| {
            tuple.chars().filter_map(|cell| Some(cell.to_digit(16)? as usize)).collect()
        });
        let tuples = Tuples::new(&game, &cells).unwrap();
        let nine = Twenty48::new(3, 3, 0.1).unwrap();
        let nine_cells = Tuples::new(&nine, &[(0..9).collect()]).unwrap();
        sizes.into_iter().map(of_size).chain([(game, tuples), (nine, nine_cells)]).collect()
    }

    /// The indices of the board after an outcome: those that it changes, and those of its afterstate.
    fn after_outcome(tuples: &OutcomeTuples, list: &OutcomeIndices, outcome: &Outcome) -> Vec<u32> {
        let features = tuples.features();
        let mut indices = list.afters[outcome.after as usize * features..][..features].to_vec();
        let mut changed = list.changed_by(outcome).iter();
        for (index, unchanged) in indices.iter_mut().zip(&tuples.unchanged) {
            if unchanged[outcome.place as usize] == 0.0 {
                *index = *changed.next().unwrap();
            }
        }
        assert_eq!(changed.next(), None);
        indices
    }

    /// More than a million boards after new tiles, some with tiles that are too large for a nibble.
    #[test]
    fn boards_after_new_tiles_have_the_indices_of_the_reference() {
        let mut compared = 0;
        for (game, tuples) in samples() {
            let compiled = OutcomeTuples::new(&game, &tuples);
            let one_by_one = compiled.one_by_one();
            let reference = ReferenceTuples::new(&game, &tuples);
            let nibbles = game.compile(&tuples);
            let mut expected = vec![0; tuples.active_features()];
            let mut rng = Rng::stream(1, 0);
            let (mut found, mut plain) = (OutcomeIndices::default(), OutcomeIndices::default());
            for number in 0..10_000 {
                found.clear();
                plain.clear();
                let mut boards = Vec::new();
                for _ in 0..3 {
                    let mut after = game.start(&mut rng);
                    for cell in 0..game.width() * game.height() {
                        let power = rng.below([2, 9, 18][number % 3]) * rng.below(2);
                        after = after.with(cell / game.width(), cell % game.width(), power as u8);
                    }
                    if game.empty_cells(after) == 0 {
                        continue;
                    }
                    game.add_outcomes(&nibbles, &after, &mut found, |_| {}).unwrap();
                    let begin = plain.afters.len();
                    plain.afters.resize(begin + compiled.features(), 0);
                    game.indices(&nibbles, &after, &mut plain.afters[begin..]);
                    let tiles = after.capped(game.cell_values() as u8 - 1);
                    one_by_one.add(&game, &after, tiles, &mut plain, |_| {});
                    game.for_each_chance(&after, |next, _| boards.push(next));
                }
                assert_eq!(found.outcomes.len(), boards.len());
                assert_eq!(plain.outcomes.len(), boards.len());
                for ((board, own), plainly) in
                    boards.iter().zip(&found.outcomes).zip(&plain.outcomes)
                {
                    reference.indices(&game, board, &mut expected);
                    assert_eq!(after_outcome(&compiled, &found, own), expected, "{board:?}");
                    assert_eq!(after_outcome(&compiled, &plain, plainly), expected, "{board:?}");
                }
                compared += boards.len();
            }
        }
        assert!(compared > 1_000_000, "{compared}");
    }
}
