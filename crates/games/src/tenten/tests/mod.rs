//! 1010!: drawn boards, laws, published counts, the reference implementation, invalid input.

mod clearing;
mod counts;
mod fuzz;
mod input;
mod reference;

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
fn laws_of_every_variant() {
    let asymmetric = custom(5, 5, "s:##./.##*2+hook:#./#./##+dot:#", 2, Scoring::Real);
    assert_eq!(asymmetric.symmetries(), 1);
    let square = TenTen::new(4, 4, sets::named("7").unwrap(), 1, Scoring::Square).unwrap();
    for (rules, states) in [
        (rules(3, 3, "3", 1), 5_000),
        (rules(4, 4, "7", 1), 5_000),
        (rules(10, 10, "19", 1), 1_000),
        (rules(10, 10, "18", 3), 300),
        (rules(4, 6, "7", 1), 2_000),
        (rules(5, 4, "7", 2), 1_000),
        (square, 2_000),
        (asymmetric, 1_000),
    ] {
        crate::laws::check(&rules, 1, states);
    }
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
    for (rules, expected) in [
        (rules(10, 10, "19", 1), [(17, 55.0), (24, 111.0), (21, 66.0)]),
        (rules(10, 10, "18", 3), [(20, 66.0), (25, 96.0), (22, 71.0)]),
    ] {
        assert_eq!([0, 1, 2].map(|stream| episode(&rules, stream)), expected);
    }
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
