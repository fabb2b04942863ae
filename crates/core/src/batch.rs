//! Batches: the same operation on many independent games at once, on buffers of the caller.
//!
//! Nothing here allocates, except that the vectors of [`afterstates_batch`] grow when needed. Game
//! `i` uses element `i` of every slice, its own generator included, so the result equals that of
//! the games stepped one at a time. An action is the number of [`Game::action`].
//!
//! # Panics
//! Every function panics if the lengths of its slices do not match.

use std::ops::ControlFlow;

use crate::{Game, Rng, Step};

/// The result of one step of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepOutcome {
    /// The new state has a legal move.
    #[default]
    Continuing,
    /// The new state has no legal move.
    Terminal,
    /// The action is not legal in the state or not below [`Game::actions`]. The state is unchanged,
    /// the reward is 0, and no random number is drawn. Every action is illegal in a terminal state.
    Illegal,
}

/// Sets every state to a start state ([`Game::start`]).
pub fn start_batch<G: Game>(game: &G, rngs: &mut [Rng], states: &mut [G::State]) {
    assert_eq!(rngs.len(), states.len(), "start_batch needs one generator per state");
    for (state, rng) in states.iter_mut().zip(rngs) {
        *state = game.start(rng);
    }
}

/// Plays one action in every state and samples the chance outcome.
pub fn step_batch<G: Game>(
    game: &G,
    states: &mut [G::State],
    actions: &[u32],
    rngs: &mut [Rng],
    rewards: &mut [f32],
    outcomes: &mut [StepOutcome],
) {
    let len = states.len();
    assert_eq!(actions.len(), len, "step_batch needs one action per state");
    assert_eq!(rngs.len(), len, "step_batch needs one generator per state");
    assert_eq!(rewards.len(), len, "step_batch needs one reward per state");
    assert_eq!(outcomes.len(), len, "step_batch needs one outcome per state");
    let inputs = states.iter_mut().zip(actions).zip(rngs);
    for (((state, &action), rng), (reward, outcome)) in inputs.zip(rewards.iter_mut().zip(outcomes))
    {
        (*reward, *outcome) = match step(game, state, action) {
            None => (0.0, StepOutcome::Illegal),
            Some(Step { after, reward }) => {
                *state = game.sample(&after, rng);
                let continuing = game.try_moves(state, |_, _| ControlFlow::Break(())).is_break();
                let outcome =
                    if continuing { StepOutcome::Continuing } else { StepOutcome::Terminal };
                (reward, outcome)
            }
        };
    }
}

#[inline]
fn step<G: Game>(game: &G, state: &G::State, action: u32) -> Option<Step<G::After>> {
    let action = usize::try_from(action).ok().filter(|&action| action < game.actions())?;
    game.play(state, game.action(action)).ok()
}

/// Lists the legal moves of all states in the order of [`Game::try_moves`], with afterstates and
/// rewards. Clears the vectors first. The moves of state `i` are at `offsets[i]..offsets[i + 1]`.
pub fn afterstates_batch<G: Game>(
    game: &G,
    states: &[G::State],
    offsets: &mut [u32],
    actions: &mut Vec<u32>,
    afters: &mut Vec<G::After>,
    rewards: &mut Vec<f32>,
) {
    assert_eq!(offsets.len(), states.len() + 1, "afterstates_batch needs one more offset");
    actions.clear();
    afters.clear();
    rewards.clear();
    offsets[0] = 0;
    for (state, offset) in states.iter().zip(&mut offsets[1..]) {
        game.for_each_move(state, |mv, step| {
            actions.push(game.action_number(mv) as u32);
            afters.push(step.after);
            rewards.push(step.reward);
        });
        *offset = u32::try_from(actions.len()).expect("a batch has fewer than 2^32 moves");
    }
}

/// Sets `mask[i * game.actions() + action]` to whether the action is legal in state `i`.
pub fn legal_actions_batch<G: Game>(game: &G, states: &[G::State], mask: &mut [bool]) {
    let actions = game.actions();
    assert_eq!(
        mask.len(),
        states.len() * actions,
        "legal_actions_batch needs one mask element per state and action"
    );
    mask.fill(false);
    for (state, mask) in states.iter().zip(mask.chunks_exact_mut(actions)) {
        game.for_each_move(state, |mv, _| mask[game.action_number(mv)] = true);
    }
}
