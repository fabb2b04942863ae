//! `NeuralTrainer`: a network that learns on a machine.

mod passes;

use std::collections::VecDeque;

use afterstate_learn::Interrupted;
use afterstate_learn::neural::{Batch, Learned, Parameters, Stopped, Trainer};
use afterstate_values::neural::{Architecture, BoardReader, LayerShape};

use super::machine::{Args, Machine, Memory};
use crate::CudaError;

/// Bytes of the activations of boards that are evaluated at once, at most.
const EVALUATED: usize = 2 << 30;

/// A network that GPUs do not train.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedNetwork {
    /// It has no hidden layer.
    #[error("neural.layers: --device cuda needs a hidden layer at least; use --device cpu")]
    NoLayers,
}

/// The channels that a thread of a kernel has: a divisor of those of all layers.
pub(super) fn pack(architecture: &Architecture) -> usize {
    let shapes = architecture.shapes();
    let hidden = &shapes[..shapes.len() - 1];
    if hidden.iter().all(|shape| shape.channels().is_multiple_of(8)) { 8 } else { 1 }
}

/// Parameters with 32 and with 16 bits.
#[derive(Clone, Copy)]
struct Weights {
    floats: Memory,
    halves: Memory,
}

/// Room for the activations of some boards.
struct Activations {
    half: bool,
    /// The windows of each convolution behind the first layer.
    windows: Vec<Memory>,
    /// The outputs of each hidden layer.
    outputs: Vec<Memory>,
}

/// Room for the derivatives of a batch.
struct Derivatives {
    /// By the outputs of the last layer, and of each hidden one.
    outputs: Memory,
    hidden: Vec<Memory>,
    /// By the inputs of windows.
    windows: Memory,
    /// The planes of the first layer.
    planes: Memory,
    /// Ones, which sum rows.
    ones: Memory,
}

/// A network that learns on a machine.
pub struct NeuralTrainer<M: Machine> {
    machine: M,
    architecture: Architecture,
    pack: usize,
    learned: Learned,
    /// The cells in every window of the first layer.
    places: Memory,
    /// For each image of a board the cell that comes to each place, and how many images there are; none where
    /// boards are evaluated as they are.
    images: (Memory, usize),
    learning: Weights,
    target: Weights,
    gradient: Memory,
    first: Memory,
    second: Memory,
    play: Activations,
    learn: Activations,
    derivatives: Derivatives,
    /// Boards that are evaluated at once.
    part: usize,
    /// Cells as they were uploaded, where a network reads their largest images.
    raw: Memory,
    /// Cells and outputs of boards that are evaluated; the targets, weights, outputs and errors of a batch.
    cells: Memory,
    values: Memory,
    batch_cells: Memory,
    targets: [Memory; 4],
    batch: usize,
    submitted: VecDeque<usize>,
    /// What failed; every later answer says so.
    failed: Option<Stopped>,
}

impl<M: Machine> NeuralTrainer<M> {
    /// Checks whether a network can be trained.
    pub fn check(architecture: &Architecture) -> Result<(), UnsupportedNetwork> {
        match architecture.shapes().len() {
            1 => Err(UnsupportedNetwork::NoLayers),
            _ => Ok(()),
        }
    }

    /// A trainer with what was learned, for batches of so many boards. It takes boards as
    /// [`BoardReader::raw`] reads them.
    pub fn new(
        mut machine: M,
        architecture: &Architecture,
        boards: &BoardReader,
        learned: Learned,
        batch: usize,
    ) -> Result<NeuralTrainer<M>, CudaError> {
        let (count, shapes) = (architecture.parameters(), architecture.shapes());
        let hidden = &shapes[..shapes.len() - 1];
        let numbers = |shape: &LayerShape| shape.positions() * (shape.inputs() + shape.channels());
        let board = 2 * hidden.iter().map(numbers).sum::<usize>();
        let part = (EVALUATED / board.max(1)).clamp(1, 1 << 16);
        let places = windows(&shapes[0]);
        let mut room = |numbers: usize| machine.zeros(4 * numbers);
        let mut weights = || -> Result<Weights, CudaError> {
            Ok(Weights { floats: room(count)?, halves: room(count)? })
        };
        let (learning, target) = (weights()?, weights()?);
        let (gradient, first, second) = (room(count)?, room(count)?, room(count)?);
        let mut activations = |half: bool, boards: usize| {
            let size = if half { 2 } else { 4 };
            let of = |number, shape: &LayerShape| {
                if number == 0 || shape.is_dense() { 0 } else { shape.inputs() }
            };
            let windows = hidden.iter().enumerate();
            let windows =
                windows.map(|(number, shape)| boards * shape.positions() * of(number, shape));
            let outputs = hidden.iter().map(|shape| boards * shape.positions() * shape.channels());
            Ok::<_, CudaError>(Activations {
                half,
                windows: windows.map(|own| room(own * size / 4 + 1)).collect::<Result<_, _>>()?,
                outputs: outputs.map(|own| room(own * size / 4 + 1)).collect::<Result<_, _>>()?,
            })
        };
        let (play, learn) = (activations(true, part)?, activations(false, batch)?);
        let rows = |shape: &LayerShape| batch * shape.positions();
        let largest = hidden[1..].iter().map(|shape| rows(shape) * shape.inputs()).max();
        let most = hidden.iter().map(rows).max().unwrap_or(0).max(batch);
        let derivatives = Derivatives {
            outputs: room(batch)?,
            hidden: hidden
                .iter()
                .map(|shape| room(rows(shape) * shape.channels()))
                .collect::<Result<_, _>>()?,
            windows: room(largest.unwrap_or(0))?,
            planes: room(rows(&shapes[0]) * shapes[0].inputs())?,
            ones: room(most)?,
        };
        let targets = [room(batch)?, room(batch)?, room(batch)?, room(batch)?];
        let places_memory = room(places.len())?;
        let images: Vec<i32> =
            boards.canonical_images().iter().flatten().map(|&cell| i32::from(cell)).collect();
        let images_memory = room(images.len())?;
        let batch_cells = machine.zeros(batch * architecture.board().cells())?;
        machine.upload(&[bytemuck::cast_slice::<i32, u8>(&places)], places_memory)?;
        machine.upload(&[bytemuck::cast_slice::<i32, u8>(&images)], images_memory)?;
        machine.upload(&[bytemuck::cast_slice::<f32, u8>(&vec![1.0; most])], derivatives.ones)?;
        let mut trainer = NeuralTrainer {
            machine,
            pack: pack(architecture),
            architecture: architecture.clone(),
            learned,
            places: places_memory,
            images: (images_memory, boards.canonical_images().len()),
            learning,
            target,
            gradient,
            first,
            second,
            play,
            learn,
            derivatives,
            part,
            raw: Memory::default(),
            cells: Memory::default(),
            values: Memory::default(),
            batch_cells,
            targets,
            batch,
            submitted: VecDeque::new(),
            failed: None,
        };
        trainer.take_learned()?;
        Ok(trainer)
    }

    /// Copies what was learned to the machine.
    fn take_learned(&mut self) -> Result<(), CudaError> {
        let count = self.architecture.parameters();
        let Learned { parameters, first, second, target, .. } = &self.learned;
        for (numbers, memory) in [
            (parameters, self.learning.floats),
            (target, self.target.floats),
            (first, self.first),
            (second, self.second),
        ] {
            self.machine.upload(&[bytemuck::cast_slice::<f32, u8>(numbers)], memory)?;
        }
        for Weights { floats, halves } in [self.learning, self.target] {
            self.machine.launch("halve", count, Args::new(&[floats, halves], &[]))?;
        }
        Ok(())
    }

    /// Begins to evaluate boards; returns the number of the download.
    fn evaluate(&mut self, parts: &[Vec<u8>], parameters: Parameters) -> Result<usize, CudaError> {
        let board = self.architecture.board().cells();
        let bytes: usize = parts.iter().map(Vec::len).sum();
        let boards = bytes / board;
        if self.cells.bytes < bytes {
            let room = boards.next_power_of_two();
            self.cells = self.machine.zeros(room * board)?;
            self.values = self.machine.zeros(4 * room)?;
        }
        let weights = match parameters {
            Parameters::Learning => self.learning,
            Parameters::Target => self.target,
        };
        self.upload(parts, self.cells)?;
        for first in (0..boards).step_by(self.part) {
            let count = self.part.min(boards - first);
            let (cells, values) = (self.cells.at(first * board), self.values.at(4 * first));
            self.outputs(weights, true, count, cells, values)?;
        }
        let values = Memory { bytes: 4 * boards, ..self.values };
        self.machine.begin_download(values)
    }

    /// Copies boards to the machine, as the network reads them.
    fn upload<T: AsRef<[u8]>>(&mut self, parts: &[T], to: Memory) -> Result<(), CudaError> {
        let (images, count) = self.images;
        if count == 0 {
            return self.machine.upload(parts, to);
        }
        let board = self.architecture.board().cells();
        let bytes: usize = parts.iter().map(|part| part.as_ref().len()).sum();
        if self.raw.bytes < bytes {
            self.raw = self.machine.zeros((bytes / board).next_power_of_two() * board)?;
        }
        self.machine.upload(parts, self.raw)?;
        let args = Args::new(&[self.raw, images, to], &[board, count]);
        self.machine.launch("largest_image", bytes / board, args)
    }

    /// Numbers on the machine.
    fn read(&mut self, memory: Memory, count: usize) -> Result<Vec<f32>, CudaError> {
        let download = self.machine.begin_download(Memory { bytes: 4 * count, ..memory })?;
        let mut numbers = Vec::new();
        self.machine.finish(download, &mut numbers)?;
        Ok(numbers)
    }

    /// Remembers a failure, which every later answer tells.
    fn note<T>(&mut self, result: Result<T, CudaError>) -> Result<T, Stopped> {
        if let Some(stopped) = &self.failed {
            return Err(stopped.clone());
        }
        result.map_err(|error| {
            let stopped = Stopped::Failed(error.to_string());
            self.failed = Some(stopped.clone());
            stopped
        })
    }
}

/// The cells in every window of a layer, position after position.
fn windows(shape: &LayerShape) -> Vec<i32> {
    let mut cells = Vec::new();
    for position in 0..shape.positions() {
        let (row, column) = (position / shape.output[1], position % shape.output[1]);
        for place in 0..shape.window[0] * shape.window[1] {
            let (down, right) = (place / shape.window[1], place % shape.window[1]);
            cells.push(((row + down) * shape.input[1] + column + right) as i32);
        }
    }
    cells
}

impl<M: Machine> Trainer for NeuralTrainer<M> {
    fn submit(&mut self, parts: &[Vec<u8>], parameters: Parameters) {
        let begun = self.evaluate(parts, parameters);
        if let Ok(download) = self.note(begun) {
            self.submitted.push_back(download);
        }
    }

    fn receive(&mut self, outputs: &mut Vec<f32>, _: Interrupted) -> Result<(), Stopped> {
        outputs.clear();
        self.note(Ok(()))?;
        if let Some(download) = self.submitted.pop_front() {
            let finished = self.machine.finish(download, outputs);
            self.note(finished)?;
        }
        Ok(())
    }

    fn learn(&mut self, batch: Batch, rate: f32, _: Interrupted) -> Result<(), Stopped> {
        let stepped = self.step(&batch, rate);
        self.note(stepped)
    }

    fn update_target(&mut self) {
        let from = self.learning;
        let floats = self.machine.copy(from.floats, self.target.floats);
        let halves = floats.and_then(|()| self.machine.copy(from.halves, self.target.halves));
        let _ = self.note(halves);
    }

    fn error(&mut self) -> Result<f64, Stopped> {
        let read = self.read(self.targets[3], self.batch);
        let errors = self.note(read)?;
        Ok(errors.iter().map(|&error| f64::from(error)).sum::<f64>() / self.batch as f64)
    }

    fn learned(&mut self) -> &mut Learned {
        &mut self.learned
    }

    fn synchronize(&mut self) -> Result<(), Stopped> {
        let count = self.architecture.parameters();
        let memory = [self.learning.floats, self.first, self.second, self.target.floats];
        let read: Result<Vec<_>, _> =
            memory.into_iter().map(|memory| self.read(memory, count)).collect();
        if let [parameters, first, second, target] = &mut self.note(read)?[..] {
            self.learned = Learned {
                parameters: std::mem::take(parameters),
                first: std::mem::take(first),
                second: std::mem::take(second),
                target: std::mem::take(target),
                steps: self.learned.steps,
            };
        }
        Ok(())
    }

    fn refresh(&mut self) {
        while let Some(download) = self.submitted.pop_front() {
            let finished = self.machine.finish(download, &mut Vec::new());
            let _ = self.note(finished);
        }
        let taken = self.take_learned();
        let _ = self.note(taken);
    }
}
