//! Three greedy rules without learning (Tang 2019).

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, Rng};
use afterstate_games::reward::survival;

/// A rule that selects a move without a value function; ties go to the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GreedyRule {
    /// The most lines cleared by the move; in a game without lines, the largest reward.
    MostLines,
    /// The largest probability that the next state is not terminal.
    BestSurvival,
    /// One of the two at each move, with probability 1/2 each.
    Either,
}

impl GreedyRule {
    /// Every rule with its name.
    pub const ALL: [(&'static str, GreedyRule); 3] = [
        ("most-lines", GreedyRule::MostLines),
        ("best-survival", GreedyRule::BestSurvival),
        ("lines-or-survival", GreedyRule::Either),
    ];

    /// Every move that the rule may select, with its probability: one move, or two with 1/2 each.
    pub fn probabilities<G: Game>(
        self,
        game: &G,
        state: &G::State,
        mut each: impl FnMut(Choice<G>, f64),
    ) {
        let rules: &[GreedyRule] = match self {
            GreedyRule::Either => &[GreedyRule::MostLines, GreedyRule::BestSurvival],
            _ => &[self],
        };
        for rule in rules {
            if let Some(choice) = rule.best(game, state) {
                each(choice, 1.0 / rules.len() as f64);
            }
        }
    }

    /// The move of a deterministic rule.
    fn best<G: Game>(self, game: &G, state: &G::State) -> Option<Choice<G>> {
        let best = game.best_move(state, |choice| match self {
            // Equal probabilities are equal sums of the same numbers in the same order.
            GreedyRule::BestSurvival => survival(game, &choice.1.after),
            _ => game.lines(state, choice).map_or(f64::from(choice.1.reward), f64::from),
        });
        best.map(|(choice, _)| choice)
    }
}

impl<G: Game> Policy<G> for GreedyRule {
    fn choose(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Option<Choice<G>> {
        match self {
            GreedyRule::Either if rng.below(2) == 0 => GreedyRule::MostLines.best(game, state),
            GreedyRule::Either => GreedyRule::BestSurvival.best(game, state),
            rule => rule.best(game, state),
        }
    }
}
