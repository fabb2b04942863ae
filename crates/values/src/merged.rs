//! Merged weights: where a symmetry maps a tuple onto itself, several features read the same cells,
//! and one table entry holds the sum of their weights. For tuples of cells with two values.

use std::sync::atomic::{AtomicI16, Ordering};

use afterstate_games::{Cells, Tuples};

use crate::network::ranges;

/// The merged weights of a network, in the order of its weights: the value of an afterstate is the
/// sum over the features that [`Tuples::first_alike`] names.
pub(crate) fn merged_weights<G: Cells>(
    game: &G,
    tuples: &Tuples,
    weights: &[AtomicI16],
) -> Vec<i32> {
    let (first_alike, permutations) = (tuples.first_alike(game), tuples.permutations());
    let mut merged = vec![0; weights.len()];
    for (part, range) in ranges(tuples).enumerate() {
        let (number, weights) = (part % tuples.cells().len(), &weights[range.clone()]);
        let (cells, permutation) = (&tuples.cells()[number], permutations[number]);
        let alike = |k: &usize| first_alike[number * game.symmetries() + k];
        for k in (0..game.symmetries()).filter(|k| alike(k) == alike(&0)) {
            // The digit of the first feature that is each digit of this one.
            let digit = |&cell| {
                let image = game.apply_symmetry_to_cell(k, cell);
                cells.iter().position(|&cell| cell == image).unwrap_or(0)
            };
            let digits: Vec<usize> = cells.iter().map(digit).collect();
            let read = |index: usize| {
                let bit = |(to, from): (usize, &usize)| (index >> from & 1) << to;
                digits.iter().enumerate().map(bit).fold(0, |index, bit| index | bit)
            };
            // Bits are moved one by one, so the bytes of an index are looked up in two tables.
            let tables = [0, 8].map(|shift| (0..256).map(|byte| read(byte << shift)).collect());
            let [low, high]: [Vec<usize>; 2] = tables;
            for index in 0..range.len() {
                let other = low[index & 255] | high[index >> 8 & 255];
                let weight = &weights[permutation.place(other as u32) as usize];
                let to = range.start + permutation.place(index as u32) as usize;
                merged[to] += i32::from(weight.load(Ordering::Relaxed));
            }
        }
    }
    merged
}
