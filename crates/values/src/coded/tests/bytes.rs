//! The bytes of coded tuples: round trips, and damaged ones.

use afterstate_core::Rng;
use afterstate_games::Tuples;
use afterstate_games::twenty48::Twenty48;

use super::*;
use crate::coded::rans::{Coder, Decoder, Encoder, SYMBOLS};
use crate::coded::tuple::{BLOCK, LEVELS, Levels, encode, shift};
use crate::file::Place;
use crate::test_files::load_to;

/// Symbols of a few contexts, with bits between them.
fn symbols(
    count: usize,
    seed: u64,
    symbol: impl Fn(&mut Rng) -> usize,
) -> Vec<(usize, usize, u32)> {
    let mut rng = Rng::stream(seed, 0);
    (0..count).map(|_| (rng.below(5), symbol(&mut rng), rng.below(1 << 16) as u32)).collect()
}

fn encoded(symbols: &[(usize, usize, u32)]) -> Vec<u8> {
    let mut encoder = Encoder::new(6);
    for &(context, symbol, bits) in symbols {
        encoder.symbol(context, symbol);
        encoder.bits(symbol as u32, bits & ((1 << symbol) - 1));
    }
    encoder.finish()
}

/// Whether these bytes give these symbols.
fn decodes(bytes: &[u8], symbols: &[(usize, usize, u32)]) -> bool {
    let Ok(mut decoder) = Decoder::new(bytes, 6) else { return false };
    let same = symbols.iter().fold(true, |same, &(context, symbol, bits)| {
        let found = decoder.symbol(context, 0);
        same & (found == symbol && decoder.bits(symbol as u32, 0) == bits & ((1 << symbol) - 1))
    });
    decoder.finish().is_ok() && same
}

#[test]
fn symbols_are_decoded_as_they_were_coded() {
    let distributions: [fn(&mut Rng) -> usize; 5] = [
        |rng| rng.below(SYMBOLS),
        |_| 0,
        |_| SYMBOLS - 1,
        // One in thousands, rarer than the smallest frequency.
        |rng| if rng.below(20_000) == 0 { 7 } else { 3 },
        |rng| rng.below(SYMBOLS).min(rng.below(SYMBOLS)).min(rng.below(SYMBOLS)),
    ];
    for (seed, symbol) in distributions.into_iter().enumerate() {
        for count in [0, 1, 2, 1_000, 100_000] {
            let symbols = symbols(count, seed as u64, symbol);
            assert!(decodes(&encoded(&symbols), &symbols), "{count} of distribution {seed}");
        }
    }
    let zeros = symbols(100_000, 1, |_| 0);
    assert!(encoded(&zeros).len() < 40, "symbols that are certain take no room");
    let skewed = symbols(100_000, 1, |rng| usize::from(rng.below(50) == 0));
    // The entropy is 0.141 bits.
    assert!(encoded(&skewed).len() < 1_900 + 2_000 / 8 + 60);
}

#[test]
fn damaged_symbols_are_noticed() {
    let symbols = symbols(300, 4, |rng| rng.below(SYMBOLS));
    let whole = encoded(&symbols);
    for length in 0..whole.len() {
        assert!(!decodes(&whole[..length], &symbols), "{length} bytes");
    }
    assert!(!decodes(&[&whole[..], &[0; 4]].concat(), &symbols));
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            assert!(!decodes(&damaged, &symbols), "bit {bit} of byte {at}");
        }
    }
    for seed in 0..1_000 {
        let mut rng = Rng::stream(seed, 1);
        let random: Vec<u8> = (0..rng.below(400)).map(|_| rng.bits() as u8).collect();
        assert!(!decodes(&random, &symbols));
    }
}

/// Random weights of a tuple with that many cells, as many as `share`, all of them if it is 1.
fn round_trip(cells: usize, share: f64, weight: impl Fn(&mut Rng) -> (u8, i16)) -> usize {
    let tuples = Tuples::new(&Twenty48::standard(), &[(0..cells).collect()]).unwrap();
    let (count, permutation) = (tuples.weights() as usize, tuples.permutations()[0]);
    let (mut rng, mut weights) = (Rng::stream(cells as u64, 0), vec![0; 2 * count]);
    let mut levels = Levels::new(count).unwrap();
    for index in 0..count {
        if rng.unit() >= share {
            continue;
        }
        let (level, weight) = weight(&mut rng);
        levels.blocks()[index / BLOCK][index % BLOCK] = level;
        let place = permutation.place(index as u32) as usize;
        weights[2 * place..2 * place + 2].copy_from_slice(&weight.to_le_bytes());
    }
    let original = weights.clone();
    let bytes = encode(permutation, &mut weights, &mut levels);
    assert!(weights == original, "coding changes nothing");
    let mut decoded = vec![0; 2 * count];
    decode(&bytes, permutation, &mut decoded).unwrap();
    assert!(decoded == original, "{cells} cells, {share}");
    bytes.len()
}

#[test]
fn weights_are_decoded_as_they_were_coded() {
    let random = |rng: &mut Rng| {
        let level = 1 + rng.below(LEVELS as usize) as u8;
        let steps = 1 + rng.below((i16::MAX >> shift(level)) as usize) as i16;
        (level, (steps << shift(level)) * if rng.below(2) == 0 { 1 } else { -1 })
    };
    for cells in [0, 1, 2, 4, 5] {
        for share in [0.0, 0.001, 0.3, 1.0] {
            round_trip(cells, share, random);
        }
        round_trip(cells, 1.0, |_| (LEVELS as u8, i16::MAX));
        round_trip(cells, 1.0, |rng| {
            (LEVELS as u8, if rng.below(2) == 0 { 32767 } else { -32767 })
        });
        round_trip(cells, 1.0, |_| (1, -(1 << 14)));
    }
    assert!(round_trip(5, 0.0, random) < 20, "a million zeros take no room");
    assert!(round_trip(5, 1.0, |_| (LEVELS as u8, 1)) < 1_000);
}

/// Small coded files, damaged at the file's level.
#[test]
fn damaged_files_give_an_error_or_a_network() {
    let (folder, game) = (Folder::new("damaged"), Twenty48::new(2, 2, 0.1).unwrap());
    let path = folder.path("agent");
    let saved = model(AnyNetwork::Full(random_network(&game, &[vec![3], vec![1, 2, 3]], 1)));
    saved.save_coded(&game, &path, &full_info("2048:2x2", 1), &settings(1 << 20)).unwrap();
    let whole = fs::read(&path).unwrap();
    let states = random_states(&game, 5, 1);
    let tried = |bytes: &[u8], place| {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let loaded = load_to(&path, &game, place);
        loaded.map_err(|error| error.problem.to_string()).map(|(_, model)| {
            let mut policy = model.policy();
            for state in &states {
                std::hint::black_box(policy.choose(&game, state, &mut Rng::stream(1, 1)));
            }
        })
    };
    assert!(tried(&whole, Place::Mapped).is_ok() && tried(&whole, Place::Copied).is_ok());
    for length in 0..whole.len() {
        let said = tried(&whole[..length], Place::Copied).unwrap_err();
        assert!(said.len() < 200 && !said.contains(char::is_control), "{said:?}");
    }
    let tensors = whole.len() - crate::test_files::tensors(&whole).len();
    let (mut damaged, mut loaded) = (0, 0);
    for number in 0..10_000 {
        let mut rng = Rng::stream(2, number);
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(3) {
            // Most flips are in the coded weights.
            let begin = if rng.below(8) == 0 { 8 } else { tensors };
            let at = begin + rng.below(bytes.len() - begin);
            bytes[at] ^= 1 << rng.below(8);
        }
        match tried(&bytes, [Place::Copied, Place::Mapped][number as usize % 2]) {
            Ok(()) => loaded += 1,
            Err(said) => damaged += u32::from(said.ends_with(" cannot be decoded")),
        }
    }
    // Scales and the room in the header may change without harm.
    assert!(damaged > 7_000 && loaded > 10, "{damaged} damaged, {loaded} loaded");
}
