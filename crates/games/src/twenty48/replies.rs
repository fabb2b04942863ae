//! The replies to all new tiles: a tile changes one row and one column, the others slide as without
//! it.
//!
//! The same tile in neighbouring empty cells of a row leaves the same row after a slide along it, so
//! that they share an afterstate. Whether a slide is legal and whether its afterstate is new is
//! unpredictable, so that every slide is written and only counted if it is both.

use super::board::{STRIDE, transpose};
use super::rows::{RowTable, TOO_BIG};
use super::rules::bits;
use super::{Board, Twenty48};
use crate::replies::{Replies, Reply};

/// A row of an axis: sixteen bits.
const ROW: u64 = 0xffff;

/// A column of four nibbles, the first of each row.
const COLUMN: u64 = 0x000f_000f_000f_000f;

/// The largest number of slides after all new tiles.
const MAX_SLIDES: usize = 4 * 2 * STRIDE * STRIDE;

/// Both slides of a board along one axis, before a new tile.
struct Slides {
    table: &'static RowTable,
    /// The board with the rows of the axis as its rows.
    tiles: u64,
    /// The same after a slide towards the first and towards the last cell of each row.
    slid: [u64; 2],
    /// The points, divided by 4, of all rows and of each.
    points: u64,
    points_of: [u64; STRIDE],
}

/// What a new tile changes in both slides.
struct NewRow {
    /// Its row after the slides.
    rows: [u64; 2],
    legal: [bool; 2],
    reward: f32,
}

impl Slides {
    /// `None` if a tile becomes larger than a nibble.
    #[inline]
    fn new(table: &'static RowTable, tiles: u64) -> Option<Slides> {
        let (mut slid, mut points_of, mut marks) = ([0, 0], [0; STRIDE], 0);
        for (r, points) in points_of.iter_mut().enumerate() {
            let entry = table[usize::from((tiles >> (16 * r)) as u16)];
            slid[0] |= (entry & ROW) << (16 * r);
            slid[1] |= (entry >> 16 & ROW) << (16 * r);
            *points = entry >> 32;
            marks |= entry;
        }
        let slides = Slides { table, tiles, slid, points: points_of.iter().sum(), points_of };
        (marks & TOO_BIG == 0).then_some(slides)
    }

    /// The slides with a new tile at cell `c` of row `r`. It merges into an 8 at most.
    #[inline]
    fn with_tile(&self, r: usize, c: usize, power: u64) -> NewRow {
        let row = self.tiles >> (16 * r) & ROW | power << (4 * c);
        let entry = self.table[row as usize & 0xffff];
        let others = !(ROW << (16 * r));
        let rows = [entry & ROW, entry >> 16 & ROW];
        let moves = |side: usize| (self.slid[side] ^ self.tiles) & others | (rows[side] ^ row);
        let points = self.points - self.points_of[r % STRIDE] + (entry >> 32);
        NewRow { rows, legal: [moves(0) != 0, moves(1) != 0], reward: (4 * points) as f32 }
    }
}

/// The afterstates so far. The last element is never read: a place to write to.
struct Afterstates {
    tiles: [u64; MAX_SLIDES + 1],
    count: usize,
}

impl Afterstates {
    /// The index of the afterstate of a slide, where `shared` is that of the cell before, if it was
    /// legal there.
    #[inline]
    fn index(&mut self, tiles: u64, legal: bool, shared: &mut u32) -> u32 {
        self.tiles[self.count.min(MAX_SLIDES)] = tiles;
        let new = legal & (*shared == Reply::ILLEGAL);
        *shared = if new { self.count as u32 } else { *shared };
        self.count += usize::from(new);
        if legal { *shared } else { Reply::ILLEGAL }
    }
}

impl Twenty48 {
    /// Adds the replies to all new tiles, every afterstate of a slide once. `None` if a tile is or
    /// becomes larger than a nibble; nothing is then added.
    #[inline]
    pub(super) fn add_packed_replies(
        &self,
        board: &Board,
        list: &mut Replies<Board>,
    ) -> Option<()> {
        let tiles = board.nibbles()?;
        let across = Slides::new(self.across, tiles)?;
        let along = Slides::new(self.along, transpose(tiles))?;
        let up_and_down = along.slid.map(transpose);
        let empty = self.empty_cells(*board);
        let each = 1.0 / f64::from(empty.count_ones());
        let mut kinds = [(0, 0.0); 2];
        let mut kind_count = 0;
        for (power, probability) in self.kinds() {
            kinds[kind_count] = (power, (each * probability) as f32);
            kind_count += 1;
        }
        let first = list.afters.len() as u32;
        let mut afters = Afterstates { tiles: [0; MAX_SLIDES + 1], count: 0 };
        // The afterstates of the cell before in the row, and in each column, by power and side.
        let mut in_row = [[Reply::ILLEGAL; 2]; 2];
        let mut in_columns = [[[Reply::ILLEGAL; 2]; 2]; STRIDE];
        for at in bits(empty) {
            let (r, c) = (at as usize / 16, at as usize / 4 % STRIDE);
            let bit = 1u64 << at;
            if c == 0 || empty & bit >> 4 == 0 {
                in_row = [[Reply::ILLEGAL; 2]; 2];
            }
            if empty & bit >> 16 == 0 {
                in_columns[c] = [[Reply::ILLEGAL; 2]; 2];
            }
            for (kind, &(power, probability)) in kinds[..kind_count].iter().enumerate() {
                let vertical = along.with_tile(c, r, power);
                let horizontal = across.with_tile(r, c, power);
                let mut slide_vertically = |side: usize| {
                    let others = up_and_down[side] & !(COLUMN << (4 * c));
                    let tiles = others | to_column(vertical.rows[side]) << (4 * c);
                    let shared = &mut in_columns[c][kind][side];
                    (afters.index(tiles, vertical.legal[side], shared), vertical.reward)
                };
                let (up, down) = (slide_vertically(0), slide_vertically(1));
                let mut slide_horizontally = |side: usize| {
                    let others = across.slid[side] & !(ROW << (16 * r));
                    let tiles = others | horizontal.rows[side] << (16 * r);
                    let shared = &mut in_row[kind][side];
                    (afters.index(tiles, horizontal.legal[side], shared), horizontal.reward)
                };
                let (left, right) = (slide_horizontally(0), slide_horizontally(1));
                let moves = [up, right, down, left].map(|(after, reward)| {
                    let after = if after == Reply::ILLEGAL { after } else { first + after };
                    Reply { reward, after }
                });
                list.moves.extend_from_slice(&moves);
                list.outcomes.push((list.moves.len() as u32, probability));
            }
        }
        let new = &afters.tiles[..afters.count.min(MAX_SLIDES)];
        list.afters.extend(new.iter().map(|&tiles| Board::from_nibbles(tiles)));
        Some(())
    }
}

/// Moves the nibbles of a row to the first nibble of each row.
#[inline]
fn to_column(row: u64) -> u64 {
    (row | row << 12 | row << 24 | row << 36) & COLUMN
}

#[cfg(test)]
mod tests {
    use afterstate_core::Rng;

    use super::*;

    /// For each outcome its probability, and reward and afterstate of its legal moves.
    fn outcomes(list: &Replies<Board>) -> Vec<(f32, Vec<(f32, Board)>)> {
        let mut begin = 0;
        let outcome = |&(end, probability): &(u32, f32)| {
            let moves = &list.moves[begin..end as usize];
            begin = end as usize;
            let legal = moves.iter().filter(|reply| reply.after != Reply::ILLEGAL);
            let after = |reply: &Reply| (reply.reward, list.afters[reply.after as usize]);
            (probability, legal.map(after).collect())
        };
        list.outcomes.iter().map(outcome).collect()
    }

    #[test]
    fn replies_are_those_of_the_rules_in_their_order() {
        for (width, height, four) in
            [(4, 4, 0.1), (4, 4, 0.0), (4, 4, 1.0), (3, 4, 0.1), (4, 2, 0.5), (2, 3, 0.1)]
        {
            let game = Twenty48::new(width, height, four).unwrap();
            let mut rng = Rng::stream(1, 0);
            let (mut fast, mut reference, mut big) = (Replies::new(), Replies::new(), 0);
            for round in 0..50_000 {
                // Few powers merge often; powers of 15 and more take the slow path.
                let (powers, least) = [(3, 0), (6, 0), (16, 0), (5, 13)][round % 4];
                let mut board = Board::default();
                for row in 0..height {
                    for column in 0..width {
                        let tile = rng.below(3) > 0;
                        let power = if tile { least + rng.below(powers) as u8 } else { 0 };
                        board = board.with(row, column, power);
                    }
                }
                if game.empty_cells(board) == 0 {
                    continue;
                }
                // Lists of several afterstates.
                if round % 5 == 0 {
                    fast.clear();
                    reference.clear();
                }
                reference.add(&game, &board);
                if game.add_packed_replies(&board, &mut fast).is_none() {
                    big += 1;
                    fast.add(&game, &board);
                }
                assert_eq!(outcomes(&fast), outcomes(&reference), "{board:?}");
                assert!(fast.afters.len() <= reference.afters.len(), "{board:?}");
            }
            assert!(big > 100 && big < 25_000, "{big} boards with large tiles");
        }
    }
}
