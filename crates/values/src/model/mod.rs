//! `Model`: a value function or a rule by which an agent plays, whatever its kind.
//!
//! Each kind of model has one file here that says how it is loaded, saved, played, searched with,
//! explained and quantized. A new kind is such a file and a line in the list of `kinds!`.

mod explanation;
mod linear;
mod neural;
mod ntuple;
mod rule;
mod solved;
mod table;
mod tensor;
#[cfg(test)]
mod tests;

use std::path::Path;

use afterstate_core::Policy;
use afterstate_core::policy::Choice;
use afterstate_games::Tuples;
use afterstate_games::spec::Spec;
use afterstate_search::{ErasedEvaluator, Search, Searcher};

use crate::coded::{CodingLoss, CodingSettings};
use crate::file::{AgentFile, AgentFileError, AgentInfo, Place, Problem, Source};
use crate::{
    AfterstateValues, Linear, MemoryError, NeuralNetwork, PlaysGames, QuantizationLoss, SolvedTable,
};

pub use explanation::{Explanation, Part};
pub use linear::LinearModel;
pub use neural::{Neural, NeuralModel};
pub use ntuple::{NTuple, NTupleModel, SCALE, ValuesOf};
pub use solved::Solved;
pub use table::LearnedTable;
pub use tensor::Tensor;

/// A value function or a rule by which an agent plays some rules `G`. Threads share a model; each
/// has policies and searchers of its own.
///
/// ```
/// use afterstate_core::{Game, Rng};
/// use afterstate_games::{Tuples, twenty48::Twenty48};
/// use afterstate_values::model::{ValuesOf, load};
/// use afterstate_values::{AgentInfo, Network};
///
/// let game = Twenty48::standard();
/// let mut network = Network::new(&game, Tuples::new(&game, &[vec![0, 1, 2, 3]])?, 0.0)?;
/// let file = std::env::temp_dir().join(format!("model-{}.safetensors", std::process::id()));
/// let info = AgentInfo::new("2048:4x4", Twenty48::VERSION);
/// network.save(&file, &info, ValuesOf::Afterstates)?;
///
/// let (info, model) = load(&file, &game)?;
/// assert_eq!(info.kind, "ntuple");
/// let mut rng = Rng::stream(1, 0);
/// let state = game.start(&mut rng);
/// assert!(model.policy().choose(&game, &state, &mut rng).is_some());
/// # std::fs::remove_file(file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Model<G: Spec>: Send + Sync {
    /// A policy that selects moves without looking ahead.
    fn policy(&self) -> Box<dyn Policy<G> + '_>;

    /// Evaluates moves for a search by the model's values; `None` if it has no values that a search
    /// could add up.
    fn evaluator(&self) -> Option<ErasedEvaluator<'_, G>> {
        None
    }

    /// The values of afterstates, many in one call, where the model has such values.
    fn afterstate_values(&self) -> Option<&dyn AfterstateValues<G>> {
        None
    }

    /// The weights or values as they lie in memory, with the names of the tensors of an agent file.
    /// Nobody changes them while the model is shared.
    fn tensors(&self) -> Vec<(String, Tensor<'_>)> {
        Vec::new()
    }

    /// Plays many greedy games in turn, where that is faster than one after the other.
    fn plays_games(&self) -> Option<&dyn PlaysGames<G>> {
        None
    }

    /// Makes ready for many games: what takes a moment now makes every move faster.
    fn prepare_for_many_games(&mut self) {}

    /// The parts of the value of a move without search; `None` for a model without values.
    fn explain(&self, game: &G, state: &G::State, choice: &Choice<G>) -> Option<Vec<Part>> {
        let _ = (game, state, choice);
        None
    }

    /// The weights of features, if that is what the model is.
    fn linear(&self) -> Option<&Linear<G>> {
        None
    }

    /// The neural network, if that is what the model is.
    fn neural(&self) -> Option<&NeuralNetwork> {
        None
    }

    /// The table of a solved game, if that is what the model is.
    fn solved(&self) -> Option<&SolvedTable> {
        None
    }

    /// The tuples and the weights, if the model is an n-tuple network of afterstate values: for
    /// other devices, which need a copy.
    fn network(&self) -> Option<(&Tuples, Vec<f32>)> {
        None
    }

    /// The same model with 16-bit weights, and what that changes.
    fn quantize(&self) -> Result<(Box<dyn Model<G>>, QuantizationLoss), QuantizeError> {
        Err(QuantizeError::Unsupported)
    }

    /// Saves the model in at most a given size, with the description of its agent: what matters most
    /// in play is kept.
    fn save_coded(
        &self,
        game: &G,
        path: &Path,
        info: &AgentInfo,
        settings: &CodingSettings,
    ) -> Result<CodingLoss, QuantizeFileError> {
        let _ = (game, path, info, settings);
        Err(QuantizeError::Unsupported.into())
    }

    /// Saves the model with the description of its agent.
    fn save(&mut self, path: &Path, info: &AgentInfo) -> Result<(), AgentFileError> {
        let _ = info;
        Err(Problem::Model("the agent has nothing that a file could hold".to_owned()).of(path))
    }

    /// A searcher by the model's values, on that many threads.
    fn searcher(&self, search: &Search, threads: usize) -> Option<Searcher<'_, G>> {
        Some(Searcher::erased(self.evaluator()?, *search).on_threads(threads))
    }

    /// A policy by search, or without it if the search is greedy or the model cannot be searched
    /// with.
    fn searching(&self, search: &Search) -> Box<dyn Policy<G> + '_> {
        if search.is_greedy() {
            return self.policy();
        }
        match self.searcher(search, 1) {
            Some(searcher) => Box::new(searcher),
            None => self.policy(),
        }
    }
}

/// Why a model has no 16-bit form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantizeError {
    /// It has no large tables of weights.
    #[error("only n-tuple and neural networks can be quantized")]
    Unsupported,
    /// It is one already.
    #[error("the network has 16-bit weights already")]
    Already,
    /// A weight of a neural network is too large.
    #[error("a weight is {0}: 16-bit floats end at 65,504")]
    Range(f32),
    /// The weights cannot be rounded.
    #[error(transparent)]
    Weights(#[from] crate::quantized::QuantizedError),
    /// Not even a model of zeros has the size.
    #[error("{max} bytes are too few for this agent: even without weights it takes {needed}")]
    TooSmall {
        /// The size asked for in bytes.
        max: u64,
        /// The smallest size in bytes.
        needed: u64,
    },
}

/// An agent that cannot be quantized.
#[derive(Debug, thiserror::Error)]
pub enum QuantizeFileError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] AgentFileError),
    /// The model has no such form.
    #[error(transparent)]
    Model(#[from] QuantizeError),
}

impl From<crate::quantized::QuantizedError> for QuantizeFileError {
    fn from(error: crate::quantized::QuantizedError) -> QuantizeFileError {
        QuantizeError::Weights(error).into()
    }
}

impl From<MemoryError> for QuantizeFileError {
    fn from(error: MemoryError) -> QuantizeFileError {
        crate::quantized::QuantizedError::Memory(error).into()
    }
}

/// A kind of model that a file can hold.
pub trait ModelKind {
    /// Its name in files.
    const NAME: &'static str;

    /// Whether agents of this kind may play other rules of their game than those of their training.
    const ANY_RULES: bool;

    /// Whether a search can use its values.
    const SEARCHABLE: bool;

    /// A short description of a model from the fields in its file.
    fn describe(info: &AgentInfo) -> Result<String, Problem>;

    /// Loads a model for some rules.
    fn load<G: Spec>(file: &mut AgentFile, game: &G) -> Result<Box<dyn Model<G>>, Problem>;
}

/// What can be said of a kind of model without a game.
pub struct KindInfo {
    /// Its name in files.
    pub name: &'static str,
    /// Whether agents of this kind may play other rules of their game.
    pub any_rules: bool,
    /// Whether a search can use its values.
    pub searchable: bool,
    describe: fn(&AgentInfo) -> Result<String, Problem>,
}

impl KindInfo {
    const fn of<K: ModelKind>() -> KindInfo {
        let (name, any_rules, searchable) = (K::NAME, K::ANY_RULES, K::SEARCHABLE);
        KindInfo { name, any_rules, searchable, describe: K::describe }
    }
}

/// The table of kinds.
macro_rules! kinds {
    ($($kind:ty),* $(,)?) => {
        /// Every kind of model that a file can hold.
        pub const KINDS: &[KindInfo] = &[$(KindInfo::of::<$kind>()),*];

        /// Loads the model of an opened file.
        pub(crate) fn load_kind<G: Spec>(
            file: &mut AgentFile,
            game: &G,
        ) -> Result<Box<dyn Model<G>>, Problem> {
            match file.info.kind.as_str() {
                $(<$kind>::NAME => <$kind>::load(file, game),)*
                other => Err(Problem::UnknownKind { kind: crate::file::shown(other) }),
            }
        }
    };
}

kinds!(NTuple, LinearModel, Solved, LearnedTable, Neural);

/// The names of all kinds, for errors.
pub(crate) fn names() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

impl AgentInfo {
    /// The kind of the agent's model.
    pub fn kind(&self) -> Option<&'static KindInfo> {
        KINDS.iter().find(|kind| kind.name == self.kind)
    }

    /// A short description of the agent's model.
    pub fn describe(&self) -> String {
        match self.kind() {
            None => format!("model of the unknown kind \"{}\"", crate::file::shown(&self.kind)),
            Some(kind) => (kind.describe)(self)
                .unwrap_or_else(|_| format!("damaged model of the kind \"{}\"", kind.name)),
        }
    }
}

/// Loads an agent for some rules: from a file, or from bytes in the program. Large weights are
/// mapped.
pub fn load<'a, G: Spec>(
    source: impl Into<Source<'a>>,
    game: &G,
) -> Result<(AgentInfo, Box<dyn Model<G>>), AgentFileError> {
    load_file(AgentFile::open(source)?, game)
}

/// The same, but all weights are copied: whatever happens to the file meanwhile, the agent plays on.
/// A program whose mapped file is truncated is stopped by the system.
pub fn load_copied<'a, G: Spec>(
    source: impl Into<Source<'a>>,
    game: &G,
) -> Result<(AgentInfo, Box<dyn Model<G>>), AgentFileError> {
    let mut file = AgentFile::open(source)?;
    file.place = Place::Copied;
    load_file(file, game)
}

fn load_file<G: Spec>(
    mut file: AgentFile,
    game: &G,
) -> Result<(AgentInfo, Box<dyn Model<G>>), AgentFileError> {
    match load_kind(&mut file, game) {
        Ok(model) => Ok((file.info, model)),
        Err(problem) => Err(problem.of(file.path())),
    }
}
