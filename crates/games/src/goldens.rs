//! The stored counts of `tests/perft`, which the tests of each game hold to its slow twin.

use std::path::Path;
use std::str::FromStr;

use afterstate_core::perft::Perft;

use crate::spec::GameSpec;

/// The twins are slow: of deeper counts they check nothing.
const MOST_SEQUENCES: u64 = 300_000;

/// What is stored of one state: the counts of each depth, from 1.
pub(crate) struct Stored {
    pub(crate) rules: GameSpec,
    pub(crate) state: String,
    counts: Vec<Perft>,
}

impl Stored {
    /// The depths that a slow twin can walk, with their counts.
    pub(crate) fn walkable(&self) -> impl Iterator<Item = (u32, Perft)> {
        let few = |count: &Perft| count.sequences.max(count.dead_ends) <= MOST_SEQUENCES;
        (1..).zip(self.counts.iter().copied()).filter(move |(_, count)| few(count))
    }
}

/// Every state of every file; each has a depth that a twin can walk.
pub(crate) fn stored() -> Vec<Stored> {
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
                all.push(Stored { rules, state, counts: Vec::new() });
                continue;
            }
            let stored = all[before..].last_mut().expect("counts stand below their state");
            let mut words = line.split(' ');
            assert_eq!(number::<usize>(words.next()), stored.counts.len() + 1, "{line}");
            stored.counts.push(Perft {
                sequences: number(words.next()),
                dead_ends: number(words.next()),
                last_rewards: number(words.next()),
            });
        }
    }
    let checked = |stored: &Stored| stored.walkable().next().is_some();
    assert!(all.iter().all(checked), "a state without a count that a twin can check");
    all
}

fn number<N: FromStr>(word: Option<&str>) -> N {
    let parsed = word.and_then(|word| word.parse().ok());
    parsed.unwrap_or_else(|| panic!("met {word:?}, expected a number"))
}
