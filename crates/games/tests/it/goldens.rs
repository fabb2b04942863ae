//! Golden files: counts of all sequences (perft) and whole games, one file for each set of rules,
//! from states of random play and from the drawn boards of `boards.txt`.
//!
//! `REGENERATE=1 cargo test -p afterstate-games --test it goldens` regenerates them, to be reviewed
//! as a diff. The unit tests of each game compare the counts with its reference implementation.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use afterstate_core::perft::{Perft, perft};
use afterstate_core::text::one_line;
use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// The number of moves of a random game.
const MAX_MOVES: usize = 60;

/// The number of moves of a game from a drawn board.
const MAX_MOVES_DRAWN: usize = 3;

/// Counting stops before a depth with more sequences than this.
const MAX_SEQUENCES: u64 = 300_000;

/// The only documented rules without terminal states.
const ENDLESS: &str = "tetris:6x2,melax";

/// A file name made from a spec.
fn file_name(spec: &str) -> String {
    spec.replace([':', ','], "-").replace('=', "") + ".txt"
}

fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", name].iter().collect()
}

/// Compares a text with the golden file, or writes the file with `REGENERATE`.
fn compare(folder_name: &str, spec: &str, text: &str) {
    let path = folder(folder_name).join(file_name(spec));
    if std::env::var_os("REGENERATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(text, golden, "{} differs from what {spec} does now", path.display());
}

/// The drawn boards of each set of rules.
pub(crate) fn drawn_boards() -> BTreeMap<String, Vec<String>> {
    let mut boards: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut specs: Vec<String> = Vec::new();
    let text = fs::read_to_string(folder("boards.txt")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    for paragraph in lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()) {
        match paragraph[0].strip_prefix("rules ") {
            Some(names) => specs = names.split(' ').map(str::to_owned).collect(),
            None => {
                for spec in &specs {
                    boards.entry(spec.clone()).or_default().push(paragraph.join("\n"));
                }
            }
        }
    }
    boards
}

/// Perft from random and from drawn states: the text, and the sum over the drawn states.
struct CountSequences<'a> {
    spec: &'a str,
    drawn: &'a [String],
}

impl Visitor for CountSequences<'_> {
    type Output = (String, Perft);

    fn visit<G: Spec>(self, game: &G) -> (String, Perft) {
        let mut text = format!("rules {}\n; depth sequences dead_ends last_rewards\n", self.spec);
        for seed in 1..=3 {
            // States from the start and from the middle of a random game.
            let mut rng = Rng::stream(seed, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..5 * (seed - 1) {
                if let Some((_, step)) = RandomPolicy.choose(game, &state, &mut rng) {
                    state = game.sample(&step.after, &mut rng);
                }
            }
            count_from(game, &state, &mut text);
        }
        text += "; drawn\n";
        let mut total = Perft::default();
        for drawn in self.drawn {
            total += count_from(game, &parse_drawn(game, drawn), &mut text);
        }
        (text, total)
    }
}

pub(crate) fn parse_drawn<G: Spec>(game: &G, drawn: &str) -> G::State {
    game.parse_state(drawn).unwrap_or_else(|error| panic!("{error}, parsing\n{drawn}"))
}

/// Writes the counts of all depths and returns their sum.
fn count_from<G: Spec>(game: &G, state: &G::State, text: &mut String) -> Perft {
    let mut total = Perft::default();
    writeln!(text, "from {}", one_line(&game.state_text(state))).unwrap();
    let mut before = 1;
    for depth in 1..=6 {
        let count = perft(game, state, depth);
        let (sequences, dead, rewards) = (count.sequences, count.dead_ends, count.last_rewards);
        writeln!(text, "{depth} {sequences} {dead} {rewards}").unwrap();
        total += count;
        if sequences == 0 || sequences.saturating_mul(sequences / before) > MAX_SEQUENCES {
            break;
        }
        before = sequences;
    }
    total
}

/// One random game from the start, and the first moves of a greedy one from every drawn board.
struct PlayThrough<'a> {
    drawn: &'a [String],
}

impl Visitor for PlayThrough<'_> {
    type Output = String;

    fn visit<G: Spec>(self, game: &G) -> String {
        let mut rng = Rng::stream(1, 0);
        let start = game.start(&mut rng);
        let mut text = play_from(game, start, &mut RandomPolicy, &mut rng, MAX_MOVES);
        for (number, drawn) in (1..).zip(self.drawn) {
            writeln!(text, "\ndrawn board {number}").unwrap();
            let (start, mut rng) = (parse_drawn(game, drawn), Rng::stream(1, number));
            text += &play_from(game, start, &mut Greedy, &mut rng, MAX_MOVES_DRAWN);
        }
        text
    }
}

fn play_from<G: Spec>(
    game: &G,
    mut state: G::State,
    policy: &mut impl Policy<G>,
    rng: &mut Rng,
    max_moves: usize,
) -> String {
    let mut text = game.state_text(&state);
    let mut score = 0.0;
    for number in 1..=max_moves {
        let Some((mv, step)) = policy.choose(game, &state, rng) else {
            writeln!(text, "\nover").unwrap();
            break;
        };
        score += step.reward;
        state = game.sample(&step.after, rng);
        let (word, reward) = (game.move_text(mv), step.reward);
        writeln!(text, "\nmove {number}: {word} earns {reward}, score {score}").unwrap();
        text += &game.state_text(&state);
    }
    text
}

#[test]
fn perft_of_all_documented_rules() {
    let boards = drawn_boards();
    let mut counts = HashSet::new();
    for spec in GameSpec::documented() {
        let counting = CountSequences { spec, drawn: &boards[spec] };
        let (text, total) = spec.parse::<GameSpec>().unwrap().with(counting);
        compare("perft", spec, &text);
        // Drawn boards show rare events.
        assert!(total.last_rewards != 0.0, "no reward on the boards of {spec}");
        assert_eq!(total.dead_ends == 0, spec == ENDLESS, "dead ends on the boards of {spec}");
        let (_, without_name) = text.split_once('\n').unwrap();
        assert!(counts.insert(without_name.to_owned()), "{spec} counts like another game");
    }
}

#[test]
fn playthroughs_of_all_documented_rules() {
    let boards = drawn_boards();
    for spec in GameSpec::documented() {
        let playing = PlayThrough { drawn: &boards[spec] };
        compare("playthroughs", spec, &spec.parse::<GameSpec>().unwrap().with(playing));
    }
}

#[test]
fn there_is_a_file_for_each_documented_set_of_rules_and_no_other() {
    let documented: BTreeSet<String> = GameSpec::documented().map(str::to_owned).collect();
    assert_eq!(drawn_boards().into_keys().collect::<BTreeSet<_>>(), documented, "boards.txt");
    let expected: BTreeSet<String> = GameSpec::documented().map(file_name).collect();
    for name in ["perft", "playthroughs"] {
        let files = fs::read_dir(folder(name)).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(files.collect::<BTreeSet<_>>(), expected, "the folder {name}");
    }
}
