//! Placements on drawn boards: cleared lines and points.

use afterstate_core::{Game, Illegal, Text};

use super::super::{Placement, Scoring, TenTen, sets};
use super::{custom, rules};

/// Plays a move on a drawn state: the drawn afterstate and the reward.
fn play(rules: &TenTen, drawn: &str, mv: &str) -> (String, f32) {
    let state = rules.parse_state(drawn).unwrap();
    let mv = rules.parse_move(&state, mv).unwrap();
    let step = rules.play(&state, mv).unwrap();
    (rules.after_text(&step.after), step.reward)
}

#[test]
fn full_lines_are_cleared_and_scored() {
    for (set, drawn, mv, after, real, square) in [
        // No full line.
        ("dot:#", "dot|##..|#...|....|#...", "c1", "-|###.|#...|....|#...", 1.0, 1.0),
        // One row.
        ("dot:#", "dot|#...|##.#|...#|....", "dot@c2", "-|#...|....|...#|....", 11.0, 11.0),
        // A row and a column, which share a cell.
        ("dot:#", "dot|..#.|##.#|#.#.|..##", "c2", "-|....|....|#...|...#", 31.0, 41.0),
        // Two columns and a row.
        ("bar:##", "bar|.##.|.##.|#..#|.###", "b3", "-|....|....|....|...#", 62.0, 92.0),
    ] {
        for (scoring, reward) in [(Scoring::Real, real), (Scoring::Square, square)] {
            let rules = custom(4, 4, set, 1, scoring);
            assert_eq!(play(&rules, drawn, mv), (after.replace('|', "\n") + "\n", reward));
        }
    }
}

#[test]
fn six_lines_on_the_smallest_board() {
    let rules = custom(3, 3, "all:###/###/###", 1, Scoring::Real);
    let (after, reward) = play(&rules, "all\n...\n...\n...\n", "a1");
    assert_eq!((after.as_str(), reward), ("-\n...\n...\n...\n", 219.0));
}

#[test]
fn lines_of_the_largest_board_and_of_rectangles() {
    let large = rules(10, 10, "19", 1);
    let row = "#####.####\n";
    let column = ".....#....\n";
    let drawn = format!("1x1\n{}{row}{}", column.repeat(4), column.repeat(5));
    let (after, reward) = play(&large, &drawn, "f5");
    assert_eq!(after, format!("-\n{}", "..........\n".repeat(10)));
    assert_eq!(reward, 31.0);
    let wide = custom(5, 3, "dot:#", 1, Scoring::Real);
    let (after, _) = play(&wide, "dot\n#....\n.####\n#....\n", "a2");
    assert_eq!(after, "-\n.....\n.....\n.....\n");
    let (after, _) = play(&wide, "dot\n####.\n..###\n#....\n", "e1");
    assert_eq!(after, "-\n.....\n..###\n#....\n");
}

#[test]
fn points_by_lines() {
    let points = |scoring: Scoring| [0, 1, 2, 3, 6].map(|lines| scoring.points(4, lines));
    assert_eq!(points(Scoring::Real), [4.0, 14.0, 34.0, 64.0, 214.0]);
    assert_eq!(points(Scoring::Square), [4.0, 14.0, 44.0, 94.0, 364.0]);
    assert_eq!(Scoring::default(), Scoring::Real);
}

#[test]
fn a_hand_is_placed_in_any_order_and_then_a_new_one_is_dealt() {
    let rules = rules(4, 4, "7", 3);
    let state = rules.parse_state("2nw 1x1 2nw\n....\n....\n....\n....\n").unwrap();
    assert_eq!(rules.state_text(&state).lines().next(), Some("1x1 2nw 2nw"));
    assert_eq!(rules.count_moves(&state), 16 + 9, "equal pieces count once");
    let placed = |state, mv: &str| {
        let mv = rules.parse_move(state, mv).unwrap();
        let after = rules.play(state, mv).unwrap().after;
        let mut next = Vec::new();
        rules.for_each_chance(&after, |state, probability| next.push((state, probability)));
        next
    };
    let next = placed(&state, "2nw@c3");
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].1, 1.0);
    assert_eq!(rules.state_text(&next[0].0), "1x1 2nw\n....\n....\n..##\n..#.\n");
    let next = placed(&next[0].0, "1x1@a1");
    let next = placed(&next[0].0, "b2");
    assert_eq!(next.len(), 7 * 8 * 9 / 6, "sorted hands of three out of seven");
    let three_dots =
        next.iter().find(|(state, _)| rules.state_text(state).starts_with("1x1 1x1 1x1"));
    assert!((three_dots.unwrap().1 - 0.008).abs() < 1e-12);
}

#[test]
fn illegal_moves_are_rejected() {
    let rules = TenTen::new(4, 4, sets::named("7").unwrap(), 1, Scoring::Real).unwrap();
    let state = rules.parse_state("1x2\n#...\n....\n....\n....\n").unwrap();
    let bar = 1; // the piece in hand
    for (piece, at) in
        [(bar, 0), (bar, 3), (bar, 16), (bar, 128), (bar, 255), (0, 1), (7, 1), (255, 1)]
    {
        assert_eq!(rules.play(&state, Placement { piece, at }), Err(Illegal), "{piece} at {at}");
    }
    assert!(rules.play(&state, Placement { piece: 1, at: 1 }).is_ok());
}
