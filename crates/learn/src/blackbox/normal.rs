//! Samples of the standard normal distribution.

use afterstate_core::Rng;

/// One sample (Box & Muller 1958).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    // `unit` is below one, so the logarithm is finite.
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

/// So many samples.
pub(super) fn normals(count: usize, rng: &mut Rng) -> Vec<f64> {
    (0..count).map(|_| normal(rng)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_moments_of_the_normal_distribution() {
        let samples = normals(100_000, &mut Rng::stream(1, 0));
        let mean = samples.iter().sum::<f64>() / 1e5;
        let square = samples.iter().map(|x| x * x).sum::<f64>() / 1e5;
        let fourth = samples.iter().map(|x| x.powi(4)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.015 && (square - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.15);
    }
}
