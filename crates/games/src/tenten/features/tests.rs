//! The features on drawn boards, and against their reference implementation.

use crate::RewardMixture;
use afterstate_core::{Features, Game, Policy, RandomPolicy, Rng, Text};

use super::{Space, Tang, reference};
use crate::spec::{GameSpec, Spec};
use crate::tenten::{Scoring, TenTen, sets};

fn rules(width: usize, height: usize, set: &str, hand: u8) -> TenTen {
    TenTen::new(width, height, sets::named(set).unwrap(), hand, Scoring::Real).unwrap()
}

/// The features of a move of a drawn state.
fn described(game: &TenTen, set: &str, state: &str, mv: &str) -> Vec<f32> {
    let state = game.parse_state(state).unwrap();
    let mv = game.parse_move(&state, mv).unwrap();
    let step = game.play(&state, mv).unwrap();
    let features = game.features(set).unwrap();
    let mut out = vec![f32::NAN; features.names().len()];
    features.describe(game, &state, &(mv, step), &mut out);
    out
}

#[test]
fn tangs_features_on_a_drawn_board() {
    let game = rules(5, 5, "7", 1);
    // The two cells complete the first row, which clears.
    let state = "1x2\n###..\n#....\n#.#..\n.....\n..##.\n";
    let found = described(&game, "tang", state, "1x2@d1");
    // .....   The runs of holes across are 5, 4, 1 and 2, 5, 2 and 1; down they are 1 and 2, 5,
    // #....   2 and 1, 4, 5. Their squares add up to 76 either way, over 20 holes.
    // #.#..
    // .....
    // ..##.
    let expected = [
        76.0 / 20.0, // mean run across
        5.0,
        76.0 / 20.0, // mean run down
        5.0,
        5.0,
        20.0,
        2.0, // a line of five lies in rows 1 and 4
        2.0, // and vertically in columns 2 and 5
        0.0, // no 3x3
        4.0, // the largest square, such as at D1
        8.0, // two columns of four: D1 to E4
        0.0, // the piece touches the top
        2.0, // blank rows
        2.0, // blank columns
        1.0, // the blank cells are connected
        3.0, // full parts: the two at the left, the one in the middle, the two below
        20.0,
        2.0,
        1.0, // one line
        1.0, // every piece fits
        1.0,
    ];
    assert_eq!(found, expected);
    let rewards = ["tang-r1", "tang-r3"].map(|set| described(&game, set, state, "1x2@d1")[18]);
    let after = game.parse_state("1x1\n.....\n#....\n#.#..\n.....\n..##.\n").unwrap();
    let moves = game.fits(after.board).moves as f32;
    assert_eq!(rewards, [1.0 + moves, moves]);
}

#[test]
fn space_on_a_drawn_board() {
    let game = rules(3, 3, "3", 1);
    // #.#
    // ...   Six moves of 1x1, two of 1x2, three of 2x1.
    // .#.
    let found = described(&game, "space", "1x1\n#.#\n...\n...\n", "1x1@b3");
    // Full neighbours of the blank cells, the edge counted: B1 has 3, A2 and C2 have 2, B2 has 1,
    // A3 and C3 have 3.
    assert_eq!(found, [11.0 / 3.0, 14.0, 1.0]);
}

#[test]
fn features_equal_the_reference() {
    for (game, games) in [
        (rules(10, 10, "19", 1), 60),
        (rules(10, 10, "18", 3), 20),
        (rules(4, 4, "7", 1), 200),
        (rules(3, 5, "7", 1), 200),
        (rules(7, 4, "3", 2), 100),
    ] {
        for episode in 0..games {
            let mut rng = Rng::stream(4, episode);
            let mut state = game.start(&mut rng);
            while let Some(choice) = RandomPolicy.choose(&game, &state, &mut rng) {
                let mut out = [0.0; 21];
                for name in ["r1", "r2", "r3"] {
                    let reward: RewardMixture = name.parse().unwrap();
                    Tang::new(reward).describe(&game, &state, &choice, &mut out);
                    let expected = reference::tang(&game, &reward, &state, &choice);
                    for (number, (found, expected)) in (1..).zip(out.iter().zip(expected)) {
                        let same = (found - expected).abs() < 1e-4;
                        assert!(same, "feature {number}: {found}, {expected}");
                    }
                }
                let mut space = [0.0; 3];
                Space.describe(&game, &state, &choice, &mut space);
                let (moves, survival) = reference::fits(&game, &choice.1.after);
                let perimeter = reference::perimeter(&game, choice.1.after.board.bits());
                let expected = [moves as f32, perimeter as f32, survival as f32];
                assert!(
                    space.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4),
                    "{space:?} {expected:?}"
                );
                state = game.sample(&choice.1.after, &mut rng);
            }
        }
    }
}

#[test]
fn every_set_has_a_name_and_features() {
    let game = rules(4, 4, "7", 1);
    for (name, _) in TenTen::FEATURE_SETS {
        assert!(!game.features(name).unwrap().names().is_empty(), "{name}");
    }
    assert!(game.features("dt").is_none());
    let listed = GameSpec::ALL.iter().find(|help| help.name == TenTen::NAME).unwrap();
    assert_eq!(listed.feature_sets.len(), TenTen::FEATURE_SETS.len());
}
