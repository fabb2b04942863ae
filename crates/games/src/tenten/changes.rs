//! `Changes`: the features that each placement changes, if it clears no line.

use afterstate_core::{Game, Symmetry};

use super::{Board, TenTen};
use crate::{Cells, Change, Tuples};

/// The changes of every placement on a board of one size.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// Where the changes of each action end.
    ends: Vec<u32>,
}

impl Changes {
    /// `None` if the numbers of the features or the bits of their indices exceed a [`Change`].
    pub(super) fn new(game: &TenTen, tuples: &Tuples) -> Option<Changes> {
        let count = tuples.cells().len();
        let fits = |bits: &Vec<usize>| bits.len() <= u16::BITS as usize;
        if tuples.active_features() > 1 << u8::BITS || !tuples.cells().iter().all(fits) {
            return None;
        }
        // The features of each cell, with its bit in their indices. Symmetry by symmetry: a sum over
        // the changes then adds to another tuple each time, without waiting for the last addition.
        let first_alike = tuples.first_alike(game);
        let mut of_cell = vec![Vec::new(); game.cells()];
        for k in 0..game.symmetries() {
            for (tuple, cells) in tuples.cells().iter().enumerate() {
                let feature = tuple * game.symmetries() + k;
                if first_alike[feature] != feature {
                    continue;
                }
                for (bit, &cell) in cells.iter().enumerate() {
                    let cell = game.apply_symmetry_to_cell(k, cell);
                    of_cell[cell].push((k * count + tuple, 1u32 << bit));
                }
            }
        }
        let permutations = tuples.permutations();
        let (mut changes, mut ends) = (Vec::new(), Vec::new());
        for action in 0..game.actions() {
            let mv = game.action(action);
            if game.origins(Board::EMPTY, mv.piece) >> mv.at & 1 == 1 {
                let mut digits = vec![0; tuples.active_features()];
                let at = usize::from(mv.at);
                for (row, column) in game.shape_of(mv.piece).cells() {
                    for &(number, bit) in &of_cell[at + row * game.width() + column] {
                        digits[number] |= bit;
                    }
                }
                for (number, digits) in digits.into_iter().enumerate().filter(|row| row.1 != 0) {
                    let (k, tuple) = (number / count, number % count);
                    // Permutations of up to 16 bits are linear: other bits do not matter.
                    let flip = permutations[tuple].place(digits) ^ permutations[tuple].place(0);
                    let feature = (tuple * game.symmetries() + k) as u8;
                    changes.push(Change { feature, tuple: tuple as u8, flip: flip as u16 });
                }
            }
            ends.push(changes.len() as u32);
        }
        Some(Changes { changes, ends })
    }

    /// The changes of an action.
    #[inline]
    pub(super) fn of(&self, action: usize) -> Option<&[Change]> {
        let begin = if action == 0 { 0 } else { self.ends[action - 1] };
        self.changes.get(begin as usize..*self.ends.get(action)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Policy, RandomPolicy, Rng};

    use super::*;

    /// The indices after every placement of random games follow from those before it.
    fn check(spec: &str, lines: &[Vec<usize>], placements: usize) {
        let game: TenTen = crate::spec::parse_rules(spec).unwrap();
        let tuples = Tuples::new(&game, lines).unwrap();
        let (compiled, offsets) = (game.compile(&tuples), tuples.offsets());
        assert!(TenTen::has_changes(&compiled));
        let first_alike = tuples.first_alike(&game);
        let mut indices = [(); 2].map(|()| vec![0; tuples.active_features()]);
        let mut rng = Rng::stream(1, 0);
        let mut state = game.start(&mut rng);
        let (mut seen, mut cleared) = (0, 0);
        while seen < placements {
            game.for_each_move(&state, |mv, step| {
                let [before, after] = &mut indices;
                game.indices(&compiled, &game.board_of(&state), before);
                game.indices(&compiled, &step.after, after);
                let lines = game.lines(&state, &(mv, step)).unwrap();
                let Some(changes) = game.changes(&compiled, &state, &(mv, step)) else {
                    assert!(lines > 0, "{spec}: {mv:?} on {state:?}");
                    cleared += 1;
                    return;
                };
                assert_eq!(lines, 0);
                for &Change { feature, tuple, flip } in changes {
                    let (feature, tuple) = (usize::from(feature), usize::from(tuple));
                    assert_eq!(tuple, feature / game.symmetries());
                    let offset = offsets[tuple] as u32;
                    before[feature] = offset + ((before[feature] - offset) ^ u32::from(flip));
                }
                let first = (0..before.len()).filter(|&feature| first_alike[feature] == feature);
                let differ: Vec<usize> = first.filter(|&f| before[f] != after[f]).collect();
                assert!(differ.is_empty(), "{spec}: {differ:?} of {mv:?} on {state:?}");
                seen += 1;
            });
            state = match RandomPolicy.choose(&game, &state, &mut rng) {
                Some((_, step)) => game.sample(&step.after, &mut rng),
                None => game.start(&mut rng),
            };
        }
        assert!(cleared > 0, "{spec}");
    }

    #[test]
    fn indices_after_a_placement_follow_from_its_changes() {
        let square = |side: usize, corner: usize| {
            (0..side * side).map(|i| corner + i / side * 10 + i % side).collect::<Vec<_>>()
        };
        let lines = [square(3, 0), square(4, 33), square(4, 1), (0..10).collect(), vec![7]];
        check("1010:10x10,pieces=19,hand=3", &lines, 200_000);
        let few = [vec![0, 1, 2], vec![0, 4, 8], (0..9).collect()];
        check("1010:3x3,pieces=3", &few, 20_000);
        check("1010:5x6,pieces=7,hand=2", &few, 20_000);
    }

    #[test]
    fn tuples_beyond_a_change_have_none() {
        let game: TenTen = crate::spec::parse_rules("1010:10x10").unwrap();
        let changes = |tuples: &[Vec<usize>]| {
            Changes::new(&game, &Tuples::new(&game, tuples).unwrap()).is_some()
        };
        assert!(changes(&[(0..16).collect()]) && !changes(&[(0..17).collect()]));
        assert!(changes(&vec![vec![0]; 32]) && !changes(&vec![vec![0]; 33]));
    }
}
