//! `Engine`: every operation on a game under some rules, behind object-safe types.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use afterstate_agents::evaluate::EvaluateError;
use afterstate_agents::{
    Agent, AgentError, Evaluation, EvaluationProgress, EvaluationSettings, LoadedAgent, OtherRules,
    evaluate_loaded, evaluate_observed,
};
use afterstate_core::perft::{Perft, perft};
use afterstate_core::{Device, TextError};
use afterstate_games::RewardMixture;
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_learn::compare::{CompareSettings, Comparison, compare};
use afterstate_learn::solution::{self, Estimate, Solution, SolveError};
use afterstate_learn::solve::{Chain, SolveProgress};
use afterstate_search::Search;
use afterstate_session::{GameSession, SessionError};
use afterstate_train::recipe::Recipe;
use afterstate_train::run::in_memory::InMemory;
use afterstate_train::run::{self, Folder, Observer, Outcome, RunError};
use afterstate_train::{Hardware, Needs};
use afterstate_values::coded::{CodingLoss, CodingSettings};
use afterstate_values::file::Source;
use afterstate_values::model::{self, Model, QuantizeFileError, Tensor};
use afterstate_values::{AgentFileError, AgentInfo, QuantizationLoss, SolvedTable};

use crate::analyzer::{AnalyzeBoard, analyzer};
use crate::batch::{GameBatch, TypedBatch};
use crate::values::{ValuesError, values_of_boards};

/// Every operation on a game under some rules.
pub trait Engine: Send + Sync {
    /// The name of the game.
    fn game(&self) -> &'static str;

    /// The rules as text, in their shortest form.
    fn rules(&self) -> String;

    /// Other rules with the same afterstates, whose networks also play these rules.
    fn same_afterstates(&self) -> Option<String>;

    /// How moves are written.
    fn move_help(&self) -> String;

    /// An agent with `builtin` replaced by the agent that it stands for under these rules.
    fn resolve(&self, agent: &Agent) -> Agent;

    /// Loads an agent for these rules. The weights of a file are copied: it may change meanwhile.
    fn load(&self, agent: &Agent) -> Result<LoadedAgent, AgentError>;

    /// Loads an agent from the bytes of its file.
    fn load_bytes(&self, name: &str, bytes: &Arc<[u8]>) -> Result<LoadedAgent, AgentError>;

    /// Plays many games with an agent that searches.
    fn evaluate(
        &self,
        agent: &Agent,
        search: &Search,
        settings: &EvaluationSettings,
    ) -> Result<Evaluation, EvaluateError> {
        self.evaluate_observed(agent, search, settings, &AtomicBool::new(false), &mut |_| {})
    }

    /// The same until `stop` is set; a GPU tells of its progress a few times a second.
    fn evaluate_observed(
        &self,
        agent: &Agent,
        search: &Search,
        settings: &EvaluationSettings,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(EvaluationProgress),
    ) -> Result<Evaluation, EvaluateError>;

    /// The same with an agent that is loaded already.
    fn evaluate_loaded(
        &self,
        agent: &LoadedAgent,
        search: &Search,
        settings: &EvaluationSettings,
        stop: &AtomicBool,
    ) -> Result<Evaluation, EvaluateError>;

    /// An analyzer of boards by a loaded agent; `None` if the agent has no values.
    fn analyzer<'a>(
        &'a self,
        agent: &'a LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Box<dyn AnalyzeBoard + 'a>>, OtherRules>;

    /// Writes the values of boards to an agent, whose cells are given one board after the other as
    /// [`Observed::cells`](crate::Observed::cells) has them.
    fn values(
        &self,
        agent: &LoadedAgent,
        cells: &[u8],
        values: &mut [f32],
    ) -> Result<(), ValuesError>;

    /// The weights of an agent as they lie in memory, with their names in its file.
    fn tensors<'a>(&self, agent: &'a LoadedAgent) -> Result<Vec<(String, Tensor<'a>)>, OtherRules>;

    /// A game in progress: a new one, or from a drawn board.
    fn session(&self, seed: u64, board: Option<&str>) -> Result<GameSession, SessionError>;

    /// Many games that step at once; game `i` draws from the stream (seed, i).
    fn batch(&self, games: usize, seed: u64) -> Box<dyn GameBatch>;

    /// Whether a recipe can be trained on this machine and its device.
    fn check(&self, recipe: &Recipe, device: Device) -> Result<(), RunError>;

    /// Trains the run of a folder, or resumes its training.
    fn train(
        &self,
        folder: &Folder,
        hardware: Hardware,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RunError>;

    /// A training by a recipe whose checkpoints are bytes in memory.
    #[doc(hidden)]
    fn in_memory<'a>(&'a self, recipe: &'a Recipe) -> Result<InMemory<'a>, RunError>;

    /// Plays games with the agent of a run and writes its strength into its file.
    fn measure(
        &self,
        folder: &Folder,
        games: u64,
        hardware: Hardware,
    ) -> Result<(EvaluationSettings, Evaluation), RunError> {
        self.measure_until(folder, games, hardware, &AtomicBool::new(false))
    }

    /// The same until `stop` is set.
    fn measure_until(
        &self,
        folder: &Folder,
        games: u64,
        hardware: Hardware,
        stop: &AtomicBool,
    ) -> Result<(EvaluationSettings, Evaluation), RunError>;

    /// What a training by a recipe takes at most.
    fn needs(&self, recipe: &Recipe) -> Result<Needs, RunError>;

    /// The size of an exact solution; without a reward, the objective is that of the rules.
    fn estimate(&self, reward: Option<RewardMixture>, gamma: f64) -> Result<Estimate, SolveError>;

    /// Solves these rules, as estimated.
    fn solve(
        &self,
        estimate: &Estimate,
        observe: &mut (dyn FnMut(&SolveProgress) + Send),
    ) -> Result<Solution, SolveError>;

    /// The Markov chain of play by a solved table; `None` if the afterstates have no index.
    fn chain(&self, table: &SolvedTable) -> Option<Chain>;

    /// The agent that plays by a solved table.
    fn load_solution(&self, table: &SolvedTable) -> LoadedAgent;

    /// Compares an agent with the exact solution of these rules, which is an agent, too; `None` if it
    /// is not one.
    fn compare(
        &self,
        solution: &LoadedAgent,
        agent: &LoadedAgent,
        settings: &CompareSettings,
    ) -> Result<Option<Comparison>, OtherRules>;

    /// Writes a solved table as an agent.
    fn save_solution(&self, table: &SolvedTable, path: &Path) -> Result<(), AgentFileError>;

    /// Writes an agent with 16-bit weights.
    fn quantize(&self, from: &Path, to: &Path) -> Result<QuantizationLoss, QuantizeFileError>;

    /// Writes an agent of at most a given size, which keeps what matters most in its games.
    fn save_coded(
        &self,
        from: &Path,
        to: &Path,
        settings: &CodingSettings,
    ) -> Result<CodingLoss, QuantizeFileError>;

    /// Counts the sequences of moves and chance outcomes from a state.
    fn perft(&self, state: &str, depth: u32) -> Result<Perft, TextError>;

    /// A state drawn for a player.
    fn drawing(&self, state: &str) -> Result<String, TextError>;
}

/// The engine of some rules.
///
/// ```
/// use afterstate_agents::Agent;
/// use afterstate_search::Search;
///
/// let engine = afterstate_engine::open(&"tetris:10x10".parse()?);
/// let agent = engine.load(&"dellacherie".parse()?)?;
/// let session = engine.session(1, None)?;
/// let hints = session.hints(&agent, &Search::expectimax(2), 1)?;
/// println!("{}\nbest: {}", session.drawing(), hints.moves[0].mv);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(rules: &GameSpec) -> Box<dyn Engine> {
    struct Open;
    impl Visitor for Open {
        type Output = Box<dyn Engine>;
        fn visit<G: Spec>(self, game: &G) -> Box<dyn Engine> {
            Box::new(TypedEngine(game.clone()))
        }
    }
    rules.with(Open)
}

/// The engine of a game with its types.
struct TypedEngine<G>(G);

impl<G: Spec> Engine for TypedEngine<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn rules(&self) -> String {
        self.0.spec()
    }

    fn same_afterstates(&self) -> Option<String> {
        self.0.served_by()
    }

    fn move_help(&self) -> String {
        self.0.move_help()
    }

    fn resolve(&self, agent: &Agent) -> Agent {
        agent.resolve(&self.0)
    }

    fn load(&self, agent: &Agent) -> Result<LoadedAgent, AgentError> {
        LoadedAgent::load(agent, &self.0)
    }

    fn load_bytes(&self, name: &str, bytes: &Arc<[u8]>) -> Result<LoadedAgent, AgentError> {
        let (_, model) = model::load_copied(Source::Shared(name, bytes), &self.0)?;
        Ok(LoadedAgent::new(name, &self.0, model))
    }

    fn evaluate_observed(
        &self,
        agent: &Agent,
        search: &Search,
        settings: &EvaluationSettings,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(EvaluationProgress),
    ) -> Result<Evaluation, EvaluateError> {
        evaluate_observed(&self.0, agent, search, settings, stop, observe)
    }

    fn evaluate_loaded(
        &self,
        agent: &LoadedAgent,
        search: &Search,
        settings: &EvaluationSettings,
        stop: &AtomicBool,
    ) -> Result<Evaluation, EvaluateError> {
        evaluate_loaded(&self.0, agent, search, settings, stop)
    }

    fn analyzer<'a>(
        &'a self,
        agent: &'a LoadedAgent,
        search: &Search,
        threads: usize,
    ) -> Result<Option<Box<dyn AnalyzeBoard + 'a>>, OtherRules> {
        analyzer(&self.0, agent, search, threads)
    }

    fn values(
        &self,
        agent: &LoadedAgent,
        cells: &[u8],
        values: &mut [f32],
    ) -> Result<(), ValuesError> {
        values_of_boards(&self.0, agent, cells, values)
    }

    fn tensors<'a>(&self, agent: &'a LoadedAgent) -> Result<Vec<(String, Tensor<'a>)>, OtherRules> {
        Ok(agent.model(&self.0)?.tensors())
    }

    fn session(&self, seed: u64, board: Option<&str>) -> Result<GameSession, SessionError> {
        afterstate_session::open(&self.0, seed, board)
    }

    fn batch(&self, games: usize, seed: u64) -> Box<dyn GameBatch> {
        Box::new(TypedBatch::new(&self.0, games, seed))
    }

    fn check(&self, recipe: &Recipe, device: Device) -> Result<(), RunError> {
        recipe.learner.check_device(&self.0, device)?;
        Ok(recipe.learner.check_game(&self.0)?)
    }

    fn train(
        &self,
        folder: &Folder,
        hardware: Hardware,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RunError> {
        run::train(&self.0, folder, hardware, stop, observer)
    }

    fn in_memory<'a>(&'a self, recipe: &'a Recipe) -> Result<InMemory<'a>, RunError> {
        InMemory::open(&self.0, recipe)
    }

    fn measure_until(
        &self,
        folder: &Folder,
        games: u64,
        hardware: Hardware,
        stop: &AtomicBool,
    ) -> Result<(EvaluationSettings, Evaluation), RunError> {
        run::measure(&self.0, folder, games, hardware, stop)
    }

    fn needs(&self, recipe: &Recipe) -> Result<Needs, RunError> {
        Ok(recipe.learner.needs(&self.0)?)
    }

    fn estimate(&self, reward: Option<RewardMixture>, gamma: f64) -> Result<Estimate, SolveError> {
        solution::estimate(&self.0, reward, gamma)
    }

    fn solve(
        &self,
        estimate: &Estimate,
        observe: &mut (dyn FnMut(&SolveProgress) + Send),
    ) -> Result<Solution, SolveError> {
        solution::solve(&self.0, estimate, observe)
    }

    fn chain(&self, table: &SolvedTable) -> Option<Chain> {
        solution::follow(&self.0, table)
    }

    fn load_solution(&self, table: &SolvedTable) -> LoadedAgent {
        LoadedAgent::new("solved", &self.0, Box::new(table.clone()))
    }

    fn compare(
        &self,
        solution: &LoadedAgent,
        agent: &LoadedAgent,
        settings: &CompareSettings,
    ) -> Result<Option<Comparison>, OtherRules> {
        let (solution, agent) = (solution.model(&self.0)?, agent.model(&self.0)?);
        Ok(solution.solved().map(|table| compare(&self.0, table, agent, settings)))
    }

    fn save_solution(&self, table: &SolvedTable, path: &Path) -> Result<(), AgentFileError> {
        let info = AgentInfo::new(self.0.spec(), G::VERSION);
        Model::<G>::save(&mut table.clone(), path, &info)
    }

    fn quantize(&self, from: &Path, to: &Path) -> Result<QuantizationLoss, QuantizeFileError> {
        let (info, model) = model::load_copied(from, &self.0)?;
        let (mut quantized, loss) = model.quantize()?;
        quantized.save(to, &info.quantized(String::new()))?;
        Ok(loss)
    }

    fn save_coded(
        &self,
        from: &Path,
        to: &Path,
        settings: &CodingSettings,
    ) -> Result<CodingLoss, QuantizeFileError> {
        let (info, model) = model::load_copied(from, &self.0)?;
        model.save_coded(&self.0, to, &info.quantized(settings.options()), settings)
    }

    fn perft(&self, state: &str, depth: u32) -> Result<Perft, TextError> {
        Ok(perft(&self.0, &self.0.parse_state(state)?, depth))
    }

    fn drawing(&self, state: &str) -> Result<String, TextError> {
        Ok(self.0.drawing(&self.0.parse_state(state)?))
    }
}
