//! The perft counts of `tests/perft`, which each game compares with its reference implementation.

use std::path::Path;
use std::str::FromStr;

use afterstate_core::perft::Perft;

use crate::spec::GameSpec;

/// The reference implementations are slow: larger counts are not compared.
const MAX_SEQUENCES: u64 = 300_000;

/// The counts of one state for each depth from 1.
pub(crate) struct Golden {
    pub(crate) rules: GameSpec,
    pub(crate) state: String,
    counts: Vec<Perft>,
}

impl Golden {
    /// The depths that a reference implementation can count, with their counts.
    pub(crate) fn countable(&self) -> impl Iterator<Item = (u32, Perft)> {
        let few = |count: &Perft| count.sequences.max(count.dead_ends) <= MAX_SEQUENCES;
        (1..).zip(self.counts.iter().copied()).filter(move |(_, count)| few(count))
    }
}

/// Every state of every file; each has a depth that a reference implementation can count.
pub(crate) fn goldens() -> Vec<Golden> {
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
    let checked = |golden: &Golden| golden.countable().next().is_some();
    assert!(all.iter().all(checked), "a state has no count that can be compared");
    all
}

fn number<N: FromStr>(word: Option<&str>) -> N {
    let parsed = word.and_then(|word| word.parse().ok());
    parsed.unwrap_or_else(|| panic!("found {word:?}, expected a number"))
}
