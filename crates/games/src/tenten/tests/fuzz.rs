//! Mutated and huge texts are parsed or rejected without a panic.

use afterstate_core::{Game, Policy, RandomPolicy, Rng, Text};

use super::super::Scoring;
use super::{custom, rules};

/// Texts are mutated letter by letter; what is accepted must round-trip.
#[test]
fn mutated_texts_never_panic() {
    let mut rng = Rng::stream(11, 0);
    let letters: Vec<char> = ".#|\n -@abcj0123459xnwseé💥\0\t+\r".chars().collect();
    let variants = [
        rules(3, 3, "3", 1),
        rules(10, 10, "19", 1),
        rules(6, 5, "18", 3),
        custom(4, 3, "b3:#+-a-:##+_:#/#", 2, Scoring::Real),
    ];
    let mut accepted = [0; 3];
    for round in 0..100_000 {
        let rules = &variants[round % variants.len()];
        let start = rules.start(&mut rng);
        let (mv, step) =
            RandomPolicy.choose(rules, &start, &mut rng).expect("an empty board has room");
        let text = match round / 4 % 3 {
            0 => rules.state_text(&start),
            1 => rules.after_text(&step.after),
            _ => rules.move_text(mv),
        };
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=rng.below(3) {
            let at = rng.below(text.len() + 1);
            let letter = letters[rng.below(letters.len())];
            match rng.below(4) {
                0 => text.insert(at, letter),
                1 if at < text.len() => drop(text.remove(at)),
                2 if at < text.len() => text.truncate(at),
                _ if at < text.len() => text[at] = letter,
                _ => text.extend([letter; 200]),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(state) = rules.parse_state(&text) {
            assert_eq!(rules.parse_state(&rules.state_text(&state)), Ok(state), "{text:?}");
            accepted[0] += 1;
        }
        if let Ok(after) = rules.parse_after(&text) {
            assert_eq!(rules.parse_after(&rules.after_text(&after)), Ok(after), "{text:?}");
            accepted[1] += 1;
        }
        if let Ok(mv) = rules.parse_move(&start, &text) {
            assert_eq!(rules.parse_move(&start, &rules.move_text(mv)), Ok(mv), "{text:?}");
            accepted[2] += 1;
        }
    }
    // Not all mutations may be rejected.
    assert!(accepted.iter().all(|&times| times > 500), "{accepted:?}");
}

#[test]
fn huge_texts_are_rejected() {
    let rules = rules(10, 10, "19", 3);
    let start = rules.start(&mut Rng::stream(1, 0));
    for text in
        ["#".repeat(1 << 20), "1x1 ".repeat(1 << 18), "\n".repeat(1 << 20), "|.".repeat(1 << 19)]
    {
        for error in [
            rules.parse_state(&text).unwrap_err(),
            rules.parse_after(&text).unwrap_err(),
            rules.parse_move(&start, &text).unwrap_err(),
        ] {
            assert!(error.to_string().len() < 400, "{error}");
        }
    }
}
