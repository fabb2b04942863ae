//! Learners of weights of features: stopped and resumed, on several threads, and with settings that
//! make no sense.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;

use common::{
    Scratch, agent, complained, metrics, objects, printed, refused, resume, said, same, stopped,
    train,
};

/// A recipe for a low well.
fn recipe(episodes: u64, learner: &str) -> String {
    format!(
        "game = 'tetris:6x6'\nbudget.episodes = {episodes}\nlog.checkpoint_seconds = 0.03\n{learner}"
    )
}

/// Weights by the scores of games.
fn by(search: &str) -> String {
    format!(
        "weights.features = 'dt'\nweights.games = {{ count = 12, early = 4 }}\n[weights.search]\n{search}"
    )
}

const LAMBDA: &str = "[lambda_pi]\nfeatures = 'bertsekas'\ngames = 300\n\
                      start = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.01, -0.1]";

const CBMPI: &str = "[cbmpi]\nfeatures = 'dt'\nvalues = 'bertsekas'\ngames = 20\n\
                     iteration = { states = 60, steps = 4, classifier = 20 }";

/// A run that is stopped and resumed comes to the same bytes as one that is not.
fn stop_and_resume(name: &str, text: &str) {
    let scratch = Scratch::new(name);
    let recipe = scratch.recipe(text);
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    train(&recipe, &whole);
    stopped(&recipe, &broken);
    assert!(metrics(&broken).len() < metrics(&whole).len(), "stopped too late");
    said(&resume(&broken).wait_with_output().unwrap());
    same(&whole, &broken);
}

#[test]
fn cross_entropy_goes_on() {
    let search = "method = 'cross_entropy'\npopulation = 30\nelite = 5\nnoise = 1";
    stop_and_resume("cross-entropy", &recipe(30_000, &by(search)));
}

#[test]
fn cma_es_goes_on_through_stages() {
    let stage = "weights.stage = [{ game = 'tetris:6x4', until = 0.2 }]\n";
    stop_and_resume("cma-es", &recipe(30_000, &(stage.to_owned() + &by("method = 'cma_es'"))));
}

#[test]
fn annealings_go_on_and_end_by_themselves() {
    for method in ["home_made", "annealing"] {
        let search = format!("method = '{method}'\niterations = 1500");
        stop_and_resume(method, &recipe(1_000_000, &by(&search)));
    }
}

#[test]
fn populations_go_on() {
    stop_and_resume("genetic", &recipe(30_000, &by("method = 'genetic'\npopulation = 20")));
    let swarm = "method = 'particle_swarm'\npopulation = 20";
    stop_and_resume("swarm", &recipe(30_000, &by(swarm)));
}

#[test]
fn lambda_policy_iteration_goes_on() {
    stop_and_resume("lambda", &recipe(24_000, LAMBDA));
}

#[test]
fn cbmpi_goes_on() {
    stop_and_resume("cbmpi", &recipe(1_200, CBMPI));
}

#[test]
fn threads_do_not_change_what_is_learned() {
    let home_made = by("method = 'home_made'\niterations = 60");
    for (name, text) in [
        ("home", recipe(1_000_000, &home_made)),
        ("pi", recipe(1_500, LAMBDA)),
        ("cb", recipe(80, CBMPI)),
    ] {
        let scratch = Scratch::new(&format!("threads-{name}"));
        let recipe = scratch.recipe(&text);
        let (one, three) = (scratch.path("one"), scratch.path("three"));
        train(&recipe, &one);
        printed(&["train", &recipe, "--out", &three, "--threads", "3", "--eval-games", "0"]);
        assert!(agent(&one) == agent(&three), "{name}");
        assert_eq!(metrics(&one), metrics(&three), "{name}");
    }
}

#[test]
fn runs_of_weights_are_measured_listed_and_drawn() {
    let scratch = Scratch::new("weights");
    let recipe = scratch.recipe(&recipe(6_000, &by("method = 'cma_es'")));
    let run = scratch.path("run");
    let told = printed(&["train", &recipe, "--out", &run, "--threads", "1", "--eval-games", "50"]);
    assert!(told.contains("lines"), "{told}");
    let mean = objects(&["eval", &run, "--games", "50", "--json"])[0]["mean"].as_f64().unwrap();
    let random = objects(&["eval", "random", "--game", "tetris:6x6", "--games", "50", "--json"]);
    assert!(mean > 3.0 * random[0]["mean"].as_f64().unwrap(), "{mean}");
    let last = metrics(&run).pop().unwrap();
    let (iteration, best) = (&last["extra"]["iteration"], &last["extra"]["best"]);
    assert!(iteration.as_f64().unwrap() > 5.0 && best.as_f64().unwrap() > 1.0, "{last}");
    assert!(printed(&["plot", &run, "--of", "best"]).contains("best in training"));
    refused(&["plot", &run, "--of", "colour"], 1, "--of: met \"colour\", expected best, iteration");
    assert!(printed(&["runs", &run]).contains("tetris:6x6"));
}

#[test]
fn wrong_recipes_and_states_are_refused() {
    let scratch = Scratch::new("wrong-weights");
    let run = scratch.path("run");
    let text = recipe(30_000, &by("method = 'cma_es'"));
    let wrong = |text: &str, sentence: &str| {
        let recipe = scratch.recipe(text);
        refused(&["train", &recipe, "--out", &scratch.path("wrong")], 1, sentence);
        assert!(!fs::exists(scratch.path("wrong")).unwrap());
    };
    wrong(&text.replace("'dt'", "'x'"), "met features \"x\", expected dt, ");
    wrong(&text.replace("tetris:6x6", "2048:3x3"), "met features \"dt\", expected ");
    wrong(&text.replace("'cma_es'", "'magic'"), "unknown variant `magic`");
    wrong(
        &text.replace("early = 4", "early = 40"),
        "weights.games.early: met 40, expected at most",
    );
    let start = "weights.start = [1, 2]\n".to_owned() + &by("method = 'cma_es'");
    wrong(&recipe(9, &start), "met 2 weights, expected 9: one for each feature");
    wrong(
        &recipe(9, &LAMBDA.replace("-0.1]", "nan]")),
        "lambda_pi.start: met NaN, expected numbers",
    );
    wrong(
        &recipe(9, &CBMPI.replace("steps = 4", "steps = 0")),
        "steps: met 0, expected 1 to 100000",
    );
    let both = by("method = 'cma_es'") + "\n" + LAMBDA;
    wrong(&recipe(9, &both), "met [weights] and [lambda_pi], expected exactly one learner: ");

    stopped(&scratch.recipe(&text), &run);
    let file = format!("{run}/checkpoint.safetensors");
    let good = fs::read(&file).unwrap();
    // One character more, and the length of the header says so.
    let bytes = String::from_utf8_lossy(&good[8..]).replace("\\\"sigma\\\":", "\\\"sigma\\\":-");
    let length = u64::from_le_bytes(good[..8].try_into().unwrap()) + 1;
    assert_eq!(bytes.len() as u64, length);
    let hostile = [&length.to_le_bytes()[..], bytes.as_bytes()].concat();
    fs::write(&file, hostile).unwrap();
    let output = resume(&run).wait_with_output().unwrap();
    complained(
        &output,
        1,
        "checkpoint.safetensors: met a damaged state, expected one of the recipe",
    );
}

#[test]
fn evaluations_go_on_and_are_those_of_eval() {
    let text = "game = 'tetris:6x6'\nbudget.episodes = 3000\nlog.window = 50\n\
                log.checkpoint_seconds = 0.03\nevaluation.agent = 'dt-10'";
    let scratch = Scratch::new("evaluated");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let recipe = scratch.recipe(text);
    train(&recipe, &whole);
    stopped(&recipe, &broken);
    said(&resume(&broken).wait_with_output().unwrap());
    assert!(agent(&whole) == agent(&broken));
    // What is measured so far is that of the round in which a window was filled: a clock ends rounds.
    let scores = |run: &str| -> Vec<_> {
        metrics(run)
            .iter()
            .map(|window| (window["episodes"].clone(), window["mean"].clone()))
            .collect()
    };
    assert_eq!(scores(&whole), scores(&broken));
    let (recipe, run) = (scratch.recipe(&text.replace("3000", "200")), scratch.path("run"));
    printed(&["train", &recipe, "--out", &run, "--threads", "3", "--eval-games", "0"]);
    let last = metrics(&run).pop().unwrap();
    let eval = ["eval", "dt-10", "--game", "tetris:6x6", "--games", "200", "--json"];
    let mean = objects(&eval)[0]["mean"].as_f64().unwrap();
    let so_far = last["extra"]["so far"].as_f64().unwrap();
    assert!((so_far - mean).abs() < 1e-9 * mean, "{so_far} {mean}");
    let clock = scratch.recipe(&text.replace("budget.episodes", "budget.moves"));
    let expected = "budget: met no episodes, expected budget.episodes to evaluate";
    refused(&["train", &clock, "--out", &scratch.path("x")], 1, expected);
    let other = scratch.recipe(&text.replace("dt-10", "random"));
    let expected = "evaluation.agent \"random\": expected an agent that weighs features";
    refused(&["train", &other, "--out", &scratch.path("x")], 1, expected);
}
