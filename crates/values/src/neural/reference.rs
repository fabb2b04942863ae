//! The value of a board by the definition of the layers: the reference implementation of the fast
//! evaluation, which gives the same bits.

use super::NeuralNetwork;

/// The output of a network for a board given by its cells.
pub fn value(network: &NeuralNetwork, cells: &[u8]) -> f32 {
    let architecture = network.architecture();
    let (board, planes) = (architecture.board(), architecture.board().planes());
    let mut input = vec![0.0; board.cells() * planes];
    for (cell, &value) in cells.iter().enumerate() {
        if planes > 1 {
            input[cell * planes + usize::from(value)] = 1.0;
        } else {
            input[cell] = f32::from(value);
        }
    }
    let last = architecture.shapes().len() - 1;
    for (number, shape) in architecture.shapes().iter().enumerate() {
        let weights = &network.parameters()[shape.weights.clone()];
        let biases = &network.parameters()[shape.bias.clone()];
        let mut output = Vec::new();
        for position in 0..shape.positions() {
            let (row, column) = (position / shape.output[1], position % shape.output[1]);
            for (channel, &bias) in biases.iter().enumerate() {
                let mut sum = bias;
                for i in 0..shape.inputs() {
                    let (place, plane) = (i / shape.input[2], i % shape.input[2]);
                    let (down, right) = (place / shape.window[1], place % shape.window[1]);
                    let at = (row + down) * shape.input[1] + column + right;
                    sum += input[at * shape.input[2] + plane]
                        * weights[i * shape.channels() + channel];
                }
                output.push(if number == last { sum } else { sum.max(0.0) });
            }
        }
        input = output;
    }
    input[0]
}
