//! `TypedSession`: a session of one game with its types, behind the object-safe `Session`.

use std::collections::VecDeque;

use afterstate_agents::{Analysis, Analyzer, LoadedAgent};
use afterstate_core::policy::Choice;
use afterstate_core::text::one_line;
use afterstate_core::{Rng, Step};
use afterstate_games::picture::{Figure, Kind, Scene};
use afterstate_games::spec::Spec;
use afterstate_search::Search;
use afterstate_values::{Explanation, Model};

use crate::hints::{self, Hints};
use crate::snapshot::{Snapshot, agent_rng};
use crate::{Last, Offer, Replay, Session, SessionError, View};

/// How many snapshots are kept for undo.
pub const KEPT: usize = 1_000;

/// The most moves that are recorded.
pub const MAX_RECORDED: u64 = 1 << 20;

/// A session of one game.
pub(crate) struct TypedSession<G: Spec> {
    pub(crate) game: G,
    seed: u64,
    board: Option<G::State>,
    now: Snapshot<G>,
    /// The last positions, the latest at the back.
    past: VecDeque<Snapshot<G>>,
    /// The action numbers of the moves so far, at most `max_recorded`.
    record: Vec<u32>,
    moves: u64,
    /// The moves that were undone, the earliest at the back.
    undone: Vec<u32>,
    /// The most moves that are recorded.
    max_recorded: u64,
}

impl<G: Spec> TypedSession<G> {
    pub(crate) fn new(game: &G, seed: u64, board: Option<G::State>) -> TypedSession<G> {
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
    pub(crate) fn recording(mut self, max: u64) -> TypedSession<G> {
        self.max_recorded = max;
        self
    }

    /// The model of an agent that was loaded for the rules of the session.
    pub(crate) fn model<'a>(
        &self,
        agent: &'a LoadedAgent,
    ) -> Result<&'a dyn Model<G>, SessionError> {
        Ok(agent.model(&self.game)?)
    }

    /// The same, if the agent can search.
    pub(crate) fn searchable<'a>(
        &self,
        agent: &'a LoadedAgent,
        search: &Search,
    ) -> Result<&'a dyn Model<G>, SessionError> {
        agent.check_search(search)?;
        self.model(agent)
    }

    pub(crate) fn state(&self) -> &G::State {
        &self.now.state
    }

    pub(crate) fn agent_rng(&self) -> Rng {
        agent_rng(self.seed, self.moves)
    }

    pub(crate) fn is_truncated(&self) -> bool {
        self.game.limit().is_some_and(|limit| self.moves >= limit)
    }

    /// The number of a move among those of the state.
    pub(crate) fn number_of(&self, mv: G::Move) -> Option<usize> {
        let (mut number, mut found) = (0, None);
        self.game.for_each_move(&self.now.state, |other, _| {
            if other == mv {
                found = Some(number);
            }
            number += 1;
        });
        found
    }

    pub(crate) fn nth(&self, number: usize) -> Result<Choice<G>, SessionError> {
        if self.is_truncated() {
            return Err(SessionError::Finished);
        }
        let choice = self.game.nth_move(&self.now.state, number);
        choice.ok_or_else(|| match self.game.count_moves(&self.now.state) {
            0 => SessionError::Finished,
            moves => SessionError::Number { number, moves },
        })
    }

    /// Plays a legal move.
    pub(crate) fn play_choice(&mut self, choice: Choice<G>) {
        let number = self.game.action_number(choice.0) as u32;
        match self.undone.pop() {
            // The move that was undone: those after it may still be redone.
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

    /// Whether every move so far is recorded.
    fn is_recorded(&self) -> bool {
        self.record.len() as u64 == self.moves
    }

    /// Goes to the position after that many recorded moves by playing them again.
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
        let spawned = match self.scene(false).kind {
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
            spawned,
        })
    }

    fn scene(&self, painted: bool) -> Scene {
        let mut scene = self.game.scene(&self.now.state);
        if painted {
            scene.cells.copy_from_slice(&self.now.paint);
        }
        scene
    }

    /// What a view shows, with or without the legal moves.
    fn shown(&self, options: bool) -> View {
        let (game, state) = (&self.game, &self.now.state);
        let mut moves = Vec::new();
        if options && !self.is_truncated() {
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
            finished: self.finished(),
            truncated: self.is_truncated(),
            can_undo: !self.past.is_empty(),
            can_redo: !self.undone.is_empty(),
            last: self.last(),
            options: moves,
        }
    }
}

impl<G: Spec> Session for TypedSession<G> {
    fn rules(&self) -> String {
        self.game.spec()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn view(&self) -> View {
        self.shown(true)
    }

    fn glance(&self) -> View {
        self.shown(false)
    }

    fn pieces(&self) -> Vec<Figure> {
        self.game.pieces()
    }

    fn drawing(&self) -> String {
        self.game.drawing(&self.now.state)
    }

    fn moves(&self) -> u64 {
        self.moves
    }

    fn score(&self) -> f64 {
        self.now.score
    }

    fn finished(&self) -> bool {
        self.is_truncated() || self.game.count_moves(&self.now.state) == 0
    }

    fn reached(&self) -> Option<u64> {
        self.game.reached(&self.now.state)
    }

    fn play(&mut self, mv: &str) -> Result<(), SessionError> {
        if self.finished() {
            return Err(SessionError::Finished);
        }
        let (game, state) = (&self.game, &self.now.state);
        let mv = game.parse_move(state, mv)?;
        let step = game.play(state, mv).map_err(|_| SessionError::Illegal {
            mv: game.move_text(mv),
            why: game.why_illegal(state, mv),
        })?;
        self.play_choice((mv, step));
        Ok(())
    }

    fn play_number(&mut self, number: usize) -> Result<(), SessionError> {
        let choice = self.nth(number)?;
        self.play_choice(choice);
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
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Hints, SessionError> {
        hints::of(self, agent, search, threads)
    }

    fn analyze(
        &self,
        agent: &LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Analysis>, SessionError> {
        if self.is_truncated() {
            return Err(SessionError::Truncated(self.moves));
        }
        let analyzer = Analyzer::new(&self.game, self.model(agent)?, search, threads);
        Ok(analyzer.map(|mut analyzer| analyzer.analyze(&self.now.state)))
    }

    fn explain(&self, agent: &LoadedAgent, number: usize) -> Result<Explanation, SessionError> {
        let (model, choice) = (self.model(agent)?, self.nth(number)?);
        let parts = model.explain(&self.game, &self.now.state, &choice);
        let parts = parts.ok_or_else(|| SessionError::NoValues(agent.name().to_owned()))?;
        Ok(Explanation::new(self.game.move_text(choice.0), parts))
    }

    fn choose(&self, agent: &LoadedAgent, search: &Search) -> Result<Option<usize>, SessionError> {
        let model = self.searchable(agent, search)?;
        if self.finished() {
            return Ok(None);
        }
        let rng = &mut self.agent_rng();
        let chosen = model.searching(search).choose(&self.game, &self.now.state, rng);
        Ok(chosen.and_then(|(mv, _)| self.number_of(mv)))
    }

    fn play_by(
        &mut self,
        agent: &LoadedAgent,
        search: &Search,
        max: u64,
    ) -> Result<u64, SessionError> {
        let mut policy = self.searchable(agent, search)?.searching(search);
        let mut played = 0;
        while played < max && !self.is_truncated() {
            let rng = &mut self.agent_rng();
            let Some(choice) = policy.choose(&self.game, &self.now.state, rng) else { break };
            self.play_choice(choice);
            played += 1;
        }
        Ok(played)
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

#[cfg(test)]
mod tests;
