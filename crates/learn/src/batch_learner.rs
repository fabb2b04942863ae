//! `BatchLearner`: TD(0) and TC on afterstates in batches: one move of many games with fixed weights,
//! then one step of every active weight by its mean error.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Rng, Step, threads};
use afterstate_games::Cells;
use afterstate_games::reward::survival;
use afterstate_values::values::TrainableValues;
use afterstate_values::weights::{load, store};
use afterstate_values::{Network, Values};

use crate::{Coherence, EpisodeResult};

/// What is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The points of a game.
    Points,
    /// Rounds to come, each with so many points, times the discount factor per round. The
    /// probability that the next state can be played is computed, so that a sampled end changes
    /// nothing.
    Survival {
        /// The points of a round.
        points: f32,
        /// The discount factor.
        discount: f32,
    },
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct BatchGame<G: Game> {
    /// Its RNG.
    pub rng: Rng,
    /// Where it is.
    pub state: G::State,
    /// The afterstate of its last move.
    pub after: Option<G::After>,
    /// The sum of its rewards.
    pub score: f64,
    /// Its moves.
    pub moves: u64,
}

impl<G: Game> BatchGame<G> {
    /// A game that begins.
    pub fn new(game: &G, mut rng: Rng) -> BatchGame<G> {
        let state = game.start(&mut rng);
        BatchGame { rng, state, after: None, score: 0.0, moves: 0 }
    }
}

/// A selected move with the value of its afterstate, and the error of the afterstate before, if it
/// is learned.
struct Selected<G: Game> {
    step: Option<Step<G::After>>,
    error: Option<f32>,
}

/// The settings of a batch.
pub struct BatchSettings<'a> {
    /// The learning rate of a value; each of the m active weights gets 1/m of it.
    pub rate: f32,
    /// The sums of temporal coherence, for TC.
    pub coherence: Option<&'a Coherence>,
    /// What is learned.
    pub objective: Objective,
    /// Threads that select moves; the result does not depend on them.
    pub threads: usize,
}

/// Plays games greedily by a network, and learns from one move of each at a time.
pub struct BatchLearner<'a, G: Cells> {
    game: &'a G,
    network: &'a Network<G>,
    /// The sum of the errors of each weight in the batch, and their number.
    errors: Vec<(f32, u32)>,
    /// The weights with errors.
    touched: Vec<u32>,
}

impl<'a, G: Cells> BatchLearner<'a, G> {
    /// Bytes of memory besides the network with so many weights.
    pub fn bytes(weights: u64) -> u64 {
        weights * size_of::<(f32, u32)>() as u64
    }

    /// A learner that changes a network.
    pub fn new(game: &'a G, network: &'a Network<G>) -> BatchLearner<'a, G> {
        let errors = vec![(0.0, 0); network.weights().len()];
        BatchLearner { game, network, errors, touched: Vec::new() }
    }

    /// One move of each game. A game that ends is passed to `ended`, which returns the next one.
    pub fn step(
        &mut self,
        settings: &BatchSettings,
        games: &mut [BatchGame<G>],
        ended: impl FnMut(EpisodeResult<G::State>) -> BatchGame<G>,
    ) {
        self.step_by(settings, games, |_, _, values| best(values), ended);
    }

    /// The same with moves that `select` chooses: it gets the number of the game, the legal moves
    /// and the value of each, reward included.
    pub fn step_by(
        &mut self,
        settings: &BatchSettings,
        games: &mut [BatchGame<G>],
        select: impl Fn(usize, &[Choice<G>], &[f32]) -> usize + Sync,
        mut ended: impl FnMut(EpisodeResult<G::State>) -> BatchGame<G>,
    ) {
        let playing = &*games;
        let selected = threads::map(settings.threads, games.len(), |i| {
            self.select(&playing[i], settings.objective, |choices, values| {
                select(i, choices, values)
            })
        });
        // In the order of the games, so that rounding does not depend on the threads.
        for (game, selected) in games.iter().zip(&selected) {
            if let (Some(after), Some(error)) = (&game.after, selected.error) {
                self.add(after, error);
            }
        }
        self.learn(settings);
        for (game, selected) in games.iter_mut().zip(selected) {
            let Some(Step { after, reward }) = selected.step else {
                *game =
                    ended(EpisodeResult { score: game.score, moves: game.moves, last: game.state });
                continue;
            };
            game.score += f64::from(reward);
            game.moves += 1;
            game.state = self.game.sample(&after, &mut game.rng);
            game.after = Some(after);
        }
    }

    /// Selects a move, and compares the value of the afterstate before with its target.
    fn select(
        &self,
        own: &BatchGame<G>,
        objective: Objective,
        select: impl Fn(&[Choice<G>], &[f32]) -> usize,
    ) -> Selected<G> {
        if own.moves >= self.game.limit().unwrap_or(u64::MAX) {
            return Selected { step: None, error: None };
        }
        let (mut choices, mut values) = (Vec::new(), Vec::new());
        let mut indices = vec![0; self.network.active_features()];
        let mut value = |after: &G::After| {
            self.network.indices(self.game, after, &mut indices);
            self.network.sum(&indices)
        };
        self.game.for_each_move(&own.state, |mv, step| choices.push((mv, step)));
        values.extend(choices.iter().map(|(_, step)| step.reward + value(&step.after)));
        let chosen = if choices.is_empty() { None } else { choices.get(select(&choices, &values)) };
        let step = chosen.map(|&(_, step)| step);
        let error = own.after.and_then(|before| {
            let target = match (objective, step) {
                (Objective::Points, Some(step)) => step.reward + value(&step.after),
                (Objective::Points, None) => 0.0,
                (Objective::Survival { points, discount }, Some(step)) => {
                    let fit = survival(self.game, &before) as f32;
                    fit * (points + discount * value(&step.after))
                }
                (Objective::Survival { .. }, None) => return None,
            };
            Some(target - value(&before))
        });
        Selected { step, error }
    }

    /// Adds an error to the active weights of an afterstate. A weight whose index occurs twice has
    /// it twice.
    fn add(&mut self, after: &G::After, error: f32) {
        let mut indices = vec![0; self.network.active_features()];
        self.network.indices(self.game, after, &mut indices);
        // Promoted before any weight changes: the value is the same, promoted or not.
        self.network.promote(&indices);
        for index in indices {
            let (sum, count) = &mut self.errors[index as usize];
            if *count == 0 {
                self.touched.push(index);
            }
            *sum += error;
            *count += 1;
        }
    }

    /// Moves every weight with errors by their mean.
    fn learn(&mut self, settings: &BatchSettings) {
        let rate = settings.rate / self.network.active_features() as f32;
        for index in self.touched.drain(..) {
            let (sum, count) = std::mem::take(&mut self.errors[index as usize]);
            let mean = sum / count as f32;
            let coherence = settings.coherence.map_or(1.0, |all| all.add(index, mean));
            let word = &self.network.weights()[index as usize];
            store(word, load(word) + rate * mean * coherence);
        }
    }
}

/// The first of the best moves.
fn best(values: &[f32]) -> usize {
    let better = |best: usize, i: usize| if values[i] > values[best] { i } else { best };
    (1..values.len()).fold(0, better)
}
