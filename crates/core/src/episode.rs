//! `Episode`: one game from the start to its end, the loop that evaluation and benchmarks share.

use crate::{Game, Policy, Rng};

/// Why an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The state had no legal move.
    Terminal,
    /// The limit on moves was reached; the game could have gone on.
    Truncated,
}

/// What one game came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode<S> {
    /// The sum of all rewards.
    pub score: f64,
    /// How many moves were made.
    pub moves: u64,
    /// The state in which it ended.
    pub last: S,
    /// Why it ended.
    pub ending: Ending,
}

impl<S> Episode<S> {
    /// Plays one game to its end, or to the rules' limit on moves.
    pub fn play<G: Game<State = S>>(
        game: &G,
        policy: &mut impl Policy<G>,
        rng: &mut Rng,
    ) -> Episode<S> {
        Episode::play_up_to(u64::MAX, game, policy, rng)
    }

    /// Plays one game to its end, or to a limit on moves if that is lower than the rules' own.
    pub fn play_up_to<G: Game<State = S>>(
        max_moves: u64,
        game: &G,
        policy: &mut impl Policy<G>,
        rng: &mut Rng,
    ) -> Episode<S> {
        let limit = game.limit().unwrap_or(u64::MAX).min(max_moves);
        let mut last = game.start(rng);
        let (mut score, mut moves) = (0.0, 0);
        while moves < limit {
            let Some((_, step)) = policy.choose(game, &last, rng) else {
                return Episode { score, moves, last, ending: Ending::Terminal };
            };
            score += f64::from(step.reward);
            moves += 1;
            last = game.sample(&step.after, rng);
        }
        Episode { score, moves, last, ending: Ending::Truncated }
    }
}
