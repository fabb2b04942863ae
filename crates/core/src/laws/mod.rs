//! The laws: one suite of properties that every rules value satisfies.
//!
//! ```text
//! #[test]
//! fn laws() {
//!     laws::check(&Tetris::standard(), 1, 10_000);
//! }
//! ```

mod chance;

use std::collections::HashMap;
use std::fmt::Debug;

use crate::{Game, Illegal, Index, Puzzle, Rng, Symmetry, Text, text};

/// The number of afterstates whose sampler is compared with their distribution.
const SAMPLED_AFTERSTATES: u64 = 12;

/// Plays random games through `states` states and checks every law on each of them.
///
/// # Panics
/// On a violated law, with the state.
pub fn check<G: Puzzle>(game: &G, seed: u64, states: u64) {
    actions_are_numbered(game);
    chance::start_agrees(game, seed);
    let mut rng = Rng::stream(seed, 0);
    let mut state = game.start(&mut rng);
    let sample_every = (states / SAMPLED_AFTERSTATES).max(1);
    for visited in 0..states {
        moves_are_the_legal_ones(game, &state);
        illegal_moves_have_a_reason(game, &state);
        symmetries_commute_with_moves(game, &state);
        state_text_round_trips(game, &state);
        let count = game.count_moves(&state);
        if count == 0 {
            state = game.start(&mut rng);
            continue;
        }
        let (_, step) = game.nth_move(&state, rng.below(count)).expect("a number below the count");
        chance::sum_to_one(game, &step.after);
        symmetries_commute_with_chance(game, &step.after);
        after_text_round_trips(game, &step.after);
        index_round_trips(game, &step.after);
        if visited % sample_every == 0 {
            chance::sample_agrees(game, &step.after, &mut rng);
        }
        state = game.sample(&step.after, &mut rng);
    }
}

/// Visits every index of a small game: an index is that of its afterstate, and all moves and chance
/// outcomes lead to indexed afterstates. Returns the number of afterstates.
///
/// # Panics
/// On a violated law, with the index, or if the rules have no index.
pub fn check_whole_index<G: Index>(game: &G) -> u64 {
    let len = game.index_len().expect("rules small enough for an index");
    let mut count = 0;
    for index in 0..len {
        let Some(after) = game.after_at(index) else {
            continue;
        };
        count += 1;
        assert_eq!(game.index_of(&after), Some(index), "the index of {after:?}");
    }
    // Closure is checked on reachable afterstates: an index may also contain unreachable boards.
    let mut reached = vec![false; usize::try_from(len).expect("an index that fits in memory")];
    let mut open = Vec::new();
    let mut visit = |state: &G::State, open: &mut Vec<u64>| {
        game.for_each_move(state, |mv, step| {
            let index = game.index_of(&step.after);
            let index = index.unwrap_or_else(|| panic!("{mv:?} on {state:?} leaves the index"));
            assert_eq!(game.after_at(index), Some(step.after), "the afterstate at {index}");
            if !std::mem::replace(&mut reached[index as usize], true) {
                open.push(index);
            }
        });
    };
    game.for_each_start(|state, _| visit(&state, &mut open));
    while let Some(index) = open.pop() {
        let after = game.after_at(index).expect("only indices of afterstates are visited");
        game.for_each_chance(&after, |state, _| visit(&state, &mut open));
    }
    count
}

fn actions_are_numbered<G: Game>(game: &G) {
    for number in 0..game.actions() {
        let mv = game.action(number);
        assert_eq!(game.action_number(mv), number, "the number of {mv:?}");
    }
}

fn moves_are_the_legal_ones<G: Game>(game: &G, state: &G::State) {
    let mut offered = HashMap::new();
    let mut order = Vec::new();
    game.for_each_move(state, |mv, step| {
        assert!(offered.insert(mv, step).is_none(), "{mv:?} is offered twice in {state:?}");
        order.push((mv, step));
    });
    assert_eq!(game.count_moves(state), order.len(), "count_moves in {state:?}");
    let mut legal = Vec::new();
    game.for_each_legal(state, |mv| legal.push(mv));
    assert!(legal.iter().eq(order.iter().map(|choice| &choice.0)), "legal moves of {state:?}");
    for (number, &expected) in order.iter().enumerate() {
        assert_eq!(game.nth_move(state, number), Some(expected), "move {number} of {state:?}");
    }
    assert_eq!(game.nth_move(state, order.len()), None, "a move too many in {state:?}");
    for number in 0..game.actions() {
        let mv = game.action(number);
        let expected = offered.remove(&mv).ok_or(Illegal);
        assert_eq!(game.play(state, mv), expected, "playing {mv:?} in {state:?}");
    }
    assert!(offered.is_empty(), "moves without a number in {state:?}: {offered:?}");
}

fn illegal_moves_have_a_reason<G: Text>(game: &G, state: &G::State) {
    for mv in (0..game.actions()).map(|number| game.action(number)) {
        let why = game.why_illegal(state, mv);
        let legal = game.play(state, mv).is_ok();
        assert_eq!(why == text::LEGAL, legal, "{mv:?} in {state:?}: {why:?}");
        assert!(!why.is_empty() && !why.contains('\n'), "{mv:?} in {state:?}: {why:?}");
    }
}

fn symmetries_commute_with_moves<G: Symmetry>(game: &G, state: &G::State) {
    for k in 0..game.symmetries() {
        let image = game.apply_symmetry_to_state(k, state);
        assert_eq!(
            game.apply_symmetry_to_state(game.inverse(k), &image),
            *state,
            "symmetry {k} and back"
        );
        if k == 0 {
            assert_eq!(image, *state, "symmetry 0 is the identity");
        }
        assert_eq!(game.count_moves(&image), game.count_moves(state), "symmetry {k} of {state:?}");
        game.for_each_move(state, |mv, step| {
            let image_move = game.apply_symmetry_to_move(k, state, mv);
            let expected =
                Ok(crate::Step { after: game.apply_symmetry_to_after(k, &step.after), ..step });
            assert_eq!(
                game.play(&image, image_move),
                expected,
                "{mv:?} under symmetry {k} of {state:?}"
            );
            let back = game.apply_symmetry_to_move(game.inverse(k), &image, image_move);
            assert_eq!(back, mv, "a move under symmetry {k} and back in {state:?}");
        });
    }
}

fn symmetries_commute_with_chance<G: Symmetry>(game: &G, after: &G::After) {
    for k in 1..game.symmetries() {
        let image = game.apply_symmetry_to_after(k, after);
        assert_eq!(
            game.apply_symmetry_to_after(game.inverse(k), &image),
            *after,
            "symmetry {k} and back"
        );
        let mut image_outcomes = HashMap::new();
        game.for_each_chance(&image, |state, probability| {
            image_outcomes.insert(state, probability);
        });
        game.for_each_chance(after, |state, probability| {
            let found = image_outcomes.remove(&game.apply_symmetry_to_state(k, &state));
            let same = found.is_some_and(|found| (found - probability).abs() < 1e-12);
            assert!(same, "symmetry {k} of {state:?}: probability {probability}, not {found:?}");
        });
        assert!(image_outcomes.is_empty(), "outcomes of symmetry {k} of {after:?} only");
    }
}

fn state_text_round_trips<G: Text>(game: &G, state: &G::State) {
    let drawn = game.state_text(state);
    round_trips(&drawn, state, |text| game.parse_state(text));
    game.for_each_move(state, |mv, _| {
        round_trips(&game.move_text(mv), &mv, |text| game.parse_move(state, text));
    });
}

fn after_text_round_trips<G: Text>(game: &G, after: &G::After) {
    round_trips(&game.after_text(after), after, |text| game.parse_after(text));
}

fn round_trips<T: PartialEq + Debug>(
    drawn: &str,
    value: &T,
    parse: impl Fn(&str) -> Result<T, text::TextError>,
) {
    for text in [drawn.to_owned(), text::one_line(drawn)] {
        match parse(&text) {
            Ok(parsed) => assert_eq!(parsed, *value, "parsed from\n{text}"),
            Err(error) => panic!("{error}, parsing\n{text}"),
        }
    }
}

fn index_round_trips<G: Index>(game: &G, after: &G::After) {
    assert!(game.index_len().is_none_or(|len| (len as f64).log2() <= game.index_bits() + 1e-9));
    let Some(len) = game.index_len() else {
        assert_eq!(game.index_of(after), None, "rules without an index");
        for index in [0, 1, u64::MAX] {
            assert_eq!(game.after_at(index), None, "index {index} of rules without an index");
        }
        return;
    };
    for index in [len, u64::MAX] {
        assert_eq!(game.after_at(index), None, "index {index} of {len}");
    }
    let index = game.index_of(after).unwrap_or_else(|| panic!("{after:?} has no index"));
    assert!(index < len, "index {index} of {len}");
    assert_eq!(game.after_at(index), Some(*after), "the afterstate at index {index}");
}
