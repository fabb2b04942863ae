//! All placements of a piece at once, by any set of features: one lane per leftmost column.

use super::super::super::form::Orientation;
use super::super::super::settle::Overflow;
use super::super::super::{Placement, State, Tetris};
use super::EachPiece;
use super::board_counts::{LANES, WellLanes};
use super::simd::Simd;
use crate::tetris::board::MAX_COLUMNS;
use crate::tetris::features::dt::Wells;

/// The largest number of orientations of a piece.
pub(super) const MAX_ORIENTATIONS: usize = 4;

/// The coefficients of the value: of the reward, and one weight per feature.
#[derive(Clone, Copy)]
pub(in super::super) struct Coefficients<'a> {
    pub(in super::super) reward: f32,
    pub(in super::super) weights: &'a [f32],
}

/// A request for the placements of the state's piece, or of it and the pieces numbered after it, by a
/// set of features.
#[derive(Clone, Copy)]
pub(in super::super) struct Query<'a, Set = Wells> {
    pub(in super::super) set: Set,
    pub(in super::super) game: &'a Tetris,
    pub(in super::super) state: &'a State,
    pub(in super::super) coefficients: Coefficients<'a>,
}

/// The best placement and its value; `None` if no placement is legal.
pub(in super::super) type BestPlacement = Option<(Placement, f32)>;

/// The counts of a board before a placement, for a set of features.
pub(super) trait Counts<S: Simd> {
    /// The set.
    type Set: Copy;

    /// Counts a board.
    fn new(token: S::Token, query: &Query<Self::Set>) -> Self;

    /// The well.
    fn well(&self) -> &WellLanes<S>;

    /// The heights from one before each lane to five after it.
    fn heights(&self) -> &[S; 7];

    /// The value of each placement if it clears no row, and the mask of those that do. Only those of
    /// the mask `fits` count.
    fn values<const W: usize>(
        &self,
        query: &Query<Self::Set>,
        orientation: &Orientation,
        rests: S,
        fits: u16,
    ) -> (S::Floats, u16);

    /// The value of a placement that clears rows or rests above the top; `None` if it loses the game.
    fn settled(token: S::Token, query: &Query<Self::Set>, piece: u8, mv: Placement) -> Option<f32>;
}

/// What is done with the values of the legal placements of one orientation.
trait Sink<S: Simd> {
    fn offer(&mut self, well: &WellLanes<S>, orientation: usize, values: S::Floats, legal: u16);
}

/// The best placement so far in each lane.
struct Best<S: Simd> {
    values: S::Floats,
    /// `16 * orientation + lane`, ascending in the order of moves.
    numbers: S,
    any: bool,
}

impl<S: Simd> Sink<S> for Best<S> {
    #[inline(always)]
    fn offer(&mut self, well: &WellLanes<S>, orientation: usize, values: S::Floats, legal: u16) {
        let own = S::load(well.token, &LANES).add(well.splat(16 * orientation as u32));
        self.any |= legal != 0;
        S::keep_larger(&mut self.values, &mut self.numbers, values, own, legal);
    }
}

/// The largest value so far in each lane.
struct Largest<S: Simd> {
    values: S::Floats,
    any: bool,
}

impl<S: Simd> Sink<S> for Largest<S> {
    #[inline(always)]
    fn offer(&mut self, _: &WellLanes<S>, _: usize, values: S::Floats, legal: u16) {
        self.any |= legal != 0;
        self.values = S::max_where(legal, self.values, values);
    }
}

/// The value of every placement of a piece, by orientation and leftmost column.
pub(in super::super) struct PlacementValues {
    values: [[f32; MAX_COLUMNS]; MAX_ORIENTATIONS],
    legal: [u16; MAX_ORIENTATIONS],
}

impl PlacementValues {
    /// No legal placement.
    pub(in super::super) fn none() -> PlacementValues {
        PlacementValues { values: [[0.0; MAX_COLUMNS]; MAX_ORIENTATIONS], legal: [0; 4] }
    }

    /// The value of a placement; `None` if it is not legal.
    #[inline]
    pub(in super::super) fn get(&self, mv: Placement) -> Option<f32> {
        let (orientation, column) = (usize::from(mv.orientation), usize::from(mv.column));
        (self.legal[orientation] >> column & 1 != 0).then(|| self.values[orientation][column])
    }
}

impl<S: Simd> Sink<S> for PlacementValues {
    #[inline(always)]
    fn offer(&mut self, _: &WellLanes<S>, orientation: usize, values: S::Floats, legal: u16) {
        self.values[orientation] = S::store_floats(values);
        self.legal[orientation] = legal;
    }
}

/// The best placement of the state's piece and its value.
#[inline(always)]
pub(super) fn best<S: Simd, C: Counts<S>>(token: S::Token, query: Query<C::Set>) -> BestPlacement {
    best_of_piece(&C::new(token, &query), query, query.state.piece)
}

/// The value of the best placement of each piece; `None` if no placement is legal.
#[inline(always)]
pub(super) fn largest<S: Simd, C: Counts<S>>(
    token: S::Token,
    query: Query<C::Set>,
    found: &mut [Option<f32>],
) {
    let counts = C::new(token, &query);
    for (found, piece) in found.iter_mut().zip(query.state.piece..) {
        *found = largest_of_piece(&counts, query, piece);
    }
}

/// Calls `each` with pieces and the values of their best placements until it breaks.
#[inline(always)]
pub(super) fn in_order<S: Simd, C: Counts<S>>(
    token: S::Token,
    query: Query<C::Set>,
    pieces: &[usize],
    each: EachPiece,
) {
    let counts = C::new(token, &query);
    for &piece in pieces {
        let piece = piece as u8;
        if each(piece, largest_of_piece(&counts, query, piece)).is_break() {
            return;
        }
    }
}

#[inline(always)]
fn largest_of_piece<S: Simd, C: Counts<S>>(
    counts: &C,
    query: Query<C::Set>,
    piece: u8,
) -> Option<f32> {
    let lowest = S::float(counts.well().token, f32::NEG_INFINITY);
    let mut largest = Largest::<S> { values: lowest, any: false };
    offer_all(counts, query, piece, &mut largest);
    largest.any.then(|| S::largest(largest.values))
}

/// The value of every placement of the state's piece.
#[inline(always)]
pub(super) fn all<S: Simd, C: Counts<S>>(
    token: S::Token,
    query: Query<C::Set>,
    values: &mut PlacementValues,
) {
    offer_all(&C::new(token, &query), query, query.state.piece, values);
}

#[inline(always)]
fn best_of_piece<S: Simd, C: Counts<S>>(
    counts: &C,
    query: Query<C::Set>,
    piece: u8,
) -> BestPlacement {
    let well = counts.well();
    let lowest = S::float(well.token, f32::NEG_INFINITY);
    let mut best = Best::<S> { values: lowest, numbers: well.zero, any: false };
    offer_all(counts, query, piece, &mut best);
    if !best.any {
        return None;
    }
    let (number, value) = S::first_largest(best.values, best.numbers);
    Some((Placement { orientation: (number >> 4) as u8, column: (number & 15) as u8 }, value))
}

/// Offers the values of all orientations of a piece.
#[inline(always)]
fn offer_all<S: Simd, C: Counts<S>>(
    counts: &C,
    query: Query<C::Set>,
    piece: u8,
    sink: &mut impl Sink<S>,
) {
    for (number, orientation) in query.game.form(piece).orientations.iter().enumerate() {
        let one = OrientationEvaluator { counts, query, piece, orientation, number };
        match orientation.width {
            1 => one.evaluate::<S, 1>(sink),
            2 => one.evaluate::<S, 2>(sink),
            3 => one.evaluate::<S, 3>(sink),
            4 => one.evaluate::<S, 4>(sink),
            _ => one.evaluate::<S, 5>(sink),
        }
    }
}

/// Evaluates one orientation of a piece on a board.
struct OrientationEvaluator<'a, C, Set> {
    counts: &'a C,
    query: Query<'a, Set>,
    piece: u8,
    orientation: &'a Orientation,
    number: usize,
}

impl<C, Set: Copy> OrientationEvaluator<'_, C, Set> {
    #[inline(always)]
    fn evaluate<S: Simd, const W: usize>(&self, sink: &mut impl Sink<S>)
    where
        C: Counts<S, Set = Set>,
    {
        let well = self.counts.well();
        if W > well.width {
            return;
        }
        let within = ((1u32 << (well.width - W + 1)) - 1) as u16;
        let rests = self.resting_rows::<S, W>();
        let room = well.splat((well.height as u32).wrapping_sub(self.orientation.height as u32));
        let fits = rests.at_most(room) & within;
        let (values, clears) = self.counts.values::<W>(&self.query, self.orientation, rests, fits);
        let unclearing = fits & !clears;
        let above =
            if self.query.game.well.overflow == Overflow::Lose { 0 } else { within & !fits };
        let mut settling = fits & clears | above;
        if settling == 0 {
            sink.offer(well, self.number, values, unclearing);
            return;
        }
        let (mut values, mut legal) = (values, unclearing);
        while settling != 0 {
            let lane = settling.trailing_zeros() as usize;
            settling &= settling - 1;
            let mv = Placement { orientation: self.number as u8, column: lane as u8 };
            if let Some(value) = C::settled(well.token, &self.query, self.piece, mv) {
                values = S::replace(1 << lane, values, value);
                legal |= 1 << lane;
            }
        }
        sink.offer(well, self.number, values, legal);
    }

    /// The resting row of the piece with its left edge at each lane.
    #[inline(always)]
    fn resting_rows<S: Simd, const W: usize>(&self) -> S
    where
        C: Counts<S, Set = Set>,
    {
        let well = self.counts.well();
        let mut rests = well.zero;
        for j in 0..W {
            if self.orientation.columns[j] != 0 {
                let bottom = well.splat(self.orientation.bottoms[j] as u32);
                rests = rests.max(self.counts.heights()[1 + j].sub(bottom));
            }
        }
        rests
    }
}
