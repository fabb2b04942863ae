//! N-tuple networks learned by temporal differences, in phases.

mod worker;

use std::path::Path;

use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_learn::Coherence;
use afterstate_search::Search;
use afterstate_values::Network;
use afterstate_values::file::{self, AgentInfo};
use afterstate_values::memory::show;
use serde::{Deserialize, Serialize};

use super::fit;
use crate::patterns;
use crate::recipe::{NetworkPlan, Patterns, Phase, Recipe, UpdateRule};
use crate::run::budget::Span;
use crate::run::training::{Round, RoundContext, Training};
use crate::run::{Observer, RunError};
use worker::{Pool, Workers};

/// What a training needs of the machine.
struct Needs {
    tuples: Tuples,
    coherent: bool,
    bytes: u64,
}

impl Needs {
    fn of<G: Spec>(game: &G, plan: &NetworkPlan, phases: &[Phase]) -> Result<Needs, RunError> {
        let patterns = match &plan.tuples {
            Patterns::One(one) => std::slice::from_ref(one),
            Patterns::Many(many) => &many[..],
        };
        let tuples = patterns::tuples(game, patterns)?.with_stages(plan.stages.clone());
        let tuples = tuples.map_err(patterns::PatternError::from)?;
        let coherent = phases.iter().any(|phase| phase.method == UpdateRule::Tc);
        let more = if coherent { Coherence::bytes(tuples.weights()) } else { 0 };
        let bytes = Network::<G>::bytes(&tuples) + more;
        Ok(Needs { tuples, coherent, bytes })
    }
}

/// Whether a network can be trained on this machine.
pub(super) fn check<G: Spec>(
    game: &G,
    plan: &NetworkPlan,
    phases: &[Phase],
) -> Result<(), RunError> {
    fit(Needs::of(game, plan, phases)?.bytes)
}

/// A network that is trained.
pub(super) struct NetworkTraining<'a, G: Spec> {
    game: &'a G,
    recipe: &'a Recipe,
    phases: &'a [Phase],
    spans: Vec<Span>,
    network: Network<G>,
    coherence: Option<Coherence>,
    pools: Vec<Pool<G::State>>,
    search: Search,
}

/// For each thread, whose turn it is and where its games may start besides the beginning.
#[derive(Serialize, Deserialize)]
struct State {
    pools: Vec<(usize, Vec<String>)>,
}

impl<'a, G: Spec> NetworkTraining<'a, G> {
    pub(super) fn open(
        game: &'a G,
        recipe: &'a Recipe,
        plan: &'a NetworkPlan,
        phases: &'a [Phase],
        threads: usize,
        watch: &mut dyn Observer,
    ) -> Result<NetworkTraining<'a, G>, RunError> {
        let needs = Needs::of(game, plan, phases)?;
        let (count, weights) = (needs.tuples.cells().len(), needs.tuples.weights());
        watch.plan(&format!(
            "{count} tuples with {weights} weights need {} of memory",
            show(needs.bytes)
        ))?;
        fit(needs.bytes)?;
        let Needs { tuples, coherent, .. } = needs;
        let network = Network::new(game, tuples, plan.initial)?;
        if !network.memory().huge_pages() {
            watch
                .plan("The system gives no huge pages: training will be slower than it could be")?;
        }
        let coherence = if coherent { Some(Coherence::new(weights)?) } else { None };
        let pools = (0..threads).map(|_| Pool::default()).collect();
        let spans = Span::all(&recipe.budget, phases);
        // A recipe that was read has been checked.
        let search = plan.search().unwrap_or(Search::GREEDY);
        Ok(NetworkTraining { game, recipe, phases, spans, network, coherence, pools, search })
    }
}

impl<G: Spec> Training for NetworkTraining<'_, G> {
    fn identity(&self) -> String {
        let tuples = self.network.tuples();
        format!("tuples {:?} and stages {:?}", tuples.cells(), tuples.stages())
    }

    fn round(&mut self, turn: &RoundContext) -> Result<Round, RunError> {
        let here = turn.position().in_unit_of(turn.budget());
        let under_way = self.spans.iter().position(|span| here < span.end);
        let phase = under_way.unwrap_or(self.phases.len() - 1);
        let workers = Workers {
            game: self.game,
            network: &self.network,
            coherence: self.coherence.as_ref(),
            phase: self.phases[phase],
            search: self.search,
            span: self.spans[phase],
            seed: self.recipe.seed,
            turn,
        };
        let games = workers.play(&mut self.pools);
        Ok(Round { games, phase, ..Round::default() })
    }

    fn state(&self) -> serde_json::Result<serde_json::Value> {
        let texts = |pool: &Pool<G::State>| {
            let states = pool.states.iter().map(|state| self.game.state_text(state));
            (pool.turn, states.collect())
        };
        serde_json::to_value(State { pools: self.pools.iter().map(texts).collect() })
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let State { pools } =
            serde_json::from_value(state).map_err(|error| format!("met {error}"))?;
        for (pool, (turn, texts)) in self.pools.iter_mut().zip(&pools) {
            let states = texts.iter().map(|text| self.game.parse_state(text));
            let states = states.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
            *pool = Pool { states, turn: *turn };
        }
        Ok(())
    }

    fn tensors(&mut self) -> Vec<(&'static str, &mut [u8])> {
        let mut tensors = vec![("weights", self.network.memory_mut().bytes_mut())];
        if let Some(coherence) = &mut self.coherence {
            tensors.push(("coherence", coherence.memory_mut().bytes_mut()));
        }
        tensors
    }

    fn save_agent(&mut self, path: &Path, info: &AgentInfo) -> Result<(), RunError> {
        Ok(file::save(path, info, &mut self.network)?)
    }
}
