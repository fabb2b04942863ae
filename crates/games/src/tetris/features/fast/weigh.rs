//! All placements of a piece weighed at once: a lane a leftmost column.

use afterstate_core::features::weighted_sum;

use super::super::super::form::Orientation;
use super::super::super::settle::{Landing, Overflow, resting_row};
use super::super::super::{Placement, State, Tetris};
use super::lanes::Lanes;
use super::survey::{FIELD, FIELD_MASK, Frame, LANES, Survey, total};
use crate::tetris::features::dt::Wells;

/// The most features.
pub(super) const MOST: usize = 9;

/// How moves are weighed.
#[derive(Clone, Copy)]
pub(in super::super) struct Scale<'a> {
    pub(in super::super) reward: f32,
    pub(in super::super) weights: &'a [f32],
}

/// What is asked: the best placement of a state's piece and of those numbered after it.
#[derive(Clone, Copy)]
pub(in super::super) struct Question<'a> {
    pub(in super::super) wells: Wells,
    pub(in super::super) game: &'a Tetris,
    pub(in super::super) state: &'a State,
    pub(in super::super) scale: Scale<'a>,
}

/// The best placement and what it is worth, unless all of them lose.
pub(in super::super) type Found = Option<(Placement, f32)>;

/// The best placement so far, of each lane.
struct Best<L: Lanes> {
    values: L::Floats,
    /// Orientation and lane as one number; the first of equals is the smaller one.
    numbers: L,
    any: bool,
}

/// The best placement of each of some pieces on a board, and what it is worth.
#[inline(always)]
pub(super) fn best<L: Lanes>(on: L::On, question: Question, found: &mut [Found]) {
    let Question { wells, game, state, .. } = question;
    let frame = Frame::new(on, wells, game.setup().width, game.setup().height);
    let survey = Survey::<L>::new(frame, state.board.columns());
    for (found, piece) in found.iter_mut().zip(state.piece..) {
        *found = best_of_piece(&survey, question, piece);
    }
}

#[inline(always)]
fn best_of_piece<L: Lanes>(survey: &Survey<L>, question: Question, piece: u8) -> Found {
    let on = survey.frame.on;
    let lowest = L::float(on, f32::NEG_INFINITY);
    let mut best = Best { values: lowest, numbers: survey.frame.zero, any: false };
    for (number, orientation) in question.game.form(piece).orientations.iter().enumerate() {
        let one = Weighing { survey, question, piece, orientation, number };
        match orientation.width {
            1 => one.weigh::<1>(&mut best),
            2 => one.weigh::<2>(&mut best),
            3 => one.weigh::<3>(&mut best),
            4 => one.weigh::<4>(&mut best),
            _ => one.weigh::<5>(&mut best),
        }
    }
    if !best.any {
        return None;
    }
    let (number, value) = L::first_largest(best.values, best.numbers);
    Some((Placement { orientation: (number >> 4) as u8, column: (number & 15) as u8 }, value))
}

/// One orientation of a piece on a board.
struct Weighing<'a, L: Lanes> {
    survey: &'a Survey<L>,
    question: Question<'a>,
    piece: u8,
    orientation: &'a Orientation,
    number: usize,
}

impl<L: Lanes> Weighing<'_, L> {
    #[inline(always)]
    fn weigh<const W: usize>(&self, best: &mut Best<L>) {
        let frame = &self.survey.frame;
        if W > frame.width {
            return;
        }
        let within = ((1u32 << (frame.width - W + 1)) - 1) as u16;
        let rests = self.resting_rows::<W>();
        let room = frame.splat((frame.height as u32).wrapping_sub(self.orientation.height as u32));
        let fits = rests.at_most(room) & within;
        let (values, clears) = self.values::<W>(rests);
        let plain = fits & !clears;
        let above =
            if self.question.game.well.overflow == Overflow::Lose { 0 } else { within & !fits };
        let mut apart = fits & clears | above;
        let own = L::load(frame.on, &LANES).add(frame.splat(16 * self.number as u32));
        best.any |= plain != 0;
        if apart == 0 {
            L::keep_larger(&mut best.values, &mut best.numbers, values, own, plain);
            return;
        }
        let mut values = L::store_floats(values);
        let mut valid = plain;
        while apart != 0 {
            let lane = apart.trailing_zeros() as usize;
            apart &= apart - 1;
            let mv = Placement { orientation: self.number as u8, column: lane as u8 };
            if let Some(value) = L::settled(frame.on, &self.question, self.piece, mv) {
                values[lane] = value;
                valid |= 1 << lane;
            }
        }
        best.any |= valid != 0;
        let values = L::load_floats(frame.on, &values);
        L::keep_larger(&mut best.values, &mut best.numbers, values, own, valid);
    }

    /// The row on which the piece comes to rest, from each lane on.
    #[inline(always)]
    fn resting_rows<const W: usize>(&self) -> L {
        let frame = &self.survey.frame;
        let mut rests = frame.zero;
        for j in 0..W {
            if self.orientation.columns[j] != 0 {
                let bottom = frame.splat(self.orientation.bottoms[j] as u32);
                rests = rests.max(self.survey.heights[1 + j].sub(bottom));
            }
        }
        rests
    }

    /// What each placement is worth if it clears no row, and those that do.
    #[inline(always)]
    fn values<const W: usize>(&self, rests: L) -> (L::Floats, u16) {
        let Survey { frame, columns, heights, .. } = self.survey;
        let outside = self.survey.outside::<W>();
        // From the column two before the piece to the one two after it.
        let mut placed = [frame.zero; 9];
        placed[..2].copy_from_slice(&columns[..2]);
        placed[2 + W] = columns[2 + W];
        placed[3 + W] = columns[3 + W];
        let (mut changes, mut holes, mut depth) = (frame.zero, frame.zero, frame.zero);
        let (mut open, mut hole_rows, mut pairs) = (outside.open, outside.hole_rows, outside.pairs);
        let mut height_before = heights[0];
        for j in 0..W {
            let cells = self.orientation.columns[j];
            let column = columns[2 + j].or(frame.splat(cells).shl_each(rests));
            let top = u32::BITS - cells.leading_zeros();
            // A column of the well under a gap of the piece stays as it is.
            let height = if cells == 0 { heights[1 + j] } else { rests.add(frame.splat(top)) };
            let gaps = frame.holes(column, height);
            open = open.or(frame.wall.without(column));
            changes = changes.add(frame.changes(column));
            holes = holes.add(gaps.count_ones());
            hole_rows = hole_rows.or(gaps);
            depth = depth.add(frame.depth(column));
            pairs = pairs.add(column.xor(placed[1 + j]).count_ones());
            pairs = pairs.add(frame.step(height_before, height));
            placed[2 + j] = column;
            height_before = height;
        }
        pairs = pairs.add(placed[1 + W].xor(placed[2 + W]).count_ones());
        pairs = pairs.add(frame.step(height_before, heights[1 + W]));
        let p = placed;
        let wells = outside.wells.add(match W {
            1 => frame.wells_of([p[0], p[1], p[2], p[3], p[4]]),
            2 => frame.wells_of([p[0], p[1], p[2], p[3], p[4], p[5]]),
            3 => frame.wells_of([p[0], p[1], p[2], p[3], p[4], p[5], p[6]]),
            4 => frame.wells_of([p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]]),
            _ => frame.wells_of(p),
        });
        let field = frame.splat(FIELD_MASK);
        let changes = changes.add(outside.own.and(field));
        let holes = holes.add(outside.own.shr::<FIELD>().and(field));
        let depth = depth.add(outside.own.shr::<{ 2 * FIELD }>());
        let middle = rests.add(rests).add(frame.splat(self.orientation.height as u32 - 1));
        let mut sum = L::float(frame.on, self.question.scale.reward * 0.0);
        sum = middle.weigh_half(sum, self.weight(0));
        // No cell is eroded.
        sum = L::plus(sum, L::float(frame.on, self.question.scale.weights[1] * 0.0));
        sum = pairs.and(field).weigh(sum, self.weight(2));
        sum = changes.weigh(sum, self.weight(3));
        sum = holes.weigh(sum, self.weight(4));
        sum = wells.weigh(sum, self.weight(5));
        if self.question.scale.weights.len() == MOST {
            sum = depth.weigh(sum, self.weight(6));
            sum = hole_rows.count_ones().weigh(sum, self.weight(7));
            sum = frame.diversity(pairs).weigh(sum, self.weight(8));
        }
        (sum, open.differs(frame.wall))
    }

    #[inline(always)]
    fn weight(&self, number: usize) -> L::Floats {
        L::float(self.survey.frame.on, self.question.scale.weights[number])
    }
}

/// What a placement is worth that clears rows or stands above the top: settled as in play, and the
/// whole board counted. `None` if it loses the game.
#[inline(always)]
pub(super) fn settled<L: Lanes>(
    on: L::On,
    question: &Question,
    piece: u8,
    mv: Placement,
) -> Option<f32> {
    let Question { wells, game, state, scale } = *question;
    let stamp = game.form(piece).stamp(mv)?;
    let frame = Frame::<L>::new(on, wells, game.setup().width, game.setup().height);
    let floor = resting_row(&state.board, stamp);
    let doubled_height = (2 * floor + stamp.height - 1) as u32;
    let (landing, counts, reward) = if floor + stamp.height <= frame.height {
        let own = L::load(on, &stamp.cells).shl_each(frame.splat(floor as u32));
        let columns = frame.walled(state.board.columns()).or(own);
        let mut full = u32::MAX;
        for column in columns.store() {
            full &= column;
        }
        let gone = total(&own.and(frame.splat(full)).count_ones().store());
        let (cleared, mut rows, mut columns) = (full.count_ones(), full, columns);
        // From the top down, so that the rows still to go keep their places.
        while rows != 0 {
            let below = (1 << (u32::BITS - 1 - rows.leading_zeros())) - 1;
            let lower = frame.splat(below);
            columns = columns.and(lower).or(columns.shr::<1>().without(lower));
            rows &= below;
        }
        let landing = Landing { doubled_height, eroded: cleared * gone };
        // Walls have no rows to lose.
        (landing, frame.totals(columns.or(frame.walls)), game.well.reward(cleared, 0))
    } else {
        let settled = game.well.drop(&state.board, stamp)?;
        let counts = frame.totals(frame.walled(settled.board.columns()));
        let reward = game.well.reward(settled.cleared, settled.pushed);
        (game.well.landing(&state.board, stamp), counts, reward)
    };
    let mut features = [0.0; MOST];
    features[0] = landing.doubled_height as f32 / 2.0;
    features[1] = landing.eroded as f32;
    for (feature, count) in features[2..].iter_mut().zip(counts) {
        *feature = count as f32;
    }
    Some(weighted_sum(scale.reward * reward, scale.weights, &features))
}
