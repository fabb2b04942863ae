//! What a neural network learns from: moves of many games with the same parameters, their targets, steps
//! of Adam.

use afterstate_games::spec::Spec;
use afterstate_learn::Interrupted;
use afterstate_values::{Model, Scratch};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::games::{Selection, Transition};
use super::returns::Objective;
use super::{NeuralLearner, NeuralPlan};
use crate::learners::{GameResult, RoundContext};

/// Values of a teacher between two looks whether the iteration is interrupted.
const TAUGHT: usize = 4096;

impl<G: Spec> NeuralLearner<'_, G> {
    fn objective(&self) -> Objective {
        let NeuralPlan { survival, discount, terminal_value, lambda, .. } = *self.plan;
        Objective { survival, discount, terminal_value, lambda }
    }

    /// Plays some moves of each game with the same parameters, and learns from them. An iteration that
    /// is interrupted leaves everything as it was, and is done again: checkpoints are made between
    /// iterations.
    pub(super) fn iterate(
        &mut self,
        context: &RoundContext,
        interrupted: Interrupted,
        results: &mut Vec<GameResult>,
    ) -> Option<()> {
        let (games, rng) = (self.games.copy(), self.rng.clone());
        let mut ended = Vec::new();
        let Some(moves) = self.play_and_learn(context, interrupted, &mut ended) else {
            (self.games, self.rng) = (games, rng);
            return None;
        };
        context.count(moves);
        results.extend(
            ended.into_iter().map(|result| GameResult { number: context.ended(0), ..result }),
        );
        Some(())
    }

    /// The same, which changes games and the RNG although it is interrupted; returns the number of
    /// moves.
    fn play_and_learn(
        &mut self,
        context: &RoundContext,
        interrupted: Interrupted,
        ended: &mut Vec<GameResult>,
    ) -> Option<u64> {
        let NeuralPlan { epsilon, scale, rate, final_rate, .. } = *self.plan;
        let position = context.position().in_unit_of(context.budget());
        let rate = self.span.interpolate(rate, final_rate.unwrap_or(rate), position);
        let (game, count) = (self.training.game, self.plan.games);
        let mut rows: Vec<Vec<Option<Transition<G::After>>>> = Vec::new();
        let mut moves = 0;
        for _ in 0..self.plan.steps {
            let cells = self.threads.install(|| self.games.boards(game, &self.reader));
            self.trainer.outputs(cells, &mut self.buffers.outputs, interrupted)?;
            let selection = Selection { epsilon, scale };
            let boards = self.reader.boards();
            let outputs = &self.buffers.outputs;
            let moved = self.threads.install(|| {
                self.games.play(game, outputs, boards, selection, |result| ended.push(result))
            });
            moves += moved.moves;
            rows.push(moved.transitions);
        }
        let mut samples: Vec<(Transition<G::After>, f32)> = Vec::new();
        let objective = self.objective();
        for slot in 0..count {
            let own: Vec<_> = rows.iter().map(|row| row[slot]).collect();
            let targets = objective.returns(&own);
            samples
                .extend(own.into_iter().zip(targets).filter_map(|(own, target)| own.zip(target)));
        }
        if self.plan.steps > 1 {
            for last in (1..samples.len()).rev() {
                samples.swap(last, self.rng.below(last + 1));
            }
        }
        // A step that is interrupted changes nothing; of several, the first ones are taken back.
        let before = (samples.len() > self.plan.batch()).then(|| self.trainer.learned.clone());
        for batch in samples.chunks_mut(self.plan.batch()) {
            if self.learn(batch, rate, interrupted).is_none() {
                if let Some(before) = before {
                    self.trainer.learned = before;
                    self.trainer.refresh();
                }
                return None;
            }
        }
        Some(moves)
    }

    /// A step of Adam for a batch, against its targets or those of the teacher.
    fn learn(
        &mut self,
        batch: &mut [(Transition<G::After>, f32)],
        rate: f32,
        interrupted: Interrupted,
    ) -> Option<()> {
        if let Some(teacher) = &self.teacher {
            for part in batch.chunks_mut(TAUGHT) {
                if interrupted() {
                    return None;
                }
                taught(self.training.game, &**teacher, &mut self.buffers.scratch, part);
            }
        }
        self.step(batch, rate, interrupted)
    }

    /// One step of Adam; batches that are not full are filled with boards that count nothing.
    fn step(
        &mut self,
        batch: &[(Transition<G::After>, f32)],
        rate: f32,
        interrupted: Interrupted,
    ) -> Option<()> {
        let (game, reader, size) = (self.training.game, &self.reader, self.plan.batch());
        let cells = &mut self.buffers.cells;
        // Where values are means over all images, the images take turns.
        let first = if reader.boards() > 1 { self.rng.below(reader.boards()) } else { 0 };
        read(&self.threads, batch, cells, |(transition, _), number, cells| {
            reader.read_one(game, &transition.after, first + number, cells);
        });
        let scale = self.plan.scale;
        let mut targets: Vec<f32> = batch.iter().map(|(_, target)| target / scale).collect();
        let mut weights = vec![1.0; targets.len()];
        cells.resize(size * self.architecture.board().cells(), 0);
        targets.resize(size, 0.0);
        weights.resize(size, 0.0);
        self.trainer.learn(cells, &targets, &weights, rate, interrupted)
    }
}

/// Boards of samples, each of which `append` appends with its number, in their order.
fn read<T: Sync>(
    threads: &ThreadPool,
    samples: &[T],
    cells: &mut Vec<u8>,
    append: impl Fn(&T, usize, &mut Vec<u8>) + Sync,
) {
    const CHUNK: usize = 256;
    let parts: Vec<Vec<u8>> = threads.install(|| {
        let chunks = samples.par_chunks(CHUNK).enumerate();
        let read = chunks.map(|(chunk, samples)| {
            let mut cells = Vec::new();
            for (number, sample) in samples.iter().enumerate() {
                append(sample, chunk * CHUNK + number, &mut cells);
            }
            cells
        });
        read.collect()
    });
    cells.clear();
    parts.iter().for_each(|part| cells.extend_from_slice(part));
}

/// The values of a teacher as targets.
fn taught<G: Spec>(
    game: &G,
    teacher: &dyn Model<G>,
    scratch: &mut Scratch,
    batch: &mut [(Transition<G::After>, f32)],
) {
    if let Some(values) = teacher.afterstate_values() {
        let afters: Vec<_> = batch.iter().map(|(transition, _)| transition.after).collect();
        let mut found = vec![0.0; afters.len()];
        values.evaluate(game, &afters, scratch, &mut found);
        batch.iter_mut().zip(found).for_each(|((_, target), value)| *target = value);
    } else if let Some(table) = teacher.solved() {
        for (transition, target) in batch {
            *target = table.value(game, &transition.after);
        }
    }
}
