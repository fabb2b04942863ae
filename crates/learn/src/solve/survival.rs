//! Policies that survive longest: the boards from which play need never end, and the expected length
//! of a game.
//!
//! The expected number of moves of the longest-lived play is `L (1 - g(a))` on a board `a`, with
//! `L` that of the start. In `g` the equation reads
//!
//! `g(a) = E[ 1 where there is no move, else min over moves of g(a') ] - s(a) / L`, `g(start) = 0`,
//!
//! where `s` is the probability that there is a move: an average-cost problem with cost 1 for a
//! death, whose cost per move is `1 / L`. Relative value iteration (White 1963) solves it in as many
//! sweeps as the chain takes to mix; value iteration of expected lengths would take as many sweeps as
//! games have moves. Values near the start are small and keep all their digits.

use afterstate_games::{Real, TransitionModel};
use rayon::prelude::*;

use super::{SolveProgress, sweep};

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest relative change of a value at convergence.
    pub tolerance: f64,
    /// The largest number of sweeps.
    pub max_sweeps: u64,
}

impl Limits {
    /// Limits for the precision of a number type.
    pub fn of<T: Real>() -> Limits {
        let tolerance = if size_of::<T>() == 4 { 1e-5 } else { 1e-10 };
        Limits { tolerance, max_sweeps: 20_000 }
    }
}

/// The result of [`survive`].
pub struct Survival<T: Real> {
    /// Boards from which play need never end, all symmetric images counted.
    pub immortal: u64,
    /// Whether the start is one of them.
    pub never_dies: bool,
    /// The expected moves of a game from the start; `None` if that is infinite.
    pub rounds: Option<f64>,
    /// The loss of every board of the model against the start, as a part of the expected moves. Where
    /// play need never end, the probability of ever dying.
    pub loss: Vec<T>,
    /// Sweeps over all boards.
    pub sweeps: u64,
    /// The largest relative change of the last sweep.
    pub residual: f64,
}

/// Finds the policy that survives longest; `observe` sees every sweep, with the expected moves as the
/// value of the start.
pub fn survive<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    limits: &Limits,
    mut observe: impl FnMut(&SolveProgress),
) -> Survival<T> {
    let table = sweep::table(model, T::ZERO);
    let count = model.boards().len();
    let mut loss = vec![T::ZERO; count];
    let (immortal, mut sweeps) = immortal(model, &table, &mut loss, &mut observe);
    let never_dies = model.start_death_probability(&table).get() == 0.0;
    // From here on values are probabilities. Boards that never die keep an exact 0.
    sweep::spread(model, &loss, &table, |_, _| T::ZERO);
    loss.par_iter_mut().for_each(|loss| *loss = T::ZERO);
    let mut next = loss.clone();
    let endless = immortal > 0;
    let mut hazard = 0.0;
    let mut residual;
    loop {
        sweeps += 1;
        sweep::deaths(model, &table, &mut next);
        if !endless {
            hazard = model.start_death_probability(&table).get();
            let each = T::of(hazard);
            let boards = model.boards().par_iter();
            next.par_iter_mut().zip(boards).for_each(|(next, &board)| {
                *next = *next - model.survival_probability(board) * each;
            });
        }
        // Boards better than the start have negative losses; changes are relative to a part of a move.
        let floor = hazard.max(1e-300);
        residual = sweep::largest(next.par_iter().zip(&loss).map(|(new, old)| {
            let change = (*new - *old).get();
            if change == 0.0 { 0.0 } else { change / new.get().abs().max(floor) }
        }));
        std::mem::swap(&mut loss, &mut next);
        sweep::spread(model, &loss, &table, |_, value| value);
        observe(&SolveProgress { sweep: sweeps, residual, start: 1.0 / hazard });
        if residual <= limits.tolerance || sweeps >= limits.max_sweeps {
            break;
        }
    }
    let rounds = (!endless && hazard > 0.0).then_some(1.0 / hazard);
    Survival { immortal, never_dies, rounds, loss, sweeps, residual }
}

/// Marks by 1 every board from which some sequence of chance outcomes ends the game under every
/// policy, until no further board is marked, and counts the others.
fn immortal<T: Real, L: TransitionModel<T> + ?Sized>(
    model: &L,
    table: &[T::Cell],
    marks: &mut [T],
    observe: &mut impl FnMut(&SolveProgress),
) -> (u64, u64) {
    let mut found = vec![T::ZERO; marks.len()];
    let mut sweeps = 0;
    loop {
        sweeps += 1;
        sweep::deaths(model, table, &mut found);
        let newly_marked = marks.par_iter_mut().zip(&found).map(|(mark, found)| {
            let dies = *found > T::ZERO && *mark == T::ZERO;
            if dies {
                *mark = T::ONE;
            }
            u64::from(dies)
        });
        if newly_marked.sum::<u64>() == 0 {
            break;
        }
        // The length of a game is not known yet.
        observe(&SolveProgress { sweep: sweeps, residual: 1.0, start: f64::INFINITY });
        sweep::spread(model, marks, table, |_, mark| mark);
        if marks.par_iter().all(|mark| *mark == T::ONE) {
            return (0, sweeps);
        }
    }
    let entries = model.table_len() as u64;
    let safe = |cell: &T::Cell| T::load(cell) == T::ZERO;
    // Gaps of the table are never marked and do not count.
    let gaps = entries - model.size().boards;
    let unmarked = table.par_iter().filter(|cell| safe(cell)).count() as u64;
    (unmarked - gaps, sweeps)
}
