//! `Seen`: a view made ready for a well, which numbers what it sees of a board.

use afterstate_core::{Entries, Game, PairEntries, Symmetry};

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
        let words = base.checked_pow(digits).filter(|&words| words > 1 && words <= MOST);
        let words = words.ok_or_else(|| error("with too many words to number"))?;
        let mut seen = Seen {
            view: view.clone(),
            columns,
            base: base as u32,
            middle: differ.then_some(most),
            heights,
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
    fn image(&self, mut word: u32, digits: u32) -> u32 {
        let mut image = 0;
        for _ in 0..digits {
            let digit = word % self.base;
            word /= self.base;
            let turned = if self.middle.is_some() { self.base - 1 - digit } else { digit };
            image = image * self.base + turned;
        }
        image
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
        word
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

impl Entries<Tetris> for Seen {
    fn size(&self) -> u64 {
        u64::from(self.class_count)
    }

    #[inline]
    fn look_up(&self, _: &Tetris, after: &After, out: &mut [u32]) {
        out[0] = self.class(self.word(&after.board.columns()[..self.columns]));
    }
}

/// A view of the board of a state and the piece that is dropped, for tables of moves.
#[derive(Clone, Debug)]
pub struct SeenMoves(pub Seen);

impl PairEntries<Tetris> for SeenMoves {
    fn size(&self) -> u64 {
        u64::from(self.0.class_count) * self.0.moves() as u64
    }

    #[inline]
    fn look_up(&self, game: &Tetris, state: &State, moves: &[Placement], out: &mut [u32]) {
        let word = self.0.word(&state.board.columns()[..self.0.columns]);
        for (&mv, out) in moves.iter().zip(out) {
            *out = self.0.pair(game, word, state, mv, 0);
        }
    }
}
