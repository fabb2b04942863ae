//! Feature lookup by rows against the reference implementation.

use crate::{Cells, ReferenceTuples, Tuples};
use afterstate_core::Rng;

use super::rules;
use crate::tenten::{After, Board, Hand};

#[test]
fn half_a_million_boards_have_the_reference_indices() {
    let mut rng = Rng::stream(17, 0);
    for (width, height, count) in
        [(10, 10, 50_000), (7, 9, 50_000), (4, 4, 200_000), (3, 3, 200_000)]
    {
        let game = rules(width, height, "7", 1);
        let cells = width * height;
        let corner = (0..9).map(|cell| cell / 3 * width + cell % 3).collect();
        let ragged = (0..cells).filter(|cell| cell % 5 < 2).take(12).collect();
        // Large enough for its weights to be permuted.
        let large = (0..cells).step_by(cells.div_ceil(17).max(1)).collect();
        let line = (cells - width..cells).collect();
        let tuples = Tuples::new(&game, &[corner, ragged, line, vec![cells / 2], large]).unwrap();
        let (compiled, reference) = (game.compile(&tuples), ReferenceTuples::new(&game, &tuples));
        let (mut found, mut expected) =
            (vec![0; tuples.active_features()], vec![0; tuples.active_features()]);
        for _ in 0..count {
            let bits = u128::from(rng.bits()) << 64 | u128::from(rng.bits());
            let board = Board::new(bits & ((1 << cells) - 1));
            let after = After { board, hand: Hand::EMPTY };
            game.indices(&compiled, &after, &mut found);
            reference.indices(&game, &after, &mut expected);
            assert_eq!(found, expected, "{board:?}");
        }
    }
}
