//! A drop that clears rows or rests above the top, one lane per column.

use super::super::super::Placement;
use super::super::super::settle::{Landing, resting_row};
use super::board_counts::WellLanes;
use super::placements::Query;
use super::simd::Simd;

/// The columns after a drop with walls beyond the well, the features of the move, and the reward;
/// `None` if the drop loses the game.
#[inline(always)]
pub(super) fn settle<S: Simd, Set>(
    well: &WellLanes<S>,
    query: &Query<Set>,
    piece: u8,
    mv: Placement,
) -> Option<(S, Landing, f32)> {
    let (game, state) = (query.game, query.state);
    let stamp = game.form(piece).stamp(mv)?;
    let floor = resting_row(&state.board, stamp);
    if floor + stamp.height > well.height {
        let settled = game.well.drop(&state.board, stamp)?;
        let reward = game.well.reward(settled.cleared, settled.pushed);
        let columns = well.walled(settled.board.columns());
        return Some((columns, game.well.landing(&state.board, stamp), reward));
    }
    let own = S::load(well.token, &stamp.cells).shl_each(well.splat(floor as u32));
    let columns = well.walled(state.board.columns()).or(own);
    let mut full = u32::MAX;
    for column in columns.store() {
        full &= column;
    }
    let own_columns = &stamp.cells[usize::from(mv.column)..][..stamp.width];
    let cleared_cells =
        own_columns.iter().map(|cells| (cells & full >> floor).count_ones()).sum::<u32>();
    let (cleared, mut rows, mut columns) = (full.count_ones(), full, columns);
    // From the top down, so that the remaining rows keep their positions.
    while rows != 0 {
        let below = (1 << (u32::BITS - 1 - rows.leading_zeros())) - 1;
        let lower = well.splat(below);
        columns = columns.and(lower).or(columns.shr::<1>().without(lower));
        rows &= below;
    }
    let doubled_height = (2 * floor + stamp.height - 1) as u32;
    let landing = Landing { doubled_height, eroded: cleared * cleared_cells };
    // Clearing also shifted the walls, so they are filled again.
    Some((columns.or(well.walls), landing, game.well.reward(cleared, 0)))
}
