//! A hash of the behaviour of every game: it changes only if play changes.

use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// The most moves of a game.
const MAX_MOVES: u64 = 200;

/// The seeds of the games.
const SEEDS: [u64; 3] = [1, 2, 3];

/// States that random games rarely reach: rows and columns that clear, pieces at the top, tiles
/// that exceed a nibble, terminal states. All sequences of two moves from them are hashed.
const DRAWN: &[(&str, &str)] = &[
    ("2048:4x4", "32768 32768 65536 65536|2 2 4 4|2 4 2 4|. . . ."),
    ("2048:4x4", "131072 65536 32768 16384|2 4 8 16|4 8 16 32|8 16 32 32"),
    ("2048:2x2", "2 4|4 2"),
    ("tetris:10x10", "I|.#########|.#########|.#########|.#########|.#########"),
    (
        "tetris:10x10",
        "T|.........#|.#########|#.########|#########.|#########.|.#########|#.#.#.#.#.|#########.|.#########",
    ),
    (
        "tetris:10x10,overflow=clear",
        "I|.........#|.#########|#.########|#########.|#########.|.#########|#.#.#.#.#.|#########.|.#########",
    ),
    (
        "tetris:10x10,overflow=clear",
        "L|.########.|.########.|.########.|.########.|.########.|.########.|.########.|.########.|.########.",
    ),
    ("tetris:10x20,next", "S Z|..########|#..#######|##..######"),
    ("tetris:6x2,melax", "corner|#.####|####.#"),
    (
        "1010:10x10,pieces=19",
        "5x1|.#########|.#########|.#########|.#########|.#########|..........|..........|..........|..........|..........",
    ),
    ("1010:4x4,pieces=7,score=square", "2nw|..##|.###|##..|##.."),
    ("1010:4x4,pieces=7,hand=2", "1x1 2x1|.###|.#..|#.#.|###."),
];

/// Plays fixed games under all documented rules, expands the drawn states, and hashes every state,
/// move and reward.
pub fn fingerprint() -> u64 {
    let mut hash = Fnv::default();
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().expect("documented rules are playable");
        hash.add(text.as_bytes());
        spec.with(Play(&mut hash));
    }
    for (text, drawn) in DRAWN {
        let spec: GameSpec = text.parse().expect("the rules of drawn states are playable");
        spec.with(Expand(&mut hash, drawn));
    }
    hash.finish()
}

struct Expand<'a>(&'a mut Fnv, &'a str);

impl Visitor for Expand<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let state = game.parse_state(self.1).expect("drawn states are valid");
        expand(game, &state, 2, self.0);
    }
}

fn expand<G: Spec>(game: &G, state: &G::State, depth: u32, hash: &mut Fnv) {
    game.for_each_move(state, |mv, step| {
        hash.add(&(game.action_number(mv) as u64).to_le_bytes());
        hash.add(&step.reward.to_le_bytes());
        hash.add(game.after_text(&step.after).as_bytes());
        if depth > 1 {
            let mut first = true;
            game.for_each_chance(&step.after, |next, probability| {
                hash.add(&probability.to_le_bytes());
                if std::mem::take(&mut first) {
                    expand(game, &next, depth - 1, hash);
                }
            });
        }
    });
}

struct Play<'a>(&'a mut Fnv);

impl Visitor for Play<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        for seed in SEEDS {
            play(game, &mut RandomPolicy, &mut Rng::stream(seed, 0), self.0);
            play(game, &mut Greedy, &mut Rng::stream(seed, 1), self.0);
        }
    }
}

fn play<G: Spec>(game: &G, policy: &mut impl Policy<G>, rng: &mut Rng, hash: &mut Fnv) {
    let mut state = game.start(rng);
    for _ in 0..MAX_MOVES {
        hash.add(game.state_text(&state).as_bytes());
        let Some((mv, step)) = policy.choose(game, &state, rng) else { break };
        hash.add(&(game.action_number(mv) as u64).to_le_bytes());
        hash.add(&step.reward.to_le_bytes());
        state = game.sample(&step.after, rng);
    }
}

/// The 64-bit FNV-1a hash, which never changes, unlike the hasher of the standard library.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash of all bytes.
    pub fn finish(&self) -> u64 {
        self.0
    }
}
