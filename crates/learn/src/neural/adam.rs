//! Adam (Kingma & Ba 2015).

use super::Learned;

/// The decay of the mean of the gradients, and of the mean of their squares.
pub const DECAY: (f32, f32) = (0.9, 0.999);

/// Keeps the first steps of a parameter without gradients finite.
const EPSILON: f32 = 1e-8;

/// The rate and the epsilon of a step, counted from 1, that correct the bias of both means towards zero.
pub fn corrected(steps: u64, rate: f32) -> (f32, f32) {
    let steps = steps.min(i32::MAX as u64) as i32;
    let (one, two) = DECAY;
    let (first, second) = (1.0 - one.powi(steps), (1.0 - two.powi(steps)).sqrt());
    (rate * second / first, EPSILON * second)
}

/// One step along a gradient.
pub(super) fn step(learned: &mut Learned, gradient: &[f32], rate: f32) {
    learned.steps += 1;
    let (one, two) = DECAY;
    let (rate, epsilon) = corrected(learned.steps, rate);
    let moments = learned.first.iter_mut().zip(&mut learned.second);
    for ((parameter, (first, second)), &gradient) in
        learned.parameters.iter_mut().zip(moments).zip(gradient)
    {
        *first = one * *first + (1.0 - one) * gradient;
        *second = two * *second + (1.0 - two) * gradient * gradient;
        *parameter -= rate * *first / (second.sqrt() + epsilon);
    }
}
