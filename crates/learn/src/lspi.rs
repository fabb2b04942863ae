//! Least-squares policy iteration (Lagoudakis & Parr 2003): the weights of the features that
//! approximate a policy's action values, as the solution of linear equations `A w = b`.
//!
//! Two forms. [`Online`] is that of Tang's study of 1010!: every move of every game is added to `A`
//! and `b`, which are never cleared, and the weights are solved for at a fixed interval of moves.
//! [`Samples`] is the textbook's: moves are sampled once, and the equations of the current policy
//! are built and solved from all of them until the weights converge.

use afterstate_core::policy::Choice;
use afterstate_core::{EpisodeLimit, Features, Game, Policy, RandomPolicy, Rng};
use afterstate_games::RewardMixture;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::blackbox::finite;
use crate::{EpisodeResult, Interrupted};

/// Singular values below this part of the largest are taken for zero: some features are collinear.
const SINGULAR: f64 = 1e-10;

/// The objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The reward of a move.
    pub reward: RewardMixture,
    /// The reward of a move to a terminal state: in Tang's study -1000.
    pub penalty: f32,
    /// Discount factor.
    pub gamma: f64,
    /// The ridge added to the diagonal of `A`, as a part of its mean, after features are scaled.
    pub ridge: f64,
}

/// The sums `A` and `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equations {
    columns: usize,
    /// Row by row.
    a: Vec<f64>,
    b: Vec<f64>,
    /// The sum of squares of each feature, by which columns are scaled.
    squares: Vec<f64>,
    /// The number of moves in the sums.
    rows: u64,
}

/// The equations have no finite solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the equations of {0} moves have no finite solution: features must be finite")]
pub struct Unsolvable(u64);

impl Equations {
    /// Equations without moves, of so many features.
    pub fn new(columns: usize) -> Equations {
        let (a, b) = (vec![0.0; columns * columns], vec![0.0; columns]);
        Equations { columns, a, b, squares: vec![0.0; columns], rows: 0 }
    }

    /// Whether the sums are finite and those of so many features.
    pub fn is_valid(&self, columns: usize) -> bool {
        self.columns == columns
            && finite(&self.a, columns * columns)
            && finite(&self.b, columns)
            && finite(&self.squares, columns)
    }

    /// Adds a move: its features, the features of the policy's next move (`None` after a terminal
    /// move), and its reward.
    pub fn add(&mut self, now: &[f32], next: Option<&[f32]>, reward: f32, gamma: f64) {
        self.rows += 1;
        for (i, &phi) in now.iter().enumerate() {
            let phi = f64::from(phi);
            self.b[i] += phi * f64::from(reward);
            self.squares[i] += phi * phi;
            if phi == 0.0 {
                continue;
            }
            let row = &mut self.a[i * self.columns..(i + 1) * self.columns];
            for (j, sum) in row.iter_mut().enumerate() {
                let later = next.map_or(0.0, |next| f64::from(next[j]));
                *sum += phi * (f64::from(now[j]) - gamma * later);
            }
        }
    }

    /// The weights. Features are scaled, `ridge` is added to the diagonal, and the solution is that
    /// of minimum norm, by the singular value decomposition of `A`: some features are sums of others
    /// (full and blank cells).
    pub fn solve(&self, ridge: f64) -> Result<Vec<f64>, Unsolvable> {
        let n = self.columns;
        let rows = self.rows.max(1) as f64;
        let scale: Vec<f64> = self.squares.iter().map(|sum| (sum / rows).sqrt()).collect();
        let scale: Vec<f64> = scale.iter().map(|&s| if s > 0.0 { s } else { 1.0 }).collect();
        let mut a = DMatrix::from_row_slice(n, n, &self.a);
        let mut b = DVector::from_column_slice(&self.b);
        for i in 0..n {
            for j in 0..n {
                a[(i, j)] /= rows * scale[i] * scale[j];
            }
            b[i] /= rows * scale[i];
        }
        let mean = a.diagonal().abs().sum() / n as f64;
        for i in 0..n {
            a[(i, i)] += ridge * mean;
        }
        if a.iter().chain(b.iter()).any(|entry| !entry.is_finite()) {
            return Err(Unsolvable(self.rows));
        }
        let svd = a.svd(true, true);
        let threshold = SINGULAR * svd.singular_values.max();
        let solved =
            svd.solve(&b, threshold.max(f64::MIN_POSITIVE)).map_err(|_| Unsolvable(self.rows))?;
        let weights: Vec<f64> = solved.iter().zip(&scale).map(|(x, scale)| x / scale).collect();
        if finite(&weights, n) { Ok(weights) } else { Err(Unsolvable(self.rows)) }
    }
}

/// The learner of Tang's study: plays, adds every move, and solves at a fixed interval of moves.
pub struct Online<'a, G: Game> {
    game: &'a G,
    features: &'a dyn Features<G>,
    goal: Goal,
    /// The interval of moves.
    interval: u64,
    /// When games are truncated.
    limit: EpisodeLimit<'a>,
    /// The sums.
    pub equations: Equations,
    /// The weights of the policy.
    pub weights: Vec<f32>,
}

impl<'a, G: Game> Online<'a, G> {
    /// A learner without moves: all weights are zero.
    pub fn new(
        game: &'a G,
        features: &'a dyn Features<G>,
        goal: Goal,
        interval: u64,
    ) -> Online<'a, G> {
        let columns = features.names().len();
        let (equations, weights) = (Equations::new(columns), vec![0.0; columns]);
        let limit = EpisodeLimit::of(game);
        Online { game, features, goal, interval, limit, equations, weights }
    }

    /// Truncates games as soon as `due` says so.
    #[must_use]
    pub fn stop_when(mut self, due: &'a (dyn Fn() -> bool + Sync)) -> Online<'a, G> {
        self.limit = self.limit.or_when(due);
        self
    }

    /// Plays one game to its end or to a limit on moves, and learns from every move.
    pub fn episode(
        &mut self,
        rng: &mut Rng,
        max_moves: u64,
    ) -> Result<EpisodeResult<G::State>, Unsolvable> {
        let columns = self.weights.len();
        let limit = self.limit.up_to(max_moves);
        let (mut now, mut next) = (vec![0.0; columns], vec![0.0; columns]);
        let mut reward = None;
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: self.game.start(rng) };
        loop {
            let best = self.features.best(self.game, &played.last, 0.0, &self.weights);
            let Some((choice, _)) = best else {
                if reward.is_some() {
                    self.equations.add(&now, None, self.goal.penalty, self.goal.gamma);
                    self.solve_at_interval()?;
                }
                return Ok(played);
            };
            self.features.describe(self.game, &played.last, &choice, &mut next);
            if let Some(reward) = reward {
                self.equations.add(&now, Some(&next), reward, self.goal.gamma);
                self.solve_at_interval()?;
            }
            if limit.is_reached(played.moves) {
                return Ok(played);
            }
            reward = Some(reward_of(self.game, &self.goal, &played.last, &choice));
            std::mem::swap(&mut now, &mut next);
            played.score += f64::from(choice.1.reward);
            played.moves += 1;
            played.last = self.game.sample(&choice.1.after, rng);
        }
    }

    fn solve_at_interval(&mut self) -> Result<(), Unsolvable> {
        if self.equations.rows.is_multiple_of(self.interval) {
            let weights = self.equations.solve(self.goal.ridge)?;
            self.weights = weights.iter().map(|&weight| weight as f32).collect();
        }
        Ok(())
    }
}

/// The reward of a move, with its expected number of next moves.
fn reward_of<G: Game>(game: &G, goal: &Goal, state: &G::State, choice: &Choice<G>) -> f32 {
    goal.reward.of_move(game, state, choice) + goal.reward.of_after(game, &choice.1.after)
}

/// Samples between two looks whether the work is interrupted.
const LOOK: usize = 256;

/// Moves sampled once, by random play.
pub struct Samples<G: Game> {
    columns: usize,
    /// The features of every move, move after move.
    features: Vec<f32>,
    /// The reward and the next state of each, `None` if that is terminal.
    outcomes: Vec<(f32, Option<G::State>)>,
}

impl<G: Game> Samples<G> {
    /// Samples so many moves of random games; game i draws from the stream (seed, i). `None` if it was
    /// interrupted.
    pub fn random(
        game: &G,
        features: &dyn Features<G>,
        goal: &Goal,
        count: usize,
        seed: u64,
        interrupted: Interrupted,
    ) -> Option<Samples<G>> {
        let columns = features.names().len();
        let mut samples =
            Samples { columns, features: Vec::new(), outcomes: Vec::with_capacity(count) };
        let mut out = vec![0.0; columns];
        let mut episode = 0;
        while samples.outcomes.len() < count {
            let mut rng = Rng::stream(seed, episode);
            episode += 1;
            let mut state = game.start(&mut rng);
            while samples.outcomes.len() < count {
                if samples.outcomes.len().is_multiple_of(LOOK) && interrupted() {
                    return None;
                }
                let Some(choice) = RandomPolicy.choose(game, &state, &mut rng) else { break };
                features.describe(game, &state, &choice, &mut out);
                samples.features.extend_from_slice(&out);
                let reward = reward_of(game, goal, &state, &choice);
                state = game.sample(&choice.1.after, &mut rng);
                let terminal = game.count_moves(&state) == 0;
                let outcome = if terminal { (goal.penalty, None) } else { (reward, Some(state)) };
                samples.outcomes.push(outcome);
                if terminal {
                    break;
                }
            }
        }
        Some(samples)
    }

    /// The next weights: those of the action values of the policy that plays by `weights`; `None` if it was
    /// interrupted.
    pub fn iterate(
        &self,
        game: &G,
        features: &dyn Features<G>,
        goal: &Goal,
        weights: &[f32],
        interrupted: Interrupted,
    ) -> Result<Option<Vec<f32>>, Unsolvable> {
        let next_move =
            |sample: usize, next: &mut [f32]| self.next_move(game, features, weights, sample, next);
        self.solve(goal, interrupted, next_move)
    }

    /// The number of sampled moves.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether no move was sampled.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Writes the features of the move that the policy makes after a sampled one; false if the game
    /// is over there.
    pub fn next_move(
        &self,
        game: &G,
        features: &dyn Features<G>,
        weights: &[f32],
        sample: usize,
        next: &mut [f32],
    ) -> bool {
        let Some(state) = &self.outcomes[sample].1 else { return false };
        let Some((choice, _)) = features.best(game, state, 0.0, weights) else { return false };
        features.describe(game, state, &choice, next);
        true
    }

    /// The weights, from the features of the moves that the policy makes after the sampled ones, as
    /// [`Samples::next_move`] writes them.
    pub fn solve(
        &self,
        goal: &Goal,
        interrupted: Interrupted,
        mut next_move: impl FnMut(usize, &mut [f32]) -> bool,
    ) -> Result<Option<Vec<f32>>, Unsolvable> {
        let mut equations = Equations::new(self.columns);
        let mut next = vec![0.0; self.columns];
        let rows = self.features.chunks_exact(self.columns).zip(&self.outcomes).enumerate();
        for (sample, (now, (reward, _))) in rows {
            if sample.is_multiple_of(LOOK) && interrupted() {
                return Ok(None);
            }
            let goes_on = next_move(sample, &mut next);
            equations.add(now, goes_on.then_some(&next[..]), *reward, goal.gamma);
        }
        Ok(Some(equations.solve(goal.ridge)?.iter().map(|&weight| weight as f32).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_with_one_solution_are_solved() {
        // Two features that tell two states apart; each leads to the other, one has the reward 1.
        let mut equations = Equations::new(2);
        for _ in 0..50 {
            equations.add(&[1.0, 0.0], Some(&[0.0, 1.0]), 1.0, 0.5);
            equations.add(&[0.0, 1.0], Some(&[1.0, 0.0]), 0.0, 0.5);
        }
        // V1 = 1 + V2 / 2 and V2 = V1 / 2.
        let weights = equations.solve(0.0).unwrap();
        assert!((weights[0] - 4.0 / 3.0).abs() < 1e-12 && (weights[1] - 2.0 / 3.0).abs() < 1e-12);
        assert!(equations.is_valid(2) && !equations.is_valid(3));
    }

    #[test]
    fn of_many_solutions_that_of_minimum_norm_is_taken() {
        let mut equations = Equations::new(3);
        // The third feature is the sum of the others.
        equations.add(&[1.0, 0.0, 1.0], None, 1.0, 0.9);
        equations.add(&[0.0, 1.0, 1.0], None, 2.0, 0.9);
        let weights = equations.solve(0.0).unwrap();
        assert!((weights[0] + weights[2] - 1.0).abs() < 1e-9, "{weights:?}");
        assert!((weights[1] + weights[2] - 2.0).abs() < 1e-9, "{weights:?}");
        assert!(weights.iter().all(|weight| weight.abs() < 2.0), "{weights:?}");
        equations.add(&[f32::INFINITY, 0.0, 0.0], None, 2.0, 0.9);
        assert_eq!(equations.solve(0.0), Err(Unsolvable(3)));
    }

    #[test]
    fn without_moves_all_weights_are_zero() {
        assert_eq!(Equations::new(2).solve(1e-6).unwrap(), [0.0, 0.0]);
    }
}
