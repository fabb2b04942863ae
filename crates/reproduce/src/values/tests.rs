//! Recipes of the yardsticks, and the texts of their pages.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use afterstate_core::Device;
use afterstate_train::Recipe;

use super::page::frontier;
use super::yardsticks::YARDSTICKS;
use super::{EXPERIMENTS, short, yardstick};

#[test]
fn every_yardstick_has_an_experiment_and_recipes_that_can_be_trained() {
    for own in YARDSTICKS {
        let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == own.name).unwrap();
        assert_eq!(experiment.rules, own.rules);
        assert!(own.tiny.is_none_or(|tiny| yardstick(tiny).is_ok()));
        let engine = afterstate_engine::open(&own.rules.parse().unwrap());
        for method in own.methods {
            let text = format!("game = \"{}\"\n[budget]\nmoves = 1\n{}", own.rules, method.recipe);
            let recipe = Recipe::parse(&text, &[]).unwrap();
            engine.check(&recipe, Device::Cpu).unwrap();
            assert!(method.speed > 0, "{}", method.name());
        }
        // A row for each kind, and one for random play.
        assert_eq!(experiment.published.len(), own.kinds().len() + 1, "{}", own.name);
    }
}

#[test]
fn numbers_have_three_significant_digits() {
    let texts = [0.0, 1234.6, 99.96, 1.2345, 0.012_345, 0.000_012_345].map(short);
    assert_eq!(texts, ["0", "1,235", "100.0", "1.23", "0.0123", "1.2e-5"]);
}

#[test]
fn what_a_cheaper_one_beats_is_left_out() {
    let losses = [3.0, 2.0, 2.0, 5.0, 1.0];
    let costs = [1.0, 2.0, 3.0, 0.5, 9.0];
    let points: Vec<(&f64, f64)> = losses.iter().zip(costs).collect();
    assert_eq!(frontier(&points, |&loss| loss), [&5.0, &3.0, &2.0, &1.0]);
}
