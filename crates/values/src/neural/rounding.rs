//! `rounding_error`: by how much a value can change when parameters are rounded.

use super::NeuralNetwork;

/// An upper bound of the change of any board's value between two networks of one architecture,
/// whatever the board: activations and their changes are bounded layer by layer, in exact
/// arithmetic. Typical changes are far smaller.
pub(crate) fn rounding_error(network: &NeuralNetwork, rounded: &NeuralNetwork) -> f32 {
    let (own, other) = (network.parameters(), rounded.parameters());
    // For each channel: the largest activation and its largest change.
    let mut bounds: Vec<(f64, f64)> = vec![(1.0, 0.0); network.architecture().board().planes()];
    for (number, shape) in network.architecture().shapes().iter().enumerate() {
        let (channels, planes) = (shape.channels(), shape.input[2]);
        let mut next: Vec<(f64, f64)> = shape
            .bias
            .clone()
            .map(|at| (f64::from(own[at].abs()), f64::from((own[at] - other[at]).abs())))
            .collect();
        for place in 0..shape.window[0] * shape.window[1] {
            let mut sums = vec![(0.0f64, 0.0f64); channels];
            for (plane, (activation, change)) in bounds.iter().enumerate() {
                let begin = shape.weights.start + (place * planes + plane) * channels;
                for (channel, sum) in sums.iter_mut().enumerate() {
                    let at = begin + channel;
                    let weight = f64::from(own[at].abs());
                    let rounding = f64::from((own[at] - other[at]).abs());
                    let terms =
                        (weight * activation, weight * change + rounding * (activation + change));
                    // Of the planes of a cell one is 1.
                    *sum = if number == 0 && planes > 1 {
                        (sum.0.max(terms.0), sum.1.max(terms.1))
                    } else {
                        (sum.0 + terms.0, sum.1 + terms.1)
                    };
                }
            }
            for (next, sum) in next.iter_mut().zip(sums) {
                *next = (next.0 + sum.0, next.1 + sum.1);
            }
        }
        bounds = next;
    }
    let change = bounds.first().map_or(0.0, |(_, change)| *change);
    (f64::from(network.scale().abs()) * change) as f32
}
