//! Runs that are stopped and resumed: by this program, and by version 0.1.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_agents::Agent;
use afterstate_engine::fingerprint::Fnv;
use afterstate_games::twenty48::Twenty48;
use afterstate_train::recipe::Recipe;
use afterstate_train::recipes::BUILT_IN;
use afterstate_train::run::Folder;
use afterstate_values::file::read_info;

use crate::{Run, Stop, metrics, recipe, temporary};

/// Settings that make each built-in recipe a training of about a second.
const SMALL: &[(&str, &[&str])] = &[
    ("2048", &["budget.episodes=60", "network.tuples=lines"]),
    ("2048-td", &["budget.episodes=60", "network.tuples=lines", "network.average=0.4"]),
    ("2048-states", &["budget.episodes=60", "network.tuples=lines", "phase.0.variant=chen2022"]),
    ("2048-optimistic", &["budget.episodes=60", "network.tuples=lines"]),
    ("2048-cuda", &["budget.episodes=60", "network.tuples=lines"]),
    // Every phase has games of all stages; the first ones learn one set of weights.
    (
        "2048-record",
        &[
            "budget.episodes=90",
            "network.tuples=lines",
            "network.stages=[256,512]",
            "phase.0.stages=false",
            "phase.1.stages=false",
        ],
    ),
    (
        "2048-record-stages",
        &["budget.episodes=90", "network.tuples=lines", "network.stages=[256,512]"],
    ),
    // Large enough that two games take turns.
    ("2048-small", &["budget.episodes=48", "network.average=0.5"]),
    ("2048-3x3", &["budget.episodes=600", "network.tuples=0134"]),
    (
        "2048-neural",
        &[
            "budget.episodes=60",
            "neural.layers=[\"conv 2x2 5\",\"dense 8\"]",
            "neural.games=7",
            "neural.steps=3",
            "neural.lambda=0.5",
        ],
    ),
    (
        "2048-neural-cuda",
        &[
            "budget.episodes=60",
            "neural.layers=[\"conv 2x2 5\"]",
            "neural.games=7",
            "neural.batch=12",
        ],
    ),
    ("melax", &["budget.episodes=6"]),
    ("contour4", &["budget.episodes=60", "table.max_moves=5000"]),
    ("contour4-sarsa", &["budget.episodes=60"]),
    ("contour5", &["budget.episodes=60", "table.max_moves=5000"]),
    ("contour5-sarsa", &["budget.episodes=60"]),
    ("contour-ntuple", &["budget.episodes=6"]),
    ("tetris", &["budget.episodes=60"]),
    ("tetris-lambda-pi", &["budget.episodes=90", "lambda_pi.games=30", "lambda_pi.max_moves=2000"]),
    ("tetris-annealing", &["budget.episodes=500", "weights.games.max_score=200"]),
    ("tetris-genetic", &["budget.episodes=500", "weights.optimiser.population=10"]),
    ("tetris-ce", &["budget.episodes=3000", "weights.optimiser.population=30"]),
    ("tetris-cmaes", &["budget.episodes=1000"]),
    (
        "tetris-record",
        &[
            "budget.episodes=300",
            "game=tetris:10x8",
            "weights.curriculum.0.game=tetris:10x6",
            "weights.curriculum.1.game=tetris:10x7",
            "weights.curriculum.2.game=tetris:10x7",
            "weights.curriculum.3.game=tetris:10x8",
            "weights.curriculum.3.until=0.7",
            "weights.games={count=4,early=2}",
        ],
    ),
    ("tetris-record-10x10", &["budget.episodes=300", "game=tetris:10x6", "weights.games.count=4"]),
    (
        "tetris-cbmpi",
        &[
            "budget.episodes=15",
            "cbmpi.games=5",
            "cbmpi.max_moves=500",
            "cbmpi.iteration.states=80",
        ],
    ),
    (
        "tetris-evaluation",
        &["budget.episodes=12", "game=tetris:10x10", "evaluation.agent=dellacherie"],
    ),
    (
        "tetris-neural",
        &[
            "budget.episodes=40",
            "neural.layers=[\"dense 8\"]",
            "neural.games=5",
            "neural.symmetry=mean",
        ],
    ),
    ("1010", &["budget.episodes=20"]),
    (
        "1010-record",
        &[
            "budget.episodes=30",
            "network.batch=8",
            "network.stages=[10,20]",
            "network.tuples=[\"rectangles 3x3\"]",
            "network.average=0.5",
        ],
    ),
    (
        "1010-record-without-3x3",
        &["budget.moves=1200", "network.batch=8", "network.tuples=[\"rectangles 3x3\"]"],
    ),
    ("1010-lspi", &["budget.episodes=60"]),
    ("1010-neural", &["budget.moves=3000", "neural.layers=[\"conv 3x3 3\"]", "neural.games=6"]),
    (
        "1010-neural-cuda",
        &["budget.moves=3000", "neural.layers=[\"conv 3x3 3\"]", "neural.games=6"],
    ),
];

/// With one thread, a run that is stopped and resumed writes the bytes of an unbroken one.
/// The settings that make a built-in recipe small.
pub(crate) fn small(name: &str) -> &'static [&'static str] {
    SMALL.iter().find(|row| row.0 == name).expect("a built-in recipe").1
}

#[test]
fn every_recipe_resumes_with_the_same_bytes() {
    assert!(BUILT_IN.iter().map(|row| row.0).eq(SMALL.iter().map(|row| row.0)));
    for (name, settings) in SMALL {
        let settings = [settings, &["log.window=5", "log.checkpoint_seconds=0"][..]].concat();
        let outcome = |name: &str, stops: &[Stop]| {
            let run = Run::new(name, recipe(name, &settings));
            for &stop in stops {
                let finished = run.train(stop).unwrap().0.finished;
                assert!(!finished || !matches!(stop, Stop::AtOnce), "{name}");
            }
            assert!(run.train(Stop::Never).unwrap().0.finished);
            (fs::read(run.agent()).unwrap(), metrics(run.0.path()))
        };
        let (agent, mut windows) = outcome(name, &[]);
        let stops = [Stop::AtOnce, Stop::AfterRounds(1), Stop::AfterRounds(4)];
        let (resumed_agent, mut resumed_windows) = outcome(name, &stops);
        assert!(agent == resumed_agent, "{name}: the agents differ");
        if *name == "tetris-evaluation" || name.contains("-neural") {
            // The intervals and errors so far are those at the end of a round, which depends on the clock.
            let windows = windows.iter_mut().chain(&mut resumed_windows);
            windows.for_each(|window| drop(window.as_object_mut().unwrap().remove("extra")));
        }
        assert!(!windows.is_empty(), "{name}");
        assert_eq!(windows, resumed_windows, "{name}");
    }
}

/// A training that starts from an agent with fewer stages has its weights before it learns: those of the
/// stages that the agent lacks are promoted from its last.
#[test]
fn a_training_starts_from_an_agent_with_fewer_stages() {
    let settings = ["budget.episodes=600", "network.tuples=0134"];
    let first = Run::new("first", recipe("2048-3x3", &settings));
    first.train(Stop::Never).unwrap();
    let agent = format!("network.agent={}", first.agent().display());
    let start = |tuples: &str, stages: &str| {
        let (tuples, stages) =
            (format!("network.tuples={tuples}"), format!("network.stages={stages}"));
        // Steps that are smaller than the rounding of the weights.
        let settings = [
            "budget.episodes=1",
            "phase.0.rate=1e-12",
            "phase.1.rate=1e-12",
            "phase.1.final_rate=1e-12",
            "network.initial=0",
            &*agent,
            &*tuples,
            &*stages,
        ];
        Run::new("second", recipe("2048-3x3", &settings))
    };
    let weights = |run: &Run| {
        let game = Twenty48::new(3, 3, 0.1).unwrap();
        let model = Agent::File(run.agent()).load(&game).unwrap();
        model.network().unwrap().1
    };
    let second = start("0134", "[64, 128]");
    second.train(Stop::Never).unwrap();
    let (own, staged) = (weights(&first), weights(&second));
    assert_eq!(staged.len(), 3 * own.len());
    let (before, later) = staged.split_at(own.len());
    assert!(own.iter().zip(before).all(|(own, before)| (own - before).abs() < 1e-3));
    let promoted = later.iter().zip(own.iter().cycle()).filter(|(weight, _)| **weight != 0.0);
    let differences: Vec<f32> = promoted.map(|(weight, own)| (weight - own).abs()).collect();
    assert!(!differences.is_empty() && differences.iter().all(|difference| *difference < 1e-3));
    let error = start("0125", "[64]").train(Stop::Never).unwrap_err().to_string();
    assert!(error.contains("has other tuples than the recipe"), "{error}");
}

/// Runs that version 0.1 stopped, with the hash of the weights that it came to when it resumed
/// them.
const VERSION_0_1: &[(&str, u64)] = &[
    ("ntuple_td", 0x3a1b_8600_f32f_27d9),
    ("ntuple_tc", 0x5d99_73a1_9333_7392),
    ("cma_es", 0x3e98_ab25_bdda_1ff1),
    ("home_made", 0x0bd0_7abd_87cb_9bdf),
    ("lambda_pi", 0xbf38_9929_eb9f_e672),
    ("lspi", 0x44ac_6bfe_f3f8_57ea),
    ("cbmpi", 0x60b7_3007_da60_0f02),
    ("table_td", 0xbeff_adc1_4983_0c02),
    ("table_sarsa", 0xb49f_5e48_8dc5_e656),
    ("evaluation", 0x6bf9_f2e4_b9c3_dce8),
];

/// The settings that have been renamed since, as they stand in a written recipe.
const RENAMED: &[(&str, &str)] = &[
    ("sees = ", "views = "),
    ("end = ", "terminal_value = "),
    ("cut = ", "max_moves = "),
    ("explore = ", "exploration = "),
    ("[table.explore]", "[table.exploration]"),
    ("[table.pay]", "[table.reward]"),
    ("[weights.search]", "[weights.optimiser]"),
    ("[[weights.stage]]", "[[weights.curriculum]]"),
    ("most_score = ", "max_score = "),
    ("most_moves = ", "max_moves = "),
    ("\"home_made\"", "\"marchal_annealing\""),
];

fn version_0_1(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/v0.1").join(name)
}

#[test]
fn recipes_of_version_0_1_are_written_with_the_new_names() {
    for (name, _) in VERSION_0_1 {
        let old = fs::read_to_string(version_0_1(name).join("recipe.toml")).unwrap();
        let recipe = Recipe::parse(&old, &[]).unwrap();
        let rename = |line: &str| {
            let renamed = RENAMED.iter().find(|(old, _)| {
                line.starts_with(old) || old.starts_with('"') && line.ends_with(old)
            });
            renamed.map_or(line.to_owned(), |(old, new)| line.replace(old, new))
        };
        let expected: Vec<String> = old.lines().map(rename).collect();
        let written = recipe.text().unwrap();
        assert_eq!(written.lines().collect::<Vec<_>>(), expected, "{name}");
        assert_eq!(Recipe::parse(&written, &[]).unwrap(), recipe, "{name}");
    }
}

#[test]
fn runs_of_version_0_1_resume_with_the_same_weights() {
    for (name, hash) in VERSION_0_1 {
        let path = temporary(&format!("v0.1-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        for file in ["recipe.toml", "checkpoint.safetensors"] {
            fs::copy(version_0_1(name).join(file), path.join(file)).unwrap();
        }
        let run = Run(Folder::resume(&path).unwrap());
        let begun = run.0.position().unwrap().unwrap();
        let (outcome, _) = run.train(Stop::Never).unwrap();
        assert!(outcome.finished && outcome.position.episodes > begun.episodes, "{name}");
        let bytes = fs::read(run.agent()).unwrap();
        let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let mut found = Fnv::default();
        found.add(&bytes[8 + header..]);
        assert_eq!(found.finish(), *hash, "{name}");
        if *name == "evaluation" {
            let strength = read_info(&run.agent()).unwrap().strength.unwrap();
            assert_eq!((strength.games, strength.mean, strength.max), (100, 2_029.83, 9_692.0));
        }
    }
}
