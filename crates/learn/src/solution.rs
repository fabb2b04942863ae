//! Exact solutions of small games: what solving needs, the solver that fits, and its table.

mod estimate;

use std::time::Instant;

use crate::solve::{
    Chain, Direct, Forward, ForwardError, Layers, Limits, Settings, SolveProgress, Survival,
    iterate, survive,
};
use afterstate_core::{Policy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::transition_model::Size;
use afterstate_games::{Real, RewardMixture, TransitionModel, TransitionModels};
use afterstate_values::memory::free;
use afterstate_values::{SolvedTable, SolvedTableError};

use estimate::too_large;
pub use estimate::{Estimate, estimate, estimate_in};

/// The objective of optimal play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The longest expected game.
    Survival,
    /// The largest expected discounted return.
    Gather {
        /// The reward function.
        reward: RewardMixture,
        /// The discount factor.
        gamma: f64,
    },
}

/// A solved game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solution {
    /// Boards and edges.
    pub size: Size,
    /// Sweeps over all boards.
    pub sweeps: u64,
    /// The largest change of the last sweep.
    pub residual: f64,
    /// The value of the start: expected moves for survival, otherwise the return; `None` if infinite.
    pub optimum: Option<f64>,
    /// The mean reward per move, where play never ends and nothing is discounted.
    pub gain: Option<f64>,
    /// Boards from which play never has to end, for survival.
    pub immortal: Option<u64>,
    /// Boards on which the policy changed, for each sweep, where that was counted.
    pub policy_changes: Vec<u64>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The optimal values.
    pub table: SolvedTable,
}

impl Solution {
    /// A solution by one exact sweep.
    fn new(size: Size, optimum: Option<f64>, table: SolvedTable) -> Solution {
        Solution {
            size,
            sweeps: 1,
            residual: 0.0,
            optimum,
            gain: None,
            immortal: None,
            policy_changes: Vec::new(),
            seconds: 0.0,
            table,
        }
    }
}

/// Why a game cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// There are too many boards for the memory: what is needed for how many boards, and what is
    /// available, as the end of the clause; empty where the system does not tell.
    #[error("solving needs {0} of memory for {1} boards{2}: learn instead, with afterstate train")]
    TooLarge(String, String, String),
    /// The boards would fit into memory, but their cells are too many for an index, or a hand or a
    /// preview belongs to them.
    #[error(
        "the afterstates of these rules have no index: solve a smaller board, with one piece at a time \
         and none shown ahead"
    )]
    Unindexed,
    /// Lines are rewarded in a game without lines.
    #[error("the reward {0} counts lines, but the game has none")]
    NoLines(RewardMixture),
    /// The discount factor is out of range.
    #[error("gamma is {0}, but must be 0 to 1")]
    Gamma(f64),
    /// Sweeps are limited where there is only one.
    #[error(
        "no state of these rules can recur, so one backward sweep solves them: leave out --sweeps"
    )]
    OneSweep,
    /// Backward induction does not apply.
    #[error(transparent)]
    Forward(#[from] ForwardError),
    /// The solution is no table.
    #[error(transparent)]
    Table(#[from] SolvedTableError),
}

/// Solves a game as estimated; `watch` is called after every sweep.
///
/// ```
/// use afterstate_games::twenty48::Twenty48;
/// use afterstate_learn::solution::{estimate, solve};
///
/// let game = Twenty48::new(2, 2, 0.1)?;
/// let estimate = estimate(&game, None, 1.0)?;
/// let solution = solve(&game, &estimate, &mut |_| {})?;
/// let points = solution.optimum.ok_or("the game never ends")?;
/// assert!((points - 66.964_15).abs() < 1e-5, "{points}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<G: Spec>(
    game: &G,
    estimate: &Estimate,
    watch: &mut (dyn FnMut(&SolveProgress) + Send),
) -> Result<Solution, SolveError> {
    let clock = Instant::now();
    let mut solution = if estimate.forward {
        if estimate.max_sweeps.is_some() {
            return Err(SolveError::OneSweep);
        }
        forward(game, estimate)
    } else if let Some(model) = game.transition_model() {
        with_precision(game.limit(), &*model, estimate, watch)
    } else if let Some(model) = Direct::new(game) {
        with_precision(game.limit(), &model, estimate, watch)
    } else {
        Err(too_large(game.index_bits(), None, free().unwrap_or(u64::MAX)))
    }?;
    solution.seconds = clock.elapsed().as_secs_f64();
    Ok(solution)
}

fn forward<G: Spec>(game: &G, estimate: &Estimate) -> Result<Solution, SolveError> {
    let too_large = || too_large(game.index_bits(), None, free().unwrap_or(u64::MAX));
    let layers = Layers::reach(game).map_err(|error| match error {
        ForwardError::TooLarge => too_large(),
        error => error.into(),
    })?;
    let size = layers.size();
    let (reward, gamma) = match estimate.objective {
        Objective::Gather { reward, gamma } => (reward, gamma),
        Objective::Survival => (RewardMixture::STEP, 1.0),
    };
    let solved: Forward<G> = layers.solve(&reward, gamma);
    let (indices, values) =
        solved.indexed_values().into_iter().map(|(index, value)| (index, value as f32)).unzip();
    let own = RewardMixture { moves: 0.0, ..reward };
    let table = SolvedTable::new(own, indices, values)?.with_gamma(Some(gamma));
    Ok(Solution::new(size, Some(solved.start), table))
}

/// Solves by a transition model in the precision that fits into memory. Models are trait objects: they
/// back up many boards in one call.
fn with_precision(
    limit: Option<u64>,
    model: &dyn TransitionModels,
    estimate: &Estimate,
    watch: &mut (dyn FnMut(&SolveProgress) + Send),
) -> Result<Solution, SolveError> {
    if estimate.precision == 8 {
        by_sweeps::<f64>(limit, model, estimate, watch)
    } else {
        by_sweeps::<f32>(limit, model, estimate, watch)
    }
}

fn by_sweeps<T: Real>(
    limit: Option<u64>,
    model: &dyn TransitionModel<T>,
    estimate: &Estimate,
    watch: &mut (dyn FnMut(&SolveProgress) + Send),
) -> Result<Solution, SolveError> {
    let indices = || model.boards().iter().map(|&board| u64::from(board)).collect::<Vec<u64>>();
    let size = model.size();
    match estimate.objective {
        Objective::Survival => {
            let mut limits = Limits::of::<T>();
            limits.max_sweeps = estimate.max_sweeps.unwrap_or(limits.max_sweeps);
            // Values relative to the start keep more digits than absolute ones.
            let Survival { loss, rounds, sweeps, residual, immortal, .. } =
                survive::<T, _>(model, &limits, watch);
            let scale = rounds.unwrap_or(1.0);
            let values = loss.iter().map(|loss| (-scale * loss.get()) as f32).collect();
            let table = SolvedTable::new(RewardMixture::default(), indices(), values)?;
            let table = table.with_gamma(Some(1.0));
            let immortal = Some(immortal);
            Ok(Solution { sweeps, residual, immortal, ..Solution::new(size, rounds, table) })
        }
        Objective::Gather { reward, gamma } => {
            let horizon = limit.filter(|_| gamma == 1.0);
            let mut settings =
                Settings { horizon, policy: true, ..Settings::new::<T>(reward, gamma) };
            if let Some(max_sweeps) = estimate.max_sweeps {
                settings = Settings { max_sweeps, extrapolate: false, ..settings };
            }
            let found = iterate(model, &settings, watch);
            // Where values grow without bound only their differences matter, so they are relative.
            let base = found.gain.map_or(0.0, |_| found.last.start);
            let value =
                |&board: &u32| (T::load(&found.after_values[board as usize]).get() - base) as f32;
            let values = model.boards().iter().map(value).collect();
            let endless = found.gain.is_some() && horizon.is_none();
            let own = RewardMixture { moves: 0.0, ..reward };
            let table = SolvedTable::new(own, indices(), values)?.with_gamma(Some(gamma));
            Ok(Solution {
                sweeps: found.last.sweep,
                residual: found.last.residual,
                gain: found.gain,
                policy_changes: found.policy_changes,
                ..Solution::new(size, (!endless).then_some(found.start), table)
            })
        }
    }
}

/// The Markov chain of a game under the policy of a table; `None` if its afterstates have no index.
pub fn follow<G: Spec>(game: &G, table: &SolvedTable) -> Option<Chain> {
    let mut policy = table;
    // The policy is deterministic.
    let mut rng = Rng::stream(0, 0);
    Chain::new(game, |state, offer| {
        if let Some(choice) = policy.choose(game, state, &mut rng) {
            offer(choice, 1.0);
        }
    })
}
