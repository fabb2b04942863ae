//! Least-squares policy iteration (Lagoudakis & Parr 2003): the weights of features by which a
//! policy values its own moves, as the solution of linear equations `A w = b`.
//!
//! Two forms. [`Online`] is that of Tang's study of 1010!: every move of every game goes into `A`
//! and `b`, which are never cleared, and every so many moves the weights are solved for anew.
//! [`Samples`] is the textbook's: moves are gathered once, and the equations of the policy at hand
//! are built and solved from all of them until the weights stand.

use afterstate_core::{Features, Game, Policy, RandomPolicy, Rng};
use afterstate_games::RewardMixture;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::EpisodeResult;

/// Singular values below this part of the largest count as none: the features say the same twice.
const SMALLEST: f64 = 1e-10;

/// What is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// What a move earns.
    pub reward: RewardMixture,
    /// What the move earns instead after which there is none: in Tang's study -1000.
    pub penalty: f32,
    /// How much a reward is worth a move later.
    pub gamma: f64,
    /// What is added to the diagonal of `A`, as a part of its mean, in units of the features.
    pub ridge: f64,
}

/// The sums `A` and `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equations {
    columns: usize,
    /// Row by row.
    a: Vec<f64>,
    b: Vec<f64>,
    /// The squares of each feature, by which columns are brought to one scale.
    squares: Vec<f64>,
    rows: u64,
}

/// The equations have no finite solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("met equations without a finite solution after {0} moves, expected finite features")]
pub struct Unsolvable(u64);

impl Equations {
    /// No moves yet, of so many features.
    pub fn new(columns: usize) -> Equations {
        let (a, b) = (vec![0.0; columns * columns], vec![0.0; columns]);
        Equations { columns, a, b, squares: vec![0.0; columns], rows: 0 }
    }

    /// How many moves are in the sums.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether the sums are those of so many features, and finite.
    pub fn sound(&self, columns: usize) -> bool {
        let whole = |numbers: &[f64], count| {
            numbers.len() == count && numbers.iter().all(|number| number.is_finite())
        };
        self.columns == columns
            && whole(&self.a, columns * columns)
            && whole(&self.b, columns)
            && whole(&self.squares, columns)
    }

    /// Adds a move: its features, what it earned, and the features of the move that the policy
    /// makes next, or `None` at the end of the game.
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

    /// The weights. Features are brought to one scale, `ridge` is added to the diagonal, and of all
    /// solutions the smallest is taken, by the singular values of `A`: some features are sums of
    /// others (full and blank cells).
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
        if a.iter().chain(b.iter()).any(|number| !number.is_finite()) {
            return Err(Unsolvable(self.rows));
        }
        let parts = a.svd(true, true);
        let cut = SMALLEST * parts.singular_values.max();
        let solved =
            parts.solve(&b, cut.max(f64::MIN_POSITIVE)).map_err(|_| Unsolvable(self.rows))?;
        let weights: Vec<f64> = solved.iter().zip(&scale).map(|(x, scale)| x / scale).collect();
        if weights.iter().all(|weight| weight.is_finite()) {
            Ok(weights)
        } else {
            Err(Unsolvable(self.rows))
        }
    }
}

/// The learner of Tang's study: plays, adds every move, and solves every so many.
pub struct Online<'a, G: Game> {
    game: &'a G,
    features: &'a dyn Features<G>,
    goal: Goal,
    /// Moves between two solutions.
    every: u64,
    /// The sums.
    pub equations: Equations,
    /// The weights by which it plays.
    pub weights: Vec<f32>,
}

impl<'a, G: Game> Online<'a, G> {
    /// A learner that has seen nothing: all weights are zero.
    pub fn new(
        game: &'a G,
        features: &'a dyn Features<G>,
        goal: Goal,
        every: u64,
    ) -> Online<'a, G> {
        let columns = features.names().len();
        let (equations, weights) = (Equations::new(columns), vec![0.0; columns]);
        Online { game, features, goal, every, equations, weights }
    }

    /// Plays one game to its end, or to a limit on moves, and learns from all of its moves.
    pub fn episode(
        &mut self,
        rng: &mut Rng,
        max_moves: u64,
    ) -> Result<EpisodeResult<G::State>, Unsolvable> {
        let columns = self.weights.len();
        let limit = self.game.limit().unwrap_or(u64::MAX).min(max_moves);
        let (mut now, mut next) = (vec![0.0; columns], vec![0.0; columns]);
        let mut earned = None;
        let mut played = EpisodeResult { score: 0.0, moves: 0, last: self.game.start(rng) };
        loop {
            let best = self.features.best(self.game, &played.last, 0.0, &self.weights);
            let Some((choice, _)) = best else {
                if earned.is_some() {
                    self.equations.add(&now, None, self.goal.penalty, self.goal.gamma);
                    self.solve_in_turn()?;
                }
                return Ok(played);
            };
            self.features.describe(self.game, &played.last, &choice, &mut next);
            if let Some(reward) = earned {
                self.equations.add(&now, Some(&next), reward, self.goal.gamma);
                self.solve_in_turn()?;
            }
            if played.moves >= limit {
                return Ok(played);
            }
            earned = Some(earns(self.game, &self.goal, &played.last, &choice));
            std::mem::swap(&mut now, &mut next);
            played.score += f64::from(choice.1.reward);
            played.moves += 1;
            played.last = self.game.sample(&choice.1.after, rng);
        }
    }

    fn solve_in_turn(&mut self) -> Result<(), Unsolvable> {
        if self.equations.rows().is_multiple_of(self.every) {
            let weights = self.equations.solve(self.goal.ridge)?;
            self.weights = weights.iter().map(|&weight| weight as f32).collect();
        }
        Ok(())
    }
}

/// What a move earns, with the moves that it leaves in expectation.
fn earns<G: Game>(
    game: &G,
    goal: &Goal,
    state: &G::State,
    choice: &(G::Move, afterstate_core::Step<G::After>),
) -> f32 {
    goal.reward.of_move(game, state, choice) + goal.reward.of_after(game, &choice.1.after)
}

/// Moves gathered once, by random play.
pub struct Samples<G: Game> {
    columns: usize,
    /// The features of every move, one after the other.
    features: Vec<f32>,
    /// What each earned, and the state that followed if it was not the last.
    followed: Vec<(f32, Option<G::State>)>,
}

impl<G: Game> Samples<G> {
    /// Gathers so many moves of random games; game i draws from the stream (seed, i).
    pub fn random(
        game: &G,
        features: &dyn Features<G>,
        goal: &Goal,
        count: usize,
        seed: u64,
    ) -> Samples<G> {
        let columns = features.names().len();
        let mut samples =
            Samples { columns, features: Vec::new(), followed: Vec::with_capacity(count) };
        let mut out = vec![0.0; columns];
        let mut episode = 0;
        while samples.followed.len() < count {
            let mut rng = Rng::stream(seed, episode);
            episode += 1;
            let mut state = game.start(&mut rng);
            while samples.followed.len() < count {
                let Some(choice) = RandomPolicy.choose(game, &state, &mut rng) else { break };
                features.describe(game, &state, &choice, &mut out);
                samples.features.extend_from_slice(&out);
                let earned = earns(game, goal, &state, &choice);
                state = game.sample(&choice.1.after, &mut rng);
                let over = game.count_moves(&state) == 0;
                let follows = if over { (goal.penalty, None) } else { (earned, Some(state)) };
                samples.followed.push(follows);
                if over {
                    break;
                }
            }
        }
        samples
    }

    /// How many moves there are.
    pub fn len(&self) -> usize {
        self.followed.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.followed.is_empty()
    }

    /// The next weights: those of the values of the policy that plays by some weights.
    pub fn iterate(
        &self,
        game: &G,
        features: &dyn Features<G>,
        goal: &Goal,
        weights: &[f32],
    ) -> Result<Vec<f32>, Unsolvable> {
        let mut equations = Equations::new(self.columns);
        let mut next = vec![0.0; self.columns];
        for (now, (reward, state)) in self.features.chunks_exact(self.columns).zip(&self.followed) {
            let best = state.as_ref().and_then(|state| {
                features.best(game, state, 0.0, weights).map(|(choice, _)| (state, choice))
            });
            if let Some((state, choice)) = &best {
                features.describe(game, state, choice, &mut next);
            }
            equations.add(now, best.is_some().then_some(&next[..]), *reward, goal.gamma);
        }
        Ok(equations.solve(goal.ridge)?.iter().map(|&weight| weight as f32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_with_one_solution_are_solved() {
        // Two features that tell two states apart; each leads to the other, one earns 1.
        let mut equations = Equations::new(2);
        for _ in 0..50 {
            equations.add(&[1.0, 0.0], Some(&[0.0, 1.0]), 1.0, 0.5);
            equations.add(&[0.0, 1.0], Some(&[1.0, 0.0]), 0.0, 0.5);
        }
        // V1 = 1 + V2 / 2 and V2 = V1 / 2.
        let weights = equations.solve(0.0).unwrap();
        assert!((weights[0] - 4.0 / 3.0).abs() < 1e-12 && (weights[1] - 2.0 / 3.0).abs() < 1e-12);
        assert!(equations.sound(2) && !equations.sound(3));
    }

    #[test]
    fn of_many_solutions_the_smallest_is_taken() {
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
    fn no_moves_leave_weights_at_nothing() {
        assert_eq!(Equations::new(2).solve(1e-6).unwrap(), [0.0, 0.0]);
    }
}
