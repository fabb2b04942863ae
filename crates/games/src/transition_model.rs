//! `TransitionModel`: Bellman backups of a small game over a table with one value per board.
//!
//! Solvers sweep tables and do not enumerate transitions. Every game with an
//! [`Index`](afterstate_core::Index) has a generic model that enumerates its moves; a game may
//! provide a faster one.

use std::ops::{Add, Mul, Sub};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::RewardMixture;

/// The floating-point type of a table, with an atomic cell type that threads share.
pub trait Real:
    Copy
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
    /// An atomic cell of a table.
    type Cell: Send + Sync;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// Rounds to this type.
    fn of(number: f64) -> Self;
    /// Converts to `f64`.
    fn get(self) -> f64;
    /// A new cell with this value.
    fn cell(self) -> Self::Cell;
    /// A relaxed load.
    fn load(cell: &Self::Cell) -> Self;
    /// A relaxed store.
    fn store(self, cell: &Self::Cell);
}

macro_rules! real {
    ($number:ty, $cell:ty) => {
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "one text for both")]
        impl Real for $number {
            type Cell = $cell;
            const NEG_INFINITY: Self = Self::NEG_INFINITY;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn of(number: f64) -> Self {
                number as Self
            }

            #[inline(always)]
            fn get(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn cell(self) -> $cell {
                <$cell>::new(self.to_bits())
            }

            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                Self::from_bits(cell.load(Ordering::Relaxed))
            }

            #[inline(always)]
            fn store(self, cell: &$cell) {
                cell.store(self.to_bits(), Ordering::Relaxed);
            }
        }
    };
}

real!(f32, AtomicU32);
real!(f64, AtomicU64);

/// The size of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of boards.
    pub boards: u64,
    /// The number of (board, chance outcome, move) triples.
    pub edges: u64,
}

/// The transitions of a game over a table indexed by board (afterstate). Values are computed for
/// one representative of each symmetry class and written to all its images.
pub trait TransitionModel<T: Real>: Send + Sync {
    /// The length of a table, gaps included.
    fn table_len(&self) -> usize;

    /// The indices of the representative boards, ascending.
    fn boards(&self) -> &[u32];

    /// The number of boards and transitions, all images counted.
    fn size(&self) -> Size;

    /// Bellman backup of some boards: the expectation over chance of the best reward
    /// ([`RewardMixture::of_move`]) plus next value; 0 if terminal. Ties go to the first move.
    /// `chosen` receives a hash per board of the maximising moves, which changes when the policy
    /// does.
    fn bellman_backup(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        values: &[T::Cell],
        out: &mut [T],
        chosen: Option<&mut [u32]>,
    );

    /// Backup of the minimal death probability of some boards: the expectation over chance of the
    /// minimum of `deaths` over the next boards; 1 if terminal.
    fn min_death_probability(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]);

    /// Writes the value of each of some boards to the table entries of all its images.
    fn write_to_images(&self, boards: &[u32], values: &[T], table: &[T::Cell]);

    /// The reward of a board for the expected number of next moves ([`RewardMixture::of_after`]).
    fn expected_moves(&self, reward: &RewardMixture, board: u32) -> T;

    /// The probability that the chance outcome of a board is not terminal.
    fn survival_probability(&self, board: u32) -> T;

    /// [`TransitionModel::bellman_backup`] of the start distribution.
    fn start_value(&self, reward: &RewardMixture, values: &[T::Cell]) -> T;

    /// [`TransitionModel::min_death_probability`] of the start distribution.
    fn start_death_probability(&self, deaths: &[T::Cell]) -> T;
}

/// A transition model for tables of both precisions.
pub trait TransitionModels: TransitionModel<f32> + TransitionModel<f64> {}

impl<M: TransitionModel<f32> + TransitionModel<f64>> TransitionModels for M {}
