//! One number for the behaviour of every game: it changes only when play changes.

use afterstate_core::{Greedy, Policy, RandomPolicy, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// Moves that are followed in each game.
const MAX_MOVES: u64 = 200;

/// Seeds of the games that are followed.
const SEEDS: [u64; 3] = [1, 2, 3];

/// States in which more happens than in random games: rows and columns that clear, pieces at the
/// top, tiles beyond a nibble, ends. All that can follow within two moves is folded in.
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

/// Plays fixed games under all documented rules, walks on from some drawn states, and folds every
/// state, move and reward into one number.
pub fn fingerprint() -> u64 {
    let mut hash = Fnv::new();
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().expect("documented rules are playable");
        hash.add(text.as_bytes());
        spec.with(Follow(&mut hash));
    }
    for (text, drawn) in DRAWN {
        let spec: GameSpec = text.parse().expect("the rules of drawn states are playable");
        spec.with(WalkOn(&mut hash, drawn));
    }
    hash.0
}

struct WalkOn<'a>(&'a mut Fnv, &'a str);

impl Visitor for WalkOn<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let state = game.parse_state(self.1).expect("drawn states can be read");
        walk_on(game, &state, 2, self.0);
    }
}

fn walk_on<G: Spec>(game: &G, state: &G::State, depth: u32, hash: &mut Fnv) {
    game.for_each_move(state, |mv, step| {
        hash.add(&(game.action_number(mv) as u64).to_le_bytes());
        hash.add(&step.reward.to_le_bytes());
        hash.add(game.after_text(&step.after).as_bytes());
        if depth > 1 {
            let mut first = true;
            game.for_each_chance(&step.after, |next, odds| {
                hash.add(&odds.to_le_bytes());
                if std::mem::take(&mut first) {
                    walk_on(game, &next, depth - 1, hash);
                }
            });
        }
    });
}

struct Follow<'a>(&'a mut Fnv);

impl Visitor for Follow<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        for seed in SEEDS {
            follow(game, &mut RandomPolicy, &mut Rng::stream(seed, 0), self.0);
            follow(game, &mut Greedy, &mut Rng::stream(seed, 1), self.0);
        }
    }
}

fn follow<G: Spec>(game: &G, policy: &mut impl Policy<G>, rng: &mut Rng, hash: &mut Fnv) {
    let mut state = game.start(rng);
    for _ in 0..MAX_MOVES {
        hash.add(game.state_text(&state).as_bytes());
        let Some((mv, step)) = policy.choose(game, &state, rng) else { break };
        hash.add(&(game.action_number(mv) as u64).to_le_bytes());
        hash.add(&step.reward.to_le_bytes());
        state = game.sample(&step.after, rng);
    }
}

/// FNV-1a: fixed for all time, unlike the standard library's hasher.
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_is_the_published_one() {
        let mut hash = Fnv::new();
        hash.add(b"foobar");
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }

    /// If this fails, some game plays differently than before: mend it, or raise the game's
    /// `VERSION`, run `cargo xtask regenerate` and say why in the commit.
    #[test]
    fn behaviour_is_as_pinned() {
        assert_eq!(format!("{:016x}", fingerprint()), "5d07902dad615730");
    }
}
