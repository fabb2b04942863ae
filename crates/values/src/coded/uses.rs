//! `Uses`: how often play uses each weight of a network, which says how much each of them matters.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use afterstate_core::{Rng, threads};
use afterstate_games::spec::Spec;

use super::CodingSettings;
use crate::model::{NTupleModel, ValuesOf};
use crate::{Memory, MemoryError, Model, Values};

/// Games are truncated after this many moves: some agents never lose.
const MAX_MOVES: u64 = 50_000;

/// How often each weight of a network was active in the boards that were compared.
pub struct Uses {
    memory: Memory,
    /// The moves of all games.
    pub moves: u64,
}

impl Uses {
    /// Plays greedy games, of which number i draws from the stream (seed, i), and counts the weights
    /// of every board that a move was chosen by. The counts do not depend on the number of threads.
    pub fn count<G: Spec>(
        game: &G,
        model: &NTupleModel<G>,
        settings: &CodingSettings,
    ) -> Result<Uses, MemoryError> {
        let memory = Memory::zeroed(4 * model.network.tuples().weights())?;
        let (counts, moves) = (memory.words(), AtomicU64::new(0));
        let limit = game.limit().unwrap_or(u64::MAX).min(MAX_MOVES);
        let state = || (model.policy(), vec![0; model.network.active_features()]);
        let threads = settings.threads.unwrap_or_else(threads::cores);
        threads::map_with(threads, settings.games as usize, state, |(policy, indices), number| {
            let mut rng = Rng::stream(settings.seed, number as u64);
            let mut state = game.start(&mut rng);
            let mut count = |board: &G::After| {
                model.network.indices(game, board, indices);
                indices.iter().for_each(|&index| add(&counts[index as usize]));
            };
            for _ in 0..limit {
                let Some((_, chosen)) = policy.choose(game, &state, &mut rng) else { break };
                game.for_each_move(&state, |_, step| match model.values_of {
                    ValuesOf::Afterstates => count(&step.after),
                    ValuesOf::States => {
                        game.for_each_chance(&step.after, |next, _| count(&game.board_of(&next)));
                    }
                });
                moves.fetch_add(1, Ordering::Relaxed);
                state = game.sample(&chosen.after, &mut rng);
            }
        });
        Ok(Uses { moves: moves.into_inner(), memory })
    }

    /// The count of each weight, in the order of the weights.
    pub fn counts(&self) -> &[AtomicU32] {
        self.memory.words()
    }
}

/// Adds one, up to a maximum that several threads cannot overflow.
fn add(count: &AtomicU32) {
    if count.load(Ordering::Relaxed) < u32::MAX / 2 {
        count.fetch_add(1, Ordering::Relaxed);
    }
}
