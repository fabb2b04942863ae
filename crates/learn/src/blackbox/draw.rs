//! Normal numbers from the project's generator.

use afterstate_core::Rng;

/// A number with mean 0 and deviation 1 (Box and Muller 1958).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    // One minus a number below one is never zero.
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

/// So many of them.
pub(super) fn normals(count: usize, rng: &mut Rng) -> Vec<f64> {
    (0..count).map(|_| normal(rng)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_have_mean_0_and_deviation_1() {
        let numbers = normals(100_000, &mut Rng::stream(1, 0));
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let square = numbers.iter().map(|x| x * x).sum::<f64>() / 1e5;
        let fourth = numbers.iter().map(|x| x.powi(4)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.015 && (square - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.15);
    }
}
