//! The laws of the games of this crate: those of `core`, and those of [`Cells`].

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, RandomPolicy, Rng, laws};

use crate::spec::Spec;
use crate::{Cells, ReferenceTuples, Tuples};

/// Checks every law on the states of random games.
///
/// # Panics
/// On a violated law, with the afterstate.
pub fn check<G: Spec>(game: &G, seed: u64, states: u64) {
    laws::check(game, seed, states);
    for_each_random_move(game, Rng::stream(seed, 2), states, |_, (_, step)| {
        cells_follow_symmetries(game, &step.after);
    });
}

/// Plays random games, one after the other, and calls a function with every move.
pub fn for_each_random_move<G: Game>(
    game: &G,
    mut rng: Rng,
    moves: u64,
    mut visit: impl FnMut(&G::State, Choice<G>),
) {
    let mut state = game.start(&mut rng);
    for _ in 0..moves {
        state = match RandomPolicy.choose(game, &state, &mut rng) {
            Some(choice) => {
                visit(&state, choice);
                game.sample(&choice.1.after, &mut rng)
            }
            None => game.start(&mut rng),
        };
    }
}

fn cells_follow_symmetries<G: Cells>(game: &G, after: &G::After) {
    for k in 0..game.symmetries() {
        let image = game.apply_symmetry_to_after(k, after);
        for cell in 0..game.cell_count() {
            let value = game.cell(after, cell);
            assert!(value < game.cell_values(), "cell {cell} of {after:?} is {value}");
            let image_value = game.cell(&image, game.apply_symmetry_to_cell(k, cell));
            assert_eq!(image_value, value, "cell {cell} of {after:?} under symmetry {k}");
        }
    }
    let values: Vec<u8> = (0..game.cell_count()).map(|cell| game.cell(after, cell) as u8).collect();
    let mut appended = vec![7];
    game.append_cells(after, &mut appended);
    assert_eq!(appended[1..], values, "the cells of {after:?}");
    let cells = game.cell_count();
    let some: Vec<Vec<usize>> = [
        vec![0, 1, cells - 1],
        (0..cells.min(5)).collect(),
        vec![cells / 2],
        (0..cells).step_by(3).take(4).collect(),
    ]
    .into();
    let tuples = Tuples::new(game, &some).expect("small tuples of cells that exist");
    let mut indices = vec![0; tuples.active_features()];
    let mut expected = vec![0; tuples.active_features()];
    game.indices(&game.compile(&tuples), after, &mut indices);
    ReferenceTuples::new(game, &tuples).indices(game, after, &mut expected);
    assert_eq!(indices, expected, "the active features of {after:?}");
}
