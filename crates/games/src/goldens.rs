//! The perft counts of `tests/perft`, which each game compares with its reference implementation.

use std::path::Path;
use std::str::FromStr;

use afterstate_core::perft::Perft;

use crate::spec::{GameSpec, Spec};

/// The reference implementations are slow: larger counts are not compared.
const MAX_SEQUENCES: u64 = 300_000;

/// The counts of one state for each depth from 1.
struct Golden {
    rules: GameSpec,
    state: String,
    counts: Vec<Perft>,
}

/// Compares the counts of all states of a game with those of its reference implementation.
pub(crate) fn compare<G: Spec>(reference: impl Fn(&G, &G::State, u32) -> Perft) {
    let mut states = 0;
    for Golden { rules, state: text, counts } in goldens() {
        let Some(game) = rules.typed::<G>() else { continue };
        let state = game.parse_state(&text).unwrap();
        let few = |count: &Perft| count.sequences.max(count.dead_ends) <= MAX_SEQUENCES;
        assert!(counts.iter().any(few), "no count of {text} can be compared");
        for (depth, count) in (1..).zip(counts).filter(|(_, count)| few(count)) {
            let expected = reference(game, &state, depth);
            assert_eq!(expected, count, "{rules} to {depth} from {text}");
        }
        states += 1;
    }
    assert!(states > 20, "{states} states were compared");
}

/// Every state of every file.
fn goldens() -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft");
    let mut all = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let mut lines = text.lines().filter(|line| !line.starts_with(';'));
        let rules: GameSpec =
            lines.next().unwrap().strip_prefix("rules ").unwrap().parse().unwrap();
        let before = all.len();
        for line in lines {
            if let Some(state) = line.strip_prefix("from ") {
                let (rules, state) = (rules.clone(), state.to_owned());
                all.push(Golden { rules, state, counts: Vec::new() });
                continue;
            }
            let golden = all[before..].last_mut().expect("counts follow their state");
            let mut words = line.split(' ');
            assert_eq!(number::<usize>(words.next()), golden.counts.len() + 1, "{line}");
            golden.counts.push(Perft {
                sequences: number(words.next()),
                dead_ends: number(words.next()),
                last_rewards: number(words.next()),
            });
        }
    }
    all
}

fn number<N: FromStr>(word: Option<&str>) -> N {
    let parsed = word.and_then(|word| word.parse().ok());
    parsed.unwrap_or_else(|| panic!("found {word:?}, expected a number"))
}
