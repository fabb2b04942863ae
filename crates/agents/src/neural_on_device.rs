//! Greedy play of a neural network on a GPU: thousands of games move at once, each as on the processor.

use afterstate_core::policy::Choice;
use afterstate_core::{Rng, Step};
use afterstate_cuda::neural::{NeuralTrainer, trainer};
use afterstate_cuda::{CudaError, Device};
use afterstate_games::spec::Spec;
use afterstate_learn::neural::{Learned, Parameters};
use afterstate_values::neural::{BoardReader, NeuralNetwork};
use rayon::prelude::*;

use crate::evaluate::{EvaluationSettings, PlayedGame};
use crate::on_device::OnDeviceError;

/// Games that move at once, at most.
const AT_ONCE: usize = 1 << 14;

/// Games that one thread takes at a time.
const CHUNK: usize = 32;

/// A game in progress.
struct Slot<G: Spec> {
    number: u64,
    rng: Rng,
    state: G::State,
    choices: Vec<Choice<G>>,
    score: f64,
    moves: u64,
    over: Option<PlayedGame>,
}

impl<G: Spec> Slot<G> {
    fn begin(game: &G, seed: u64, number: u64) -> Slot<G> {
        let mut rng = Rng::stream(seed, number);
        let state = game.start(&mut rng);
        Slot { number, rng, state, choices: Vec::new(), score: 0.0, moves: 0, over: None }
    }

    /// Lists the moves, and appends their afterstates as boards that a network reads.
    fn read(&mut self, game: &G, reader: &BoardReader, max_moves: u64, cells: &mut Vec<u8>) {
        self.choices.clear();
        if self.moves < max_moves {
            game.for_each_move(&self.state, |mv, step| self.choices.push((mv, step)));
        }
        for (_, step) in &self.choices {
            reader.read(game, &step.after, cells);
        }
    }

    /// Makes the best move by the outputs of the network.
    fn play(&mut self, game: &G, outputs: &[f32], boards: usize, scale: f32, max_moves: u64) {
        let mut best: Option<(f32, Step<G::After>)> = None;
        for ((_, step), own) in self.choices.iter().zip(outputs.chunks_exact(boards)) {
            let total = step.reward + scale * (own.iter().sum::<f32>() / boards as f32);
            if best.is_none_or(|(most, _)| total > most) {
                best = Some((total, *step));
            }
        }
        match best {
            Some((_, Step { after, reward })) => {
                self.score += f64::from(reward);
                self.moves += 1;
                self.state = game.sample(&after, &mut self.rng);
            }
            None => {
                let truncated = self.moves >= max_moves;
                let (score, moves) = (self.score, self.moves);
                let reached = game.reached(&self.state);
                self.over = Some(PlayedGame { score, moves, reached, truncated });
            }
        }
    }
}

/// Plays the games of an evaluation; `observe` is told how many have ended, and how many moves were made.
pub(crate) fn play<G: Spec>(
    game: &G,
    network: &NeuralNetwork,
    device: &Device,
    settings: &EvaluationSettings,
    observe: &mut dyn FnMut(u64, u64),
) -> Result<Vec<PlayedGame>, OnDeviceError> {
    let architecture = network.architecture();
    NeuralTrainer::<afterstate_cuda::neural::Gpu>::check(architecture)?;
    let learned = Learned::new(network.parameters().to_vec());
    let mut trainer = trainer(device, architecture, network.boards(), learned, 1)?;
    let reader = &network.boards().raw();
    let max_moves = settings.max_moves.unwrap_or(u64::MAX);
    let (boards, scale, seed) = (reader.boards(), network.scale(), settings.seed);
    let begun = settings.games.min(AT_ONCE as u64);
    let mut slots: Vec<Slot<G>> =
        (0..begun).map(|number| Slot::begin(game, seed, number)).collect();
    let (mut next, mut moves) = (begun, 0);
    let mut played = vec![None; settings.games as usize];
    let (mut ended, mut outputs) = (0, Vec::new());
    while !slots.is_empty() {
        let parts = slots.par_chunks_mut(CHUNK).map(|slots| {
            let mut cells = Vec::new();
            slots.iter_mut().for_each(|slot| slot.read(game, reader, max_moves, &mut cells));
            cells
        });
        trainer.submit(&parts.collect::<Vec<_>>(), Parameters::Learning);
        trainer
            .receive(&mut outputs, &|| false)
            .map_err(|stopped| CudaError::Driver(stopped.to_string()))?;
        let mut rest = &outputs[..];
        let own = slots.iter_mut().map(|slot| {
            let (own, others) = rest.split_at(slot.choices.len() * boards);
            rest = others;
            (slot, own)
        });
        own.collect::<Vec<_>>().into_par_iter().with_min_len(CHUNK).for_each(|(slot, outputs)| {
            slot.play(game, outputs, boards, scale, max_moves);
        });
        moves += slots.iter().filter(|slot| slot.over.is_none()).count() as u64;
        for slot in &mut slots {
            if let Some(over) = slot.over {
                played[slot.number as usize] = Some(over);
                ended += 1;
                if next < settings.games {
                    *slot = Slot::begin(game, seed, next);
                    next += 1;
                }
            }
        }
        slots.retain(|slot| slot.over.is_none());
        observe(ended, moves);
    }
    Ok(played.into_iter().flatten().collect())
}
