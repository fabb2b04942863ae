//! `ContourAggregation`: a view compiled for a well, which maps boards to table entries.

use crate::{StateActionAggregation, StateAggregation};
use afterstate_core::{Game, Symmetry};

use super::view::{Step, View, ViewError};
use crate::tetris::board::reach;
use crate::tetris::{After, Placement, State, Tetris};

/// The largest number of patterns.
const MAX_PATTERNS: u64 = 1 << 26;

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
        let factor = u64::from(view.levels()) * u64::from(view.holes().map_or(1, |max| max + 1));
        let contours = base.checked_pow(digits).filter(|&n| n > 1 && n <= MAX_PATTERNS);
        let patterns = contours.map(|contours| contours * factor).filter(|&n| n <= MAX_PATTERNS);
        let patterns = patterns.ok_or_else(|| {
            ViewError::new(format!("view {view} has too many patterns for this well"))
        })?;
        let mut aggregation = ContourAggregation {
            view: view.clone(),
            columns,
            base: base as u32,
            middle: differ.then_some(cap),
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
        let image = |pattern: u32| aggregation.image(pattern, digits);
        aggregation.images = (0..patterns as u32).map(image).collect();
        if view.is_mirrored() && game.symmetries() == 2 {
            let mut classes: Vec<u32> = Vec::with_capacity(patterns as usize);
            let mut count = 0;
            for pattern in 0..patterns as u32 {
                let image = aggregation.images[pattern as usize];
                let class = if image < pattern { classes[image as usize] } else { count };
                count += u32::from(image >= pattern);
                classes.push(class);
            }
            (aggregation.classes, aggregation.class_count) = (classes, count);
        } else {
            aggregation.images.clear();
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

    /// The mirror image of a pattern: its digits reversed, differences negated.
    fn image(&self, pattern: u32, digits: u32) -> u32 {
        let (mut image, rest) = (0, pattern / self.contours * self.contours);
        let mut pattern = pattern % self.contours;
        for _ in 0..digits {
            let digit = pattern % self.base;
            pattern /= self.base;
            let mirrored = if self.middle.is_some() { self.base - 1 - digit } else { digit };
            image = image * self.base + mirrored;
        }
        image + rest
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
                    let digit = (height - before).clamp(-cap, cap) + cap;
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
mod tests {
    use std::collections::HashMap;

    use afterstate_core::{Policy, RandomPolicy, Rng};

    use super::*;
    use crate::tetris::{Setup, melax_pieces};

    fn game(width: usize, height: usize, melax: bool) -> Tetris {
        let setup = Setup::sized(width, height);
        let pieces = if melax { melax_pieces() } else { setup.pieces.clone() };
        Tetris::new(Setup { pieces, ..setup }).unwrap()
    }

    /// The reference implementation of patterns: all that a view distinguishes, as numbers.
    fn reference(
        view: &View,
        board: &crate::tetris::Board,
        width: usize,
        height: usize,
    ) -> Vec<i32> {
        let columns = view.window().unwrap_or(width);
        if view.has(Step::Cells) {
            let cell = |i: usize| i32::from(board.get(i % height, i / height));
            return (0..columns * height).map(cell).collect();
        }
        let heights: Vec<i32> = (0..columns).map(|c| board.height_of(c) as i32).collect();
        if !view.has(Step::Differences) {
            return heights;
        }
        let cap = view.cap().unwrap_or(99);
        let differences = heights.windows(2).map(|pair| (pair[1] - pair[0]).clamp(-cap, cap));
        let highest = heights.iter().copied().max().unwrap_or(0);
        let level = highest * view.levels() as i32 / (height as i32 + 1);
        let hole = |c: usize| (0..heights[c]).filter(|&r| !board.get(r as usize, c)).count();
        let holes: usize = (0..columns).map(hole).sum();
        let holes = holes.min(view.holes().unwrap_or(0) as usize) as i32;
        differences.chain([level, holes]).collect()
    }

    const VIEWS: [&str; 8] = [
        "heights,differences,cap=1,level=3,mirror",
        "heights,differences,cap=2,level=2,holes=3,mirror",
        "cells",
        "cells,mirror",
        "heights",
        "heights,mirror",
        "heights,differences,mirror",
        "heights,differences,cap=3,mirror",
    ];

    /// Two boards have the same entry exactly if their patterns are equal or mirror images.
    #[test]
    fn entries_distinguish_what_a_view_distinguishes() {
        for text in VIEWS {
            let view: View = text.parse().unwrap();
            let game = game(4, 5, true);
            let aggregation = ContourAggregation::new(&view, &game).unwrap();
            let mut entry_of: HashMap<Vec<i32>, u32> = HashMap::new();
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..50_000 {
                let Some((_, step)) = RandomPolicy.choose(&game, &state, &mut rng) else {
                    state = game.start(&mut rng);
                    continue;
                };
                let mut own = [0];
                aggregation.indices(&game, &step.after, &mut own);
                assert!(u64::from(own[0]) < StateAggregation::<Tetris>::size(&aggregation));
                let image = game.apply_symmetry_to_after(1, &step.after);
                let patterns =
                    [step.after, image].map(|after| reference(&view, &after.board, 4, 5));
                let pattern =
                    if view.is_mirrored() { patterns.iter().min() } else { patterns.first() };
                let known = *entry_of.entry(pattern.unwrap().clone()).or_insert(own[0]);
                assert_eq!(known, own[0], "{text}");
                state = game.sample(&step.after, &mut rng);
            }
            let mut entries: Vec<u32> = entry_of.values().copied().collect();
            entries.sort_unstable();
            entries.dedup();
            assert_eq!(entries.len(), entry_of.len(), "{text}: two patterns share an entry");
        }
    }

    #[test]
    fn there_are_175_contours() {
        let view = |text: &str| text.parse::<View>().unwrap();
        let size = |text: &str, width| {
            ContourAggregation::new(&view(text), &game(width, 20, true)).unwrap().classes()
        };
        assert_eq!(size("heights,differences,cap=3,mirror", 4), 175);
        assert_eq!(size("heights,differences,cap=3,window=4,mirror", 10), 175);
        assert_eq!(size("heights,differences,cap=3", 4), 343);
        assert_eq!(size("heights,differences,cap=3,mirror", 5), 1_225);
        assert_eq!(
            ContourAggregation::new(&view("cells,mirror"), &Tetris::new(Setup::melax()).unwrap())
                .unwrap()
                .classes(),
            2_080
        );
        assert!(ContourAggregation::new(&view("cells"), &game(10, 20, true)).is_err());
        assert!(ContourAggregation::new(&view("heights,window=5"), &game(4, 20, true)).is_err());
    }

    /// Only a move and its mirror image have the same entry.
    #[test]
    fn moves_share_entries_with_their_mirror_images_alone() {
        for (text, melax) in [
            ("heights,differences,cap=2,mirror", true),
            ("heights,differences,cap=1,mirror", false),
            ("heights,differences,cap=2", false),
        ] {
            let game = game(4, 8, melax);
            let view: View = text.parse().unwrap();
            let aggregation =
                ContourActionAggregation(ContourAggregation::new(&view, &game).unwrap());
            let mut entry_of: HashMap<(Vec<i32>, u8, usize), u32> = HashMap::new();
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..20_000 {
                let Some((_, step)) = RandomPolicy.choose(&game, &state, &mut rng) else {
                    state = game.start(&mut rng);
                    continue;
                };
                let mut moves = Vec::new();
                game.for_each_move(&state, |mv, _| moves.push(mv));
                let mut entries = vec![0; moves.len()];
                aggregation.indices(&game, &state, &moves, &mut entries);
                for (&mv, entry) in moves.iter().zip(entries) {
                    assert!(u64::from(entry) < aggregation.size());
                    let images = [0, 1].map(|k| {
                        let image = game.apply_symmetry_to_state(k, &state);
                        let mv = game.apply_symmetry_to_move(k, &state, mv);
                        let pattern = reference(&view, &image.board, 4, 8);
                        (pattern, image.piece, game.action_number(mv))
                    });
                    let key = if view.is_mirrored() { images.iter().min() } else { images.first() };
                    let known = *entry_of.entry(key.unwrap().clone()).or_insert(entry);
                    assert_eq!(known, entry, "{text}");
                }
                state = game.sample(&step.after, &mut rng);
            }
            let mut entries: Vec<u32> = entry_of.values().copied().collect();
            entries.sort_unstable();
            entries.dedup();
            assert_eq!(entries.len(), entry_of.len(), "{text}: two moves share an entry");
        }
    }
}
