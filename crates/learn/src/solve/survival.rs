//! Play that lives longest: which boards never die, and the expected length of a game.
//!
//! The expected number of moves of the longest-lived play is `L (1 - g(a))` on a board `a`, with
//! `L` that of the start. In `g` the equation reads
//!
//! `g(a) = E[ 1 where there is no move, else min over moves of g(a') ] - s(a) / L`, `g(start) = 0`,
//!
//! where `s` is the probability that there is a move: an average-cost problem with cost 1 for a
//! death, and `1 / L` is its cost a move. Relative value iteration (White 1963) solves it in as
//! many sweeps as play takes to forget where it came from, where plain iteration of expected
//! lengths would take as many sweeps as games have moves. Values near the start are small and keep
//! all their digits.

use afterstate_games::{Real, TransitionModel};
use rayon::prelude::*;

use super::sweep;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when no value changes by more than this part of itself.
    pub tolerance: f64,
    /// Stop after so many sweeps, come what may.
    pub most_sweeps: u64,
}

impl Limits {
    /// As exact as a number type allows.
    pub fn of<T: Real>() -> Limits {
        let tolerance = if size_of::<T>() == 4 { 1e-5 } else { 1e-10 };
        Limits { tolerance, most_sweeps: 20_000 }
    }
}

/// What survival comes to.
pub struct Survival<T: Real> {
    /// Boards from which play never has to end, all images counted.
    pub immortal: u64,
    /// Whether the start is one of them.
    pub never_dies: bool,
    /// The expected moves of a game from the start; `None` if that is infinite.
    pub rounds: Option<f64>,
    /// For every board of the layout how much worse it is than the start: the part of the expected
    /// moves that is lost. Where a game can last for ever, the probability of ever dying.
    pub loss: Vec<T>,
    /// The same for every place.
    pub table: Vec<T::Cell>,
    /// Sweeps over all boards.
    pub sweeps: u64,
    /// The largest change of the last sweep, as a part of the value changed.
    pub residual: f64,
}

/// Finds the longest-lived play; `watch` sees each sweep's number, residual and expected moves.
pub fn survive<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    limits: &Limits,
    mut watch: impl FnMut(u64, f64, f64),
) -> Survival<T> {
    let table = sweep::table(layout, T::ZERO);
    let count = layout.boards().len();
    let mut loss = vec![T::ZERO; count];
    let (immortal, mut sweeps) = immortal(layout, &table, &mut loss, &mut watch);
    let never_dies = layout.start_deaths(&table).get() == 0.0;
    // From here on values are probabilities again. Those that never die keep their exact nothing.
    sweep::spread(layout, &loss, &table, |_, _| T::ZERO);
    loss.par_iter_mut().for_each(|loss| *loss = T::ZERO);
    let mut next = loss.clone();
    let endless = immortal > 0;
    let mut hazard = 0.0;
    let mut residual;
    loop {
        sweeps += 1;
        sweep::deaths(layout, &table, &mut next);
        if !endless {
            hazard = layout.start_deaths(&table).get();
            let each = T::of(hazard);
            let boards = layout.boards().par_iter();
            next.par_iter_mut().zip(boards).for_each(|(next, &board)| {
                *next = *next - layout.alive(board) * each;
            });
        }
        // Boards better than the start lose less than nothing; what matters is a part of a round.
        let floor = hazard.max(1e-300);
        residual = sweep::largest(next.par_iter().zip(&loss).map(|(new, old)| {
            let change = (*new - *old).get();
            if change == 0.0 { 0.0 } else { change / new.get().abs().max(floor) }
        }));
        std::mem::swap(&mut loss, &mut next);
        sweep::spread(layout, &loss, &table, |_, value| value);
        watch(sweeps, residual, 1.0 / hazard);
        if residual <= limits.tolerance || sweeps >= limits.most_sweeps {
            break;
        }
    }
    let rounds = (!endless && hazard > 0.0).then_some(1.0 / hazard);
    Survival { immortal, never_dies, rounds, loss, table, sweeps, residual }
}

/// Marks by one every board on which some sequence of deals ends the game whatever is played, and
/// counts the others: boards are struck off until none is left to strike.
fn immortal<T: Real, L: TransitionModel<T> + ?Sized>(
    layout: &L,
    table: &[T::Cell],
    marks: &mut [T],
    watch: &mut impl FnMut(u64, f64, f64),
) -> (u64, u64) {
    let mut found = vec![T::ZERO; marks.len()];
    let mut sweeps = 0;
    loop {
        sweeps += 1;
        sweep::deaths(layout, table, &mut found);
        let struck = marks.par_iter_mut().zip(&found).map(|(mark, found)| {
            let dies = *found > T::ZERO && *mark == T::ZERO;
            if dies {
                *mark = T::ONE;
            }
            u64::from(dies)
        });
        if struck.sum::<u64>() == 0 {
            break;
        }
        // Nothing is known yet of how long a game lasts.
        watch(sweeps, 1.0, f64::INFINITY);
        sweep::spread(layout, marks, table, |_, mark| mark);
        if marks.par_iter().all(|mark| *mark == T::ONE) {
            return (0, sweeps);
        }
    }
    let full = layout.places() as u64;
    let safe = |cell: &T::Cell| T::load(cell) == T::ZERO;
    // Gaps of the table were never marked: only the boards count.
    let gaps = full - layout.size().boards;
    let unmarked = table.par_iter().filter(|cell| safe(cell)).count() as u64;
    (unmarked - gaps, sweeps)
}
