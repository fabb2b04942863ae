//! 1010!: drawn boards, laws, published counts, the reference implementation, invalid input.

mod clearing;
mod counts;
mod fuzz;
mod input;
mod reference;
mod tuples;

use afterstate_core::{Episode, RandomPolicy, Rng, Symmetry};

use super::{Scoring, TenTen, sets};
use crate::pieces::parse_pieces;

fn rules(width: usize, height: usize, set: &str, hand: u8) -> TenTen {
    let pieces = sets::named(set).unwrap();
    TenTen::new(width, height, pieces, hand, Scoring::Real).unwrap()
}

fn custom(width: usize, height: usize, set: &str, hand: u8, scoring: Scoring) -> TenTen {
    TenTen::new(width, height, parse_pieces(set).unwrap(), hand, scoring).unwrap()
}

#[test]
fn laws_3x3() {
    crate::laws::check(&rules(3, 3, "3", 1), 1, 5_000);
}

#[test]
fn laws_4x4() {
    crate::laws::check(&rules(4, 4, "7", 1), 1, 5_000);
}

#[test]
fn laws_10x10() {
    crate::laws::check(&rules(10, 10, "19", 1), 1, 1_000);
}

#[test]
fn laws_10x10_with_a_hand_of_three() {
    crate::laws::check(&rules(10, 10, "18", 3), 1, 300);
}

#[test]
fn laws_of_a_rectangle() {
    crate::laws::check(&rules(4, 6, "7", 1), 1, 2_000);
}

#[test]
fn laws_of_a_hand_of_two() {
    crate::laws::check(&rules(5, 4, "7", 2), 1, 1_000);
}

#[test]
fn laws_of_square_scoring() {
    let pieces = sets::named("7").unwrap();
    let rules = TenTen::new(4, 4, pieces, 1, Scoring::Square).unwrap();
    crate::laws::check(&rules, 1, 2_000);
}

#[test]
fn laws_of_an_asymmetric_set() {
    let rules = custom(5, 5, "s:##./.##*2+hook:#./#./##+dot:#", 2, Scoring::Real);
    assert_eq!(rules.symmetries(), 1);
    crate::laws::check(&rules, 1, 1_000);
}

/// Symmetries need closed sets, including weights; equal pieces keep their order.
#[test]
fn symmetries_follow_the_set() {
    for (width, height, set, symmetries) in [
        (4, 4, "a:##+b:#/#", 8),
        (4, 3, "a:##+b:#/#", 4),
        (4, 4, "a:##*2+b:#/#", 4),
        (4, 4, "a:##/#.", 2),
        (4, 4, "a:##/#.+b:.#/##", 4),
        (4, 3, "a:##/#.+b:.#/##", 2),
        (4, 4, "s:##./.##+v:.#/##/#.", 4),
        (4, 4, "a:##+b:#/#+c:##+d:#/#", 8),
        (4, 4, "a:##+b:#/#+c:##", 4),
    ] {
        let rules = custom(width, height, set, 2, Scoring::Real);
        assert_eq!(rules.symmetries(), symmetries, "{set}");
        crate::laws::check(&rules, 1, 200);
    }
    assert_eq!(rules(10, 10, "19", 1).symmetries(), 8);
    assert_eq!(rules(10, 9, "18", 1).symmetries(), 4);
}

/// Recorded results depend on these games: a change here increments `VERSION`.
#[test]
fn value_stability() {
    let episode = |rules: &TenTen, stream| {
        let episode = Episode::play(rules, &mut RandomPolicy, &mut Rng::stream(1, stream));
        (episode.moves, episode.score)
    };
    let one = rules(10, 10, "19", 1);
    assert_eq!(
        [0, 1, 2].map(|stream| episode(&one, stream)),
        [(17, 55.0), (24, 111.0), (21, 66.0)]
    );
    let three = rules(10, 10, "18", 3);
    assert_eq!(
        [0, 1, 2].map(|stream| episode(&three, stream)),
        [(20, 66.0), (25, 96.0), (22, 71.0)]
    );
}

/// An independent measurement of random play: 20.7 rounds, and 23.7 without the 3x3.
#[test]
fn random_play_has_the_measured_length() {
    for (set, measured) in [("19", 20.7), ("18", 23.7)] {
        let rules = rules(10, 10, set, 1);
        let length =
            |stream| Episode::play(&rules, &mut RandomPolicy, &mut Rng::stream(2, stream)).moves;
        let mean = (0..20_000).map(length).sum::<u64>() as f64 / 20_000.0;
        assert!((mean - measured).abs() < 0.35, "{mean} with {set} pieces");
    }
}
