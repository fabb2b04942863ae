//! Tables learned by TD(0), Sarsa(lambda) or Q-learning, game by game on all threads.

use std::path::Path;

use afterstate_core::Rng;
use afterstate_games::spec::Spec;
use afterstate_games::{Aggregation, RewardFunction};
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_learn::{Coherence, EpisodeResult, Rate, Tc, Td, Update};
use afterstate_values::Table;
use afterstate_values::file::{self, AgentInfo};
use afterstate_values::memory::show;

use super::fit;
use crate::recipe::{Recipe, TableMethod, TablePlan};
use crate::run::budget::{Span, whole};
use crate::run::training::{GameResult, Round, RoundContext, Training};
use crate::run::{Observer, RunError};

/// Whether a table can be learned on this machine.
pub(super) fn check<G: Spec>(game: &G, plan: &TablePlan) -> Result<(), RunError> {
    fit(bytes(plan, &*tabled(game, plan)?))
}

/// The table of a plan: one that can be learned in this game.
fn tabled<G: Spec>(game: &G, plan: &TablePlan) -> Result<Box<dyn Aggregation<G>>, RunError> {
    let tabled = game.table(&plan.info().rules()).map_err(RunError::Table)?;
    if tabled.entries().is_none() && tabled.pairs().is_none() {
        let met = "met a window narrower than the board, expected one as wide to learn in";
        return Err(RunError::Table(met.to_owned()));
    }
    Ok(tabled)
}

fn bytes<G: Spec>(plan: &TablePlan, tabled: &dyn Aggregation<G>) -> u64 {
    let coherent = plan.method == TableMethod::Tc;
    4 * tabled.size() + if coherent { Coherence::bytes(tabled.size()) } else { 0 }
}

/// A table that is learned.
pub(super) struct TableTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    plan: &'a TablePlan,
    tabled: Box<dyn Aggregation<G>>,
    table: Table,
    coherence: Option<Coherence>,
    threads: usize,
}

impl<'a, G: Spec> TableTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a TablePlan,
        threads: usize,
        watch: &mut dyn Observer,
    ) -> Result<TableTraining<'a, G>, RunError> {
        let tabled = tabled(game, plan)?;
        let (size, needed) = (tabled.size(), bytes(plan, &*tabled));
        watch.plan(&format!("a table of {size} entries needs {} of memory", show(needed)))?;
        fit(needed)?;
        let each = tabled.entries().map_or(1, |entries| entries.count().max(1));
        let table = Table::new(size, plan.initial / each as f32)?;
        let coherent = plan.method == TableMethod::Tc;
        let coherence = if coherent { Some(Coherence::new(size)?) } else { None };
        Ok(TableTraining { game, recipe, plan, tabled, table, coherence, threads })
    }

    /// One thread's part.
    fn work(&self, turn: &RoundContext) -> Vec<GameResult> {
        let TablePlan { method, rate, .. } = *self.plan;
        match (method, &self.coherence) {
            (TableMethod::Sarsa, _) => self.moves(turn, Control::Sarsa),
            (TableMethod::Q, _) => self.moves(turn, Control::QLearning),
            (TableMethod::Tc, Some(coherence)) => self.afters(turn, Tc { rate, coherence }),
            _ => self.afters(turn, Td { rate }),
        }
    }

    fn task<'b, E: ?Sized>(&'b self, entries: &'b E) -> Task<'b, E, dyn RewardFunction<G> + 'b> {
        let TablePlan { discount, end, cut, .. } = *self.plan;
        let reward = self.tabled.pay();
        Task { table: &self.table, entries, reward, discount, end: Some(end), max_moves: cut }
    }

    fn afters<U: Update + Rate>(&self, turn: &RoundContext, update: U) -> Vec<GameResult> {
        let Some(entries) = self.tabled.entries() else { return Vec::new() };
        let mut learner = TableTd::new(self.game, self.task(entries), update, Exploration::Greedy);
        self.games(turn, |start, rate, explore, rng| {
            learner.update_mut().set_rate(rate);
            learner.exploration = explore;
            learner.episode(start, rng)
        })
    }

    fn moves(&self, turn: &RoundContext, control: Control) -> Vec<GameResult> {
        let Some(entries) = self.tabled.pairs() else { return Vec::new() };
        let TablePlan { rate, lambda, .. } = *self.plan;
        let explore = Exploration::Greedy;
        let mut learner = Sarsa::new(self.game, self.task(entries), control, rate, lambda, explore);
        self.games(turn, |start, rate, explore, rng| {
            learner.rate = rate;
            learner.exploration = explore;
            learner.episode(start, rng)
        })
    }

    fn games(
        &self,
        turn: &RoundContext,
        mut episode: impl FnMut(G::State, f32, Exploration, &mut Rng) -> EpisodeResult<G::State>,
    ) -> Vec<GameResult> {
        let span = Span { begin: 0.0, end: whole(turn.budget()) };
        let (first, last) = (self.plan.rate, self.plan.final_rate.unwrap_or(self.plan.rate));
        let mut results = Vec::new();
        while let Some((number, position)) = turn.next_game_before(span.end) {
            let mut rng = Rng::stream(self.recipe.seed, number);
            let rate = first + (last - first) * span.fraction(position) as f32;
            let start = self.game.start(&mut rng);
            let played = episode(start, rate, self.plan.explore.at(number), &mut rng);
            turn.count(played.moves);
            let reached = self.game.reached(&played.last);
            let EpisodeResult { score, moves, .. } = played;
            results.push(GameResult { number, score, moves, reached, fresh: true });
        }
        results
    }
}

impl<G: Spec> Training for TableTraining<'_, G> {
    fn identity(&self) -> String {
        let info = self.plan.info();
        let of = if info.moves { "moves" } else { "afterstates" };
        format!("a table of {} entries of {of} that sees {:?}", self.tabled.size(), info.sees)
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let own: &Self = self;
        let games = if own.threads <= 1 {
            own.work(turn)
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..own.threads).map(|_| scope.spawn(|| own.work(turn))).collect();
                let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
                joined
                    .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            })
        };
        Ok(Round { games, ..Round::default() })
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        Ok(serde_json::Value::Null)
    }

    fn restore(&mut self, _: serde_json::Value) -> Result<(), String> {
        Ok(())
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let mut tensors = vec![("table", self.table.memory_mut().bytes_mut())];
        if let Some(coherence) = &mut self.coherence {
            tensors.push(("coherence", coherence.memory_mut().bytes_mut()));
        }
        tensors
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        Ok(file::save_entries(path, info, &self.plan.info(), &mut self.table)?)
    }
}
