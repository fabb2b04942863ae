//! `TypedSession`: a sitting of one game, with its types, behind an interface without them.

use std::collections::VecDeque;

use afterstate_core::policy::Choice;
use afterstate_core::text::one_line;
use afterstate_core::{Rng, Step};
use afterstate_games::picture::{Kind, Scene};
use afterstate_games::spec::Spec;
use afterstate_search::Search;

use super::moment::{Snapshot, agent_rng};
use super::{Explanation, Hints, Last, LoadedAgent, Offer, Replay, SessionError, View};
use crate::advice::Analysis;

/// How many positions are kept to go back to at once.
pub const KEPT: usize = 1_000;

/// How many moves are recorded.
pub const MAX_RECORDED: u64 = 1 << 20;

/// A sitting of any game.
pub(super) trait DynSession: Send {
    fn rules(&self) -> String;
    fn seed(&self) -> u64;
    fn view(&self, options: bool) -> View;
    fn moves(&self) -> u64;
    fn score(&self) -> f64;
    fn over(&self) -> bool;
    fn reached(&self) -> Option<u64>;
    fn play(&mut self, mv: &str) -> Result<(), SessionError>;
    fn play_number(&mut self, number: usize) -> Result<(), SessionError>;
    fn undo(&mut self) -> bool;
    fn redo(&mut self) -> bool;
    fn go_to(&mut self, moves: u64) -> bool;
    fn hints(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError>;
    fn advise(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError>;
    fn inside(&self, by: &LoadedAgent, number: usize) -> Result<Explanation, SessionError>;
    fn choose(&self, by: &LoadedAgent, search: &Search) -> Result<Option<usize>, SessionError>;
    fn play_by(
        &mut self,
        by: &LoadedAgent,
        search: &Search,
        most: u64,
    ) -> Result<u64, SessionError>;
    fn replay(&self) -> Option<Replay>;
}

/// A sitting of one game.
pub(super) struct TypedSession<G: Spec> {
    pub(super) game: G,
    seed: u64,
    board: Option<G::State>,
    now: Snapshot<G>,
    /// The last positions, the latest at the back.
    past: VecDeque<Snapshot<G>>,
    /// The numbers of the moves so far, as long as they fit.
    record: Vec<u32>,
    moves: u64,
    /// The moves that were taken back, the earliest at the back.
    undone: Vec<u32>,
    /// How many moves are recorded.
    max_recorded: u64,
}

impl<G: Spec> TypedSession<G> {
    pub(super) fn new(game: &G, seed: u64, board: Option<G::State>) -> TypedSession<G> {
        TypedSession {
            now: Snapshot::first(game, seed, board),
            game: game.clone(),
            seed,
            board,
            past: VecDeque::new(),
            record: Vec::new(),
            moves: 0,
            undone: Vec::new(),
            max_recorded: MAX_RECORDED,
        }
    }

    /// The same with a shorter record.
    #[cfg(test)]
    pub(super) fn recording(mut self, most: u64) -> TypedSession<G> {
        self.max_recorded = most;
        self
    }

    pub(super) fn state(&self) -> &G::State {
        &self.now.state
    }

    pub(super) fn agent_rng(&self) -> Rng {
        agent_rng(self.seed, self.moves)
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.game.limit().is_some_and(|limit| self.moves >= limit)
    }

    /// The number of a move among those of the state.
    pub(super) fn number_of(&self, mv: G::Move) -> Option<usize> {
        let (mut number, mut found) = (0, None);
        self.game.for_each_move(&self.now.state, |other, _| {
            if other == mv {
                found = Some(number);
            }
            number += 1;
        });
        found
    }

    pub(super) fn nth(&self, number: usize) -> Result<Choice<G>, SessionError> {
        if self.is_cut_off() {
            return Err(SessionError::Over);
        }
        let choice = self.game.nth_move(&self.now.state, number);
        choice.ok_or_else(|| match self.game.count_moves(&self.now.state) {
            0 => SessionError::Over,
            moves => SessionError::Number { met: number, moves },
        })
    }

    /// Makes a legal move that was chosen anew.
    pub(super) fn make(&mut self, choice: Choice<G>) {
        let number = self.game.action_number(choice.0) as u32;
        match self.undone.pop() {
            // The same move as before: those after it may still be made again.
            Some(same) if same == number => {}
            _ => self.undone.clear(),
        }
        self.advance(&choice);
    }

    fn advance(&mut self, choice: &Choice<G>) {
        let next = self.now.after(&self.game, choice);
        if self.moves < self.max_recorded {
            self.record.push(self.game.action_number(choice.0) as u32);
        }
        self.moves += 1;
        self.past.push_back(std::mem::replace(&mut self.now, next));
        if self.past.len() > KEPT {
            self.past.pop_front();
        }
    }

    /// Whether every move so far is on record.
    fn is_recorded(&self) -> bool {
        self.record.len() as u64 == self.moves
    }

    /// Goes back to the position after so many moves of the record by playing it again.
    fn rebuild(&mut self, moves: usize) {
        let record = std::mem::take(&mut self.record);
        self.now = Snapshot::first(&self.game, self.seed, self.board);
        self.past.clear();
        self.moves = 0;
        for &number in &record[..moves] {
            let mv = self.game.action(number as usize);
            let Ok(step) = self.game.play(&self.now.state, mv) else { break };
            self.advance(&(mv, step));
        }
    }

    /// The last move with the position before it.
    fn last(&self) -> Option<Last> {
        let (before, mv) = (self.past.back()?, self.now.by?);
        let step: Step<G::After> = self.game.play(&before.state, mv).ok()?;
        let choice = (mv, step);
        let motion = self.game.motion(&before.state, &choice);
        let dealt = match self.scene(false).kind {
            Kind::Tiles => {
                let filled = |cell: &usize| self.now.paint[*cell] != 0;
                let moved = |cell: &usize| motion.iter().any(|motion| motion.to == *cell);
                (0..self.now.paint.len()).filter(|cell| filled(cell) && !moved(cell)).collect()
            }
            Kind::Well | Kind::Blocks => Vec::new(),
        };
        Some(Last {
            mv: self.game.move_text(mv),
            reward: choice.1.reward,
            mark: self.game.mark(&before.state, &choice),
            motion,
            dealt,
        })
    }

    fn scene(&self, painted: bool) -> Scene {
        let mut scene = self.game.scene(&self.now.state);
        if painted {
            scene.cells.copy_from_slice(&self.now.paint);
        }
        scene
    }
}

impl<G: Spec> DynSession for TypedSession<G> {
    fn rules(&self) -> String {
        self.game.spec()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn view(&self, options: bool) -> View {
        let (game, state) = (&self.game, &self.now.state);
        let mut moves = Vec::new();
        if options && !self.is_cut_off() {
            game.for_each_move(state, |mv, step| {
                let mark = game.mark(state, &(mv, step));
                moves.push(Offer { mv: game.move_text(mv), reward: step.reward, mark });
            });
        }
        View {
            game: game.spec(),
            seed: self.seed,
            scene: self.scene(true),
            state: one_line(&game.state_text(state)),
            score: self.now.score,
            unit: game.unit(),
            moves: self.moves,
            known: self.moves + self.undone.len() as u64,
            reached: game.reached(state),
            over: self.over(),
            cut_off: self.is_cut_off(),
            can_undo: !self.past.is_empty(),
            can_redo: !self.undone.is_empty(),
            last: self.last(),
            options: moves,
        }
    }

    fn moves(&self) -> u64 {
        self.moves
    }

    fn score(&self) -> f64 {
        self.now.score
    }

    fn over(&self) -> bool {
        self.is_cut_off() || self.game.count_moves(&self.now.state) == 0
    }

    fn reached(&self) -> Option<u64> {
        self.game.reached(&self.now.state)
    }

    fn play(&mut self, mv: &str) -> Result<(), SessionError> {
        if self.over() {
            return Err(SessionError::Over);
        }
        let (game, state) = (&self.game, &self.now.state);
        let mv = game.parse_move(state, mv).map_err(|e| SessionError::Text(e.to_string()))?;
        let step = game.play(state, mv).map_err(|_| SessionError::Illegal {
            mv: game.move_text(mv),
            why: game.why_illegal(state, mv),
        })?;
        self.make((mv, step));
        Ok(())
    }

    fn play_number(&mut self, number: usize) -> Result<(), SessionError> {
        let choice = self.nth(number)?;
        self.make(choice);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop_back() else { return false };
        let now = std::mem::replace(&mut self.now, before);
        if let Some(mv) = now.by {
            self.undone.push(self.game.action_number(mv) as u32);
        }
        if self.is_recorded() {
            self.record.pop();
        }
        self.moves -= 1;
        if self.past.is_empty() && self.moves > 0 && self.is_recorded() {
            self.rebuild(self.record.len());
        }
        true
    }

    fn redo(&mut self) -> bool {
        let Some(number) = self.undone.pop() else { return false };
        let mv = self.game.action(number as usize);
        match self.game.play(&self.now.state, mv) {
            Ok(step) => {
                self.advance(&(mv, step));
                true
            }
            Err(_) => false,
        }
    }

    fn go_to(&mut self, moves: u64) -> bool {
        let known = self.moves + self.undone.len() as u64;
        let back = self.moves.saturating_sub(moves);
        if moves > known || back > self.past.len() as u64 && !self.is_recorded() {
            return false;
        }
        while self.moves < moves {
            if !self.redo() {
                return false;
            }
        }
        if self.is_recorded() && self.moves - moves > self.past.len() as u64 {
            let later = self.record[moves as usize..].iter().rev().copied();
            let later: Vec<u32> = later.collect();
            self.undone.extend(later);
            self.rebuild(moves as usize);
        }
        while self.moves > moves {
            if !self.undo() {
                return false;
            }
        }
        true
    }

    fn hints(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError> {
        self.hints_by(by, search, threads)
    }

    fn advise(
        &self,
        by: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError> {
        self.advise_by(by, search, threads)
    }

    fn inside(&self, by: &LoadedAgent, number: usize) -> Result<Explanation, SessionError> {
        let loaded = by.loaded(&self.game)?;
        let choice = self.nth(number)?;
        let inside = loaded.inside(&self.game, &self.now.state, &choice);
        inside.ok_or_else(|| SessionError::NoValues(by.name().to_owned()))
    }

    fn choose(&self, by: &LoadedAgent, search: &Search) -> Result<Option<usize>, SessionError> {
        let loaded = by.loaded(&self.game)?;
        if self.over() {
            return Ok(None);
        }
        let chosen =
            loaded.searching(search).choose(&self.game, &self.now.state, &mut self.agent_rng());
        Ok(chosen.and_then(|(mv, _)| self.number_of(mv)))
    }

    fn play_by(
        &mut self,
        by: &LoadedAgent,
        search: &Search,
        most: u64,
    ) -> Result<u64, SessionError> {
        let loaded = by.loaded(&self.game)?;
        let mut player = loaded.searching(search);
        let mut made = 0;
        while made < most && !self.is_cut_off() {
            let agent_rng = &mut self.agent_rng();
            let Some(choice) = player.choose(&self.game, &self.now.state, agent_rng) else { break };
            self.make(choice);
            made += 1;
        }
        Ok(made)
    }

    fn replay(&self) -> Option<Replay> {
        let text = |&number: &u32| self.game.move_text(self.game.action(number as usize));
        let board = self.board.map(|state| one_line(&self.game.state_text(&state)));
        self.is_recorded().then(|| {
            let moves = self.record.iter().map(text).collect();
            let rules = (self.game.spec(), G::VERSION);
            Replay::new(rules, self.seed, board, moves, self.now.score)
        })
    }
}
