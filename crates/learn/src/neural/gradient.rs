//! `add_gradient`: back-propagation of the errors of some boards, one board after the other.
//!
//! A unit that is zero, as half of them are, neither changes its outgoing weights nor passes errors on, so its
//! row of weights is skipped in both directions; of the planes of a cell only the one that is 1 is read.

#[cfg(all(target_arch = "x86_64", not(portable)))]
use afterstate_core::processor::{has_avx512, has_bit_counts};
use afterstate_values::neural::{Architecture, LayerShape};

use crate::Interrupted;

/// Boards between two looks whether the work is interrupted.
const LOOK: usize = 64;

/// What some boards are to be, and how much each counts.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub(super) cells: &'a [u8],
    pub(super) targets: &'a [f32],
    pub(super) weights: &'a [f32],
    /// The gradient is of some boards only if this was so.
    pub(super) interrupted: Interrupted<'a>,
}

/// Adds the gradient of the sum of weighted squared errors, and returns that sum.
pub(super) fn add_gradient(
    architecture: &Architecture,
    parameters: &[f32],
    samples: Samples,
    gradient: &mut [f32],
) -> f64 {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    {
        if has_avx512() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            return unsafe { add_avx512(architecture, parameters, samples, gradient) };
        }
        if has_bit_counts() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            return unsafe { add_avx2(architecture, parameters, samples, gradient) };
        }
    }
    add(architecture, parameters, samples, gradient)
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
fn add_avx512(
    architecture: &Architecture,
    parameters: &[f32],
    samples: Samples,
    gradient: &mut [f32],
) -> f64 {
    add(architecture, parameters, samples, gradient)
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "popcnt,lzcnt,bmi1,avx2")]
fn add_avx2(
    architecture: &Architecture,
    parameters: &[f32],
    samples: Samples,
    gradient: &mut [f32],
) -> f64 {
    add(architecture, parameters, samples, gradient)
}

#[inline(always)]
fn add(
    architecture: &Architecture,
    parameters: &[f32],
    samples: Samples,
    gradient: &mut [f32],
) -> f64 {
    let (board, shapes) = (architecture.board(), architecture.shapes());
    let planes = board.planes();
    // The input of each layer, and of what follows the last.
    let size = |shape: &LayerShape| shape.input.iter().product::<usize>();
    let mut layers: Vec<Vec<f32>> = shapes.iter().map(|shape| vec![0.0; size(shape)]).collect();
    layers.push(vec![0.0]);
    let mut errors = layers.clone();
    let mut sum = 0.0;
    let boards = samples.cells.chunks_exact(board.cells());
    let boards = boards.zip(samples.targets).zip(samples.weights);
    for (number, ((cells, &target), &weight)) in boards.enumerate() {
        if number.is_multiple_of(LOOK) && (samples.interrupted)() {
            break;
        }
        if weight == 0.0 {
            continue;
        }
        layers[0].fill(0.0);
        for (cell, &value) in cells.iter().enumerate() {
            if planes > 1 {
                layers[0][cell * planes + usize::from(value)] = 1.0;
            } else {
                layers[0][cell] = f32::from(value);
            }
        }
        for (number, shape) in shapes.iter().enumerate() {
            let (before, after) = layers.split_at_mut(number + 1);
            forward(shape, parameters, &before[number], &mut after[0]);
            if number + 1 < shapes.len() {
                after[0].iter_mut().for_each(|sum| *sum = sum.max(0.0));
            }
        }
        let error = layers[shapes.len()][0] - target;
        sum += f64::from(weight * error * error);
        errors[shapes.len()][0] = 2.0 * weight * error;
        for (number, shape) in shapes.iter().enumerate().rev() {
            let (before, after) = errors.split_at_mut(number + 1);
            let passed = (number > 0).then_some(&mut before[number][..]);
            backward(shape, parameters, &layers[number], &after[0], passed, gradient);
        }
    }
    sum
}

/// Visits the inputs of a window that are not zero: their number in the window and in the input.
#[inline(always)]
fn each_active(
    shape: &LayerShape,
    position: usize,
    input: &[f32],
    mut visit: impl FnMut(usize, usize, f32),
) {
    let [_, columns, channels] = shape.input;
    let (row, column) = (position / shape.output[1], position % shape.output[1]);
    let width = shape.window[1] * channels;
    for down in 0..shape.window[0] {
        let begin = ((row + down) * columns + column) * channels;
        for (i, &value) in input[begin..begin + width].iter().enumerate() {
            if value != 0.0 {
                visit(down * width + i, begin + i, value);
            }
        }
    }
}

#[inline(always)]
fn forward(shape: &LayerShape, parameters: &[f32], input: &[f32], output: &mut [f32]) {
    let (weights, channels) = (&parameters[shape.weights.clone()], shape.channels());
    for (position, sums) in output.chunks_exact_mut(channels).enumerate() {
        sums.copy_from_slice(&parameters[shape.bias.clone()]);
        each_active(shape, position, input, |i, _, value| {
            let row = &weights[i * channels..][..channels];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += value * weight;
            }
        });
    }
}

/// Adds to the gradient of a layer, and passes the errors of its outputs on to its inputs.
#[inline(always)]
fn backward(
    shape: &LayerShape,
    parameters: &[f32],
    input: &[f32],
    errors: &[f32],
    mut passed: Option<&mut [f32]>,
    gradient: &mut [f32],
) {
    let (weights, channels) = (&parameters[shape.weights.clone()], shape.channels());
    if let Some(passed) = &mut passed {
        passed.fill(0.0);
    }
    for (position, errors) in errors.chunks_exact(channels).enumerate() {
        let biases = &mut gradient[shape.bias.clone()];
        biases.iter_mut().zip(errors).for_each(|(bias, error)| *bias += error);
        let changes = &mut gradient[shape.weights.clone()];
        each_active(shape, position, input, |i, at, value| {
            let own = &mut changes[i * channels..][..channels];
            for (change, error) in own.iter_mut().zip(errors) {
                *change += value * error;
            }
            if let Some(passed) = &mut passed {
                let row = &weights[i * channels..][..channels];
                // Lanes of their own, since a sum in order is one addition after the other.
                let mut lanes = [0.0f32; 16];
                let (rows, rest) = row.as_chunks::<16>();
                let (blocks, others) = errors.as_chunks::<16>();
                for (row, errors) in rows.iter().zip(blocks) {
                    for lane in 0..16 {
                        lanes[lane] += row[lane] * errors[lane];
                    }
                }
                let rest = rest.iter().zip(others).map(|(weight, error)| weight * error);
                passed[at] += lanes.iter().sum::<f32>() + rest.sum::<f32>();
            }
        });
    }
}
