//! Reward functions: the quantity that a learner or solver maximises, which may differ from the
//! game's score.

use std::fmt;
use std::str::FromStr;

use afterstate_core::Game;
use afterstate_core::policy::Choice;

/// A reward function R(s, a).
pub trait RewardFunction<G: Game>: Send + Sync {
    /// The reward of a legal move of a state.
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32;
}

/// The game's own points, times a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points(pub f32);

impl<G: Game> RewardFunction<G> for Points {
    #[inline]
    fn reward(&self, _: &G, _: &G::State, choice: &Choice<G>) -> f32 {
        self.0 * choice.1.reward
    }
}

/// A reward function as a weighted sum of four terms; the fields are their coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RewardMixture {
    /// The game's own points.
    pub score: f32,
    /// The square of the number of lines that a move clears.
    pub lines: f32,
    /// The expected number of legal moves of the next state.
    pub moves: f32,
    /// A constant per move, which rewards long games.
    pub step: f32,
}

/// Named mixtures: the rewards of Tang's study.
const NAMED: [(&str, RewardMixture); 3] = [
    ("r1", RewardMixture { score: 0.0, lines: 1.0, moves: 1.0, step: 0.0 }),
    ("r2", RewardMixture { score: 0.0, lines: 1.0, moves: 0.0, step: 0.0 }),
    ("r3", RewardMixture { score: 0.0, lines: 0.0, moves: 1.0, step: 0.0 }),
];

impl RewardMixture {
    /// The game's own points.
    pub const SCORE: RewardMixture =
        RewardMixture { score: 1.0, lines: 0.0, moves: 0.0, step: 0.0 };
    /// One per move.
    pub const STEP: RewardMixture = RewardMixture { score: 0.0, lines: 0.0, moves: 0.0, step: 1.0 };

    /// The terms that do not depend on the chance outcome: all but `moves`.
    #[inline]
    pub fn of_move<G: Game>(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        let mut sum = self.step + self.score * choice.1.reward;
        if self.lines != 0.0 {
            let lines = game.lines(state, choice).unwrap_or(0) as f32;
            sum += self.lines * lines * lines;
        }
        sum
    }

    /// The term that depends on the chance outcome: the expected number of next moves.
    #[inline]
    pub fn of_after<G: Game>(&self, game: &G, after: &G::After) -> f32 {
        if self.moves == 0.0 { 0.0 } else { self.moves * expected_moves(game, after) as f32 }
    }

    fn parts(&self) -> [(&'static str, f32); 4] {
        [("score", self.score), ("lines", self.lines), ("moves", self.moves), ("step", self.step)]
    }
}

impl<G: Game> RewardFunction<G> for RewardMixture {
    fn reward(&self, game: &G, state: &G::State, choice: &Choice<G>) -> f32 {
        self.of_move(game, state, choice) + self.of_after(game, &choice.1.after)
    }
}

/// The expected number of legal moves over the chance outcomes of an afterstate.
pub fn expected_moves<G: Game>(game: &G, after: &G::After) -> f64 {
    let mut sum = 0.0;
    game.for_each_chance(after, |state, probability| {
        sum += probability * game.count_moves(&state) as f64;
    });
    sum
}

/// The survival probability of an afterstate: that the chance outcome is not terminal.
pub fn survival<G: Game>(game: &G, after: &G::After) -> f64 {
    let mut sum = 0.0;
    game.for_each_chance(after, |state, probability| {
        if game.count_moves(&state) > 0 {
            sum += probability;
        }
    });
    sum
}

/// What batches of moves learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The points of a game.
    Points,
    /// Rounds to come, each with so many points, times the discount factor per round. The
    /// probability that the next state can be played is computed, so that a sampled end changes
    /// nothing.
    Survival {
        /// The points of a round.
        points: f32,
        /// The discount factor.
        discount: f32,
    },
}

/// The text is not a reward mixture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid reward {0:?}: expected r1, r2, r3, or a sum such as score, step or 2*lines+0.5*moves"
)]
pub struct RewardMixtureError(String);

impl FromStr for RewardMixture {
    type Err = RewardMixtureError;

    fn from_str(text: &str) -> Result<RewardMixture, RewardMixtureError> {
        if let Some((_, reward)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*reward);
        }
        let error = || RewardMixtureError(text.chars().take(60).collect());
        let mut reward = RewardMixture::default();
        for part in text.split('+') {
            let (weight, name) = part.split_once('*').unwrap_or(("1", part));
            let weight: f32 = weight.trim().parse().map_err(|_| error())?;
            if !weight.is_finite() {
                return Err(error());
            }
            *match name.trim() {
                "score" => &mut reward.score,
                "lines" => &mut reward.lines,
                "moves" => &mut reward.moves,
                "step" => &mut reward.step,
                _ => return Err(error()),
            } += weight;
        }
        Ok(reward)
    }
}

impl fmt::Display for RewardMixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, reward)| reward == self) {
            return f.write_str(name);
        }
        let parts = self.parts();
        let mut first = true;
        for (name, weight) in parts.into_iter().filter(|part| part.1 != 0.0) {
            f.write_str(if first { "" } else { "+" })?;
            first = false;
            if weight == 1.0 { f.write_str(name) } else { write!(f, "{weight}*{name}") }?;
        }
        if first { f.write_str("0*score") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_are_parsed_and_printed() {
        for text in ["r1", "r2", "r3", "score", "step", "0.5*lines+2*moves", "0*score"] {
            assert_eq!(text.parse::<RewardMixture>().unwrap().to_string(), text);
        }
        assert_eq!("lines+moves".parse::<RewardMixture>().unwrap().to_string(), "r1");
        assert_eq!("step".parse(), Ok(RewardMixture::STEP));
        for text in ["", "r4", "inf*score", "score+", "2 score"] {
            assert!(text.parse::<RewardMixture>().is_err(), "{text}");
        }
    }
}
