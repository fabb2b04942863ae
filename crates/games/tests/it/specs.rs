//! Random rules of every combination of options: specs round-trip and are unique.

use std::collections::HashMap;

use afterstate_core::Rng;
use afterstate_games::RulesError;
use afterstate_games::pieces::{Piece, pieces_text};
use afterstate_games::shape::Shape;
use afterstate_games::spec::GameSpec;
use afterstate_games::tenten::{self, Scoring, TenTen};
use afterstate_games::tetris::{self, Overflow, Setup, Tetris};
use afterstate_games::twenty48::Twenty48;

/// The number of random rules of each game.
const ROUNDS: usize = 20_000;

/// All parameters of the rules.
fn parameters(spec: &GameSpec) -> String {
    match spec {
        GameSpec::Twenty48(game) => {
            format!("2048 {} {} {:?}", game.width(), game.height(), game.four())
        }
        GameSpec::Tetris(game) => format!("{:?}", game.setup()),
        GameSpec::TenTen(game) => {
            let (size, hand) = ((game.width(), game.height()), game.hand());
            format!("1010 {size:?} {:?} {hand} {:?}", game.pieces(), game.scoring())
        }
        other => panic!("{other:?} has no parameters to compare"),
    }
}

fn pick<T: Clone>(from: &[T], rng: &mut Rng) -> T {
    from[rng.below(from.len())].clone()
}

fn random_weight(rng: &mut Rng) -> u32 {
    let max = pick(&[1, 1, 3, 60_000], rng);
    1 + rng.below(max) as u32
}

/// Random pieces with names of all allowed kinds of characters.
fn random_pieces(rng: &mut Rng) -> Vec<Piece> {
    let letters: Vec<char> = "aZ09-_".chars().collect();
    let piece = |number: usize, rng: &mut Rng| {
        let (width, height) = (1 + rng.below(4), 1 + rng.below(4));
        let row = |rng: &mut Rng| (0..width).map(|_| pick(&['#', '#', '.'], rng)).collect();
        let rows: Vec<String> = (0..height).map(|_| row(rng)).collect();
        let shape = Shape::parse(&rows.join("/")).unwrap_or(Shape::parse("#").unwrap());
        let name = format!("{}{number}", pick(&letters, rng));
        Piece { name, weight: random_weight(rng), shape }
    };
    (0..=rng.below(5)).map(|number| piece(number, rng)).collect()
}

/// The spec with its options in random order.
fn shuffled(game: &str, mut options: Vec<String>, rng: &mut Rng) -> String {
    for last in (1..options.len()).rev() {
        options.swap(last, rng.below(last + 1));
    }
    format!("{game}:{}", options.join(","))
}

/// Rules and a spec that gives every option.
type Random = Result<(GameSpec, String), RulesError>;

fn random_2048(rng: &mut Rng) -> Random {
    let (width, height) = (2 + rng.below(3), 2 + rng.below(3));
    let thousandth = rng.below(1001) as f64 / 1000.0;
    let four = pick(&[0.0, 0.1, 0.15, 0.2, 1.0, thousandth, rng.unit()], rng);
    let options = vec![format!("{width}x{height}"), format!("four={four}")];
    let game = Twenty48::new(width, height, four)?;
    Ok((GameSpec::Twenty48(game), shuffled("2048", options, rng)))
}

fn random_tetris(rng: &mut Rng) -> Random {
    let (width, height) = (4 + rng.below(13), 2 + rng.below(31));
    let (word, overflow) = pick(
        &[("lose", Overflow::Lose), ("clear", Overflow::ClearFirst), ("push", Overflow::Push)],
        rng,
    );
    let (preview, limited) = (rng.below(2) == 0, rng.below(2) == 0);
    let limit = limited.then(|| pick(&[1, 10_000, u64::MAX, rng.bits() >> 40], rng));
    let mut options = vec![format!("{width}x{height}"), format!("overflow={word}")];
    options.extend(preview.then(|| "next".to_owned()));
    options.extend(limit.map(|limit| format!("limit={limit}")));
    let pieces = match rng.below(4) {
        0 => {
            let pieces = random_pieces(rng);
            options.push(format!("pieces={}", pieces_text(&pieces)));
            pieces
        }
        kind => {
            let (name, make) = pick(&tetris::SETS, rng);
            let mut pieces = make();
            options.push(format!("pieces={name}"));
            if kind == 1 {
                pieces.iter_mut().for_each(|piece| piece.weight = random_weight(rng));
                let weights = pieces.iter().map(|piece| piece.weight.to_string());
                options.push(format!("weights={}", weights.collect::<Vec<_>>().join("/")));
            }
            pieces
        }
    };
    let game = Tetris::new(Setup { width, height, pieces, overflow, preview, limit })?;
    Ok((GameSpec::Tetris(game), shuffled("tetris", options, rng)))
}

fn random_tenten(rng: &mut Rng) -> Random {
    let (width, height, hand) = (3 + rng.below(8), 3 + rng.below(8), 1 + rng.below(3) as u8);
    let (word, scoring) = pick(&[("real", Scoring::Real), ("square", Scoring::Square)], rng);
    let mut options =
        vec![format!("{width}x{height}"), format!("hand={hand}"), format!("score={word}")];
    let pieces = if rng.below(2) == 0 {
        let pieces = random_pieces(rng);
        options.push(format!("pieces={}", pieces_text(&pieces)));
        pieces
    } else {
        let (name, make) = pick(&tenten::sets::SETS, rng);
        options.push(format!("pieces={name}"));
        make()
    };
    let game = TenTen::new(width, height, pieces, hand, scoring)?;
    Ok((GameSpec::TenTen(game), shuffled("1010", options, rng)))
}

/// Parses the printed and the typed specs of random rules, and checks that each set of rules has
/// one printed form. Returns the number of different ones.
fn check(random: fn(&mut Rng) -> Random, seed: u64) -> usize {
    let mut rng = Rng::stream(seed, 0);
    let mut forms: HashMap<String, String> = HashMap::new();
    let mut rounds = 0;
    while rounds < ROUNDS {
        // A few random sets do not fit the board or have too large weights.
        let Ok((spec, typed)) = random(&mut rng) else { continue };
        rounds += 1;
        let (expected, printed) = (parameters(&spec), spec.to_string());
        for text in [&printed, &typed] {
            let read: GameSpec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parameters(&read), expected, "read from {text}");
            assert_eq!(read.to_string(), printed, "read from {text}");
        }
        let same = forms.entry(printed.clone()).or_insert_with(|| expected.clone());
        assert_eq!(*same, expected, "two sets of rules print as {printed}");
    }
    forms.len()
}

#[test]
fn random_rules_of_2048_round_trip() {
    assert!(check(random_2048, 1) > 1_000);
}

#[test]
fn random_rules_of_tetris_round_trip() {
    assert!(check(random_tetris, 2) > 10_000);
}

#[test]
fn random_rules_of_1010_round_trip() {
    assert!(check(random_tenten, 3) > 5_000);
}
