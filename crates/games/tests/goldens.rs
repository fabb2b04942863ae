//! Golden files: counts of all sequences (perft) and whole games, one file for each set of rules.
//!
//! `REGENERATE=1 cargo test -p afterstate-games --test goldens` writes them anew, to be read as a
//! diff. The perft counts are compared with slow, obvious twins of the rules in the unit tests of
//! each game; these files hold the documented rules to those counts from then on.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use afterstate_core::perft::perft;
use afterstate_core::text::one_line;
use afterstate_core::{Policy, RandomPlay, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// Moves of each game that are written down.
const MOST_MOVES: usize = 60;

/// Counting stops before a depth with more sequences than this.
const MOST_SEQUENCES: u64 = 300_000;

/// A file name made from a spec.
fn file_name(spec: &str) -> String {
    spec.replace([':', ','], "-").replace('=', "") + ".txt"
}

/// Compares a text with the golden file, or writes it if that is asked for.
fn hold(folder: &str, spec: &str, text: &str) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", folder, &file_name(spec)].iter().collect();
    if std::env::var_os("REGENERATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(text, golden, "{} differs from what {spec} does now", path.display());
}

struct CountSequences;

impl Visitor for CountSequences {
    type Output = String;

    fn visit<G: Spec>(self, game: &G) -> String {
        let mut text = String::from("; depth sequences dead_ends last_rewards\n");
        for seed in 1..=3 {
            // A state from the middle of a random game: more can go wrong there than at the start.
            let mut rng = Rng::stream(seed, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..5 * (seed - 1) {
                if let Some((_, step)) = RandomPlay.choose(game, &state, &mut rng) {
                    state = game.sample(&step.after, &mut rng);
                }
            }
            writeln!(text, "from {}", one_line(&game.state_text(&state))).unwrap();
            let mut before = 1;
            for depth in 1..=6 {
                let count = perft(game, &state, depth);
                let (sequences, dead, rewards) =
                    (count.sequences, count.dead_ends, count.last_rewards);
                writeln!(text, "{depth} {sequences} {dead} {rewards}").unwrap();
                if count.sequences.saturating_mul(count.sequences / before) > MOST_SEQUENCES {
                    break;
                }
                before = count.sequences.max(1);
            }
        }
        text
    }
}

struct PlayThrough;

impl Visitor for PlayThrough {
    type Output = String;

    fn visit<G: Spec>(self, game: &G) -> String {
        let mut rng = Rng::stream(1, 0);
        let mut state = game.start(&mut rng);
        let mut text = game.state_text(&state);
        let mut score = 0.0;
        for number in 1..=MOST_MOVES {
            let Some((mv, step)) = RandomPlay.choose(game, &state, &mut rng) else {
                writeln!(text, "\nover").unwrap();
                break;
            };
            score += step.reward;
            state = game.sample(&step.after, &mut rng);
            let (word, earned) = (game.move_text(mv), step.reward);
            writeln!(text, "\nmove {number}: {word} earns {earned}, score {score}").unwrap();
            text += &game.state_text(&state);
        }
        text
    }
}

#[test]
fn perft_of_all_documented_rules() {
    for spec in GameSpec::documented() {
        hold("perft", spec, &spec.parse::<GameSpec>().unwrap().with(CountSequences));
    }
}

#[test]
fn playthroughs_of_all_documented_rules() {
    for spec in GameSpec::documented() {
        hold("playthroughs", spec, &spec.parse::<GameSpec>().unwrap().with(PlayThrough));
    }
}
