//! `Tetris`: the rules value and its `Game` implementation.

use std::ops::ControlFlow;

use afterstate_core::{Game, Illegal, Index, Rng, Step};

use super::board::{Board, MAX_COLUMNS};
use super::form::{Form, Stamp};
use super::sets::{melax_pieces, standard_pieces};
use super::settle::{Overflow, Settled, Well, covered};
use super::symmetry::Mirror;
use crate::RulesError;
use crate::pieces::{Piece, PieceDistribution, check_set};

/// The largest number of cells of a well whose boards have an index.
const MAX_INDEX_CELLS: usize = 32;

/// The parameters of the rules. [`Tetris::new`] checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Columns of the well, 4 to 16.
    pub width: usize,
    /// Rows of the well, 2 to 32.
    pub height: usize,
    /// The pieces and their weights.
    pub pieces: Vec<Piece>,
    /// The rule for pieces above the top.
    pub overflow: Overflow,
    /// Whether the next piece is known.
    pub preview: bool,
    /// The number of pieces after which a game is truncated.
    pub limit: Option<u64>,
}

impl Setup {
    /// A well of that size with the standard pieces and the simplified rule.
    pub fn sized(width: usize, height: usize) -> Setup {
        let pieces = standard_pieces();
        Setup { width, height, pieces, overflow: Overflow::Lose, preview: false, limit: None }
    }

    /// Melax's game: six columns, two working rows, five small pieces, 10,000 pieces per game.
    pub fn melax() -> Setup {
        Setup {
            pieces: melax_pieces(),
            overflow: Overflow::Push,
            limit: Some(10_000),
            ..Setup::sized(6, 2)
        }
    }
}

/// The board with the piece to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The well.
    pub board: Board,
    /// The number of the piece to drop.
    pub piece: u8,
    /// The number of the piece after it, with a preview.
    pub next: Option<u8>,
}

/// The board after a drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct After {
    /// The well, its full rows cleared.
    pub board: Board,
    /// The number of the piece to drop next, with a preview.
    pub next: Option<u8>,
}

/// A move: an orientation of the piece and the column of its left edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The number of the orientation, from 0.
    pub orientation: u8,
    /// The leftmost column that the piece covers.
    pub column: u8,
}

/// The rules of Tetris by placements.
///
/// A drop that loses the game has no afterstate and is not a legal move; a state without a legal
/// move is terminal. The reward is the number of rows cleared, or in the endless well minus the
/// number of rows pushed out.
///
/// ```
/// use afterstate_core::{Game, Text};
/// use afterstate_games::tetris::{Setup, Tetris};
///
/// let game = Tetris::new(Setup::sized(6, 12))?;
/// let state = game.parse_state("O|##..##|##..##")?;
/// // The best of all placements clears both lines.
/// let (_, lines) = game.best_move(&state, |(_, step)| step.reward).ok_or("no move")?;
/// assert_eq!(lines, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tetris {
    setup: Setup,
    distribution: PieceDistribution,
    forms: Vec<Form>,
    max_orientations: usize,
    pub(super) well: Well,
    pub(super) mirror: Option<Mirror>,
}

impl Tetris {
    /// The rules of a setup, or the error in it.
    pub fn new(setup: Setup) -> Result<Tetris, RulesError> {
        let Setup { width, height, .. } = setup;
        if !(4..=MAX_COLUMNS).contains(&width) || !(2..=32).contains(&height) {
            let size = format!("{width}x{height}: Tetris supports 4x2 to 16x32");
            return Err(RulesError::new(format!("invalid well size {size}")));
        }
        if setup.limit == Some(0) {
            return Err(RulesError::new("invalid limit 0: expected at least 1 piece"));
        }
        check_set(&setup.pieces)?;
        let forms = setup.pieces.iter().map(|piece| Form::new(piece, width));
        let forms: Vec<Form> = forms.collect::<Result<_, _>>()?;
        for (piece, form) in setup.pieces.iter().zip(&forms) {
            let lowest = form.stamps.iter().map(|stamp| stamp.height);
            let lowest = lowest.min().unwrap_or(0);
            if lowest > height && setup.overflow != Overflow::Push {
                let message =
                    format!("piece {piece} needs {lowest} rows: the well has only {height}");
                return Err(RulesError::new(message));
            }
        }
        Ok(Tetris {
            distribution: PieceDistribution::new(&setup.pieces),
            max_orientations: forms.iter().map(|f| f.orientations.len()).max().unwrap_or(0),
            well: Well::new(width, height, setup.overflow),
            mirror: Mirror::new(&setup.pieces, &forms),
            forms,
            setup,
        })
    }

    /// Ten columns, twenty rows, the seven standard pieces, the simplified rule.
    pub fn standard() -> Tetris {
        Tetris::new(Setup::sized(10, 20)).expect("the standard rules are valid")
    }

    /// The parameters of the rules.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The orientations and placements of a piece.
    #[inline]
    pub fn form(&self, piece: u8) -> &Form {
        &self.forms[usize::from(piece)]
    }

    /// The number of empty cells that a drop covers: those between the piece and the cells below
    /// it. Zero for an invalid placement.
    #[inline]
    pub fn covered(&self, state: &State, mv: Placement) -> u32 {
        self.form(state.piece).stamp(mv).map_or(0, |stamp| covered(&state.board, stamp))
    }

    /// The step of a placement; `None` if it is invalid or loses the game.
    #[inline(always)]
    pub(super) fn step_of(&self, state: &State, mv: Placement) -> Option<Step<After>> {
        self.drop(state, self.form(state.piece).stamp(mv)?)
    }

    #[inline(always)]
    pub(super) fn drop(&self, state: &State, stamp: &Stamp) -> Option<Step<After>> {
        Some(self.step(state, self.well.drop(&state.board, stamp)?))
    }

    #[inline]
    fn step(&self, state: &State, settled: Settled) -> Step<After> {
        let after = After { board: settled.board, next: state.next };
        let reward = self.well.reward(settled.cleared, settled.pushed);
        Step { after, reward }
    }

    /// Whether every placement of the piece is legal, by the height of the board.
    #[inline]
    fn all_fit(&self, state: &State) -> bool {
        let top = state.board.height() + self.form(state.piece).tallest;
        top <= self.well.height || self.well.overflow == Overflow::Push
    }

    /// Every chance outcome: the drawn piece is the piece to drop, or the next one with a preview.
    fn try_draw<B>(
        &self,
        board: Board,
        next: Option<u8>,
        mut outcome: impl FnMut(State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for drawn in 0..self.distribution.kinds() as u8 {
            let (piece, next) = match next {
                Some(piece) => (piece, Some(drawn)),
                None => (drawn, None),
            };
            outcome(State { board, piece, next }, self.distribution.probability(drawn))?;
        }
        ControlFlow::Continue(())
    }
}

impl Game for Tetris {
    type State = State;
    type Move = Placement;
    type After = After;

    const VERSION: u32 = 1;

    fn unit(&self) -> &'static str {
        match self.well.overflow {
            Overflow::Lose | Overflow::ClearFirst => "lines",
            Overflow::Push => "rows pushed out, negative",
        }
    }

    fn try_start<B>(
        &self,
        mut outcome: impl FnMut(State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if !self.setup.preview {
            return self.try_draw(Board::default(), None, outcome);
        }
        for first in 0..self.distribution.kinds() as u8 {
            let first_probability = self.distribution.probability(first);
            self.try_draw(Board::default(), Some(first), |state, probability| {
                outcome(state, first_probability * probability)
            })?;
        }
        ControlFlow::Continue(())
    }

    fn start(&self, rng: &mut Rng) -> State {
        let next = self.setup.preview.then(|| self.distribution.draw(rng));
        self.sample(&After { board: Board::default(), next }, rng)
    }

    #[inline]
    fn try_moves<B>(
        &self,
        state: &State,
        mut offer: impl FnMut(Placement, Step<After>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for stamp in &self.form(state.piece).stamps {
            if let Some(step) = self.drop(state, stamp) {
                offer(stamp.mv, step)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn try_chance<B>(
        &self,
        after: &After,
        outcome: impl FnMut(State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.try_draw(after.board, after.next, outcome)
    }

    /// With a preview the piece to drop is known, and the drawn one does not matter yet.
    #[inline]
    fn try_next_turn<B>(
        &self,
        after: &After,
        mut outcome: impl FnMut(State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match after.next {
            Some(piece) => outcome(State { board: after.board, piece, next: None }, 1.0),
            None => self.try_chance(after, outcome),
        }
    }

    fn known_moves(&self, state: &State) -> u32 {
        1 + u32::from(state.next.is_some())
    }

    #[inline]
    fn sample(&self, after: &After, rng: &mut Rng) -> State {
        let drawn = self.distribution.draw(rng);
        let board = after.board;
        match after.next {
            Some(piece) => State { board, piece, next: Some(drawn) },
            None => State { board, piece: drawn, next: None },
        }
    }

    fn play(&self, state: &State, mv: Placement) -> Result<Step<After>, Illegal> {
        self.step_of(state, mv).ok_or(Illegal)
    }

    fn lines(&self, state: &State, choice: &(Placement, Step<After>)) -> Option<u32> {
        let stamp = self.form(state.piece).stamp(choice.0)?;
        self.well.drop(&state.board, stamp).map(|settled| settled.cleared)
    }

    fn actions(&self) -> usize {
        self.max_orientations * self.setup.width
    }

    fn action(&self, number: usize) -> Placement {
        let orientation = (number / self.setup.width) as u8;
        Placement { orientation, column: (number % self.setup.width) as u8 }
    }

    fn action_number(&self, mv: Placement) -> usize {
        usize::from(mv.orientation) * self.setup.width + usize::from(mv.column)
    }

    fn limit(&self) -> Option<u64> {
        self.setup.limit
    }

    #[inline]
    fn for_each_legal(&self, state: &State, mut visit: impl FnMut(Placement)) {
        let all_fit = self.all_fit(state);
        for stamp in &self.form(state.piece).stamps {
            if all_fit || self.well.allows(&state.board, stamp) {
                visit(stamp.mv);
            }
        }
    }

    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        let stamps = &self.form(state.piece).stamps;
        if self.all_fit(state) {
            return stamps.len();
        }
        stamps.iter().filter(|stamp| self.well.allows(&state.board, stamp)).count()
    }

    #[inline]
    fn nth_move(&self, state: &State, number: usize) -> Option<(Placement, Step<After>)> {
        let stamps = &self.form(state.piece).stamps;
        let step = |stamp: &Stamp| Some((stamp.mv, self.drop(state, stamp)?));
        if self.all_fit(state) {
            return stamps.get(number).and_then(step);
        }
        let allowed = |stamp: &&Stamp| self.well.allows(&state.board, stamp);
        stamps.iter().filter(allowed).nth(number).and_then(step)
    }
}

impl Index for Tetris {
    fn index_len(&self) -> Option<u64> {
        let cells = self.setup.width * self.setup.height;
        (cells <= MAX_INDEX_CELLS && !self.setup.preview).then(|| 1 << cells)
    }

    fn index_bits(&self) -> f64 {
        let shown = if self.setup.preview { self.distribution.kinds() as f64 } else { 1.0 };
        (self.setup.width * self.setup.height) as f64 + shown.log2()
    }

    /// The concatenated bits of the columns.
    fn index_of(&self, after: &After) -> Option<u64> {
        self.index_len()?;
        let columns = after.board.columns[..self.setup.width].iter().rev();
        Some(columns.fold(0, |index, &column| index << self.setup.height | u64::from(column)))
    }

    /// Boards with a full row are gaps: full rows clear.
    fn after_at(&self, index: u64) -> Option<After> {
        if index >= self.index_len()? {
            return None;
        }
        let mut board = Board::default();
        for column in 0..self.setup.width {
            let cells = index >> (column * self.setup.height);
            board.columns[column] = (cells & ((1 << self.setup.height) - 1)) as u32;
        }
        (self.well.full_rows(&board) == 0).then_some(After { board, next: None })
    }
}
