//! `Episode`: one game from its start state to a terminal state or to a move limit.

use crate::{Game, Policy, Rng};

/// Why an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The state had no legal move.
    Terminal,
    /// The move limit was reached first; the last state need not be terminal.
    Truncated,
}

/// The result of one game.
///
/// ```
/// use afterstate_core::{Ending, Episode, RandomPolicy, Rng};
/// use afterstate_games::twenty48::Twenty48;
///
/// let game = Twenty48::standard();
/// let episode = Episode::play(&game, &mut RandomPolicy, &mut Rng::stream(1, 0));
/// assert_eq!(episode.ending, Ending::Terminal);
/// // The same stream gives the same game.
/// assert_eq!(episode, Episode::play(&game, &mut RandomPolicy, &mut Rng::stream(1, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode<S> {
    /// The undiscounted sum of rewards.
    pub score: f64,
    /// The number of moves.
    pub moves: u64,
    /// The last state.
    pub last: S,
    /// Why the episode ended.
    pub ending: Ending,
}

impl<S> Episode<S> {
    /// Plays one game until a terminal state or the move limit of the rules.
    pub fn play<G: Game<State = S>>(
        game: &G,
        policy: &mut impl Policy<G>,
        rng: &mut Rng,
    ) -> Episode<S> {
        Episode::play_up_to(u64::MAX, game, policy, rng)
    }

    /// Plays one game until a terminal state or the lower of `max_moves` and the rules' limit.
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
