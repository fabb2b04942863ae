//! `ContourAggregation`: a view compiled for a well, which maps boards to table entries.

use crate::{StateActionAggregation, StateAggregation};
use afterstate_core::{Game, Symmetry};

use super::view::{Step, View, ViewError};
use crate::tetris::board::reach;
use crate::tetris::{After, Placement, State, Tetris};

/// The largest number of patterns.
const MAX_PATTERNS: u64 = 1 << 26;

/// The same of mirrored views, whose images are computed when the view is opened, also to check a recipe.
const MAX_MIRRORED: u64 = 1 << 24;

/// State aggregation by a view of some adjacent columns. A *pattern* is the number of what the view
/// distinguishes there; patterns that are mirror images of each other may form one *class*, which
/// is a table entry.
#[derive(Clone, Debug)]
pub struct ContourAggregation {
    view: View,
    /// The number of columns of the view.
    columns: usize,
    /// The number of values of one digit of a pattern.
    base: u32,
    /// The cap that is added to a difference to make it a digit; `None` if digits are no
    /// differences.
    middle: Option<i32>,
    /// Whether differences are sorted into intervals.
    fuzzy: bool,
    heights: bool,
    /// The number of patterns of contours or cells alone, without levels and holes.
    contours: u32,
    levels: u32,
    max_holes: Option<u32>,
    rows: u32,
    /// The mirror image of each pattern; empty if mirror images are distinguished.
    images: Vec<u32>,
    /// The class of each pattern.
    classes: Vec<u32>,
    class_count: u32,
    /// The number of pieces and of orientations per piece.
    pieces: usize,
    orientations: usize,
}

impl ContourAggregation {
    /// Compiles a view. A window narrower than the well covers its leftmost columns; for all
    /// windows see [`SubwellAfterstatePolicy`](super::SubwellAfterstatePolicy).
    pub fn new(view: &View, game: &Tetris) -> Result<ContourAggregation, ViewError> {
        let setup = game.setup();
        let columns = view.window().unwrap_or(setup.width);
        if columns > setup.width {
            let width = setup.width;
            return Err(ViewError::new(format!("view {view}: the well has only {width} columns")));
        }
        let rows = setup.height;
        let heights = view.has(Step::Heights);
        let differ = view.has(Step::Differences);
        let cap = view.cap().unwrap_or(rows as i32);
        let base = match (heights, differ) {
            (false, _) => 1u64.checked_shl(rows as u32).unwrap_or(0),
            (true, false) => rows as u64 + 1,
            (true, true) => 2 * cap as u64 + 1,
        };
        let digits = (columns - usize::from(differ)) as u32;
        let is_mirrored = view.is_mirrored() && game.symmetries() == 2;
        let most = if is_mirrored { MAX_MIRRORED } else { MAX_PATTERNS };
        let factor = u64::from(view.levels()) * u64::from(view.holes().map_or(1, |max| max + 1));
        let contours = base.checked_pow(digits).filter(|&n| n > 1 && n <= most);
        let patterns = contours.map(|contours| contours * factor).filter(|&n| n <= most);
        let patterns = patterns.ok_or_else(|| {
            ViewError::new(format!("view {view} has too many patterns for this well"))
        })?;
        let mut aggregation = ContourAggregation {
            view: view.clone(),
            columns,
            base: base as u32,
            middle: differ.then_some(cap),
            fuzzy: view.is_fuzzy(),
            heights,
            contours: (patterns / factor) as u32,
            levels: view.levels(),
            max_holes: view.holes(),
            rows: rows as u32,
            images: Vec::new(),
            classes: Vec::new(),
            class_count: patterns as u32,
            pieces: setup.pieces.len(),
            orientations: game.actions() / setup.width,
        };
        if is_mirrored {
            aggregation.images = aggregation.all_images(digits, factor as u32);
            let mut classes: Vec<u32> = Vec::with_capacity(patterns as usize);
            let mut count = 0;
            for pattern in 0..patterns as u32 {
                let image = aggregation.images[pattern as usize];
                let class = if image < pattern { classes[image as usize] } else { count };
                count += u32::from(image >= pattern);
                classes.push(class);
            }
            (aggregation.classes, aggregation.class_count) = (classes, count);
        }
        Ok(aggregation)
    }

    /// The view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The number of columns of the view.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.class_count
    }

    /// The mirror image of each pattern: its digits reversed, differences negated. One digit more puts
    /// its image below those of the others, so that each takes a step and no division.
    fn all_images(&self, digits: u32, factor: u32) -> Vec<u32> {
        let mut images = vec![0];
        for _ in 0..digits {
            let mirrored =
                |digit| if self.middle.is_some() { self.base - 1 - digit } else { digit };
            let longer = (0..self.base).map(mirrored);
            images = longer
                .flat_map(|last| images.iter().map(move |image| image * self.base + last))
                .collect();
        }
        let levels = (0..factor).map(|level| level * self.contours);
        levels.flat_map(|rest| images.iter().map(move |image| image + rest)).collect()
    }

    /// The pattern of some adjacent columns, as many as the view has. The first digit is the
    /// lowest.
    #[inline]
    pub fn pattern(&self, columns: &[u32]) -> u32 {
        debug_assert_eq!(columns.len(), self.columns);
        let (mut pattern, mut weight) = (0, 1);
        match self.middle {
            Some(cap) => {
                let mut before = reach(columns[0]) as i32;
                for &column in &columns[1..] {
                    let height = reach(column) as i32;
                    let difference = height - before;
                    let difference = if self.fuzzy { interval(difference) } else { difference };
                    let digit = difference.clamp(-cap, cap) + cap;
                    pattern += digit as u32 * weight;
                    weight = weight.wrapping_mul(self.base);
                    before = height;
                }
            }
            None => {
                for &column in columns {
                    pattern += weight * if self.heights { reach(column) as u32 } else { column };
                    weight = weight.wrapping_mul(self.base);
                }
            }
        }
        if self.levels > 1 || self.max_holes.is_some() {
            pattern += self.contours * self.level_and_holes(columns);
        }
        pattern
    }

    /// The level and the holes of some columns as one number.
    #[inline]
    fn level_and_holes(&self, columns: &[u32]) -> u32 {
        let highest = reach(columns.iter().fold(0, |all, column| all | column)) as u32;
        let level = highest * self.levels / (self.rows + 1);
        let holes = self.max_holes.map_or(0, |max| {
            let holes = columns.iter().map(|&column| reach(column) as u32 - column.count_ones());
            holes.sum::<u32>().min(max)
        });
        holes * self.levels + level
    }

    /// The number of patterns.
    pub(super) fn patterns(&self) -> u64 {
        u64::from(self.contours * self.levels * self.max_holes.map_or(1, |max| max + 1))
    }

    /// The mirror image of a pattern; `None` if mirror images are distinguished.
    #[inline]
    pub(super) fn image_of(&self, pattern: u32) -> Option<u32> {
        self.images.get(pattern as usize).copied()
    }

    /// The class of a pattern.
    #[inline]
    pub fn class(&self, pattern: u32) -> u32 {
        if self.images.is_empty() { pattern } else { self.classes[pattern as usize] }
    }

    /// The number of entries per class in a table of moves: pieces, orientations and columns.
    pub(super) fn moves(&self) -> usize {
        self.pieces * self.orientations * self.columns
    }

    /// The entry of a move in a table of moves; the view starts at column `left` of the well. A
    /// move and its mirror image have the entry of the one on the smaller pattern, and on a
    /// symmetric pattern that of the smaller number.
    #[inline]
    pub(super) fn pair(
        &self,
        game: &Tetris,
        pattern: u32,
        state: &State,
        mv: Placement,
        left: usize,
    ) -> u32 {
        let column = usize::from(mv.column) - left;
        let number = |piece: u8, orientation: u8, column: usize| {
            let place = usize::from(orientation) * self.columns + column;
            (usize::from(piece) * self.orientations * self.columns + place) as u32
        };
        let own = number(state.piece, mv.orientation, column);
        let moves = self.moves() as u32;
        if self.images.is_empty() {
            return pattern * moves + own;
        }
        let image = self.images[pattern as usize];
        let class = self.classes[pattern as usize];
        if pattern < image {
            return class * moves + own;
        }
        let (piece, orientation) = game.mirrored(state.piece, mv.orientation);
        let width = game.form(state.piece).orientations[usize::from(mv.orientation)].width;
        let mirrored = number(piece, orientation, self.columns - column - width);
        class * moves + if image < pattern { mirrored } else { own.min(mirrored) }
    }
}

/// The interval of a difference: 0, 1, 2, 3 to 4, 5 to 8, and so on, with its sign.
#[inline]
fn interval(difference: i32) -> i32 {
    let size = difference.unsigned_abs();
    let interval = if size <= 2 { size } else { (size - 1).ilog2() + 2 };
    difference.signum() * interval as i32
}

impl StateAggregation<Tetris> for ContourAggregation {
    fn size(&self) -> u64 {
        u64::from(self.class_count)
    }

    #[inline]
    fn indices(&self, _: &Tetris, after: &After, out: &mut [u32]) {
        out[0] = self.class(self.pattern(&after.board.columns()[..self.columns]));
    }
}

/// State-action aggregation: the class of the board, the piece and its placement.
#[derive(Clone, Debug)]
pub struct ContourActionAggregation(pub ContourAggregation);

impl StateActionAggregation<Tetris> for ContourActionAggregation {
    fn size(&self) -> u64 {
        u64::from(self.0.class_count) * self.0.moves() as u64
    }

    #[inline]
    fn indices(&self, game: &Tetris, state: &State, moves: &[Placement], out: &mut [u32]) {
        let pattern = self.0.pattern(&state.board.columns()[..self.0.columns]);
        for (&mv, out) in moves.iter().zip(out) {
            *out = self.0.pair(game, pattern, state, mv, 0);
        }
    }
}

#[cfg(test)]
mod tests;
