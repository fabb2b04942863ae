//! `Seen`: a view made ready for a well, which numbers what it sees of a board.

use crate::{StateActionAggregation, StateAggregation};
use afterstate_core::{Game, Symmetry};

use super::view::{Step, View, ViewError};
use crate::tetris::board::reach;
use crate::tetris::{After, Placement, State, Tetris};

/// The most words that are numbered.
const MOST: u64 = 1 << 26;

/// A view of some neighbouring columns. A *word* is what it sees there; words that count as the
/// same are a *class*.
#[derive(Clone, Debug)]
pub struct Seen {
    view: View,
    /// How many columns are seen.
    columns: usize,
    /// How many values one digit of a word has.
    base: u32,
    /// What is added to a difference to make it a digit; `None` where digits are no differences.
    middle: Option<i32>,
    heights: bool,
    /// Words of contours or cells alone, without levels and holes.
    plain: u32,
    levels: u32,
    most_holes: Option<u32>,
    rows: u32,
    /// The word of the mirror image of each word.
    images: Vec<u32>,
    /// The class of each word.
    classes: Vec<u32>,
    class_count: u32,
    /// Pieces, and moves of a piece over these columns.
    pieces: usize,
    orientations: usize,
}

impl Seen {
    /// Makes a view ready. A window narrower than the well sees its leftmost columns; see
    /// [`Subwells`](super::SubwellAfters) for all of them.
    pub fn new(view: &View, game: &Tetris) -> Result<Seen, ViewError> {
        let setup = game.setup();
        let columns = view.window().unwrap_or(setup.width);
        let error = |why: &str| ViewError::new(&format!("{view} {why}"));
        if columns > setup.width {
            return Err(error(&format!("in a well of {} columns", setup.width)));
        }
        let rows = setup.height;
        let heights = view.has(Step::Heights);
        let differ = view.has(Step::Differences);
        let most = view.cap().unwrap_or(rows as i32);
        let base = match (heights, differ) {
            (false, _) => 1u64.checked_shl(rows as u32).unwrap_or(0),
            (true, false) => rows as u64 + 1,
            (true, true) => 2 * most as u64 + 1,
        };
        let digits = (columns - usize::from(differ)) as u32;
        let more = u64::from(view.levels()) * u64::from(view.holes().map_or(1, |most| most + 1));
        let plain = base.checked_pow(digits).filter(|&plain| plain > 1 && plain <= MOST);
        let words = plain.map(|plain| plain * more).filter(|&words| words <= MOST);
        let words = words.ok_or_else(|| error("with too many words to number"))?;
        let mut seen = Seen {
            view: view.clone(),
            columns,
            base: base as u32,
            middle: differ.then_some(most),
            heights,
            plain: (words / more) as u32,
            levels: view.levels(),
            most_holes: view.holes(),
            rows: rows as u32,
            images: Vec::new(),
            classes: Vec::new(),
            class_count: words as u32,
            pieces: setup.pieces.len(),
            orientations: game.actions() / setup.width,
        };
        let image = |word: u32| seen.image(word, digits);
        seen.images = (0..words as u32).map(image).collect();
        if view.is_mirrored() && game.symmetries() == 2 {
            let mut classes: Vec<u32> = Vec::with_capacity(words as usize);
            let mut count = 0;
            for word in 0..words as u32 {
                let image = seen.images[word as usize];
                let class = if image < word { classes[image as usize] } else { count };
                count += u32::from(image >= word);
                classes.push(class);
            }
            (seen.classes, seen.class_count) = (classes, count);
        } else {
            seen.images.clear();
        }
        Ok(seen)
    }

    /// The view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// How many columns are seen.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many classes there are.
    pub fn classes(&self) -> u32 {
        self.class_count
    }

    /// The mirror image of a word: its digits backwards, each difference as if seen from the other
    /// side.
    fn image(&self, word: u32, digits: u32) -> u32 {
        let (mut image, more) = (0, word / self.plain * self.plain);
        let mut word = word % self.plain;
        for _ in 0..digits {
            let digit = word % self.base;
            word /= self.base;
            let turned = if self.middle.is_some() { self.base - 1 - digit } else { digit };
            image = image * self.base + turned;
        }
        image + more
    }

    /// The word that stands in some neighbouring columns, as many as are seen. The first digit is
    /// the lowest.
    #[inline]
    pub fn word(&self, columns: &[u32]) -> u32 {
        debug_assert_eq!(columns.len(), self.columns);
        let (mut word, mut weight) = (0, 1);
        match self.middle {
            Some(most) => {
                let mut before = reach(columns[0]) as i32;
                for &column in &columns[1..] {
                    let height = reach(column) as i32;
                    let digit = (height - before).clamp(-most, most) + most;
                    word += digit as u32 * weight;
                    weight = weight.wrapping_mul(self.base);
                    before = height;
                }
            }
            None => {
                for &column in columns {
                    word += weight * if self.heights { reach(column) as u32 } else { column };
                    weight = weight.wrapping_mul(self.base);
                }
            }
        }
        if self.levels > 1 || self.most_holes.is_some() {
            word += self.plain * self.besides(columns);
        }
        word
    }

    /// The level and the holes of some columns as one number.
    #[inline]
    fn besides(&self, columns: &[u32]) -> u32 {
        let highest = reach(columns.iter().fold(0, |all, column| all | column)) as u32;
        let level = highest * self.levels / (self.rows + 1);
        let holes = self.most_holes.map_or(0, |most| {
            let holes = columns.iter().map(|&column| reach(column) as u32 - column.count_ones());
            holes.sum::<u32>().min(most)
        });
        holes * self.levels + level
    }

    /// How many words there are.
    pub(super) fn words(&self) -> u64 {
        u64::from(self.plain * self.levels * self.most_holes.map_or(1, |most| most + 1))
    }

    /// The word of the mirror image of a word, where mirror images count as the same.
    #[inline]
    pub(super) fn image_of(&self, word: u32) -> Option<u32> {
        self.images.get(word as usize).copied()
    }

    /// The class of a word.
    #[inline]
    pub fn class(&self, word: u32) -> u32 {
        if self.images.is_empty() { word } else { self.classes[word as usize] }
    }

    /// The number of moves that a class has in a table: pieces, orientations and columns.
    pub(super) fn moves(&self) -> usize {
        self.pieces * self.orientations * self.columns
    }

    /// The entry of a move of a piece whose left edge is `column` of the seen ones. Of a move and
    /// its mirror image the one on the smaller word counts, and of two on the same word the one
    /// with the smaller number.
    #[inline]
    pub(super) fn pair(
        &self,
        game: &Tetris,
        word: u32,
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
            return word * moves + own;
        }
        let image = self.images[word as usize];
        let class = self.classes[word as usize];
        if word < image {
            return class * moves + own;
        }
        let (piece, orientation) = game.mirrored(state.piece, mv.orientation);
        let width = game.form(state.piece).orientations[usize::from(mv.orientation)].width;
        let turned = number(piece, orientation, self.columns - column - width);
        class * moves + if image < word { turned } else { own.min(turned) }
    }
}

impl StateAggregation<Tetris> for Seen {
    fn size(&self) -> u64 {
        u64::from(self.class_count)
    }

    #[inline]
    fn indices(&self, _: &Tetris, after: &After, out: &mut [u32]) {
        out[0] = self.class(self.word(&after.board.columns()[..self.columns]));
    }
}

/// A view of the board of a state and the piece that is dropped, for tables of moves.
#[derive(Clone, Debug)]
pub struct SeenMoves(pub Seen);

impl StateActionAggregation<Tetris> for SeenMoves {
    fn size(&self) -> u64 {
        u64::from(self.0.class_count) * self.0.moves() as u64
    }

    #[inline]
    fn indices(&self, game: &Tetris, state: &State, moves: &[Placement], out: &mut [u32]) {
        let word = self.0.word(&state.board.columns()[..self.0.columns]);
        for (&mv, out) in moves.iter().zip(out) {
            *out = self.0.pair(game, word, state, mv, 0);
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

    /// What a view sees of a board, as plain numbers.
    fn plain(view: &View, board: &crate::tetris::Board, width: usize, height: usize) -> Vec<i32> {
        let columns = view.window().unwrap_or(width);
        if view.has(Step::Cells) {
            let cell = |i: usize| i32::from(board.get(i % height, i / height));
            return (0..columns * height).map(cell).collect();
        }
        let heights: Vec<i32> = (0..columns).map(|c| board.height_of(c) as i32).collect();
        if !view.has(Step::Differences) {
            return heights;
        }
        let most = view.cap().unwrap_or(99);
        let differences = heights.windows(2).map(|pair| (pair[1] - pair[0]).clamp(-most, most));
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

    /// Two boards have the same entry exactly if they look the same, or one as the other's mirror
    /// image.
    #[test]
    fn entries_tell_apart_what_a_view_tells_apart() {
        for text in VIEWS {
            let view: View = text.parse().unwrap();
            let game = game(4, 5, true);
            let seen = Seen::new(&view, &game).unwrap();
            let mut met: HashMap<Vec<i32>, u32> = HashMap::new();
            let mut rng = Rng::stream(1, 0);
            let mut state = game.start(&mut rng);
            for _ in 0..50_000 {
                let Some((_, step)) = RandomPolicy.choose(&game, &state, &mut rng) else {
                    state = game.start(&mut rng);
                    continue;
                };
                let mut own = [0];
                seen.indices(&game, &step.after, &mut own);
                assert!(u64::from(own[0]) < StateAggregation::<Tetris>::size(&seen));
                let image = game.apply_symmetry_to_after(1, &step.after);
                let words = [step.after, image].map(|after| plain(&view, &after.board, 4, 5));
                let word = if view.is_mirrored() { words.iter().min() } else { words.first() };
                let known = *met.entry(word.unwrap().clone()).or_insert(own[0]);
                assert_eq!(known, own[0], "{text}");
                state = game.sample(&step.after, &mut rng);
            }
            let mut entries: Vec<u32> = met.values().copied().collect();
            entries.sort_unstable();
            entries.dedup();
            assert_eq!(entries.len(), met.len(), "{text}: two words share an entry");
        }
    }

    #[test]
    fn there_are_175_contours() {
        let view = |text: &str| text.parse::<View>().unwrap();
        let size =
            |text: &str, width| Seen::new(&view(text), &game(width, 20, true)).unwrap().classes();
        assert_eq!(size("heights,differences,cap=3,mirror", 4), 175);
        assert_eq!(size("heights,differences,cap=3,window=4,mirror", 10), 175);
        assert_eq!(size("heights,differences,cap=3", 4), 343);
        assert_eq!(size("heights,differences,cap=3,mirror", 5), 1_225);
        assert_eq!(
            Seen::new(&view("cells,mirror"), &Tetris::new(Setup::melax()).unwrap())
                .unwrap()
                .classes(),
            2_080
        );
        assert!(Seen::new(&view("cells"), &game(10, 20, true)).is_err());
        assert!(Seen::new(&view("heights,window=5"), &game(4, 20, true)).is_err());
    }

    /// A move and its mirror image have the same entry, and nothing else shares it.
    #[test]
    fn moves_share_entries_with_their_mirror_images_alone() {
        for (text, melax) in [
            ("heights,differences,cap=2,mirror", true),
            ("heights,differences,cap=1,mirror", false),
            ("heights,differences,cap=2", false),
        ] {
            let game = game(4, 8, melax);
            let view: View = text.parse().unwrap();
            let seen = SeenMoves(Seen::new(&view, &game).unwrap());
            let mut met: HashMap<(Vec<i32>, u8, usize), u32> = HashMap::new();
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
                seen.indices(&game, &state, &moves, &mut entries);
                for (&mv, entry) in moves.iter().zip(entries) {
                    assert!(u64::from(entry) < seen.size());
                    let images = [0, 1].map(|k| {
                        let turned = game.apply_symmetry_to_state(k, &state);
                        let mv = game.apply_symmetry_to_move(k, &state, mv);
                        let word = plain(&view, &turned.board, 4, 8);
                        (word, turned.piece, game.action_number(mv))
                    });
                    let key = if view.is_mirrored() { images.iter().min() } else { images.first() };
                    let known = *met.entry(key.unwrap().clone()).or_insert(entry);
                    assert_eq!(known, entry, "{text}");
                }
                state = game.sample(&step.after, &mut rng);
            }
            let mut entries: Vec<u32> = met.values().copied().collect();
            entries.sort_unstable();
            entries.dedup();
            assert_eq!(entries.len(), met.len(), "{text}: two moves share an entry");
        }
    }
}
