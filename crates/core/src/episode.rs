//! `Episode`: one game from its start state to a terminal state or to a move limit; `EpisodeLimit`:
//! when a game is truncated.

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

/// When a game is truncated: at a number of moves, or as soon as its end is due, which is asked every
/// 64 moves. A game that never ends must not hold up whoever plays it.
///
/// ```
/// use afterstate_core::EpisodeLimit;
/// use afterstate_games::twenty48::Twenty48;
///
/// let due = || true;
/// let limit = EpisodeLimit::of(&Twenty48::standard()).up_to(1_000);
/// assert!(!limit.is_reached(999) && limit.is_reached(1_000));
/// assert!((0..64).any(|moves| limit.or_when(&due).is_reached(moves)));
/// ```
#[derive(Clone, Copy)]
pub struct EpisodeLimit<'a> {
    max_moves: u64,
    due: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> EpisodeLimit<'a> {
    /// The limit of the rules.
    pub fn of<G: Game>(game: &G) -> EpisodeLimit<'a> {
        EpisodeLimit { max_moves: game.limit().unwrap_or(u64::MAX), due: None }
    }

    /// The same, or so many moves if they are fewer.
    #[must_use]
    pub fn up_to(self, max_moves: u64) -> EpisodeLimit<'a> {
        EpisodeLimit { max_moves: self.max_moves.min(max_moves), ..self }
    }

    /// The same, or earlier if `due` says so.
    #[must_use]
    pub fn or_when(self, due: &'a (dyn Fn() -> bool + Sync)) -> EpisodeLimit<'a> {
        EpisodeLimit { due: Some(due), ..self }
    }

    /// Whether a game with so many moves is truncated.
    #[inline(always)]
    pub fn is_reached(&self, moves: u64) -> bool {
        moves >= self.max_moves || (moves % 64 == 63 && self.is_due())
    }

    #[cold]
    fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due())
    }
}
