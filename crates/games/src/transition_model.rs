//! `TransitionModel`: a small game laid out as a table, one value a board, ready for whole sweeps.
//!
//! A solver works on tables; how the boards that follow a board are found is the layout's secret.
//! That is the seam for speed: any game with an [`Index`](afterstate_core::Index) can be laid out by walking
//! its moves, and a game that knows a faster way does it here.

use std::ops::{Add, Mul, Sub};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::RewardMixture;

/// The numbers of a table, in cells that threads may share.
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
    /// A cell of a table.
    type Cell: Send + Sync;
    /// Below all others.
    const LEAST: Self;
    /// Nothing.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The nearest number.
    fn of(number: f64) -> Self;
    /// The number.
    fn get(self) -> f64;
    /// A cell that holds the number.
    fn cell(self) -> Self::Cell;
    /// What a cell holds.
    fn load(cell: &Self::Cell) -> Self;
    /// Puts the number into a cell.
    fn store(self, cell: &Self::Cell);
}

macro_rules! real {
    ($number:ty, $cell:ty) => {
        #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "one text for both")]
        impl Real for $number {
            type Cell = $cell;
            const LEAST: Self = Self::NEG_INFINITY;
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

/// How large a game is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Boards in all.
    pub boards: u64,
    /// Ways to go on, summed over all boards and all that chance may deal.
    pub edges: u64,
}

/// A game laid out as a table: every board has a place in it, and of boards that are images of
/// each other one stands for all.
pub trait TransitionModel<T: Real>: Send + Sync {
    /// How many places the table has, gaps included.
    fn places(&self) -> usize;

    /// The places of the boards that are worked out, one for all images, ascending.
    fn boards(&self) -> &[u32];

    /// Boards and edges, all images counted.
    fn size(&self) -> Size;

    /// What each of some boards is worth: for all that chance may deal, the best of the moves,
    /// where a move is worth what it earns by itself ([`RewardMixture::of_move`]) plus what `worth` has for
    /// the board that it leaves; nothing where there is no move. `chosen`, where it is asked for,
    /// gets a number for each board that changes when a chosen move does; ties go to the first.
    fn best(
        &self,
        reward: &RewardMixture,
        boards: &[u32],
        worth: &[T::Cell],
        out: &mut [T],
        chosen: Option<&mut [u32]>,
    );

    /// How likely each of some boards is to die, where every move leads to a board that dies with
    /// the probability in `deaths` and the best move is the one with the least.
    fn deaths(&self, boards: &[u32], deaths: &[T::Cell], out: &mut [T]);

    /// Puts what each of some boards has into the places of all its images.
    fn spread(&self, boards: &[u32], values: &[T], table: &[T::Cell]);

    /// What the moves of the next state are worth on a board ([`RewardMixture::of_after`]).
    fn moves(&self, reward: &RewardMixture, board: u32) -> T;

    /// How likely a board is to leave any move.
    fn alive(&self, board: u32) -> T;

    /// [`TransitionModel::best`] for the start of the game.
    fn start_best(&self, reward: &RewardMixture, worth: &[T::Cell]) -> T;

    /// [`TransitionModel::deaths`] for the start of the game.
    fn start_deaths(&self, deaths: &[T::Cell]) -> T;
}

/// A layout for tables of both precisions.
pub trait TransitionModels: TransitionModel<f32> + TransitionModel<f64> {}

impl<L: TransitionModel<f32> + TransitionModel<f64>> TransitionModels for L {}
