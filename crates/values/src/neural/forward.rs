//! The forward pass on the processor: the first layer as sums of the columns of occupied cells, the
//! others as matrix products of many boards at once.
//!
//! Every sum has the order of its inputs and no fused steps, so that values have the bits of the
//! reference implementation, whatever the processor and however many boards are evaluated at once.

#[cfg(all(target_arch = "x86_64", not(portable)))]
use afterstate_core::processor::{has_avx512, has_bit_counts};

use super::{Architecture, LayerShape};

/// Outputs that are computed together: one wide vector, or several smaller ones.
const LANES: usize = 16;

/// Boards, or positions of a window, that read the same weights in turn.
const ROWS: usize = 6;

/// Activations of all boards that pass a layer at once: they and the weights of a layer stay in the
/// caches.
const CHUNK: usize = 1 << 15;

/// Memory that one thread reuses between evaluations.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    input: Vec<f32>,
    output: Vec<f32>,
    patches: Vec<f32>,
}

/// The weights of a layer in blocks of [`LANES`] outputs, each in the order of the inputs.
#[derive(Clone, Debug)]
pub(super) struct PackedLayer {
    weights: Vec<[f32; LANES]>,
    biases: Vec<[f32; LANES]>,
}

impl PackedLayer {
    pub(super) fn new(shape: &LayerShape, parameters: &[f32]) -> PackedLayer {
        let (weights, biases) =
            (&parameters[shape.weights.clone()], &parameters[shape.bias.clone()]);
        let block = |row: &[f32], first: usize| {
            let mut block = [0.0; LANES];
            let own = &row[first..row.len().min(first + LANES)];
            block[..own.len()].copy_from_slice(own);
            block
        };
        let firsts = || (0..shape.channels()).step_by(LANES);
        let rows = |first| weights.chunks_exact(shape.channels()).map(move |row| block(row, first));
        PackedLayer {
            weights: firsts().flat_map(rows).collect(),
            biases: firsts().map(|first| block(biases, first)).collect(),
        }
    }
}

/// The outputs of boards.
pub(super) fn forward(
    architecture: &Architecture,
    parameters: &[f32],
    packed: &[PackedLayer],
    cells: &[u8],
    scratch: &mut Activations,
    outputs: &mut [f32],
) {
    #[cfg(all(target_arch = "x86_64", not(portable)))]
    {
        if has_avx512() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            unsafe {
                forward_avx512(architecture, parameters, packed, cells, scratch, outputs);
            }
            return;
        }
        if has_bit_counts() {
            // SAFETY: these CPU features have been detected.
            #[allow(unsafe_code)]
            unsafe {
                forward_avx2(architecture, parameters, packed, cells, scratch, outputs);
            }
            return;
        }
    }
    forward_in_chunks(architecture, parameters, packed, cells, scratch, outputs);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
fn forward_avx512(
    architecture: &Architecture,
    parameters: &[f32],
    packed: &[PackedLayer],
    cells: &[u8],
    scratch: &mut Activations,
    outputs: &mut [f32],
) {
    forward_in_chunks(architecture, parameters, packed, cells, scratch, outputs);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "popcnt,lzcnt,bmi1,avx2")]
fn forward_avx2(
    architecture: &Architecture,
    parameters: &[f32],
    packed: &[PackedLayer],
    cells: &[u8],
    scratch: &mut Activations,
    outputs: &mut [f32],
) {
    forward_in_chunks(architecture, parameters, packed, cells, scratch, outputs);
}

#[inline(always)]
fn forward_in_chunks(
    architecture: &Architecture,
    parameters: &[f32],
    packed: &[PackedLayer],
    cells: &[u8],
    scratch: &mut Activations,
    outputs: &mut [f32],
) {
    let board = architecture.board().cells();
    let shapes = architecture.shapes();
    let largest = shapes.iter().map(|shape| shape.positions() * shape.channels()).max();
    let boards = (CHUNK / largest.unwrap_or(1)).clamp(1, 64);
    for (cells, outputs) in cells.chunks(boards * board).zip(outputs.chunks_mut(boards)) {
        first_layer(architecture, parameters, cells, &mut scratch.output);
        for (shape, packed) in shapes[1..].iter().zip(packed) {
            for activation in &mut scratch.output {
                *activation = activation.max(0.0);
            }
            std::mem::swap(&mut scratch.input, &mut scratch.output);
            if !shape.is_dense() {
                collect_patches(shape, &scratch.input, &mut scratch.patches);
                std::mem::swap(&mut scratch.input, &mut scratch.patches);
            }
            multiply(shape, packed, &scratch.input, &mut scratch.output);
        }
        outputs.copy_from_slice(&scratch.output[..outputs.len()]);
    }
}

/// The first layer: for each position of the window the biases and the weights of its active
/// planes.
#[inline(always)]
fn first_layer(
    architecture: &Architecture,
    parameters: &[f32],
    cells: &[u8],
    output: &mut Vec<f32>,
) {
    let (board, shape) = (architecture.board(), &architecture.shapes()[0]);
    let (planes, channels) = (board.planes(), shape.channels());
    let weights = &parameters[shape.weights.clone()];
    let biases = &parameters[shape.bias.clone()];
    let boards = cells.chunks_exact(board.cells());
    output.resize(boards.len() * shape.positions() * channels, 0.0);
    let mut sums = output.chunks_exact_mut(channels);
    for cells in boards {
        for row in 0..shape.output[0] {
            for (column, sums) in (0..shape.output[1]).zip(&mut sums) {
                sums.copy_from_slice(biases);
                for place in 0..shape.window[0] * shape.window[1] {
                    let (down, right) = (place / shape.window[1], place % shape.window[1]);
                    let value = usize::from(cells[(row + down) * board.columns + column + right]);
                    let input = if planes > 1 {
                        place * planes + value
                    } else if value == 0 {
                        continue;
                    } else {
                        place
                    };
                    let own = &weights[input * channels..][..channels];
                    for (sum, weight) in sums.iter_mut().zip(own) {
                        *sum += weight;
                    }
                }
            }
        }
    }
}

/// Copies the inputs of each position of a window one after the other.
#[inline(always)]
fn collect_patches(shape: &LayerShape, input: &[f32], patches: &mut Vec<f32>) {
    patches.clear();
    let [rows, columns, channels] = shape.input;
    for board in input.chunks_exact(rows * columns * channels) {
        for row in 0..shape.output[0] {
            for column in 0..shape.output[1] {
                for down in 0..shape.window[0] {
                    let begin = ((row + down) * columns + column) * channels;
                    patches.extend_from_slice(&board[begin..begin + shape.window[1] * channels]);
                }
            }
        }
    }
}

/// The biases and the product of all rows of the input with the weights.
#[inline(always)]
fn multiply(shape: &LayerShape, packed: &PackedLayer, input: &[f32], output: &mut Vec<f32>) {
    let (inputs, channels) = (shape.inputs(), shape.channels());
    let rows = input.len() / inputs;
    output.resize(rows * channels, 0.0);
    let blocks = packed.weights.chunks_exact(inputs).zip(&packed.biases);
    for (block, (weights, biases)) in blocks.enumerate() {
        let first = block * LANES;
        let lanes = LANES.min(channels - first);
        let mut row = 0;
        while row + ROWS <= rows {
            let mut own = [&input[..0]; ROWS];
            for (k, own) in own.iter_mut().enumerate() {
                *own = &input[(row + k) * inputs..][..inputs];
            }
            let mut sums = [*biases; ROWS];
            for (i, weights) in weights.iter().enumerate() {
                for k in 0..ROWS {
                    let activation = own[k][i];
                    for lane in 0..LANES {
                        sums[k][lane] += activation * weights[lane];
                    }
                }
            }
            for (k, sums) in sums.iter().enumerate() {
                output[(row + k) * channels + first..][..lanes].copy_from_slice(&sums[..lanes]);
            }
            row += ROWS;
        }
        for row in row..rows {
            let mut sums = *biases;
            let own = &input[row * inputs..][..inputs];
            for (&activation, weights) in own.iter().zip(weights) {
                for lane in 0..LANES {
                    sums[lane] += activation * weights[lane];
                }
            }
            output[row * channels + first..][..lanes].copy_from_slice(&sums[..lanes]);
        }
    }
}
