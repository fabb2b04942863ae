//! Deterministic mutations of real inputs: bytes, digits, words of the formats, and pieces of others.

use afterstate_core::Rng;

/// Words and numbers that the formats give a meaning to, or that exceed what they hold.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\n",
    "\0",
    "\u{feff}",
    "é",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999",
    "2048:",
    "tetris:",
    "1010:",
    "4x4",
    "99x99",
    "0x0",
    "pieces=",
    "hand=",
    "next",
    "score=square",
    "@",
    "|",
    "#",
    "=",
    ",",
    ":",
    ".",
    "-",
    "/",
    "+",
    "expectimax:",
    "minimax:",
    "ms",
    "beam=",
    "linear:",
    "../../x",
    "budget.",
    "network.tuples=",
    "phase.0.rate=",
    "game=",
    "[[phase]]",
    "seed=",
    "\"moves\":[",
    "1 1 1 1 1 1",
];

/// Changes some bytes, one to six times; `others` are the inputs that pieces are taken from.
pub(crate) fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut Rng) {
    for _ in 0..=rng.below(6) {
        mutate_once(bytes, others, rng);
    }
    bytes.truncate(1 << 17);
}

/// The part of an input that has half of all changes: headers are there, and weights after them.
const HEADER: usize = 1 << 12;

/// A place up to `length`.
fn place(length: usize, rng: &mut Rng) -> usize {
    let end = if rng.below(2) == 0 { length.min(HEADER) } else { length };
    rng.below(end + 1)
}

fn mutate_once(bytes: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut Rng) {
    let at = place(bytes.len(), rng);
    let end = (at + rng.below(24)).min(bytes.len());
    match rng.below(11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        1 if at < bytes.len() => bytes[at] = rng.bits() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copied = bytes[at..end].to_vec();
            let to = place(bytes.len(), rng);
            drop(bytes.splice(to..to, copied));
        }
        5 | 6 => {
            let word = WORDS[rng.below(WORDS.len())].bytes();
            let over = if rng.below(2) == 0 { at } else { end };
            drop(bytes.splice(at..over, word));
        }
        7 | 8 => {
            // Another digit, the next one: what is still well formed has another meaning.
            if let Some(digit) = bytes[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                *digit = b'0' + rng.below(10) as u8;
            }
        }
        9 => {
            let other = &others[rng.below(others.len())];
            let begin = rng.below(other.len() + 1);
            let stop = (begin + rng.below(200)).min(other.len());
            drop(bytes.splice(at..end, other[begin..stop].iter().copied()));
        }
        _ => {
            // A run of one byte, as long as nobody expects.
            let byte = bytes.get(at).copied().unwrap_or(b'[');
            let length = 1 << rng.below(13);
            drop(bytes.splice(at..at, std::iter::repeat_n(byte, length)));
        }
    }
}

#[test]
fn half_of_the_changes_of_a_large_input_are_in_its_header() {
    let (body, mut rng) = (vec![b'a'; 1 << 20], Rng::stream(1, 0));
    let is_in_header = |_: &usize| {
        let mut bytes = body.clone();
        mutate_once(&mut bytes, &[vec![b'b'; 9]], &mut rng);
        bytes.iter().zip(&body).take(HEADER).any(|(new, old)| new != old)
    };
    // Some mutations change nothing here, such as another digit.
    let changed = (0..300).filter(is_in_header).count();
    assert!((45..150).contains(&changed), "{changed} of 300");
}
