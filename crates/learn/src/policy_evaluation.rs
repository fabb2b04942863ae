//! Exact policy evaluation in a small game: the expected score over so many moves. `solve` finds
//! that of the best policy.

use afterstate_core::{Game, Step};

use crate::table::ExplicitMdp;

/// Values per move that differ by less are equal: over 10,000 moves they differ by 1e-8.
const SAME: f64 = 1e-12;

/// The expected score over so many moves from the start, when `policy` gives the index of the move
/// in each state.
pub fn policy_value<G: Game>(game: &ExplicitMdp<G>, moves: u64, policy: &[usize]) -> f64 {
    let mut after_values = vec![0.0; game.afters().len()];
    let mut state_values = vec![0.0; game.states().len()];
    let mut gain = 0.0;
    let mut left = moves;
    while left > 0 {
        for (state, value) in state_values.iter_mut().enumerate() {
            let steps = game.steps(state as u32);
            // A terminal state has the value 0.
            *value = steps.get(policy[state]).map_or(0.0, |step: &Step<u32>| {
                f64::from(step.reward) + after_values[step.after as usize]
            });
        }
        left -= 1;
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for (after, value) in after_values.iter_mut().enumerate() {
            let (states, probabilities) = game.chance_outcomes(after as u32);
            let outcomes = states.iter().zip(probabilities);
            let next: f64 = outcomes.map(|(&state, p)| p * state_values[state as usize]).sum();
            let change = next - *value;
            (min, max) = (change.min(min), change.max(max));
            *value = next;
        }
        // Once a further move adds the same everywhere, every later move does.
        if max - min < SAME {
            gain = max;
            break;
        }
    }
    let mut from_start = left as f64 * gain;
    game.for_each_start(|state, probability| {
        from_start += probability * state_values[state as usize];
    });
    from_start
}
