//! `Estimate`: what solving a game needs, from a sample of its boards.

use std::time::Instant;

use afterstate_core::{Game, Policy, RandomPolicy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::transition_model::Size;
use afterstate_games::{Cells, RewardMixture};
use afterstate_values::memory::{free, show};

use super::{Objective, SolveError};

/// Tables that would need more bytes than this in double precision use single precision.
const MAX_DOUBLE: u64 = 6 << 30;

/// Sampled indices by which the size of a game is estimated.
const SAMPLE: u64 = 4_000;

/// The sample is timed in so many parts, of which the median counts: the system may interrupt some.
const PARTS: u64 = 16;

/// A sweep generates all boards, reads their values and writes new ones: so many times as long as generating them
/// (tetris:4x5).
const SWEEP: f64 = 1.5;

/// How a game is solved, and approximately what that needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The objective.
    pub objective: Objective,
    /// Whether the game is acyclic, so that one backward sweep over the reachable states is enough. The
    /// memory is known when all of them have been reached.
    pub forward: bool,
    /// Bytes per value: 8, or 4 where 8 would need too much memory.
    pub precision: u64,
    /// Bytes of memory.
    pub bytes: u64,
    /// Boards and edges.
    pub size: Size,
    /// A typical number of sweeps.
    pub sweeps: u64,
    /// Seconds for so many sweeps.
    pub seconds: f64,
    /// Stop after so many plain sweeps, whether values have converged or not.
    pub max_sweeps: Option<u64>,
}

/// Estimates what solving needs; refuses what is too large before anything is allocated.
pub fn estimate<G: Spec>(
    game: &G,
    reward: Option<RewardMixture>,
    gamma: f64,
) -> Result<Estimate, SolveError> {
    estimate_in(game, reward, gamma, free().unwrap_or(u64::MAX))
}

/// The same where so many bytes of memory are available; `u64::MAX` where the system does not tell.
pub fn estimate_in<G: Spec>(
    game: &G,
    reward: Option<RewardMixture>,
    gamma: f64,
    available: u64,
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
    let len = match game.index_len() {
        Some(len) if forward || 4 * len <= available => len,
        None if 4.0 * game.index_bits().exp2() <= available as f64 => {
            return Err(SolveError::Unindexed);
        }
        _ => return Err(too_large(game.index_bits(), None, available)),
    };
    if forward {
        let (size, precision) = (Size::default(), 8);
        return Ok(Estimate {
            objective,
            forward,
            precision,
            bytes: 0,
            size,
            sweeps: 1,
            seconds: 0.0,
            max_sweeps: None,
        });
    }
    let (boards, edges, sweep) = sampled(game, len);
    let kept = boards / game.symmetries() as f64;
    // The table, values and their successors, the boards, and the policy where it is counted.
    let others = if matches!(objective, Objective::Survival) { 4 } else { 12 };
    let bytes = |precision: u64| precision * len + (kept * (2 * precision + others) as f64) as u64;
    let precision = if bytes(8) <= MAX_DOUBLE.min(available) { 8 } else { 4 };
    let bytes = bytes(precision);
    if bytes > available {
        return Err(too_large(game.index_bits(), Some(bytes), available));
    }
    let sweeps = match objective {
        Objective::Gather { gamma, .. } if gamma < 1.0 => {
            (-16.0 / gamma.ln()).clamp(2.0, 100.0) as u64
        }
        // Those of 1010! converge in 50 to 150 sweeps, tetris:4x4 in 172, tetris:4x5 in 270.
        _ if game.has_transition_model() => 150,
        _ => 220,
    };
    let threads = rayon::current_num_threads() as f64;
    let sweep = if game.has_transition_model() { edges * 5e-9 } else { SWEEP * sweep };
    let seconds = sweeps as f64 * sweep / game.symmetries() as f64 / threads;
    let size = Size { boards: boards as u64, edges: edges as u64 };
    Ok(Estimate { objective, forward, precision, bytes, size, sweeps, seconds, max_sweeps: None })
}

/// `needed` is known where it was estimated; it is at least four bytes per board.
pub(super) fn too_large(bits: f64, needed: Option<u64>, available: u64) -> SolveError {
    let (boards, needed) = if bits + 2.0 < 60.0 {
        let needed = needed.unwrap_or((4.0 * bits.exp2()) as u64);
        (format!("{:.0}", bits.exp2()), show(needed))
    } else {
        (format!("2^{bits:.0}"), format!("2^{:.0} bytes", bits + 2.0))
    };
    let available = match available {
        u64::MAX => String::new(),
        bytes => format!(", but only {} are available", show(bytes)),
    };
    SolveError::TooLarge(needed, boards, available)
}

/// Whether the game is acyclic, by a sample of games: progress grows with every move.
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

/// Boards and edges, estimated from sampled indices, and the seconds of a thread in which all of them
/// are generated once: where pieces are many and moves are few, boards take longer than edges.
fn sampled<G: Spec>(game: &G, len: u64) -> (f64, f64, f64) {
    let mut rng = Rng::stream(1, 0);
    let (mut boards, mut edges) = (0u64, 0u64);
    let mut times = Vec::new();
    for _ in 0..PARTS {
        let clock = Instant::now();
        for _ in 0..SAMPLE / PARTS {
            let Some(after) = game.after_at(rng.below(len as usize) as u64) else { continue };
            boards += 1;
            game.for_each_chance(&after, |state, _| {
                game.for_each_move(&state, |_, step| {
                    edges += u64::from(game.index_of(&step.after).is_some());
                });
            });
        }
        times.push(clock.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let seconds = times[times.len() / 2] * PARTS as f64;
    let each = len as f64 / SAMPLE as f64;
    (boards as f64 * each, edges as f64 * each, seconds * each)
}
