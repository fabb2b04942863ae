//! Policies that are evaluated exactly: best play for a reward, a discount and a number of iterations.

use afterstate_core::policy::Choice;
use afterstate_core::{Policy, Rng};
use afterstate_games::RewardMixture;
use afterstate_games::spec::{GameSpec, Spec};
use afterstate_games::tenten::{State, TenTen};
use afterstate_learn::solution::{Estimate, Solution};
use afterstate_learn::solve::Chain;

use crate::Error;
use crate::measure::Value;

/// Receives each move that a policy may make in a state, with its probability.
pub(super) type Offer<'a> = &'a mut dyn FnMut(Choice<TenTen>, f64);

/// The Markov chain of a game under a policy.
pub(super) fn chain(game: &TenTen, policy: &mut dyn FnMut(&State, Offer)) -> Result<Chain, Error> {
    Chain::new(game, policy).ok_or_else(|| Error::NotEnumerable(game.spec()))
}

/// The Markov chain of a game under a policy without randomness.
pub(super) fn follow(game: &TenTen, policy: &mut dyn Policy<TenTen>) -> Result<Chain, Error> {
    let mut rng = Rng::stream(0, 0);
    chain(game, &mut |state, offer| {
        if let Some(choice) = policy.choose(game, state, &mut rng) {
            offer(choice, 1.0);
        }
    })
}

/// The solution for a reward and a discount, or for survival, after at most so many sweeps.
pub(super) fn solution(
    game: &TenTen,
    reward: Option<RewardMixture>,
    gamma: f64,
    max_sweeps: Option<u64>,
) -> Result<Solution, Error> {
    let engine = afterstate_engine::open(&GameSpec::TenTen(game.clone()));
    let estimate = Estimate { max_sweeps, ..engine.estimate(reward, gamma)? };
    Ok(engine.solve(&estimate, &mut |_| {})?)
}

/// The Markov chain of best play for a reward and a discount, converged or after so many
/// iterations.
pub(super) fn best_play(
    game: &TenTen,
    reward: RewardMixture,
    gamma: f64,
    iterations: Option<u64>,
) -> Result<Chain, Error> {
    // The policy of an iteration is greedy by the values of the one before.
    let sweeps = iterations.map(|iterations| iterations.saturating_sub(1).max(1));
    let solution = solution(game, Some(reward), gamma, sweeps)?;
    follow(game, &mut &solution.table)
}

/// The expected rounds of the policy that survives longest.
pub(super) fn best_survival(game: &TenTen) -> Result<Value, Error> {
    Ok(finite_or_infinite(solution(game, None, 1.0, None)?.optimum))
}

/// The expected rounds under a policy.
pub(super) fn rounds(chain: &Chain) -> Value {
    finite_or_infinite(chain.expected().rounds)
}

/// Expectations are `None` where play may never end.
fn finite_or_infinite(expected: Option<f64>) -> Value {
    Value::exact(expected.unwrap_or(f64::INFINITY))
}
