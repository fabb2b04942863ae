//! The laws: one suite of checks that every rules value passes in one line.
//!
//! ```text
//! #[test]
//! fn laws() {
//!     laws::check(&Tetris::standard(), 1, 10_000);
//! }
//! ```

mod odds;

use std::collections::HashMap;
use std::fmt::Debug;

use crate::{Game, Illegal, Index, Puzzle, Rng, Symmetry, Text, text};

/// How many afterstates have their sampler compared with their odds.
const SAMPLED_AFTERSTATES: u64 = 12;

/// Plays random games through `states` states and checks every law on each of them.
///
/// # Panics
/// With the law that is broken and where.
pub fn check<G: Puzzle>(game: &G, seed: u64, states: u64) {
    actions_are_numbered(game);
    odds::start_agrees(game, seed);
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
        odds::sum_to_one(game, &step.after);
        symmetries_commute_with_chance(game, &step.after);
        after_text_round_trips(game, &step.after);
        index_round_trips(game, &step.after);
        if visited % sample_every == 0 {
            odds::sample_agrees(game, &step.after, &mut rng);
        }
        state = game.sample(&step.after, &mut rng);
    }
}

/// Walks the whole numbering of a small game: every number is the number of its afterstate, and
/// no move and no chance outcome leads out of it. Returns how many afterstates there are.
///
/// # Panics
/// With the number at which the law is broken, or if the rules are too large to number.
pub fn check_whole_index<G: Index>(game: &G) -> u64 {
    let len = game.index_len().expect("rules small enough to number");
    let mut count = 0;
    for index in 0..len {
        let Some(after) = game.after_at(index) else {
            continue;
        };
        count += 1;
        assert_eq!(game.index_of(&after), Some(index), "the number of {after:?}");
    }
    // Closure is asked of the afterstates that play can reach: a gap-free numbering may also hold
    // boards that no game leads to.
    let mut reached = vec![false; usize::try_from(len).expect("a numbering that fits in memory")];
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
    let _ = game.try_start(|state, _| {
        visit(&state, &mut open);
        std::ops::ControlFlow::<()>::Continue(())
    });
    while let Some(index) = open.pop() {
        let after = game.after_at(index).expect("only numbers in use are visited");
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
        let turned = game.apply_symmetry_to_state(k, state);
        assert_eq!(
            game.apply_symmetry_to_state(game.inverse(k), &turned),
            *state,
            "symmetry {k} and back"
        );
        if k == 0 {
            assert_eq!(turned, *state, "symmetry 0 is the identity");
        }
        assert_eq!(game.count_moves(&turned), game.count_moves(state), "symmetry {k} of {state:?}");
        game.for_each_move(state, |mv, step| {
            let there = game.apply_symmetry_to_move(k, state, mv);
            let expected =
                Ok(crate::Step { after: game.apply_symmetry_to_after(k, &step.after), ..step });
            assert_eq!(
                game.play(&turned, there),
                expected,
                "{mv:?} under symmetry {k} of {state:?}"
            );
            let back = game.apply_symmetry_to_move(game.inverse(k), &turned, there);
            assert_eq!(back, mv, "a move under symmetry {k} and back in {state:?}");
        });
    }
}

fn symmetries_commute_with_chance<G: Symmetry>(game: &G, after: &G::After) {
    for k in 1..game.symmetries() {
        let turned = game.apply_symmetry_to_after(k, after);
        assert_eq!(
            game.apply_symmetry_to_after(game.inverse(k), &turned),
            *after,
            "symmetry {k} and back"
        );
        let mut odds_there = HashMap::new();
        game.for_each_chance(&turned, |state, odds| {
            odds_there.insert(state, odds);
        });
        game.for_each_chance(after, |state, odds| {
            let there = odds_there.remove(&game.apply_symmetry_to_state(k, &state));
            let same = there.is_some_and(|there| (there - odds).abs() < 1e-12);
            assert!(same, "the odds of {state:?} under symmetry {k}: {odds} became {there:?}");
        });
        assert!(odds_there.is_empty(), "outcomes that only symmetry {k} of {after:?} has");
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
        assert_eq!(game.index_of(after), None, "a number without a numbering");
        for index in [0, 1, u64::MAX] {
            assert_eq!(game.after_at(index), None, "number {index} without a numbering");
        }
        return;
    };
    for index in [len, u64::MAX] {
        assert_eq!(game.after_at(index), None, "number {index} of {len}");
    }
    let index = game.index_of(after).unwrap_or_else(|| panic!("{after:?} has no number"));
    assert!(index < len, "number {index} of {len}");
    assert_eq!(game.after_at(index), Some(*after), "the afterstate numbered {index}");
}
