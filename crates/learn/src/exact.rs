//! The exact worth of a policy in a small game that is written out, in the game's own points over
//! so many moves. What the best policy is worth is found by `solve`.

use std::ops::ControlFlow;

use afterstate_core::{Game, Step};

use crate::table::ExplicitMdp;

/// What a state is worth where no move is left.
const OVER: f64 = 0.0;

/// Worths of a move that differ by less are the same: 10,000 of them differ by 1e-8.
const SAME: f64 = 1e-12;

/// The expected sum of points over so many moves from the start, when a policy chooses the number
/// of a move in each state.
pub fn policy_value<G: Game>(game: &ExplicitMdp<G>, moves: u64, policy: &[usize]) -> f64 {
    let mut afters = vec![0.0; game.afters().len()];
    let mut states = vec![0.0; game.states().len()];
    let mut gain = 0.0;
    let mut left = moves;
    while left > 0 {
        for (state, worth) in states.iter_mut().enumerate() {
            let steps = game.steps(state as u32);
            *worth = steps.get(policy[state]).map_or(OVER, |step: &Step<u32>| {
                f64::from(step.reward) + afters[step.after as usize]
            });
        }
        left -= 1;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (after, worth) in afters.iter_mut().enumerate() {
            let (dealt, odds) = game.deals(after as u32);
            let deals = dealt.iter().zip(odds);
            let now: f64 = deals.map(|(&state, odds)| odds * states[state as usize]).sum();
            let more = now - *worth;
            (least, most) = (more.min(least), more.max(most));
            *worth = now;
        }
        // Once another move is worth the same everywhere, it stays so.
        if most - least < SAME {
            gain = most;
            break;
        }
    }
    let mut from_start = left as f64 * gain;
    let _ = game.try_start(|state, odds| {
        from_start += odds * states[state as usize];
        ControlFlow::<()>::Continue(())
    });
    from_start
}
