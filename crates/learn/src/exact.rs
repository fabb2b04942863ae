//! The exact worth of a small game that never ends: value iteration over a game written out.
//!
//! Counted in the game's own points. The horizon is a number of moves, as in Melax's games of
//! 10,000 pieces; over an endless time every move is worth the same on average (the gain).

use std::ops::ControlFlow;

use afterstate_core::{Game, Index, Step};

use crate::table::Written;

/// What a state is worth where no move is left.
const OVER: f64 = 0.0;

/// Worths of a move that differ by less are the same: 10,000 of them differ by 1e-8.
const SAME: f64 = 1e-12;

/// The largest expected sum of points over so many moves from the start.
pub fn optimum<G: Game>(game: &Written<G>, moves: u64) -> f64 {
    worth(game, moves, |_, steps, afters| {
        let worths = steps.iter().map(|step| worth_of_step(step, afters));
        worths.fold(f64::NEG_INFINITY, f64::max)
    })
}

/// The expected sum of points over so many moves from the start, when a policy chooses the number
/// of a move in each state.
pub fn worth_of<G: Game>(game: &Written<G>, moves: u64, policy: &[usize]) -> f64 {
    worth(game, moves, |state, steps, afters| worth_of_step(&steps[policy[state]], afters))
}

#[inline]
fn worth_of_step(step: &Step<u32>, afters: &[f64]) -> f64 {
    f64::from(step.reward) + afters[step.after as usize]
}

/// Backs values up once for every move. `choose` finds what a state with moves is worth, given
/// what each afterstate is worth.
fn worth<G: Game>(
    game: &Written<G>,
    moves: u64,
    choose: impl Fn(usize, &[Step<u32>], &[f64]) -> f64,
) -> f64 {
    let mut afters = vec![0.0; game.afters().len()];
    let mut states = vec![0.0; game.states().len()];
    let mut gain = 0.0;
    let mut left = moves;
    while left > 0 {
        for (state, worth) in states.iter_mut().enumerate() {
            let steps = game.steps(state as u32);
            *worth = if steps.is_empty() { OVER } else { choose(state, steps, &afters) };
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

/// Whether a game can be played for ever against any luck, and from how many of its numbered
/// afterstates: of all afterstates those are left from which every deal has a move to one that is
/// left. `None` if the game has too many afterstates to number.
pub fn safe<G: Index>(game: &G) -> Option<Safe> {
    let size = usize::try_from(game.index_len()?).ok()?;
    let mut safe: Vec<bool> = (0..size as u64).map(|i| game.after_at(i).is_some()).collect();
    let mut left = safe.iter().filter(|&&safe| safe).count() as u64;
    loop {
        let before = left;
        for number in 0..size {
            if safe[number] && !holds(game, number as u64, &safe) {
                safe[number] = false;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    let mut starts = left > 0;
    let _ = game.try_start(|state, _| {
        starts &= leads(game, &state, &safe);
        ControlFlow::<()>::Continue(())
    });
    Some(Safe { for_ever: starts, afterstates: left })
}

/// Whether a game can be played for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Safe {
    /// From the start, against any luck.
    pub for_ever: bool,
    /// From how many afterstates.
    pub afterstates: u64,
}

fn holds<G: Index>(game: &G, number: u64, safe: &[bool]) -> bool {
    let Some(after) = game.after_at(number) else { return false };
    let lost = game.try_chance(&after, |state, _| match leads(game, &state, safe) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    lost.is_continue()
}

fn leads<G: Index>(game: &G, state: &G::State, safe: &[bool]) -> bool {
    let found = game.try_moves(state, |_, step| match game.index_of(&step.after) {
        Some(number) if safe[number as usize] => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
