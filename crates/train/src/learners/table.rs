//! `[table]`: a value table over a state or state-action aggregation, learned by TD(0),
//! Sarsa(lambda) or Q-learning, game by game on all threads.

use std::collections::BTreeMap;
use std::path::Path;

use afterstate_agents::AgentName;
use afterstate_core::Rng;
use afterstate_core::threads::scoped;
use afterstate_games::spec::Spec;
use afterstate_games::{Aggregation, AggregationSpec, Combine, RewardFunction};
use afterstate_learn::table::{Control, Exploration as Explore, Sarsa, Schedule, TableTd, Task};
use afterstate_learn::{Coherence, EpisodeResult, Tc, Td, Update};
use afterstate_values::memory::show;
use afterstate_values::{AgentInfo, ValueTable};
use serde::{Deserialize, Serialize};

use super::{
    GameResult, Learner, LearnerError, Needs, Opened, Plan, Round, RoundContext, Training,
    ensure_memory,
};
use crate::budget::{Span, whole};
use crate::recipe::{Budget, InvalidSetting, check_rates, defaults, ensure};
use crate::run::Observer;

/// The aggregation of the table, and how it is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablePlan {
    /// The learning method.
    pub method: TableMethod,
    /// The view of a board, such as `heights,differences,cap=3,window=4,mirror`, or several.
    pub views: Views,
    /// How the values of several views, or of several windows of a wider board, are combined.
    #[serde(default)]
    pub combine: Combine,
    /// The initial value of a state, divided among the entries that are summed.
    #[serde(default)]
    pub initial: f32,
    /// The learning rate.
    pub rate: f32,
    /// The learning rate at the end, if it changes (linearly).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// The discount factor.
    #[serde(default = "no_discount")]
    pub discount: f32,
    /// The decay of eligibility traces, for `sarsa` and `q`.
    #[serde(default)]
    pub lambda: f32,
    /// The value of a terminal state.
    #[serde(default)]
    pub terminal_value: f32,
    /// Games are truncated after this many moves.
    #[serde(default = "max_moves")]
    pub max_moves: u64,
    /// How moves are selected while learning.
    #[serde(default)]
    pub exploration: Exploration,
    /// The reward of a move, by its parts.
    #[serde(default = "points")]
    pub reward: BTreeMap<String, f32>,
}

/// One view or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected text such as \"heights,mirror\", or a list of such texts")]
pub enum Views {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// The learning method of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TableMethod {
    /// TD(0) on afterstates.
    Td,
    /// Temporal coherence learning on afterstates, with an adaptive rate per entry.
    Tc,
    /// Sarsa(lambda) on state-action pairs.
    Sarsa,
    /// Q-learning on state-action pairs; with traces, Watkins's Q(lambda).
    Q,
}

/// How moves are selected while learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Exploration {
    /// The argmax, ties to the first move.
    #[default]
    Greedy,
    /// The argmax, or a random move with this probability.
    Epsilon(f32),
    /// With probability proportional to exp(value / temperature); the temperature falls
    /// geometrically.
    Softmax {
        /// The temperature of the first game.
        first: f32,
        /// The final temperature.
        last: f32,
        /// Games until the final temperature.
        games: u64,
    },
}

defaults! {
    no_discount: f32 = 1.0;
    max_moves: u64 = 1_000_000;
    points: BTreeMap<String, f32> = [("point".to_owned(), 1.0)].into();
}

impl Exploration {
    fn at(self, game: u64) -> Explore {
        match self {
            Exploration::Greedy => Explore::Greedy,
            Exploration::Epsilon(probability) => Explore::Epsilon(probability),
            Exploration::Softmax { first, last, games } => {
                Explore::Softmax(Schedule { first, last, games }.at(game))
            }
        }
    }
}

/// The table cannot be learned in this game.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct TableError(String);

impl TablePlan {
    /// The description of the table.
    fn spec(&self) -> AggregationSpec {
        AggregationSpec {
            state_action: matches!(self.method, TableMethod::Sarsa | TableMethod::Q),
            views: match &self.views {
                Views::One(one) => vec![one.clone()],
                Views::Many(many) => many.clone(),
            },
            combine: self.combine,
            reward: self.reward.clone(),
            discount: self.discount,
        }
    }

    /// The aggregation, if a table over it can be learned.
    fn aggregation<G: Spec>(&self, game: &G) -> Result<Box<dyn Aggregation<G>>, TableError> {
        let aggregation = game.aggregation(&self.spec()).map_err(TableError)?;
        if aggregation.state_aggregation().is_none()
            && aggregation.state_action_aggregation().is_none()
        {
            let narrow =
                "the window is narrower than the board: such a table plays, but cannot be learned";
            return Err(TableError(narrow.to_owned()));
        }
        Ok(aggregation)
    }

    fn bytes(&self, entries: u64) -> u64 {
        let coherent = self.method == TableMethod::Tc;
        4 * entries + if coherent { Coherence::bytes(entries) } else { 0 }
    }
}

impl Plan for TablePlan {
    const TABLES: &'static [&'static str] = &["table"];
    const USAGE: &'static str = "[table]";

    fn check(&self, _: &Budget) -> Result<(), InvalidSetting> {
        check_rates("table", self.rate, self.final_rate)?;
        for (setting, factor) in [("table.discount", self.discount), ("table.lambda", self.lambda)]
        {
            ensure((0.0..=1.0).contains(&factor), setting, factor, "0 to 1")?;
        }
        let holds = self.lambda == 0.0 || self.spec().state_action;
        ensure(holds, "table.lambda", self.lambda, "0 unless the method is sarsa or q")?;
        for (setting, value) in
            [("table.initial", self.initial), ("table.terminal_value", self.terminal_value)]
        {
            ensure(value.is_finite(), setting, value, "a finite number")?;
        }
        ensure(self.max_moves > 0, "table.max_moves", self.max_moves, "1 or more")?;
        let holds = match self.exploration {
            Exploration::Greedy => true,
            Exploration::Epsilon(probability) => (0.0..=1.0).contains(&probability),
            Exploration::Softmax { first, last, .. } => {
                [first, last].iter().all(|temperature| (0.0..=1e9).contains(temperature))
            }
        };
        let found = format!("{:?}", self.exploration);
        ensure(holds, "table.exploration", found, "a probability or temperatures from 0 to 1e9")
    }

    fn check_game<G: Spec>(&self, game: &G) -> Result<(), LearnerError> {
        Ok(ensure_memory(self.bytes(self.aggregation(game)?.size()))?)
    }

    fn needs<G: Spec>(&self, game: &G) -> Result<Needs, LearnerError> {
        let size = self.aggregation(game)?.size();
        Ok(Needs::of_tables(self.bytes(size), 4 * size))
    }

    fn agents(&mut self) -> Vec<&mut AgentName> {
        Vec::new()
    }

    fn open<'a, G: Spec>(
        &'a self,
        training: Training<'a, G>,
        observer: &mut dyn Observer,
    ) -> Opened<'a> {
        let aggregation = self.aggregation(training.game)?;
        let (size, needed) = (aggregation.size(), self.bytes(aggregation.size()));
        observer.begin(&format!("a table of {size} entries needs {} of memory", show(needed)))?;
        ensure_memory(needed)?;
        let each = aggregation.state_aggregation().map_or(1, |entries| entries.count().max(1));
        let table = ValueTable::new(size, self.initial / each as f32)?;
        let coherent = self.method == TableMethod::Tc;
        let coherence = if coherent { Some(Coherence::new(size)?) } else { None };
        let plan = self;
        Ok(Box::new(TableLearner { training, plan, aggregation, table, coherence }))
    }
}

/// Learns the table.
struct TableLearner<'a, G: Spec> {
    training: Training<'a, G>,
    plan: &'a TablePlan,
    aggregation: Box<dyn Aggregation<G>>,
    table: ValueTable,
    coherence: Option<Coherence>,
}

impl<G: Spec> TableLearner<'_, G> {
    /// Plays and learns on one thread.
    fn work(&self, context: &RoundContext) -> Vec<GameResult> {
        let TablePlan { method, rate, .. } = *self.plan;
        match (method, &self.coherence) {
            (TableMethod::Sarsa, _) => self.learn_moves(context, Control::Sarsa),
            (TableMethod::Q, _) => self.learn_moves(context, Control::QLearning),
            (TableMethod::Tc, Some(coherence)) => {
                self.learn_afterstates(context, Tc { rate, coherence })
            }
            _ => self.learn_afterstates(context, Td { rate }),
        }
    }

    fn task<'b, E: ?Sized>(&'b self, entries: &'b E) -> Task<'b, E, dyn RewardFunction<G> + 'b> {
        let TablePlan { discount, terminal_value, max_moves, .. } = *self.plan;
        let reward = self.aggregation.reward();
        Task {
            table: &self.table,
            aggregation: entries,
            reward,
            discount,
            terminal_value: Some(terminal_value),
            max_moves,
        }
    }

    fn learn_afterstates<U: Update>(&self, context: &RoundContext, update: U) -> Vec<GameResult> {
        let Some(entries) = self.aggregation.state_aggregation() else { return Vec::new() };
        let due = || context.is_due();
        let mut learner =
            TableTd::new(self.training.game, self.task(entries), update, Explore::Greedy)
                .stop_when(&due);
        self.games(context, |start, rate, explore, rng| {
            *learner.update.rate_mut() = rate;
            learner.exploration = explore;
            learner.episode(start, rng)
        })
    }

    fn learn_moves(&self, context: &RoundContext, control: Control) -> Vec<GameResult> {
        let Some(entries) = self.aggregation.state_action_aggregation() else { return Vec::new() };
        let TablePlan { rate, lambda, .. } = *self.plan;
        let explore = Explore::Greedy;
        let due = || context.is_due();
        let mut learner =
            Sarsa::new(self.training.game, self.task(entries), control, rate, lambda, explore)
                .stop_when(&due);
        self.games(context, |start, rate, explore, rng| {
            learner.rate = rate;
            learner.exploration = explore;
            learner.episode(start, rng)
        })
    }

    fn games(
        &self,
        context: &RoundContext,
        mut episode: impl FnMut(G::State, f32, Explore, &mut Rng) -> EpisodeResult<G::State>,
    ) -> Vec<GameResult> {
        let span = Span { begin: 0.0, end: whole(context.budget()) };
        let (first, last) = (self.plan.rate, self.plan.final_rate.unwrap_or(self.plan.rate));
        let mut results = Vec::new();
        while let Some((number, position)) = context.next_game_before(span.end) {
            let mut rng = self.training.rng(number);
            let rate = span.interpolate(first, last, position);
            let start = self.training.game.start(&mut rng);
            let played = episode(start, rate, self.plan.exploration.at(number), &mut rng);
            context.count(played.moves);
            let EpisodeResult { score, moves, last } = played;
            let result = GameResult::new(self.training.game, number, (score, moves), &last);
            results.push(result.unless_due(context));
        }
        results
    }
}

impl<G: Spec> Learner for TableLearner<'_, G> {
    fn identity(&self) -> String {
        let spec = self.plan.spec();
        let of = if spec.state_action { "moves" } else { "afterstates" };
        format!("a table of {} entries of {of} that sees {:?}", self.aggregation.size(), spec.views)
    }

    fn round(&mut self, context: &RoundContext) -> Result<Round, LearnerError> {
        let games = scoped(0..self.training.threads, |_| self.work(context));
        let games = games.into_iter().flatten().collect();
        Ok(Round { games, ..Round::default() })
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let mut tensors = vec![("table", self.table.memory_mut().bytes_mut())];
        if let Some(coherence) = &mut self.coherence {
            tensors.push(("coherence", coherence.memory_mut().bytes_mut()));
        }
        tensors
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), LearnerError> {
        Ok(self.table.save(path, info, &self.plan.spec())?)
    }
}
