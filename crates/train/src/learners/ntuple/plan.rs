//! `[network]` and `[[phase]]`: the plan of an n-tuple network.

use afterstate_agents::AgentName;
use afterstate_games::reward::Objective;
use afterstate_search::Search;
use afterstate_values::model::ValuesOf;
use serde::{Deserialize, Serialize};

use super::patterns::Pattern;
use crate::recipe::{InvalidSetting, as_text, check_rates, defaults, ensure};

/// The network and the phases of its training, which share the budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NTuplePlan {
    /// The network.
    pub network: NetworkTable,
    /// How it learns.
    #[serde(rename = "phase")]
    pub phases: Vec<Phase>,
}

/// The tuples of the network and its initial value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkTable {
    /// A named set such as `4x6`, or a list of cells, digits or rectangles.
    pub tuples: Patterns,
    /// The initial value of every afterstate (optimistic initialisation).
    #[serde(default)]
    pub initial: f32,
    /// An agent with the same tuples whose weights the training starts from, instead of the initial
    /// value. It may have fewer stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Where later stages of a game begin, each with weights of its own that are promoted from the
    /// stage before: sums of tiles in 2048, full cells elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<u64>,
    /// The search used to select moves during training, such as `expectimax:2`.
    #[serde(default = "greedy", skip_serializing_if = "Search::is_greedy", with = "as_text")]
    pub search: Search,
    /// Batch learning: so many games are played at once, one move of each with the same weights, and
    /// then every active weight moves once, by its mean error. Without it, every move is learned at
    /// once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// The weights of the agent are the mean over this share of the budget, at its end; 0 for the
    /// last weights.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub average: f64,
    /// On a cluster, the seconds for which each worker learns from the same weights, before what they
    /// have learned is merged.
    #[serde(default = "exchange_seconds", skip_serializing_if = "is_usual_exchange")]
    pub exchange_seconds: f64,
    /// Games of each learner between two exchanges, instead of seconds: the training then depends on
    /// the number of learners alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_games: Option<u64>,
    /// Learners that exchange weights on a cluster, instead of one for each worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learners: Option<usize>,
    /// How a GPU trains it.
    #[serde(default, skip_serializing_if = "CudaTable::is_default")]
    pub cuda: CudaTable,
}

/// How a GPU trains a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CudaTable {
    /// Games at once [default: eight on each multiprocessor].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// Weights whose tuples have fewer tiles than this are those that almost every board has: a
    /// thousand games would wait for each other to change them.
    pub min_tiles: u32,
    /// These weights are learned at one move in so many, a power of two; 0 for never.
    pub crowded_every: u32,
    /// TC counts the errors of one move in so many, chosen at random: the coherence is a ratio, and
    /// a sample has the same one.
    pub coherence_every: u32,
}

impl Default for CudaTable {
    fn default() -> CudaTable {
        CudaTable { games: None, min_tiles: 3, crowded_every: 256, coherence_every: 1 }
    }
}

impl CudaTable {
    fn is_default(&self) -> bool {
        *self == CudaTable::default()
    }
}

defaults! {
    greedy: Search = Search::GREEDY;
    whole: f64 = 1.0;
    undiscounted: f32 = 1.0;
    exchange_seconds: f64 = 5.0;
    yes: bool = true;
}

fn is_true(setting: &bool) -> bool {
    *setting
}

fn is_false(setting: &bool) -> bool {
    !*setting
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

fn is_usual_exchange(seconds: &f64) -> bool {
    *seconds == exchange_seconds()
}

fn is_undiscounted(discount: &f32) -> bool {
    *discount == undiscounted()
}

/// One pattern or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a name such as \"4x6\", or a list of tuples such as [\"0145\", [1, 2, 5, 6]]"
)]
pub enum Patterns {
    /// One, often a named set.
    One(Pattern),
    /// Several.
    Many(Vec<Pattern>),
}

/// One phase of learning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its share of the budget, relative to the other phases.
    #[serde(default = "whole")]
    pub share: f64,
    /// The update rule.
    pub method: UpdateRule,
    /// Whether the network learns values of afterstates or of states.
    #[serde(default)]
    pub values: ValuesOf,
    /// How values of states are learned.
    #[serde(default, skip_serializing_if = "Variant::is_standard")]
    pub variant: Variant,
    /// The learning rate of a value: it is divided by the number of active features.
    pub rate: f32,
    /// The learning rate at the end of the phase, if it changes (linearly).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rate: Option<f32>,
    /// What is learned is survival: every round to come counts so many points instead of its reward,
    /// and the probability that the next state can be played is computed, not sampled. Moves are
    /// still selected by their reward and the learned value. Needs `network.batch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survival: Option<f32>,
    /// The discount factor of survival, per move.
    #[serde(default = "undiscounted", skip_serializing_if = "is_undiscounted")]
    pub discount: f32,
    /// The decay of eligibility traces.
    #[serde(default)]
    pub lambda: f32,
    /// When a game is learned.
    #[serde(default)]
    pub order: Order,
    /// Where games start.
    #[serde(default)]
    pub starts: Starts,
    /// Whether later stages (`network.stages`) learn weights of their own. Without, boards of all
    /// stages learn the weights of the first, from which the others are promoted later.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub stages: bool,
    /// Whether TC forgets the errors of earlier phases, so that every weight begins with the full
    /// rate again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forget_coherence: bool,
}

impl Phase {
    /// What batches learn.
    pub(super) fn objective(&self) -> Objective {
        let survival = |points| Objective::Survival { points, discount: self.discount };
        self.survival.map_or(Objective::Points, survival)
    }
}

/// The update rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UpdateRule {
    /// TD learning, one rate for all weights.
    Td,
    /// Temporal coherence learning, an adaptive rate for each weight.
    Tc,
}

/// How values of states are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Variant {
    /// By the equation of TD(0).
    #[default]
    Standard,
    /// As the code of Chen 2022 is printed: rewards are counted twice, expected values truncated.
    Chen2022,
}

impl Variant {
    fn is_standard(&self) -> bool {
        *self == Variant::Standard
    }
}

/// When a game is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Online: every move as soon as the next one is selected.
    #[default]
    Forward,
    /// At the end of the game, from its last move to its first. Values of states are always learned
    /// so.
    Backward,
}

/// Where games start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Starts {
    /// Every game at a starting state.
    #[default]
    Fresh,
    /// Every second game in the middle of the previous one.
    Restart,
    /// In turn at a starting state and at each later stage that some game has reached (carousel
    /// shaping).
    Carousel,
}

/// Checks the settings of a network and its phases.
pub(super) fn check(plan: &NTuplePlan) -> Result<(), InvalidSetting> {
    let NTuplePlan { network, phases } = plan;
    let count = phases.len();
    ensure((1..=100).contains(&count), "phase", format!("{count} phases"), "1 to 100 phases")?;
    let mixed = phases.iter().any(|phase| phase.values != phases[0].values);
    ensure(!mixed, "phase.values", "of both kinds", "the same in all phases")?;
    let states = phases[0].values == ValuesOf::States;
    let holds = network.search.is_greedy() || !states;
    ensure(holds, "phase.values", "states", "afterstates if network.search is given")?;
    for phase in phases {
        let holds = states || phase.variant.is_standard();
        ensure(holds, "phase.variant", "chen2022", "standard unless phase.values is \"states\"")?;
        check_rates("phase", phase.rate, phase.final_rate)?;
        let lambda = phase.lambda;
        ensure((0.0..=1.0).contains(&lambda), "phase.lambda", lambda, "0 to 1")?;
        let backward = phase.order == Order::Backward || states;
        ensure(lambda == 0.0 || !backward, "phase.lambda", lambda, "0 when learning backward")?;
        let holds = phase.share > 0.0 && phase.share.is_finite();
        ensure(holds, "phase.share", phase.share, "more than 0")?;
        let holds = phase.stages || !network.stages.is_empty() && network.batch.is_none();
        let allowed = "true unless network.stages is given, without network.batch";
        ensure(holds, "phase.stages", phase.stages, allowed)?;
        let tc = phase.method == UpdateRule::Tc;
        let holds = !phase.forget_coherence || tc && network.batch.is_none();
        let allowed = "false unless phase.method is \"tc\", without network.batch";
        ensure(holds, "phase.forget_coherence", phase.forget_coherence, allowed)?;
        check_survival(phase, network.batch.is_some())?;
    }
    if let Some(games) = network.batch {
        ensure((1..=1 << 20).contains(&games), "network.batch", games, "1 to 1048576")?;
        phases.iter().try_for_each(check_batches)?;
        let search = network.search;
        ensure(search.is_greedy(), "network.search", search, "none if network.batch is given")?;
    }
    let average = network.average;
    ensure((0.0..=1.0).contains(&average), "network.average", average, "0 to 1")?;
    let seconds = network.exchange_seconds;
    let holds = (0.1..=3_600.0).contains(&seconds);
    ensure(holds, "network.exchange_seconds", seconds, "0.1 to 3600")?;
    let games = network.exchange_games.unwrap_or(1);
    ensure(games > 0, "network.exchange_games", games as f64, "at least 1")?;
    let learners = network.learners.unwrap_or(1);
    let holds = (1..=10_000).contains(&learners);
    ensure(holds, "network.learners", learners as f64, "1 to 10000")?;
    let CudaTable { games, min_tiles, crowded_every, coherence_every } = network.cuda;
    let holds = games.is_none_or(|games| (1..=1 << 20).contains(&games));
    let shown = games.unwrap_or_default();
    ensure(holds, "network.cuda.games", shown, "1 to 1048576")?;
    let holds = coherence_every.is_power_of_two() && coherence_every <= 1024;
    let allowed = "a power of two up to 1024";
    ensure(holds, "network.cuda.coherence_every", coherence_every, allowed)?;
    let holds = crowded_every == 0 || crowded_every.is_power_of_two() && crowded_every <= 1024;
    let allowed = "0, or a power of two up to 1024";
    ensure(holds, "network.cuda.crowded_every", crowded_every, allowed)?;
    ensure(min_tiles <= 16, "network.cuda.min_tiles", min_tiles, "0 to 16")?;
    // An empty list reads as one tuple without cells.
    let holds = network.tuples != Patterns::One(Pattern::Cells(Vec::new()));
    ensure(holds, "network.tuples", "empty", "one or more tuples")?;
    let initial = network.initial;
    ensure(initial.is_finite(), "network.initial", initial, "a finite number")?;
    let holds = network.agent.is_none() || initial == 0.0;
    ensure(holds, "network.initial", initial, "0 if network.agent is given")
}

/// Checks the objective of a phase.
fn check_survival(phase: &Phase, batches: bool) -> Result<(), InvalidSetting> {
    let discount = phase.discount;
    let Some(points) = phase.survival else {
        let holds = is_undiscounted(&discount);
        return ensure(holds, "phase.discount", discount, "1 unless phase.survival is given");
    };
    let holds = points > 0.0 && points <= 1e6;
    ensure(holds, "phase.survival", points, "more than 0, up to 1e6")?;
    ensure(batches, "phase.survival", points, "none unless network.batch is given")?;
    ensure(discount > 0.0 && discount <= 1.0, "phase.discount", discount, "more than 0, up to 1")
}

/// Checks a phase that learns in batches.
fn check_batches(phase: &Phase) -> Result<(), InvalidSetting> {
    let holds = phase.values == ValuesOf::Afterstates;
    ensure(holds, "phase.values", "states", "afterstates if network.batch is given")?;
    let holds = phase.order == Order::Forward;
    ensure(holds, "phase.order", "backward", "forward if network.batch is given")?;
    let holds = phase.starts == Starts::Fresh;
    let starts = format!("{:?}", phase.starts).to_lowercase();
    ensure(holds, "phase.starts", starts, "fresh if network.batch is given")?;
    let lambda = phase.lambda;
    ensure(lambda == 0.0, "phase.lambda", lambda, "0 if network.batch is given")
}
