//! `RemoteLearners`: learners on the machines of a cluster. They start from the same weights, play
//! games of their own for a few seconds, and answer what has changed; that is merged here.
//!
//! Of the first exchange, only the best learner is kept: temporal coherence that begins with large
//! errors learns slowly for a long time, which is luck, and a mean would give that to all. Later, a weight
//! moves by the mean of the learners that have changed it, times the square root of their number up to
//! [`MOST`]: by all that one has learned if the others have not seen its boards. The mean alone learns
//! more slowly, and the sum, or its part without that bound, diverges (`results/cluster.md`). The sums of
//! temporal coherence are sums over errors, and all are added.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use afterstate_core::Device;
use afterstate_core::cluster::{Cluster, Job, Shards, Work, WorkError, connected};
use afterstate_games::spec::Spec;
use afterstate_values::memory::Memory;
use serde::{Deserialize, Serialize};

use super::super::on_cluster::WAIT;
use super::super::{GameResult, LearnerError, LearnerPlan, Plan, RoundContext, Training};
use super::NetworkTable;
use crate::budget::Position;
use crate::recipe::Recipe;
use crate::run::{Observer, Status};

/// The kind of these jobs.
pub(in crate::learners) const LEARN: &str = "n-tuple learning";

/// A weight moves at most so many times as far as the mean of its learners.
const MOST: f32 = 2.0;

/// More seconds than an exchange by games takes.
const FOREVER: f64 = 1e9;

/// What the learners of an exchange are told; the data of the job are the weights and the sums.
#[derive(Serialize, Deserialize)]
struct Settings {
    recipe: String,
    /// Where the training is in its budget.
    position: Position,
    /// How long a learner plays, and how many games.
    seconds: f64,
    #[serde(default)]
    games: Option<u64>,
}

/// A game as a learner answers: score, moves, largest tile, whether it began at a start.
type Played = (f64, u64, Option<u64>, bool);

/// Words that a learner has changed, by their numbers.
type Changes = Vec<(u32, f32)>;

/// The learners of a cluster.
pub(super) struct RemoteLearners {
    cluster: Arc<dyn Cluster>,
    exchange: Option<Exchange>,
}

/// Learners under way.
struct Exchange {
    shards: Shards,
    /// Whether it is the first of the training.
    first: bool,
    /// What they started from.
    sent: Vec<u8>,
    answers: Vec<Vec<u8>>,
}

impl RemoteLearners {
    pub(super) fn new() -> Result<RemoteLearners, LearnerError> {
        Ok(RemoteLearners { cluster: connected()?, exchange: None })
    }

    /// Waits for the learners until the round is over; then their games, once all have answered.
    pub(super) fn play<G: Spec>(
        &mut self,
        training: &Training<G>,
        weights: &mut Memory,
        coherence: Option<&mut Memory>,
        context: &RoundContext,
    ) -> Result<Vec<GameResult>, LearnerError> {
        let mut memory = vec![weights];
        memory.extend(coherence);
        let mut exchange = match self.exchange.take() {
            Some(exchange) => exchange,
            None => {
                let sent = memory.iter_mut().flat_map(|part| part.bytes().to_vec()).collect();
                let workers = self.cluster.status().workers.max(1);
                let (job, learners) = job(training, context.position(), sent, workers)?;
                let shards = Shards::new(&*self.cluster, &job, learners)?.one_by_one();
                let first = context.position().moves == 0;
                Exchange { shards, first, sent: job.data, answers: Vec::new() }
            }
        };
        let task = |learner: Range<usize>| learner.start.to_string();
        while !exchange.shards.is_done() && !context.is_over() {
            let parts = exchange.shards.advance(&*self.cluster, WAIT, &task)?;
            exchange.answers.extend(parts.into_iter().map(|part| part.bytes));
        }
        if !exchange.shards.is_done() {
            self.exchange = Some(exchange);
            return Ok(Vec::new());
        }
        let mut games = Vec::new();
        let mut changes = Vec::new();
        let mut means = Vec::new();
        for answer in &exchange.answers {
            let (played, changed) = read(answer)?;
            changes.push(changed);
            means.push(played.iter().map(|game| game.0).sum::<f64>() / played.len() as f64);
            games.extend(played.into_iter().map(|(score, moves, reached, fresh)| {
                let number = context.ended(moves);
                GameResult { number, score, moves, reached, fresh }
            }));
        }
        if exchange.first
            && let Some(best) =
                (0..means.len()).rev().max_by(|&a, &b| means[a].total_cmp(&means[b]))
        {
            changes = vec![changes.swap_remove(best)];
        }
        let count = memory[0].len() / 4;
        let merged = merge(&exchange.sent, count, &changes)?;
        let mut left = &merged[..];
        for part in memory {
            let (own, rest) = left.split_at(part.len());
            part.bytes_mut().copy_from_slice(own);
            left = rest;
        }
        Ok(games)
    }
}

/// The job of an exchange, and its number of learners. What only the agent at the end needs is left out
/// of the recipe.
fn job<G: Spec>(
    training: &Training<G>,
    position: Position,
    data: Vec<u8>,
    workers: usize,
) -> Result<(Job, usize), LearnerError> {
    let mut recipe = training.recipe.clone();
    let LearnerPlan::NTuple(plan) = &mut recipe.learner else {
        return Err("only n-tuple networks exchange weights".into());
    };
    (plan.network.average, plan.network.agent) = (0.0, None);
    let NetworkTable { learners, exchange_games, exchange_seconds, .. } = plan.network;
    let learners = learners.unwrap_or(workers);
    // What is left of a budget of games is shared by the learners.
    let left = recipe.budget.episodes.map(|all| all.saturating_sub(position.episodes));
    let left = left.map(|left| left.div_ceil(learners as u64));
    let games = exchange_games.into_iter().chain(left).min();
    let seconds = if exchange_games.is_some() { FOREVER } else { exchange_seconds };
    let settings = Settings { recipe: recipe.text()?, position, seconds, games };
    let (kind, rules) = (LEARN.to_owned(), training.game.spec());
    let settings = serde_json::to_string(&settings)?;
    Ok((Job { kind, rules, settings, data, seconds: None }, learners))
}

/// A word of four bytes.
fn word(bytes: &[u8], number: usize) -> Option<[u8; 4]> {
    bytes.get(4 * number..4 * number + 4)?.try_into().ok()
}

/// The games of an answer, and the words that its learner has changed with their numbers.
fn read(answer: &[u8]) -> Result<(Vec<Played>, Changes), LearnerError> {
    let short = "a worker of the cluster answered too few bytes";
    let (length, rest) = answer.split_at_checked(8).ok_or(short)?;
    let length = u64::from_le_bytes(length.try_into()?) as usize;
    let (games, changed) = rest.split_at_checked(length).ok_or(short)?;
    let half = |bytes: &[u8], number| u32::from_le_bytes(word(bytes, number).unwrap_or_default());
    let changed = changed.chunks_exact(8).map(|one| (half(one, 0), f32::from_bits(half(one, 1))));
    Ok((serde_json::from_slice(games)?, changed.collect()))
}

/// What learners have changed of the words that they started from; the first `weights` of them are
/// weights, the others sums.
fn merge(sent: &[u8], weights: usize, changes: &[Changes]) -> Result<Vec<u8>, LearnerError> {
    let mut merged = sent.to_vec();
    // How far learners have moved a word, and how many have.
    let mut moved = vec![(0.0_f32, 0_u32); sent.len() / 4];
    for &(number, value) in changes.iter().flatten() {
        let number = number as usize;
        let before = word(sent, number).ok_or("a worker of the cluster answered other weights")?;
        let before = f32::from_le_bytes(before);
        let (sum, count) = &mut moved[number];
        (*sum, *count) = (*sum + (value - before), *count + 1);
        let next = match *count {
            // The only one so far, to the bit.
            1 => value,
            learners if number < weights => {
                let learners = learners as f32;
                before + *sum / learners * learners.sqrt().min(MOST)
            }
            _ => before + *sum,
        };
        merged[4 * number..4 * number + 4].copy_from_slice(&next.to_le_bytes());
    }
    Ok(merged)
}

/// Learning as a worker has prepared it.
struct Prepared<G: Spec> {
    game: G,
    recipe: Recipe,
    settings: Settings,
    data: Vec<u8>,
}

/// Prepares learning.
pub(in crate::learners) fn prepare<G: Spec>(
    game: &G,
    job: &Job,
) -> Result<Box<dyn Work>, WorkError> {
    let settings: Settings = serde_json::from_str(&job.settings)?;
    let recipe = Recipe::parse(&settings.recipe, &[])?;
    Ok(Box::new(Prepared { game: game.clone(), recipe, settings, data: job.data.clone() }))
}

/// An observer of a learner that nobody watches.
struct Nobody;

impl Observer for Nobody {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        Ok(())
    }
}

impl<G: Spec> Work for Prepared<G> {
    fn perform(&self, task: &str) -> Result<Vec<u8>, WorkError> {
        let learner: u64 = task.parse()?;
        let mut recipe = self.recipe.clone();
        // Games of their own: every learner has another seed.
        recipe.seed ^= learner.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let LearnerPlan::NTuple(plan) = &recipe.learner else {
            return Err("only n-tuple networks exchange weights".into());
        };
        let training =
            Training { game: &self.game, recipe: &recipe, threads: 1, device: Device::Cpu };
        let mut learner = plan.open(training, &mut Nobody)?;
        let mut left = &self.data[..];
        for (_, own) in learner.tensors() {
            let (given, rest) = left.split_at_checked(own.len()).ok_or("too few weights")?;
            own.copy_from_slice(given);
            left = rest;
        }
        let seconds = Duration::try_from_secs_f64(self.settings.seconds)?;
        let never = AtomicBool::new(false);
        let context =
            RoundContext::new(recipe.budget, self.settings.position, seconds, &never, &|| false)
                .up_to(self.settings.games.unwrap_or(u64::MAX));
        let mut games: Vec<Played> = Vec::new();
        while !context.is_over() && !context.position().spends(&recipe.budget) {
            let round = learner.round(&context)?;
            games.extend(
                round.games.iter().map(|game| (game.score, game.moves, game.reached, game.fresh)),
            );
        }
        // What was learned may lie elsewhere, in records.
        learner.synchronize()?;
        let games = serde_json::to_vec(&games)?;
        let mut answer = (games.len() as u64).to_le_bytes().to_vec();
        answer.extend(games);
        let words = learner.tensors().into_iter().flat_map(|(_, own)| own.chunks_exact(4));
        for (number, (now, before)) in words.zip(self.data.chunks_exact(4)).enumerate() {
            if now != before {
                answer.extend(u32::try_from(number)?.to_le_bytes());
                answer.extend(now);
            }
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_move_by_their_learners_and_sums_are_added() {
        let bytes = |words: &[f32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let sent = bytes(&[1.0, 2.0, 3.0, 10.0, 20.0]);
        let changes = [vec![(0, 1.5), (1, 4.0), (3, 11.0)], vec![(1, 3.0), (3, 14.0), (4, 20.5)]];
        let merged = merge(&sent, 3, &changes).unwrap();
        let both = 2.0 + 3.0 / 2.0 * 2.0_f32.sqrt();
        assert_eq!(merged, bytes(&[1.5, both, 3.0, 15.0, 20.5]));
        // Nine of them move it twice as far as one does.
        let nine = merge(&sent, 3, &vec![vec![(2, 3.5)]; 9]).unwrap();
        assert_eq!(nine, bytes(&[1.0, 2.0, 4.0, 10.0, 20.0]));
        // A single learner's weights are taken to the bit.
        let one = merge(&bytes(&[0.1]), 1, &[vec![(0, 0.3)]]).unwrap();
        assert_eq!(one, 0.3_f32.to_le_bytes());
        assert!(merge(&sent, 3, &[vec![(5, 1.0)]]).is_err());
        assert!(read(&[1, 2, 3]).is_err() && read(&[255; 8]).is_err());
    }
}
