//! `BatchLearner`: TD(0) and TC on afterstates in batches: one move of many games with fixed weights,
//! then one step of every active weight by its mean error.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Rng, Step, threads};
use afterstate_games::Cells;
use afterstate_games::reward::{Objective, survival};
use afterstate_values::values::TrainableValues;
use afterstate_values::weights::{load, store};
use afterstate_values::{Network, Values};

use crate::{Coherence, EpisodeResult};

/// A game in progress.
#[derive(Clone, Debug)]
pub struct BatchGame<G: Game> {
    /// Its number.
    pub number: u64,
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
    /// A game that begins, with its number and its RNG.
    pub fn new(game: &G, number: u64, mut rng: Rng) -> BatchGame<G> {
        let state = game.start(&mut rng);
        BatchGame { number, rng, state, after: None, score: 0.0, moves: 0 }
    }
}

/// A selected move with the value of its afterstate, and the error of the afterstate before, if it
/// is learned.
struct Selected<G: Game> {
    step: Option<Step<G::After>>,
    error: Option<f32>,
}

/// A batch: what plays, and how it learns.
pub struct Batch<'a, G: Cells> {
    /// The rules.
    pub game: &'a G,
    /// The network that selects moves and learns.
    pub network: &'a Network<G>,
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
pub struct BatchLearner {
    /// The sum of the errors of each weight in the batch, and their number.
    errors: Vec<(f32, u32)>,
    /// The weights with errors.
    touched: Vec<u32>,
}

impl BatchLearner {
    /// Bytes of memory for a network with so many weights, besides its own.
    pub fn bytes(weights: u64) -> u64 {
        weights * size_of::<(f32, u32)>() as u64
    }

    /// A learner for networks with so many weights.
    pub fn new(weights: usize) -> BatchLearner {
        BatchLearner { errors: vec![(0.0, 0); weights], touched: Vec::new() }
    }

    /// One move of each game. A game that ends is passed to `ended` with its number, which
    /// returns the next one.
    pub fn step<G: Cells>(
        &mut self,
        batch: &Batch<G>,
        games: &mut [BatchGame<G>],
        ended: impl FnMut(u64, EpisodeResult<G::State>) -> BatchGame<G>,
    ) {
        self.step_by(batch, games, |_, _, values| best(values), ended);
    }

    /// The same with moves that `select` chooses: it gets the number of the game, the legal moves
    /// and the value of each, reward included.
    pub fn step_by<G: Cells>(
        &mut self,
        batch: &Batch<G>,
        games: &mut [BatchGame<G>],
        select: impl Fn(usize, &[Choice<G>], &[f32]) -> usize + Sync,
        mut ended: impl FnMut(u64, EpisodeResult<G::State>) -> BatchGame<G>,
    ) {
        let playing = &*games;
        let selected = threads::map(batch.threads, games.len(), |i| {
            batch.select(&playing[i], |choices, values| select(i, choices, values))
        });
        // In the order of the games, so that rounding does not depend on the threads.
        for (game, selected) in games.iter().zip(&selected) {
            if let (Some(after), Some(error)) = (&game.after, selected.error) {
                self.add(batch, after, error);
            }
        }
        self.learn(batch);
        for (game, selected) in games.iter_mut().zip(selected) {
            let Some(Step { after, reward }) = selected.step else {
                let (score, moves, last) = (game.score, game.moves, game.state);
                *game = ended(game.number, EpisodeResult { score, moves, last });
                continue;
            };
            game.score += f64::from(reward);
            game.moves += 1;
            game.state = batch.game.sample(&after, &mut game.rng);
            game.after = Some(after);
        }
    }

    /// Adds an error to the active weights of an afterstate. A weight whose index occurs twice has
    /// it twice.
    fn add<G: Cells>(&mut self, batch: &Batch<G>, after: &G::After, error: f32) {
        let network = batch.network;
        let mut indices = vec![0; network.active_features()];
        network.indices(batch.game, after, &mut indices);
        // Promoted before any weight changes: the value is the same, promoted or not.
        network.promote(&indices);
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
    fn learn<G: Cells>(&mut self, batch: &Batch<G>) {
        let rate = batch.rate / batch.network.active_features() as f32;
        for index in self.touched.drain(..) {
            let (sum, count) = std::mem::take(&mut self.errors[index as usize]);
            let mean = sum / count as f32;
            let coherence = batch.coherence.map_or(1.0, |all| all.add(index, mean));
            let word = &batch.network.weights()[index as usize];
            store(word, load(word) + rate * mean * coherence);
        }
    }
}

impl<G: Cells> Batch<'_, G> {
    /// Selects a move, and compares the value of the afterstate before with its target.
    fn select(
        &self,
        own: &BatchGame<G>,
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
            let target = match (self.objective, step) {
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
}

/// The first of the best moves.
fn best(values: &[f32]) -> usize {
    let better = |best: usize, i: usize| if values[i] > values[best] { i } else { best };
    (1..values.len()).fold(0, better)
}

#[cfg(test)]
mod tests {
    use afterstate_games::Tuples;
    use afterstate_games::tenten::TenTen;

    use super::*;

    const SURVIVAL: Objective = Objective::Survival { points: 1.0, discount: 0.9 };

    /// Survival on the 3x3 board with seven pieces, one weight per board.
    fn learned(threads: usize, batches: u32) -> (TenTen, Network<TenTen>, Vec<BatchGame<TenTen>>) {
        let game: TenTen = afterstate_games::spec::parse_rules("1010:3x3,pieces=7").unwrap();
        let tuples = Tuples::new(&game, &[(0..9).collect()]).unwrap();
        let network = Network::new(&game, tuples.with_stages(vec![4]).unwrap(), 0.0).unwrap();
        let coherence = Coherence::new(network.weights().len() as u64).unwrap();
        let mut learner = BatchLearner::new(network.weights().len());
        let begin = |number| BatchGame::new(&game, number, Rng::stream(1, number));
        let mut games: Vec<_> = (0..16).map(begin).collect();
        for number in 0..batches {
            let batch = Batch {
                game: &game,
                network: &network,
                rate: if number < batches / 2 { 1.0 } else { 0.1 },
                coherence: Some(&coherence),
                objective: SURVIVAL,
                threads,
            };
            learner.step(&batch, &mut games, |number, _| begin(number + 16));
        }
        (game, network, games)
    }

    #[test]
    fn values_satisfy_the_bellman_equation() {
        let (game, network, games) = learned(1, 6_000);
        let mut compared = 0;
        for after in games.iter().filter_map(|game| game.after) {
            // Moves are selected by points, which the learned values leave out.
            let mut backup = 0.0;
            game.for_each_chance(&after, |state, probability| {
                let mut best: Option<(f32, f32)> = None;
                game.for_each_move(&state, |_, step| {
                    let value = network.value(&game, &step.after);
                    if best.is_none_or(|(total, _)| step.reward + value > total) {
                        best = Some((step.reward + value, value));
                    }
                });
                backup +=
                    best.map_or(0.0, |(_, value)| probability * (1.0 + 0.9 * f64::from(value)));
            });
            let value = f64::from(network.value(&game, &after));
            assert!((value - backup).abs() < 0.3, "{after:?}: {value} instead of {backup}");
            compared += u32::from(value > 2.0);
        }
        assert!(compared > 8, "{compared}");
    }

    #[test]
    fn threads_do_not_change_what_is_learned() {
        let bits = |threads| -> Vec<u32> {
            learned(threads, 200).1.weights().iter().map(|word| load(word).to_bits()).collect()
        };
        assert!(bits(1) == bits(3));
    }
}
