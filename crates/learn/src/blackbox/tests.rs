//! Every optimiser on functions with a known maximum, and stopped and resumed.

use super::*;

fn sphere(x: &[f64]) -> f64 {
    // The maximum is away from the start and from zero.
    100.0 - x.iter().map(|x| (x - 1.5) * (x - 1.5)).sum::<f64>()
}

fn rosenbrock(x: &[f64]) -> f64 {
    let each = x
        .windows(2)
        .map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2));
    -each.sum::<f64>()
}

fn methods() -> Vec<OptimiserChoice> {
    vec![
        OptimiserChoice::CrossEntropy(CrossEntropySettings { spread: 2.0, ..Default::default() }),
        OptimiserChoice::CrossEntropy(CrossEntropySettings {
            spread: 2.0,
            noise: 0.5,
            noise_fall: 0.02,
            ..Default::default()
        }),
        OptimiserChoice::CmaEs(CmaEsSettings::default()),
        OptimiserChoice::MarchalAnnealing(MarchalAnnealingSettings { iterations: 4_000 }),
        OptimiserChoice::Annealing(AnnealingSettings {
            iterations: 4_000,
            cold: 1e-5,
            ..Default::default()
        }),
        OptimiserChoice::Genetic(GeneticSettings::default()),
        OptimiserChoice::ParticleSwarm(ParticleSwarmSettings::default()),
    ]
}

fn iterate(optimiser: &mut AnyOptimiser, iteration: u64, function: fn(&[f64]) -> f64) {
    let mut rng = Rng::stream(7, iteration);
    let points = optimiser.get_mut().ask(&mut rng);
    let scores: Vec<f64> = points.iter().map(|point| function(point)).collect();
    optimiser.get_mut().tell(&points, &scores, &mut rng);
}

#[test]
fn every_optimiser_climbs_the_sphere() {
    for method in methods() {
        method.check().unwrap();
        let mut optimiser = method.start(vec![0.0; 5]);
        let mut iteration = 0;
        while !optimiser.get().is_finished() && iteration < 4_000 {
            iterate(&mut optimiser, iteration, sphere);
            iteration += 1;
            if !matches!(
                method,
                OptimiserChoice::MarchalAnnealing(_) | OptimiserChoice::Annealing(_)
            ) && iteration == 150
            {
                break;
            }
        }
        let reached = sphere(optimiser.get().best());
        assert!(reached > 99.9, "{method:?}: {reached}");
    }
}

#[test]
fn cma_es_follows_the_curved_valley() {
    let method = OptimiserChoice::CmaEs(CmaEsSettings { population: 0, spread: 0.3 });
    let mut optimiser = method.start(vec![0.0; 6]);
    for iteration in 0..1_000 {
        iterate(&mut optimiser, iteration, rosenbrock);
    }
    assert!(rosenbrock(optimiser.get().best()) > -1e-10, "{:?}", optimiser.get().best());
    assert!(optimiser.get().spread() < 1e-3);
}

#[test]
fn a_stopped_search_resumes_exactly() {
    for method in methods() {
        let mut unbroken = method.start(vec![0.1; 5]);
        let mut resumed = unbroken.clone();
        for iteration in 0..40 {
            iterate(&mut unbroken, iteration, sphere);
            let text = serde_json::to_string(&resumed).unwrap();
            resumed = serde_json::from_str(&text).unwrap();
            assert!(resumed.get().is_valid(5) && !resumed.get().is_valid(4), "{method:?}");
            iterate(&mut resumed, iteration, sphere);
        }
        assert_eq!(unbroken, resumed, "{method:?}");
    }
}

#[test]
fn settings_are_checked_and_have_defaults() {
    let read = |text: &str| serde_json::from_str::<OptimiserChoice>(text);
    let method = read(r#"{"method": "cross_entropy", "elite": 0}"#).unwrap();
    let error = method.check().unwrap_err().to_string();
    assert_eq!(error, "invalid elite 0: expected 1 to the population");
    assert!(read(r#"{"method": "cma_es", "colour": 1}"#).is_err());
    for method in [r#"{"method": "home_made"}"#, r#"{"method": "genetic"}"#] {
        read(method).unwrap().check().unwrap();
    }
}

#[test]
fn the_best_are_kept() {
    assert_eq!(top(&[3.0, 1.0, 2.0, 3.0], 2), [true, false, false, true]);
    assert_eq!(ranked(&[1.0, 2.0, 2.0]), [1, 2, 0]);
}
