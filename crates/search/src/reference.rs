//! Reference implementations of expectimax and minimax: every node, one state at a time.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use crate::Evaluator;
use crate::expectimax::surprisal;

/// The value of a state by expectimax of that many plies, at least one.
pub fn expectimax<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    plies: u32,
) -> f32 {
    likely_expectimax(game, evaluator, state, plies, None)
}

/// The same where a line has at most this surprisal: a chance outcome that has more is not searched.
/// The last ply is of any surprisal.
pub fn likely_expectimax<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    plies: u32,
    surprisal_left: Option<u32>,
) -> f32 {
    if plies <= 1 {
        return evaluator.best(game, state).unwrap_or(evaluator.terminal_value());
    }
    let mut best = None;
    game.for_each_move(state, |mv, step| {
        let choice = (mv, step);
        let value =
            likely_expectimax_of_move(game, evaluator, state, &choice, plies, surprisal_left);
        if best.is_none_or(|largest| value > largest) {
            best = Some(value);
        }
    });
    best.unwrap_or(evaluator.terminal_value())
}

/// The value of a move by expectimax of two plies or more.
pub fn expectimax_of_move<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    choice: &Choice<G>,
    plies: u32,
) -> f32 {
    likely_expectimax_of_move(game, evaluator, state, choice, plies, None)
}

/// The value of a move by [`likely_expectimax`] of two plies or more.
pub fn likely_expectimax_of_move<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    choice: &Choice<G>,
    plies: u32,
    surprisal_left: Option<u32>,
) -> f32 {
    let immediate_reward = evaluator.immediate_reward(game, state, choice);
    let (mut mean, plies) = (0.0, plies - 1);
    for_each_outcome(game, &choice.1.after, plies, |state, probability| {
        let value = match surprisal_left.filter(|_| plies > 1) {
            None => likely_expectimax(game, evaluator, state, plies, surprisal_left),
            Some(left) => match left.checked_sub(surprisal(probability)) {
                Some(left) => likely_expectimax(game, evaluator, state, plies, Some(left)),
                None => likely_expectimax(game, evaluator, state, 1, None),
            },
        };
        mean += probability as f32 * value;
    });
    immediate_reward + mean
}

/// The value of a state by minimax of that many plies, at least one, plus `reward_so_far`, the sum
/// of the rewards before it.
pub fn minimax<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    plies: u32,
    reward_so_far: f32,
) -> f32 {
    if plies <= 1 {
        return reward_so_far + evaluator.best(game, state).unwrap_or(evaluator.terminal_value());
    }
    let mut best = None;
    game.for_each_move(state, |mv, step| {
        let value = minimax_of_move(game, evaluator, state, &(mv, step), plies, reward_so_far);
        if best.is_none_or(|largest| value > largest) {
            best = Some(value);
        }
    });
    best.unwrap_or(reward_so_far + evaluator.terminal_value())
}

/// The value of a move by minimax of two plies or more, plus `reward_so_far`.
pub fn minimax_of_move<G: Game, E: Evaluator<G> + ?Sized>(
    game: &G,
    evaluator: &mut E,
    state: &G::State,
    choice: &Choice<G>,
    plies: u32,
    reward_so_far: f32,
) -> f32 {
    let reward_so_far = reward_so_far + evaluator.immediate_reward(game, state, choice);
    let mut worst = f32::INFINITY;
    for_each_outcome(game, &choice.1.after, plies - 1, |state, _| {
        worst = worst.min(minimax(game, evaluator, state, plies - 1, reward_so_far));
    });
    worst
}

/// The chance outcomes after a move when that many plies follow.
fn for_each_outcome<G: Game>(
    game: &G,
    after: &G::After,
    plies: u32,
    mut each: impl FnMut(&G::State, f64),
) {
    let mut each = |state: G::State, probability: f64| {
        each(&state, probability);
        ControlFlow::<()>::Continue(())
    };
    let _ = if plies <= 1 {
        game.try_next_turn(after, &mut each)
    } else {
        game.try_chance(after, &mut each)
    };
}
