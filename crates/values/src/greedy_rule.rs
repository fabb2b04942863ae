//! Three greedy rules (Tang 2019): look at one move, and no further.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::reward::survival;

/// A rule by which a move is chosen without learning; ties go to the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GreedyRule {
    /// The most lines at once. Where a game has no lines: the largest reward.
    MostLines,
    /// The best odds that the next state has a move.
    BestSurvival,
    /// One of the two at each move, by the toss of a coin.
    Either,
}

impl GreedyRule {
    /// Every rule with its name.
    pub const ALL: [(&'static str, GreedyRule); 3] = [
        ("most-lines", GreedyRule::MostLines),
        ("best-survival", GreedyRule::BestSurvival),
        ("lines-or-survival", GreedyRule::Either),
    ];

    /// Every move that the rule may choose, with its odds: one, or two moves at even odds.
    pub fn odds<G: Game>(self, game: &G, state: &G::State, mut offer: impl FnMut(Choice<G>, f64)) {
        let rules: &[GreedyRule] = match self {
            GreedyRule::Either => &[GreedyRule::MostLines, GreedyRule::BestSurvival],
            _ => &[self],
        };
        for rule in rules {
            if let Some(choice) = rule.first(game, state) {
                offer(choice, 1.0 / rules.len() as f64);
            }
        }
    }

    /// The move of a rule without a coin.
    fn first<G: Game>(self, game: &G, state: &G::State) -> Option<Choice<G>> {
        let mut best: Option<(Choice<G>, f64)> = None;
        game.for_each_move(state, |mv, step| {
            let choice = (mv, step);
            let value = match self {
                GreedyRule::BestSurvival => survival(game, &step.after),
                _ => game.lines(state, &choice).map_or(f64::from(step.reward), f64::from),
            };
            // Odds are sums of the same numbers in the same order: equal ones are equal.
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((choice, value));
            }
        });
        best.map(|(choice, _)| choice)
    }
}

impl<G: Game> Policy<G> for GreedyRule {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        match self {
            GreedyRule::Either if rng.below(2) == 0 => GreedyRule::MostLines.first(game, state),
            GreedyRule::Either => GreedyRule::BestSurvival.first(game, state),
            rule => rule.first(game, state),
        }
    }
}
