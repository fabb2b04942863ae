//! The passes of a network: outputs of boards, and a step of Adam by back-propagation.

use std::ops::Range;

use afterstate_learn::neural::{Batch, DECAY, corrected};
use afterstate_values::neural::LayerShape;

use super::{NeuralTrainer, Weights};
use crate::CudaError;
use crate::neural::machine::{Args, Machine, Memory, Product, Transposed};

impl<M: Machine> NeuralTrainer<M> {
    /// The outputs of boards whose cells are on the machine.
    pub(super) fn outputs(
        &mut self,
        weights: Weights,
        half: bool,
        boards: usize,
        cells: Memory,
        values: Memory,
    ) -> Result<(), CudaError> {
        let (machine, shapes) = (&mut self.machine, self.architecture.shapes());
        let own = if half { &self.play } else { &self.learn };
        let size = if half { 2 } else { 4 };
        let kernel = |names: [&'static str; 2]| names[usize::from(!half)];
        let of = |memory: &Range<usize>| {
            let memory_of = if half { weights.halves } else { weights.floats };
            memory_of.at(size * memory.start)
        };
        let bias = |shape: &LayerShape| weights.floats.at(4 * shape.bias.start);
        for (number, shape) in shapes.iter().enumerate() {
            let (rows, channels) = (boards * shape.positions(), shape.channels());
            if number + 1 == shapes.len() {
                let floats = weights.floats.at(4 * shape.weights.start);
                let memory = [own.outputs[number - 1], floats, bias(shape), values];
                let args = Args::new(&memory, &[shape.inputs()]);
                machine.launch(kernel(["output_half", "output_float"]), boards, args)?;
                break;
            }
            let output = own.outputs[number];
            if number == 0 {
                let memory = [cells, self.places, of(&shape.weights), bias(shape), output];
                let board = self.architecture.board();
                let sizes = [
                    board.cells(),
                    shape.positions(),
                    shape.window[0] * shape.window[1],
                    board.planes(),
                    channels,
                ];
                let count = rows * channels / self.pack;
                let args = Args::new(&memory, &sizes);
                machine.launch(kernel(["first_layer_half", "first_layer_float"]), count, args)?;
                continue;
            }
            let mut input = own.outputs[number - 1];
            if !shape.is_dense() {
                let args = Args::new(&[input, own.windows[number]], &sizes(shape));
                let count = rows * shape.inputs() / self.pack;
                machine.launch(kernel(["windows_half", "windows_float"]), count, args)?;
                input = own.windows[number];
            }
            machine.multiply(Product {
                transposed: Transposed::None,
                rows,
                inner: shape.inputs(),
                columns: channels,
                factors: [input, of(&shape.weights)],
                product: output,
                half: own.half,
            })?;
            let args = Args::new(&[output, bias(shape)], &[channels]);
            let count = rows * channels / self.pack;
            machine.launch(kernel(["rectify_half", "rectify_float"]), count, args)?;
        }
        Ok(())
    }

    /// One step of Adam.
    pub(super) fn step(&mut self, batch: &Batch, rate: f32) -> Result<(), CudaError> {
        let boards = batch.targets.len();
        assert!(boards <= self.batch, "a batch of at most {} boards", self.batch);
        let [targets, weights, values, errors] = self.targets;
        self.upload(&[&batch.cells], self.batch_cells)?;
        let bytes = |numbers| bytemuck::cast_slice::<f32, u8>(numbers);
        self.machine.upload(&[bytes(&batch.targets)], targets)?;
        self.machine.upload(&[bytes(&batch.weights)], weights)?;
        self.outputs(self.learning, false, boards, self.batch_cells, values)?;
        let derivatives = self.derivatives.outputs;
        let memory = [values, targets, weights, derivatives, errors];
        self.machine.launch("errors", boards, Args::new(&memory, &[boards]))?;
        self.back_propagate(boards)?;
        self.learned.steps += 1;
        let (rate, epsilon) = corrected(self.learned.steps, rate);
        let Weights { floats, halves } = self.learning;
        let mut args = Args::new(&[floats, halves, self.gradient, self.first, self.second], &[]);
        args.factors = [rate, epsilon, DECAY.0, DECAY.1];
        self.machine.launch("adam", self.architecture.parameters(), args)
    }

    /// The gradient of the last outputs.
    fn back_propagate(&mut self, boards: usize) -> Result<(), CudaError> {
        let (machine, shapes) = (&mut self.machine, self.architecture.shapes());
        let floats = self.learning.floats;
        for (number, shape) in shapes.iter().enumerate().rev() {
            let is_last = number + 1 == shapes.len();
            let (rows, channels) = (boards * shape.positions(), shape.channels());
            let own =
                if is_last { self.derivatives.outputs } else { self.derivatives.hidden[number] };
            let inputs = if number == 0 {
                let board = self.architecture.board();
                let memory = [self.batch_cells, self.places, self.derivatives.planes];
                let window = shape.window[0] * shape.window[1];
                let sizes = [board.cells(), shape.positions(), window, board.planes()];
                let count = rows * shape.inputs();
                machine.launch("first_inputs", count, Args::new(&memory, &sizes))?;
                self.derivatives.planes
            } else if shape.is_dense() {
                self.learn.outputs[number - 1]
            } else {
                self.learn.windows[number]
            };
            let product = Product {
                transposed: Transposed::First,
                rows: shape.inputs(),
                inner: rows,
                columns: channels,
                factors: [inputs, own],
                product: self.gradient.at(4 * shape.weights.start),
                half: false,
            };
            machine.multiply(product)?;
            machine.multiply(Product {
                transposed: Transposed::None,
                rows: 1,
                factors: [self.derivatives.ones, own],
                product: self.gradient.at(4 * shape.bias.start),
                ..product
            })?;
            if number == 0 {
                break;
            }
            let (before, weights) =
                (self.learn.outputs[number - 1], floats.at(4 * shape.weights.start));
            let passed = self.derivatives.hidden[number - 1];
            if is_last {
                let args = Args::new(&[own, weights, before, passed], &[shape.inputs()]);
                machine.launch("output_backward", boards * shape.inputs(), args)?;
                continue;
            }
            machine.multiply(Product {
                transposed: Transposed::Second,
                rows,
                inner: channels,
                columns: shape.inputs(),
                factors: [own, weights],
                product: self.derivatives.windows,
                half: false,
            })?;
            let args = Args::new(&[self.derivatives.windows, before, passed], &sizes(shape));
            let count = boards * shape.input.iter().product::<usize>();
            machine.launch("fold", count, args)?;
        }
        Ok(())
    }
}

/// The sizes that `windows` and `fold` take.
fn sizes(shape: &LayerShape) -> [usize; 7] {
    let ([rows, columns, channels], [height, width]) = (shape.input, shape.window);
    [rows, columns, channels, height, width, shape.output[0], shape.output[1]]
}
