//! What a neural network learns from: moves of many games with the same parameters, their targets, steps
//! of Adam.

use afterstate_games::spec::Spec;
use afterstate_learn::Interrupted;
use afterstate_learn::neural::{Batch, Parameters, Stopped};
use rayon::prelude::*;

use super::games::{Games, Selection, TransitionOf};
use super::returns::Objective;
use super::teaching::Teaching;
use super::{NeuralLearner, NeuralPlan};
use crate::learners::{GameResult, RoundContext};

/// Samples whose boards one thread reads at a time.
const CHUNK: usize = 128;

/// The moves of one group of games with the same parameters: a row per move, an entry per game.
type Rows<G> = Vec<Vec<Option<TransitionOf<G>>>>;

impl<G: Spec> NeuralLearner<'_, G> {
    fn objective(&self) -> Objective {
        let NeuralPlan { survival, discount, terminal_value, lambda, .. } = *self.plan;
        Objective { survival, discount, terminal_value, lambda }
    }

    /// Plays some moves of each game with the same parameters, and learns from them. On a processor, an
    /// iteration that is interrupted leaves everything as it was, and is done again: checkpoints are made
    /// between iterations. On a device an iteration is too short to be interrupted.
    pub(super) fn iterate(
        &mut self,
        context: &RoundContext,
        interrupted: Interrupted,
        results: &mut Vec<GameResult>,
    ) -> Result<(), Stopped> {
        let mut ended = Vec::new();
        let moves = if self.is_on_device() {
            self.play_and_learn(context, &|| false, &mut ended)?
        } else {
            let games: Vec<_> = self.groups.iter().map(Games::copy).collect();
            let rng = self.rng.clone();
            // Steps that are done may be taken back, where there are several.
            let learned = self.takes_several_steps().then(|| self.trainer.learned().clone());
            let steps = self.steps;
            let played = self.play_and_learn(context, interrupted, &mut ended);
            if played.is_err() {
                (self.groups, self.rng, self.steps) = (games, rng, steps);
                if let Some(learned) = learned {
                    *self.trainer.learned() = learned;
                }
                self.begin_again();
            }
            played?
        };
        context.count(moves);
        results.extend(
            ended.into_iter().map(|result| GameResult { number: context.ended(0), ..result }),
        );
        Ok(())
    }

    fn takes_several_steps(&self) -> bool {
        // A teacher teaches several moves of each state.
        self.teacher.is_some() || self.plan.games * self.plan.steps > self.plan.batch()
    }

    /// The same as `iterate`, which changes games and the RNG although it is interrupted; returns the number
    /// of moves. While a device evaluates the boards of one group of games, the others are played here.
    fn play_and_learn(
        &mut self,
        context: &RoundContext,
        interrupted: Interrupted,
        ended: &mut Vec<GameResult>,
    ) -> Result<u64, Stopped> {
        let NeuralPlan { epsilon, scale, rate, final_rate, steps, .. } = *self.plan;
        let position = context.position().in_unit_of(context.budget());
        let rate = self.span.interpolate(rate, final_rate.unwrap_or(rate), position);
        let game = self.training.game;
        let mut rows: Vec<Rows<G>> = self.groups.iter().map(|_| Vec::new()).collect();
        let mut moves = 0;
        if !std::mem::replace(&mut self.submitted, true) {
            for games in &mut self.groups {
                self.threads.install(|| games.read(game, &self.reader));
                self.trainer.submit(&games.boards, Parameters::Learning);
            }
        }
        for step in 0..steps {
            for (group, rows) in rows.iter_mut().enumerate() {
                self.trainer.receive(&mut self.buffers.outputs, interrupted)?;
                let (outputs, games) = (&self.buffers.outputs, &mut self.groups[group]);
                let (selection, reader) = (Selection { epsilon, scale }, &self.reader);
                let lessons = self.teacher.as_deref().map(|teacher| {
                    let teaching = Teaching { game, teacher, plan: self.plan, interrupted };
                    let outputs = (&outputs[..], reader.boards());
                    self.threads.install(|| games.map(outputs, |states| teaching.lessons(states)))
                });
                let moved = self.threads.install(|| games.play(game, reader, outputs, selection));
                moves += moved.moves;
                ended.extend(moved.ended);
                rows.push(moved.transitions);
                if let Some(lessons) = lessons {
                    self.learn_lessons(&lessons.concat(), rate, interrupted)?;
                } else if step + 1 == steps {
                    self.learn(rows, rate, interrupted)?;
                }
                self.trainer.submit(&self.groups[group].boards, Parameters::Learning);
            }
        }
        Ok(moves)
    }

    /// Steps of Adam for the moves of a group of games.
    fn learn(
        &mut self,
        rows: &Rows<G>,
        rate: f32,
        interrupted: Interrupted,
    ) -> Result<(), Stopped> {
        if self.replay.is_some() {
            return self.learn_again(rows, rate, interrupted);
        }
        let mut samples = self.samples(rows);
        if self.plan.steps > 1 {
            for last in (1..samples.len()).rev() {
                samples.swap(last, self.rng.below(last + 1));
            }
        }
        for batch in samples.chunks(self.batch()) {
            self.step(batch, rate, interrupted)?;
        }
        Ok(())
    }

    /// Steps of Adam for what a teacher says, in batches of about the same size.
    fn learn_lessons(
        &mut self,
        lessons: &[(G::After, f32)],
        rate: f32,
        interrupted: Interrupted,
    ) -> Result<(), Stopped> {
        if interrupted() {
            return Err(Stopped::Interrupted);
        }
        let batches = lessons.len().div_ceil(self.batch()).max(1);
        for batch in lessons.chunks(lessons.len().div_ceil(batches).max(1)) {
            self.step(batch, rate, interrupted)?;
        }
        Ok(())
    }

    /// The afterstates of a group of games, with their targets.
    fn samples(&self, rows: &Rows<G>) -> Vec<(G::After, f32)> {
        let objective = self.objective();
        if let [row] = &rows[..] {
            let played = row.iter().flatten();
            return played.map(|own| (own.after, objective.target(own.next))).collect();
        }
        let count = rows.first().map_or(0, Vec::len);
        let mut samples = Vec::with_capacity(count * rows.len());
        let mut own = Vec::with_capacity(rows.len());
        for slot in 0..count {
            own.clear();
            own.extend(rows.iter().map(|row| row[slot]));
            let targets = objective.returns(&own);
            let pairs = own.iter().zip(targets);
            samples.extend(pairs.filter_map(|(own, target)| Some((own.as_ref()?.after, target?))));
        }
        samples
    }

    /// Learns from as many afterstates as were played, drawn at random from those that were kept before, and
    /// keeps them. Nothing can be interrupted after it is kept.
    fn learn_again(
        &mut self,
        rows: &Rows<G>,
        rate: f32,
        interrupted: Interrupted,
    ) -> Result<(), Stopped> {
        let (game, count, scale) = (self.training.game, self.batch(), self.plan.scale);
        let (objective, target) = (self.objective(), self.plan.target);
        let parameters = if target.is_some() { Parameters::Target } else { Parameters::Learning };
        let played: Vec<_> = rows.iter().flatten().flatten().copied().collect();
        for _ in 0..played.len().div_ceil(count) {
            let Some(replay) = self.replay.as_ref().filter(|replay| !replay.is_empty()) else {
                break;
            };
            let drawn = self.threads.install(|| replay.draw(game, count, &mut self.rng));
            let cells = self.threads.install(|| drawn.boards(game, &self.reader));
            self.trainer.submit(&cells, parameters);
            self.trainer.receive(&mut self.buffers.outputs, interrupted)?;
            let outputs = &self.buffers.outputs;
            let targets = drawn.targets(outputs, self.reader.boards(), scale, objective);
            let samples: Vec<_> = drawn.afters.into_iter().zip(targets).collect();
            self.step(&samples, rate, interrupted)?;
        }
        if let Some(replay) = &mut self.replay {
            replay.extend(played.into_iter());
        }
        Ok(())
    }

    /// One step of Adam; batches that are not full are filled with boards that count nothing.
    fn step(
        &mut self,
        samples: &[(G::After, f32)],
        rate: f32,
        interrupted: Interrupted,
    ) -> Result<(), Stopped> {
        let (game, reader, size) = (self.training.game, &self.reader, self.batch());
        // Where values are means over all images, the images take turns.
        let first = if reader.boards() > 1 { self.rng.below(reader.boards()) } else { 0 };
        let parts: Vec<Vec<u8>> = self.threads.install(|| {
            let chunks = samples.par_chunks(CHUNK).enumerate();
            let read = chunks.map(|(chunk, samples)| {
                let mut cells = Vec::new();
                for (number, (after, _)) in samples.iter().enumerate() {
                    reader.read_one(game, after, first + chunk * CHUNK + number, &mut cells);
                }
                cells
            });
            read.collect()
        });
        let scale = self.plan.scale;
        let mut cells = parts.concat();
        let mut targets: Vec<f32> = samples.iter().map(|(_, target)| target / scale).collect();
        let mut weights = vec![1.0; targets.len()];
        cells.resize(size * self.architecture.board().cells(), 0);
        targets.resize(size, 0.0);
        weights.resize(size, 0.0);
        self.trainer.learn(Batch { cells, targets, weights }, rate, interrupted)?;
        self.steps += 1;
        if self.plan.target.is_some_and(|every| self.steps.is_multiple_of(every)) {
            self.trainer.update_target();
        }
        Ok(())
    }
}
