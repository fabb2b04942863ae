//! Damaged files by the thousand: each loads or gives an error of one sentence.

use super::*;

const MUTATIONS: usize = 20_000;

/// One random change; those within the header often keep it readable.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let said = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    let header = said.clamp(1, bytes.len() as u64 - 8) as usize;
    let in_header = 8 + rng.below(header);
    let anywhere = rng.below(bytes.len());
    let set_length = |bytes: &mut Vec<u8>, length: usize| {
        bytes[..8].copy_from_slice(&(length as u64).to_le_bytes());
    };
    match rng.below(9) {
        0 => bytes[in_header] ^= 1 << rng.below(8),
        1 => bytes[anywhere] = rng.bits() as u8,
        2 => bytes.truncate(anywhere),
        3 => bytes.extend((0..=rng.below(64)).map(|_| 0u8)),
        4 => set_length(bytes, rng.bits() as usize >> rng.below(64)),
        5 | 6 => {
            // Another digit: other sizes, cells and offsets in a header that is still JSON.
            let digits = (8..8 + header).filter(|&i| bytes[i].is_ascii_digit());
            let digits: Vec<usize> = digits.collect();
            if !digits.is_empty() {
                bytes[digits[rng.below(digits.len())]] = b'0' + rng.below(10) as u8;
            }
        }
        7 => {
            let end = (in_header + 1 + rng.below(12)).min(8 + header);
            bytes.drain(in_header..end);
            set_length(bytes, header - (end - in_header));
        }
        _ => {
            let end = (in_header + 1 + rng.below(40)).min(8 + header);
            let copied = bytes[in_header..end].to_vec();
            let at = 8 + rng.below(header);
            set_length(bytes, header + copied.len());
            bytes.splice(at..at, copied);
        }
    }
}

#[test]
fn damaged_files_load_or_get_an_error() {
    let (folder, game) = (Folder::new("fuzz"), Twenty48::new(2, 2, 0.1).unwrap());
    let path = folder.path("agent");
    let valid = both(tiny(&game)).map(|network| {
        model(network).save(&path, &full_info("2048:2x2", 1)).unwrap();
        fs::read(&path).unwrap()
    });
    let afters = random_afterstates(&game, 20, 2);
    let mut loads = 0;
    let mut sentences = std::collections::BTreeSet::new();
    for number in 0..MUTATIONS {
        let mut rng = Rng::stream(1, number as u64);
        let mut bytes = valid[number % 2].clone();
        mutate(&mut bytes, &mut rng);
        if rng.below(4) == 0 && bytes.len() > 400 {
            mutate(&mut bytes, &mut rng);
        }
        // A new file: truncating and filling an old one is slow on some systems.
        fs::remove_file(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
        let place = [Place::Copied, Place::Mapped][number / 2 % 2];
        let info = read_info(&path).is_ok();
        match load_to(&path, &game, place) {
            Ok((_, model)) => {
                loads += 1;
                assert!(info);
                // A change of the header may have made it a network over states.
                if model.afterstate_values().is_some() {
                    for after in &afters {
                        std::hint::black_box(value(&*model, &game, after));
                    }
                }
            }
            Err(error) => {
                let said = error.problem.to_string();
                assert!(said.len() < 1500 && !said.contains(char::is_control), "{said:?}");
                let first: String = said.chars().filter(|c| !c.is_ascii_digit()).take(12).collect();
                sentences.insert(first);
            }
        }
    }
    assert!(loads > MUTATIONS / 100, "only {loads} of {MUTATIONS} loaded");
    assert!(sentences.len() >= 10, "only these sentences: {sentences:?}");
}
