//! One number for the behaviour of every game: it changes only when play changes.

use afterstate_core::{Greedy, Policy, RandomPlay, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};

/// Moves that are followed in each game.
const MOST_MOVES: u64 = 200;

/// Seeds of the games that are followed.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Plays fixed games under all documented rules and folds every state, move and reward into one
/// number.
pub fn fingerprint() -> u64 {
    let mut hash = Fnv::new();
    for text in GameSpec::documented() {
        let spec: GameSpec = text.parse().expect("documented rules are playable");
        hash.add(text.as_bytes());
        spec.with(Follow(&mut hash));
    }
    hash.0
}

struct Follow<'a>(&'a mut Fnv);

impl Visitor for Follow<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        for seed in SEEDS {
            follow(game, &mut RandomPlay, &mut Rng::stream(seed, 0), self.0);
            follow(game, &mut Greedy, &mut Rng::stream(seed, 1), self.0);
        }
    }
}

fn follow<G: Spec>(game: &G, policy: &mut impl Policy<G>, rng: &mut Rng, hash: &mut Fnv) {
    let mut state = game.start(rng);
    for _ in 0..MOST_MOVES {
        hash.add(game.state_text(&state).as_bytes());
        let Some((mv, step)) = policy.choose(game, &state, rng) else { break };
        hash.add(&game.action_number(mv).to_le_bytes());
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
        assert_eq!(format!("{:016x}", fingerprint()), "4a3336d6116f83d9");
    }
}
