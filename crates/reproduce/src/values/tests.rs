//! Recipes of the yardsticks, and the texts of their pages.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use afterstate_core::Device;
use afterstate_train::Recipe;

use super::page::frontier;
use super::yardsticks::YARDSTICKS;
use super::{EXPERIMENTS, Method, short, yardstick};
use crate::Report;

#[test]
fn every_yardstick_has_an_experiment_and_recipes_that_can_be_trained() {
    for own in YARDSTICKS {
        let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == own.name).unwrap();
        assert_eq!(experiment.rules, own.rules);
        assert!(own.tiny.is_none_or(|tiny| yardstick(tiny).is_ok()));
        let engine = afterstate_engine::open(&own.rules.parse().unwrap());
        for method in own.methods {
            let text = format!(
                "game = \"{}\"\n[budget]\nmoves = 1\n{}",
                own.rules,
                method.learner.recipe()
            );
            let recipe = Recipe::parse(&text, &[]).unwrap();
            engine.check(&recipe, Device::Cpu).unwrap();
            assert!(method.speed > 0, "{}", method.name());
        }
        // A row for each kind, and one for random play.
        assert_eq!(experiment.published.len(), own.kinds().len() + 1, "{}", own.name);
    }
}

/// What the committed results were trained by: whoever changes a setting measures them anew.
#[test]
fn settings_are_those_of_the_results() {
    let mut text = String::new();
    for own in YARDSTICKS {
        for Method { kind, size, speed, over_time, learner } in own.methods {
            let recipe = learner.recipe();
            text += &format!("{}|{kind}|{size}|{speed}|{over_time}\n{recipe}\n", own.name);
        }
    }
    // FNV-1a, which no release of a library changes.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    assert_eq!(format!("{hash:x}"), "ab1b8d385405a37e", "{text}");
}

/// The points of each page are those of its value functions, in their order.
#[test]
fn results_have_the_value_functions_of_their_yardstick() {
    for own in YARDSTICKS {
        let path = format!("{}/../../results/{}.json", env!("CARGO_MANIFEST_DIR"), own.name);
        let report = Report::read(Path::new(&path)).unwrap();
        let mut shown: Vec<(&str, &str)> =
            report.values.iter().map(|point| (&*point.kind, &*point.size)).collect();
        shown.dedup();
        let methods: Vec<_> = own.methods.iter().map(|method| (method.kind, method.size)).collect();
        assert_eq!(shown, methods, "{}", own.name);
        for method in own.methods {
            let own_points = report.values.iter().filter(|point| point.size == method.size);
            // The longest training stops at the end of a game after so many moves.
            let moves = own_points.map(|point| point.moves).max().unwrap() as f64;
            let budget = method.speed as f64 * own.seconds;
            assert!((budget..1.01 * budget + 10_000.0).contains(&moves), "{}", method.name());
        }
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
