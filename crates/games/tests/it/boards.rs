//! Boards as cells: reading is the inverse of writing.

use afterstate_core::{Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

struct ReadBack;

impl Visitor for ReadBack {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let mut rng = Rng::stream(5, 0);
        let mut state = game.start(&mut rng);
        let (mut cells, mut again) = (vec![0; game.cell_count()], vec![0; game.cell_count()]);
        for _ in 0..2_000 {
            let Some((_, step)) = RandomPolicy.choose(game, &state, &mut rng) else {
                state = game.start(&mut rng);
                continue;
            };
            game.write_board(&step.after, &mut cells);
            let read = game.read_board(&cells).expect("a board of the game");
            game.write_board(&read, &mut again);
            assert_eq!(again, cells, "{}", game.spec());
            for cell in 0..game.cell_count() {
                let (read, after) = (game.cell(&read, cell), game.cell(&step.after, cell));
                assert_eq!(read, after, "{}", game.spec());
            }
            state = game.sample(&step.after, &mut rng);
        }
        cells[0] = game.board_values() as u8;
        assert!(game.read_board(&cells).is_none(), "{}", game.spec());
    }
}

#[test]
fn boards_are_read_as_they_are_written() {
    for rules in GameSpec::documented() {
        rules.parse::<GameSpec>().unwrap().with(ReadBack);
    }
    // Tiles beyond 32,768 take another path.
    let game = afterstate_games::twenty48::Twenty48::standard();
    let cells: Vec<u8> = (2..18).collect();
    let mut again = vec![0; 16];
    game.write_board(&game.read_board(&cells).unwrap(), &mut again);
    assert_eq!(again, cells);
}
