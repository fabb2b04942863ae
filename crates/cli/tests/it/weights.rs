//! Learners of feature weights: stopped and resumed, on several threads, and with invalid settings.

use std::fs;

use crate::harness::{
    Scratch, agent, failed, metrics, objects, printed, refused, resume, stdout, stop,
    stop_and_resume, train,
};

/// A recipe for a low well.
fn recipe(episodes: u64, learner: &str) -> String {
    format!(
        "game = 'tetris:6x6'\nbudget.episodes = {episodes}\nlog.checkpoint_seconds = 0.03\n{learner}"
    )
}

/// Weights by an optimiser of scores.
fn by(optimiser: &str) -> String {
    format!(
        "weights.features = 'dt'\nweights.games = {{ count = 12, early = 4 }}\n[weights.optimiser]\n{optimiser}"
    )
}

/// More games than a test waits for.
const ENDLESS: u64 = 1_000_000_000;

const LAMBDA: &str = "[lambda_pi]\nfeatures = 'bertsekas'\ngames = 300\n\
                      start = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.01, -0.1]";

const CBMPI: &str = "[cbmpi]\nfeatures = 'dt'\nvalues = 'bertsekas'\ngames = 20\n\
                     iteration = { states = 60, steps = 4, classifier = 20 }";

#[test]
fn annealings_resume_and_end_by_themselves() {
    for method in ["home_made", "annealing"] {
        stop_and_resume(method, "-TERM", |length| {
            let iterations = 1_500 * length;
            recipe(ENDLESS, &by(&format!("method = '{method}'\niterations = {iterations}")))
        });
    }
}

#[test]
fn learners_of_weights_resume() {
    let curriculum = "weights.curriculum = [{ game = 'tetris:6x4', until = 0.2 }]\n";
    let entropy = "method = 'cross_entropy'\npopulation = 30\nelite = 5\nnoise = 1";
    for (name, episodes, learner) in [
        ("cross-entropy", 30_000, by(entropy)),
        ("cma-es", 30_000, curriculum.to_owned() + &by("method = 'cma_es'")),
        ("genetic", 30_000, by("method = 'genetic'\npopulation = 20")),
        ("particle_swarm", 30_000, by("method = 'particle_swarm'\npopulation = 20")),
        ("lambda", 24_000, LAMBDA.to_owned()),
        ("cbmpi", 1_200, CBMPI.to_owned()),
    ] {
        stop_and_resume(name, "-TERM", |length| recipe(episodes * length, &learner));
    }
}

#[test]
fn threads_do_not_change_what_is_learned() {
    let annealing = by("method = 'home_made'\niterations = 60");
    for (name, text) in [
        ("annealing", recipe(ENDLESS, &annealing)),
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
    let result =
        printed(&["train", &recipe, "--out", &run, "--threads", "1", "--eval-games", "50"]);
    assert!(result.contains("lines"), "{result}");
    let mean = objects(&["eval", &run, "--games", "50", "--json"])[0]["mean"].as_f64().unwrap();
    let random = objects(&["eval", "random", "--game", "tetris:6x6", "--games", "50", "--json"]);
    assert!(mean > 3.0 * random[0]["mean"].as_f64().unwrap(), "{mean}");
    let last = metrics(&run).pop().unwrap();
    let (iteration, best) = (&last["extra"]["iteration"], &last["extra"]["best"]);
    assert!(iteration.as_f64().unwrap() > 5.0 && best.as_f64().unwrap() > 1.0, "{last}");
    assert!(printed(&["plot", &run, "--of", "best"]).contains("best in training"));
    let sentence = "--of: unknown metric \"colour\": the metrics of these runs are best, iteration";
    refused(&["plot", &run, "--of", "colour"], 1, sentence);
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
    wrong(&text.replace("'dt'", "'x'"), "tetris has no feature set \"x\": it has dt, ");
    wrong(&text.replace("tetris:6x6", "2048:3x3"), "2048 has no feature set \"dt\"");
    wrong(
        &text.replace("'cma_es'", "'magic'"),
        "weights.optimiser.method is \"magic\", but must be ",
    );
    wrong(
        &text.replace("early = 4", "early = 40"),
        "weights.games.early is 40, but must be at most",
    );
    let start = "weights.start = [1, 2]\n".to_owned() + &by("method = 'cma_es'");
    wrong(
        &recipe(9, &start),
        "2 initial weights for 9 features: give one weight per feature, or none",
    );
    wrong(
        &recipe(9, &LAMBDA.replace("-0.1]", "nan]")),
        "lambda_pi.start is NaN, but must be numbers",
    );
    wrong(
        &recipe(9, &CBMPI.replace("steps = 4", "steps = 0")),
        "steps is 0, but must be 1 to 100000",
    );
    let both = by("method = 'cma_es'") + "\n" + LAMBDA;
    wrong(&recipe(9, &both), "the recipe has [weights] and [lambda_pi]: it needs exactly one of ");

    let learner = by("method = 'cma_es'");
    stop(&scratch, &run, "-TERM", |length| recipe(30_000 * length, &learner));
    let file = format!("{run}/checkpoint.safetensors");
    let good = fs::read(&file).unwrap();
    // One character more, and the length of the header says so.
    let bytes = String::from_utf8_lossy(&good[8..]).replace("\\\"sigma\\\":", "\\\"sigma\\\":-");
    let length = u64::from_le_bytes(good[..8].try_into().unwrap()) + 1;
    assert_eq!(bytes.len() as u64, length);
    let hostile = [&length.to_le_bytes()[..], bytes.as_bytes()].concat();
    fs::write(&file, hostile).unwrap();
    let output = resume(&run).wait_with_output().unwrap();
    failed(&output, 1, "checkpoint.safetensors: the state of the learner is damaged");
}

#[test]
fn evaluations_resume_and_are_those_of_eval() {
    let text = "game = 'tetris:6x6'\nbudget.episodes = 3000\nlog.window = 50\n\
                log.checkpoint_seconds = 0.03\nevaluation.agent = 'dt-10'";
    let scratch = Scratch::new("evaluated");
    let (whole, broken) = (scratch.path("whole"), scratch.path("broken"));
    let longer = |length: u64| text.replace("3000", &(3_000 * length).to_string());
    train(&stop(&scratch, &broken, "-TERM", longer), &whole);
    stdout(&resume(&broken).wait_with_output().unwrap());
    assert!(agent(&whole) == agent(&broken));
    // The metric "so far" depends on the ends of rounds, which a clock decides.
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
    let expected = "budget.episodes is missing, but must be 1 to 10000000 in an evaluation";
    refused(&["train", &clock, "--out", &scratch.path("x")], 1, expected);
    let other = scratch.recipe(&text.replace("dt-10", "random"));
    let expected = "evaluation.agent \"random\": only agents with weights of features";
    refused(&["train", &other, "--out", &scratch.path("x")], 1, expected);
}
