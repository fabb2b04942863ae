//! Solving a small game: what it will take, how it is done, and the agent that comes of it.

use std::time::Instant;

use afterstate_core::{Game, Policy, RandomPolicy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::transition_model::Size;
use afterstate_games::{Cells, Real, RewardMixture, TransitionModel, TransitionModels};
use afterstate_learn::solve::{
    Chain, Direct, Forward, Layers, Limits, Settings, Survival, iterate, survive,
};
use afterstate_values::memory::{free, show};
use afterstate_values::{SolvedPolicy, SolvedTable, SolvedTableError};

/// A table in double precision that needs more than this is made in single precision.
const MAX_DOUBLE: u64 = 6 << 30;

/// Boards by which the size of a game is guessed.
const SAMPLE: u64 = 4_000;

/// What play is to be best at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// To live as long as it can.
    Survival,
    /// To gather a reward, later ones discounted.
    Gather {
        /// What is gathered.
        reward: RewardMixture,
        /// How much a reward is worth a move later.
        gamma: f64,
    },
}

/// How a game is solved, and about what that takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What play is to be best at.
    pub objective: Objective,
    /// Whether the game only moves forward, so that one sweep over what play can reach is enough.
    /// How much memory that takes is known when everything has been reached.
    pub forward: bool,
    /// Bytes of a value: 8, or 4 where 8 would be too many.
    pub precision: u64,
    /// Bytes of memory.
    pub bytes: u64,
    /// Boards and edges.
    pub size: Size,
    /// Seconds, if about as many sweeps are needed as is common.
    pub seconds: f64,
}

/// A solved game.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Boards and edges.
    pub size: Size,
    /// Sweeps over all boards.
    pub sweeps: u64,
    /// The largest change of the last sweep.
    pub residual: f64,
    /// What the start is worth: expected moves if the objective is survival, else the reward. `None`
    /// if it is infinite.
    pub optimum: Option<f64>,
    /// The mean reward of a move, where play never ends and nothing is discounted.
    pub gain: Option<f64>,
    /// Boards from which play never has to end, if the objective is survival.
    pub immortal: Option<u64>,
    /// Boards on which the policy changed in each sweep, where that was counted.
    pub policy_changes: Vec<u64>,
    /// Time on the clock.
    pub seconds: f64,
    /// Best play.
    pub table: SolvedTable,
}

/// Where a solution stands.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Sweeps so far.
    pub sweep: u64,
    /// The largest change of the last.
    pub residual: f64,
    /// What the start is worth by now.
    pub start: f64,
}

/// The game cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// There are too many boards.
    #[error(
        "solving would need {needed} of memory for its {boards} boards, expected at most {most}; \
         learn instead: afterstate train"
    )]
    TooLarge {
        /// How many boards.
        boards: String,
        /// Bytes for a value each.
        needed: String,
        /// Bytes that there are.
        most: String,
    },
    /// The boards would fit into memory, but they have no numbers.
    #[error(
        "met rules whose boards have no numbers, expected one piece at a time, none shown ahead"
    )]
    Unnumbered,
    /// Lines are rewarded in a game without lines.
    #[error("met reward {0}, expected one without lines: the game has none")]
    NoLines(RewardMixture),
    /// A discount that is none.
    #[error("met gamma {0}, expected 0 to 1")]
    Gamma(f64),
    /// The numbers of the boards are no table.
    #[error(transparent)]
    Table(#[from] SolvedTableError),
}

/// What solving will take; refuses what is too large before anything is allocated.
pub fn estimate<G: Spec>(
    game: &G,
    reward: Option<RewardMixture>,
    gamma: f64,
) -> Result<Estimate, SolveError> {
    if !(0.0..=1.0).contains(&gamma) {
        return Err(SolveError::Gamma(gamma));
    }
    let forward = moves_forward(game);
    let objective = match reward {
        Some(reward) => Objective::Gather { reward, gamma },
        None if forward || game.limit().is_some() || gamma < 1.0 => {
            Objective::Gather { reward: RewardMixture::SCORE, gamma }
        }
        None => Objective::Survival,
    };
    if let Objective::Gather { reward, .. } = objective
        && reward.lines != 0.0
        && !has_lines(game)
    {
        return Err(SolveError::NoLines(reward));
    }
    let available = free().unwrap_or(u64::MAX);
    let len = match game.index_len() {
        Some(len) if forward || 4 * len <= available => len,
        None if 4.0 * game.index_bits().exp2() <= available as f64 => {
            return Err(SolveError::Unnumbered);
        }
        _ => return Err(too_large(game.index_bits(), available)),
    };
    if forward {
        let (size, precision) = (Size::default(), 8);
        return Ok(Estimate { objective, forward, precision, bytes: 0, size, seconds: 0.0 });
    }
    let (boards, edges) = sampled(game, len);
    let kept = boards / game.symmetries() as f64;
    // The table, values and their successors, the boards, and the policy where it is followed.
    let others = if matches!(objective, Objective::Survival) { 4 } else { 12 };
    let bytes = |precision: u64| precision * len + (kept * (2 * precision + others) as f64) as u64;
    let precision = if bytes(8) <= MAX_DOUBLE.min(available) { 8 } else { 4 };
    let bytes = bytes(precision);
    if bytes > available {
        return Err(too_large(game.index_bits(), available));
    }
    let sweeps = match objective {
        Objective::Gather { gamma, .. } if gamma < 1.0 => (-16.0 / gamma.ln()).clamp(2.0, 100.0),
        _ => 150.0,
    };
    let threads = rayon::current_num_threads() as f64;
    let each = if game.has_transition_model() { 5e-9 } else { 6e-8 };
    let seconds = sweeps * edges / game.symmetries() as f64 * each / threads;
    let size = Size { boards: boards as u64, edges: edges as u64 };
    Ok(Estimate { objective, forward, precision, bytes, size, seconds })
}

fn too_large(bits: f64, available: u64) -> SolveError {
    let (boards, needed) = if bits + 2.0 < 60.0 {
        (format!("{:.0}", bits.exp2()), show((4.0 * bits.exp2()) as u64))
    } else {
        (format!("2^{bits:.0}"), format!("2^{:.0} bytes", bits + 2.0))
    };
    let most = if available == u64::MAX { "what there is".to_owned() } else { show(available) };
    SolveError::TooLarge { boards, needed, most }
}

/// Whether no game of a few leads back: progress grows with every move.
fn moves_forward<G: Game + Cells>(game: &G) -> bool {
    (0..20).all(|episode| {
        let mut rng = Rng::stream(1, episode);
        let (mut state, mut before) = (game.start(&mut rng), None);
        for _ in 0..200 {
            let Some((_, step)) = RandomPolicy.choose(game, &state, &mut rng) else { break };
            let progress = game.progress(&step.after);
            if before.is_some_and(|before| progress <= before) {
                return false;
            }
            before = Some(progress);
            state = game.sample(&step.after, &mut rng);
        }
        true
    })
}

fn has_lines<G: Game>(game: &G) -> bool {
    let mut rng = Rng::stream(1, 0);
    let state = game.start(&mut rng);
    let first = RandomPolicy.choose(game, &state, &mut rng);
    first.is_some_and(|choice| game.lines(&state, &choice).is_some())
}

/// Boards and edges, guessed from some numbers.
fn sampled<G: Spec>(game: &G, len: u64) -> (f64, f64) {
    let mut rng = Rng::stream(1, 0);
    let (mut boards, mut edges) = (0u64, 0u64);
    for _ in 0..SAMPLE {
        if let Some(after) = game.after_at(rng.below(len as usize) as u64) {
            boards += 1;
            game.for_each_chance(&after, |state, _| edges += game.count_moves(&state) as u64);
        }
    }
    let each = len as f64 / SAMPLE as f64;
    (boards as f64 * each, edges as f64 * each)
}

/// Solves a game as estimated; `watch` sees every sweep.
pub fn solve<G: Spec>(
    game: &G,
    estimate: &Estimate,
    watch: impl FnMut(&Standing),
) -> Result<Solution, SolveError> {
    let clock = Instant::now();
    let mut solution = if estimate.forward {
        forward(game, estimate)
    } else if let Some(layout) = game.transition_model() {
        both(game, &*layout, estimate, watch)
    } else if let Some(layout) = Direct::new(game) {
        both(game, &layout, estimate, watch)
    } else {
        Err(too_large(game.index_bits(), free().unwrap_or(u64::MAX)))
    }?;
    solution.seconds = clock.elapsed().as_secs_f64();
    Ok(solution)
}

fn forward<G: Spec>(game: &G, estimate: &Estimate) -> Result<Solution, SolveError> {
    let too_large = || too_large(game.index_bits(), free().unwrap_or(u64::MAX));
    let layers = Layers::reach(game).map_err(|_| too_large())?;
    let size = layers.size();
    let (reward, gamma) = match estimate.objective {
        Objective::Gather { reward, gamma } => (reward, gamma),
        Objective::Survival => (RewardMixture::STEP, 1.0),
    };
    let solved: Forward<G> = layers.solve(&reward, gamma);
    let (numbers, worth) =
        solved.numbered().into_iter().map(|(n, worth)| (n, worth as f32)).unzip();
    let own = RewardMixture { moves: 0.0, ..reward };
    Ok(Solution {
        size,
        sweeps: 1,
        residual: 0.0,
        optimum: Some(solved.start),
        gain: None,
        immortal: None,
        policy_changes: Vec::new(),
        seconds: 0.0,
        table: SolvedTable::new(own, numbers, worth)?,
    })
}

fn both<G: Spec, L: TransitionModels + ?Sized>(
    game: &G,
    layout: &L,
    estimate: &Estimate,
    watch: impl FnMut(&Standing),
) -> Result<Solution, SolveError> {
    if estimate.precision == 8 {
        tabled::<f64, _, _>(game, layout, estimate, watch)
    } else {
        tabled::<f32, _, _>(game, layout, estimate, watch)
    }
}

fn tabled<T: Real, G: Game, L: TransitionModel<T> + ?Sized>(
    game: &G,
    layout: &L,
    estimate: &Estimate,
    mut watch: impl FnMut(&Standing),
) -> Result<Solution, SolveError> {
    let numbers = || layout.boards().iter().map(|&board| u64::from(board)).collect::<Vec<u64>>();
    let size = layout.size();
    match estimate.objective {
        Objective::Survival => {
            let found: Survival<T> =
                survive(layout, &Limits::of::<T>(), |sweep, residual, start| {
                    watch(&Standing { sweep, residual, start });
                });
            // What is lost in moves of a game: near the start that keeps more digits than what is
            // left of it.
            let Survival { table, loss, rounds, sweeps, residual, immortal, .. } = found;
            // The largest part of the memory, needed no longer: what follows takes less.
            drop(table);
            let scale = rounds.unwrap_or(1.0);
            let worth = loss.iter().map(|loss| (-scale * loss.get()) as f32).collect();
            Ok(Solution {
                size,
                sweeps,
                residual,
                optimum: rounds,
                gain: None,
                immortal: Some(immortal),
                policy_changes: Vec::new(),
                seconds: 0.0,
                table: SolvedTable::new(RewardMixture::default(), numbers(), worth)?,
            })
        }
        Objective::Gather { reward, gamma } => {
            let horizon = game.limit().filter(|_| gamma == 1.0);
            let settings = Settings { horizon, policy: true, ..Settings::new::<T>(reward, gamma) };
            let found = iterate::<T, L>(layout, &settings, |sweep| {
                watch(&Standing {
                    sweep: sweep.sweep,
                    residual: sweep.residual,
                    start: sweep.start,
                });
            });
            // Where values grow for ever only their differences matter, and those must not drown.
            let base = found.gain.map_or(0.0, |_| found.last.start);
            let worth = |&board: &u32| (T::load(&found.worth[board as usize]).get() - base) as f32;
            let worth = layout.boards().iter().map(worth).collect();
            let endless = found.gain.is_some() && horizon.is_none();
            Ok(Solution {
                size,
                sweeps: found.last.sweep,
                residual: found.last.residual,
                optimum: (!endless).then_some(found.start),
                gain: found.gain,
                immortal: None,
                policy_changes: found.policy_changes,
                seconds: 0.0,
                table: SolvedTable::new(RewardMixture { moves: 0.0, ..reward }, numbers(), worth)?,
            })
        }
    }
}

/// A game under the play of a table, to be evaluated exactly; `None` if its boards have no numbers.
pub fn follow<G: Spec>(game: &G, table: &SolvedTable) -> Option<Chain> {
    let mut player = SolvedPolicy::new(table);
    // The player needs no luck.
    let mut rng = Rng::stream(0, 0);
    Chain::new(game, |state, offer| {
        if let Some(choice) = player.choose(game, state, &mut rng) {
            offer(choice, 1.0);
        }
    })
}

#[cfg(test)]
mod tests {
    use afterstate_games::spec::{GameSpec, Visitor};

    use super::*;

    struct Solve(Option<RewardMixture>, f64);

    impl Visitor for Solve {
        type Output = Result<Solution, SolveError>;
        fn visit<G: Spec>(self, game: &G) -> Self::Output {
            let estimate = estimate(game, self.0, self.1)?;
            solve(game, &estimate, |_| {})
        }
    }

    fn solved(spec: &str, reward: Option<&str>, gamma: f64) -> Result<Solution, SolveError> {
        let reward = reward.map(|reward| reward.parse().unwrap());
        spec.parse::<GameSpec>().unwrap().with(Solve(reward, gamma))
    }

    #[test]
    fn every_small_game_is_solved_by_the_same_code() {
        let optimum = |spec, reward, gamma| solved(spec, reward, gamma).unwrap().optimum;
        assert!((optimum("2048:2x2", None, 1.0).unwrap() - 66.96415).abs() < 5e-6);
        assert!((optimum("1010:3x3,pieces=7", None, 1.0).unwrap() - 69.83).abs() < 0.01);
        assert_eq!(optimum("1010:3x3,pieces=3", None, 1.0), None);
        let melax = optimum("tetris:4x2,melax", None, 1.0).unwrap();
        assert!((-9_000.0..0.0).contains(&melax), "{melax}");
    }

    #[test]
    fn what_is_too_large_says_what_it_would_need() {
        let said = |spec, reward| solved(spec, reward, 1.0).unwrap_err().to_string();
        let large = said("1010:10x10", None);
        assert!(large.contains("2^102 bytes") && large.contains("learn instead"), "{large}");
        let large = said("2048:4x4", None);
        assert!(large.contains("2^") && large.contains("learn instead"), "{large}");
        assert!(said("1010:4x4,hand=3", None).contains("one piece at a time"));
        assert!(said("2048:2x2", Some("r2")).contains("without lines"));
    }
}
