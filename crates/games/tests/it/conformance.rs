//! The data of the Python package's conformance suite: boards with all their moves, perft counts and
//! a game, as JSON that any language reads.
//!
//! `REGENERATE=1 cargo test -p afterstate-games --test it conformance` writes it, to be reviewed as a
//! diff.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use afterstate_core::perft::Perft;
use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use serde_json::{Map, Value, json};

use crate::goldens::{drawn_boards, parse_drawn};

/// The rules of each file, the most boards of a kind, and the most moves of a board: a file stays
/// below 100 KiB.
const FILES: [(&str, &str, usize, usize); 4] = [
    ("2048.json", "2048:4x4", 12, 4),
    ("tetris-10x20.json", "tetris:10x20", 1, 34),
    ("tetris-10x10.json", "tetris:10x10", 2, 34),
    ("1010.json", "1010:10x10,pieces=19", 1, 16),
];

/// Games searched for boards of every kind.
const GAMES: u64 = 3000;

/// Counting stops before a depth with more sequences than this: interpreters are slow.
const MAX_SEQUENCES: u64 = 12_000;

/// The contents of a file.
struct Data<'a> {
    rules: &'a str,
    drawn: &'a [String],
    of_a_kind: usize,
    max_moves: usize,
}

impl Visitor for Data<'_> {
    type Output = String;

    fn visit<G: Spec>(self, game: &G) -> String {
        let mut states: Vec<G::State> =
            self.drawn.iter().map(|drawn| parse_drawn(game, drawn)).collect();
        let perft = lines(states.iter().map(|state| counts(game, state)));
        self.add_played(game, &mut states);
        let boards = lines(states.iter().map(|state| with_moves(game, state)));
        let (start, moves) = one_game(game);
        let pieces: Map<String, Value> = game
            .pieces()
            .into_iter()
            .map(|piece| {
                let rows = |text: String| json!(text.split('/').collect::<Vec<_>>());
                let turns = piece.turns.iter().map(|turn| rows(turn.to_string()));
                (piece.name, turns.collect())
            })
            .collect();
        format!(
            "{{\n\"rules\": \"{}\",\n\"pieces\": {},\n\"boards\": {boards},\n\"perft\": {perft},\n\
             \"game\": {{\"start\": {start}, \"moves\": {}}}\n}}\n",
            self.rules,
            Value::Object(pieces),
            lines(moves.into_iter())
        )
    }
}

impl Data<'_> {
    /// Adds states of random and of greedy games, some of every kind: by the legal moves of 2048, by
    /// the piece and the largest reward of other games.
    fn add_played<G: Spec>(&self, game: &G, states: &mut Vec<G::State>) {
        let mut kinds: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for number in 0..GAMES {
            let mut rng = Rng::stream(number, 1);
            let mut state = game.start(&mut rng);
            loop {
                let (mut legal, mut largest, mut count) = (0, 0.0f32, 0);
                game.for_each_move(&state, |mv, step| {
                    count += 1;
                    largest = largest.max(step.reward);
                    legal |= 1 << game.action_number(mv).min(4);
                });
                let mut pieces = vec![0; game.piece_slots()];
                game.write_pieces(&state, &mut pieces);
                let kind = match pieces[..] {
                    [] => (legal, 0),
                    // Terminal states are a kind of their own.
                    [piece, ..] => {
                        (usize::from(piece), if count == 0 { u32::MAX } else { largest as u32 })
                    }
                };
                let same = kinds.entry(kind).or_default();
                if *same < self.of_a_kind && count <= self.max_moves {
                    *same += 1;
                    states.push(state);
                }
                let choice = match number % 2 {
                    0 => RandomPolicy.choose(game, &state, &mut rng),
                    _ => Greedy.choose(game, &state, &mut rng),
                };
                let Some((_, step)) = choice else { break };
                state = game.sample(&step.after, &mut rng);
            }
        }
    }
}

/// A board as rows of tiles, or as text: rows of `#` and `.`, without the empty ones at the top.
fn board<G: Spec>(game: &G, state: &G::State, text: &str) -> Value {
    let height = game.scene(state).height;
    let rows: Vec<&str> = text.lines().collect();
    let rows = &rows[rows.len() - height..];
    if game.piece_slots() == 0 {
        let tile = |word: &str| word.parse::<u64>().unwrap_or(0);
        return rows
            .iter()
            .map(|row| row.split_whitespace().map(tile).collect::<Vec<_>>())
            .collect();
    }
    let filled = rows.iter().skip_while(|row| !row.contains('#'));
    json!(filled.copied().collect::<Vec<_>>().join("|"))
}

/// The board and the piece to place.
fn position<G: Spec>(game: &G, state: &G::State) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("board".into(), board(game, state, &game.state_text(state)));
    if let Some(piece) = game.scene(state).hand.first() {
        fields.insert("piece".into(), json!(piece.name));
    }
    fields
}

/// A state with the reward and the board after each legal move.
fn with_moves<G: Spec>(game: &G, state: &G::State) -> Value {
    let mut moves = Map::new();
    game.for_each_move(state, |mv, step| {
        let after = board(game, state, &game.after_text(&step.after));
        moves.insert(game.move_text(mv), json!([step.reward as i64, after]));
    });
    let mut fields = position(game, state);
    fields.insert("moves".into(), moves.into());
    fields.into()
}

/// Perft in which moves of a placement game that lead to the same board with the same reward count
/// once: a program that lists a symmetric piece in four orientations is right, too.
fn perft<G: Spec>(game: &G, state: &G::State, depth: u32) -> Perft {
    if depth == 0 {
        return Perft { sequences: 1, ..Perft::default() };
    }
    let (mut total, mut seen, mut any) = (Perft::default(), BTreeSet::new(), false);
    game.for_each_move(state, |_, step| {
        any = true;
        let outcome = (game.after_text(&step.after), step.reward.to_bits());
        if game.piece_slots() > 0 && !seen.insert(outcome) {
            return;
        }
        game.for_each_chance(&step.after, |next, _| {
            total += match depth {
                1 => Perft { sequences: 1, dead_ends: 0, last_rewards: step.reward.into() },
                _ => perft(game, &next, depth - 1),
            };
        });
    });
    total.dead_ends += u64::from(!any);
    total
}

fn counts<G: Spec>(game: &G, state: &G::State) -> Value {
    let mut rows = Vec::new();
    for depth in 1..=2 {
        let Perft { sequences, dead_ends, last_rewards } = perft(game, state, depth);
        if depth == 1 || sequences <= MAX_SEQUENCES {
            rows.push(json!([sequences, dead_ends, last_rewards as i64]));
        }
    }
    let mut fields = position(game, state);
    fields.insert("counts".into(), json!(rows));
    fields.into()
}

/// A game of random moves: its start, and each move with its reward and the state after chance.
fn one_game<G: Spec>(game: &G) -> (Value, Vec<Value>) {
    let mut rng = Rng::stream(2, 0);
    let mut state = game.start(&mut rng);
    let (start, mut moves) = (position(game, &state), Vec::new());
    while let Some((mv, step)) = RandomPolicy.choose(game, &state, &mut rng) {
        state = game.sample(&step.after, &mut rng);
        let mut fields = position(game, &state);
        fields.insert("move".into(), json!(game.move_text(mv)));
        fields.insert("reward".into(), json!(step.reward as i64));
        moves.push(fields.into());
    }
    (start.into(), moves)
}

/// A list with one element per line, which reads well as a diff.
fn lines(values: impl Iterator<Item = Value>) -> String {
    format!("[\n{}\n]", values.map(|value| value.to_string()).collect::<Vec<_>>().join(",\n"))
}

#[test]
fn data_is_what_the_rules_do_now() {
    let folder = ["../../python/afterstate/conformance/data"];
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR")].iter().chain(&folder).collect();
    let drawn = drawn_boards();
    for (name, rules, of_a_kind, max_moves) in FILES {
        let data = Data { rules, drawn: &drawn[rules], of_a_kind, max_moves };
        let text = rules.parse::<GameSpec>().unwrap().with(data);
        assert!(text.len() < 100 << 10, "{name} has {} bytes: expected fewer boards", text.len());
        let path = folder.join(name);
        if std::env::var_os("REGENERATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let file = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(text == file, "{} differs from what {rules} does now", path.display());
    }
}
