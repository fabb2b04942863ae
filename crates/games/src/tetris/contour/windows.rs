//! `Windows`: overlapping tables, one per position of each view, whose sum is the value of a board:
//! an n-tuple network over contours.

use crate::StateAggregation;

use super::aggregation::ContourAggregation;
use super::view::{Step, View, ViewError};
use crate::tetris::{After, Tetris};

/// One position of a view in the well.
#[derive(Clone, Debug)]
struct Window {
    /// The number of its aggregation.
    aggregation: usize,
    left: usize,
    /// The offset of its table.
    begin: u32,
    side: Side,
}

/// Which pattern indexes the table that a window of a mirrored view shares with its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The pattern itself.
    Left,
    /// The mirror image of the pattern.
    Right,
    /// In the middle or anywhere: the smaller of both.
    Middle,
}

/// State aggregation by views at every position of the well.
#[derive(Clone, Debug)]
pub struct Windows {
    aggregations: Vec<ContourAggregation>,
    windows: Vec<Window>,
    size: u64,
}

impl Windows {
    /// All windows of some views. Windows of mirrored views share a table with their mirror image.
    pub fn new(views: &[View], game: &Tetris) -> Result<Windows, ViewError> {
        let aggregations = views
            .iter()
            .map(|view| ContourAggregation::new(view, game))
            .collect::<Result<Vec<_>, _>>()?;
        let (mut windows, mut size) = (Vec::new(), 0u64);
        for (number, own) in aggregations.iter().enumerate() {
            let places = game.setup().width + 1 - own.columns();
            let mirrored = own.image_of(0).is_some();
            let anywhere = own.view().steps().contains(&Step::Anywhere);
            let table_of = |place: usize| if anywhere { 0 } else { place as u64 };
            for left in 0..places {
                let image = places - 1 - left;
                let side = match left.cmp(&image) {
                    _ if !mirrored => Side::Left,
                    _ if anywhere => Side::Middle,
                    std::cmp::Ordering::Less => Side::Left,
                    std::cmp::Ordering::Equal => Side::Middle,
                    std::cmp::Ordering::Greater => Side::Right,
                };
                let table = if side == Side::Right { image } else { left };
                let begin = (size + table_of(table) * own.patterns()) as u32;
                windows.push(Window { aggregation: number, left, begin, side });
            }
            let tables = match mirrored {
                _ if anywhere => 1,
                true => places.div_ceil(2),
                false => places,
            };
            size += tables as u64 * own.patterns();
        }
        if size > 1 << 31 {
            return Err(ViewError::new("the views have too many patterns for one table"));
        }
        Ok(Windows { aggregations, windows, size })
    }
}

impl StateAggregation<Tetris> for Windows {
    fn size(&self) -> u64 {
        self.size
    }

    fn count(&self) -> usize {
        self.windows.len()
    }

    #[inline]
    fn indices(&self, _: &Tetris, after: &After, out: &mut [u32]) {
        for (Window { aggregation, left, begin, side }, out) in self.windows.iter().zip(out) {
            let aggregation = &self.aggregations[*aggregation];
            let pattern =
                aggregation.pattern(&after.board.columns()[*left..*left + aggregation.columns()]);
            let image = aggregation.image_of(pattern).unwrap_or(pattern);
            *out = begin
                + match side {
                    Side::Left => pattern,
                    Side::Right => image,
                    Side::Middle => pattern.min(image),
                };
        }
    }
}

#[cfg(test)]
mod tests {
    use afterstate_core::{Rng, Symmetry};

    use super::*;
    use crate::laws::for_each_random_move;

    /// A window of a board and the mirrored window of its mirror image have the same entry.
    #[test]
    fn mirror_images_have_the_same_entries() {
        let game = Tetris::standard();
        let views = [
            "heights,differences,cap=3,level=4,holes=2,window=4,mirror",
            "heights,differences,cap=2,window=5,mirror",
            "heights,differences,cap=1,window=3,anywhere,mirror",
            "heights,window=1",
        ];
        let views: Vec<View> = views.iter().filter_map(|view| view.parse().ok()).collect();
        assert_eq!(views.len(), 3, "a window has at least two columns");
        let windows = Windows::new(&views, &game).unwrap();
        assert_eq!(windows.count(), 7 + 6 + 8);
        assert_eq!(windows.size(), 4 * 343 * 4 * 3 + 3 * 625 + 9);
        let (mut own, mut image) = (vec![0; windows.count()], vec![0; windows.count()]);
        for_each_random_move(&game, Rng::stream(1, 0), 20_000, |_, (_, step)| {
            windows.indices(&game, &step.after, &mut own);
            windows.indices(&game, &game.apply_symmetry_to_after(1, &step.after), &mut image);
            assert!(own.iter().all(|&entry| u64::from(entry) < windows.size()));
            for view in [0..7, 7..13, 13..21] {
                assert!(own[view.clone()].iter().rev().eq(&image[view]));
            }
        });
    }
}
