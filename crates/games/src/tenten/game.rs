//! `Game` for `TenTen`: a move places a piece, and chance selects a new hand when the last is used.

use std::ops::ControlFlow;

use afterstate_core::{Game, Illegal, Rng, Step};

use super::board::Board;
use super::hand::Hand;
use super::rules::{After, Placement, State, TenTen};
use super::select::nth_bit;

/// The afterstate before the start: chance deals the first hand.
const NOTHING_PLACED: After = After { board: Board::EMPTY, hand: Hand::EMPTY };

impl TenTen {
    /// Every possible hand, once, with the sum of the probabilities of its orders.
    #[inline]
    fn try_hands<B>(&self, mut outcome: impl FnMut(Hand, f64) -> ControlFlow<B>) -> ControlFlow<B> {
        let count = self.distribution.kinds() as u8;
        for i in 0..count {
            let (one, probability) = (Hand::EMPTY.with(i), self.distribution.probability(i));
            if self.hand() == 1 {
                outcome(one, probability)?;
                continue;
            }
            for j in i..count {
                let (two, probability) =
                    (one.with(j), probability * self.distribution.probability(j));
                if self.hand() == 2 {
                    outcome(two, probability * two.orders())?;
                    continue;
                }
                for k in j..count {
                    let three = two.with(k);
                    outcome(
                        three,
                        probability * self.distribution.probability(k) * three.orders(),
                    )?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Game for TenTen {
    type State = State;
    type Move = Placement;
    type After = After;

    const VERSION: u32 = 1;

    fn unit(&self) -> &'static str {
        "points"
    }

    fn try_start<B>(&self, outcome: impl FnMut(State, f64) -> ControlFlow<B>) -> ControlFlow<B> {
        self.try_chance(&NOTHING_PLACED, outcome)
    }

    #[inline]
    fn start(&self, rng: &mut Rng) -> State {
        self.sample(&NOTHING_PLACED, rng)
    }

    #[inline]
    fn try_moves<B>(
        &self,
        state: &State,
        mut offer: impl FnMut(Placement, Step<After>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for piece in state.hand.distinct() {
            let mut origins = self.origins(state.board, piece);
            while origins != 0 {
                let at = origins.trailing_zeros() as u8;
                origins &= origins - 1;
                let mv = Placement { piece, at };
                offer(mv, self.step(state, mv))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn try_chance<B>(
        &self,
        after: &After,
        mut outcome: impl FnMut(State, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let &After { board, hand } = after;
        if !hand.is_empty() {
            return outcome(State { board, hand }, 1.0);
        }
        self.try_hands(|hand, probability| outcome(State { board, hand }, probability))
    }

    /// The whole hand.
    fn known_moves(&self, state: &State) -> u32 {
        state.hand.len() as u32
    }

    #[inline]
    fn sample(&self, after: &After, rng: &mut Rng) -> State {
        let &After { board, mut hand } = after;
        if hand.is_empty() {
            for _ in 0..self.hand() {
                hand = hand.with(self.distribution.draw(rng));
            }
        }
        State { board, hand }
    }

    #[inline]
    fn play(&self, state: &State, mv: Placement) -> Result<Step<After>, Illegal> {
        let known = usize::from(mv.piece) < self.pieces.len() && state.hand.has(mv.piece);
        if !known || usize::from(mv.at) >= self.cells() {
            return Err(Illegal);
        }
        if self.origins(state.board, mv.piece) >> mv.at & 1 == 0 {
            return Err(Illegal);
        }
        Ok(self.step(state, mv))
    }

    #[inline]
    fn lines(&self, state: &State, choice: &(Placement, Step<After>)) -> Option<u32> {
        Some(self.place_unchecked(state.board, choice.0).1)
    }

    fn actions(&self) -> usize {
        self.pieces.len() * self.cells()
    }

    #[inline]
    fn action(&self, number: usize) -> Placement {
        assert!(number < self.actions(), "action {number} of {}", self.actions());
        Placement { piece: (number / self.cells()) as u8, at: (number % self.cells()) as u8 }
    }

    #[inline]
    fn action_number(&self, mv: Placement) -> usize {
        usize::from(mv.piece) * self.cells() + usize::from(mv.at)
    }

    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        let places = |piece| self.origins(state.board, piece).count_ones() as usize;
        state.hand.distinct().map(places).sum()
    }

    #[inline]
    fn nth_move(&self, state: &State, number: usize) -> Option<(Placement, Step<After>)> {
        let mut left = number;
        for piece in state.hand.distinct() {
            match nth_bit(self.origins(state.board, piece), left) {
                Ok(at) => {
                    let mv = Placement { piece, at: at as u8 };
                    return Some((mv, self.step(state, mv)));
                }
                Err(still_left) => left = still_left,
            }
        }
        None
    }
}
