//! Plain expectimax and minimax: the slow twins that look at everything, one state at a time.

use std::ops::ControlFlow;

use afterstate_core::Game;
use afterstate_core::policy::Choice;

use crate::Evaluator;

/// What a state is worth by expectimax of so many plies, at least one.
pub fn expectimax<G: Game, J: Evaluator<G>>(
    game: &G,
    evaluator: &mut J,
    state: &G::State,
    plies: u32,
) -> f32 {
    if plies <= 1 {
        return evaluator.best(game, state).unwrap_or(evaluator.terminal_value());
    }
    let mut best = None;
    game.for_each_move(state, |mv, step| {
        let value = expectimax_of_move(game, evaluator, state, &(mv, step), plies);
        if best.is_none_or(|most| value > most) {
            best = Some(value);
        }
    });
    best.unwrap_or(evaluator.terminal_value())
}

/// What a move is worth by expectimax of two plies or more.
pub fn expectimax_of_move<G: Game, J: Evaluator<G>>(
    game: &G,
    evaluator: &mut J,
    state: &G::State,
    choice: &Choice<G>,
    plies: u32,
) -> f32 {
    let immediate_reward = evaluator.immediate_reward(game, state, choice);
    let mut mean = 0.0;
    deals(game, &choice.1.after, plies - 1, |state, odds| {
        mean += odds as f32 * expectimax(game, evaluator, state, plies - 1);
    });
    immediate_reward + mean
}

/// What a state is worth by minimax of so many plies, at least one, on top of what the moves before
/// it came to.
pub fn minimax<G: Game, J: Evaluator<G>>(
    game: &G,
    evaluator: &mut J,
    state: &G::State,
    plies: u32,
    so_far: f32,
) -> f32 {
    if plies <= 1 {
        return so_far + evaluator.best(game, state).unwrap_or(evaluator.terminal_value());
    }
    let mut best = None;
    game.for_each_move(state, |mv, step| {
        let value = minimax_of_move(game, evaluator, state, &(mv, step), plies, so_far);
        if best.is_none_or(|most| value > most) {
            best = Some(value);
        }
    });
    best.unwrap_or(so_far + evaluator.terminal_value())
}

/// What a move is worth by minimax of two plies or more.
pub fn minimax_of_move<G: Game, J: Evaluator<G>>(
    game: &G,
    evaluator: &mut J,
    state: &G::State,
    choice: &Choice<G>,
    plies: u32,
    so_far: f32,
) -> f32 {
    let so_far = so_far + evaluator.immediate_reward(game, state, choice);
    let mut worst = f32::INFINITY;
    deals(game, &choice.1.after, plies - 1, |state, _| {
        worst = worst.min(minimax(game, evaluator, state, plies - 1, so_far));
    });
    worst
}

/// What chance may deal before so many plies.
fn deals<G: Game>(game: &G, after: &G::After, plies: u32, mut deal: impl FnMut(&G::State, f64)) {
    let mut each = |state: G::State, odds: f64| {
        deal(&state, odds);
        ControlFlow::<()>::Continue(())
    };
    let _ = if plies <= 1 {
        game.try_next_turn(after, &mut each)
    } else {
        game.try_chance(after, &mut each)
    };
}
