//! Games on a cluster: the same results as on one thread of this machine, to the byte.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterstate_agents::{Agent, EvaluationSettings};
use afterstate_core::Device;
use afterstate_core::cluster::{InProcess, Job, connect};
use afterstate_engine::cluster::prepare;
use afterstate_search::Search;
use afterstate_train::Hardware;
use afterstate_train::run::{Observer, Status};

use crate::runs::small;
use crate::{Recorder, Run, Stop, metrics, open, recipe};

/// The cluster belongs to the process, and tests run at the same time: it is the caller's until dropped.
fn connect_workers(workers: usize) -> MutexGuard<'static, ()> {
    static CONNECTED: Mutex<()> = Mutex::new(());
    let guard = CONNECTED.lock().unwrap_or_else(PoisonError::into_inner);
    connect(Arc::new(InProcess::new(workers, prepare)));
    guard
}

const HARDWARE: Hardware = Hardware { threads: 1, device: Device::Cluster };

/// Learners whose games are shared out, with settings beside those of a small training.
const SHARED: &[(&str, &[&str])] = &[
    ("tetris-lambda-pi", &[]),
    ("tetris-annealing", &[]),
    ("tetris-genetic", &[]),
    ("tetris-ce", &["budget.moves=60000"]),
    ("tetris-cmaes", &[]),
    (
        "tetris-ce",
        &[
            "budget.episodes=300",
            "game=tetris:6x8",
            "weights.games={count=7,early=3,max_score=50}",
            "weights.curriculum=[{game='tetris:6x6',until=0.5}]",
            "weights.optimiser={method='particle_swarm',population=6}",
        ],
    ),
    ("tetris-cbmpi", &[]),
    ("tetris-evaluation", &["budget.episodes=40"]),
    ("1010-lspi", &["budget.episodes=4", "lspi.samples=3000", "log.window=2"]),
];

#[test]
fn learners_learn_the_same_on_a_cluster() {
    for (name, settings) in SHARED {
        let settings = [small(name), settings, &["log.checkpoint_seconds=0"]].concat();
        let alone = Run::new(name, recipe(name, &settings));
        assert!(alone.train(Stop::Never).unwrap().0.finished);
        let mut expected = metrics(alone.0.path());
        if *name == "tetris-evaluation" {
            // The interval so far is that at the end of a round, which depends on the clock.
            expected.iter_mut().for_each(|window| drop(window["extra"].take()));
        }
        assert!(!expected.is_empty(), "{name}");
        for workers in [1, 3] {
            let _guard = connect_workers(workers);
            let shared = Run::new(name, recipe(name, &settings));
            // It is stopped and resumed, too.
            train_shared(&shared, 2);
            let same = fs::read(alone.agent()).unwrap() == fs::read(shared.agent()).unwrap();
            assert!(same, "{name} on {workers} workers");
            let mut found = metrics(shared.0.path());
            for window in &mut found {
                let extra = window["extra"].as_object_mut().unwrap();
                assert_eq!(
                    extra.remove("workers"),
                    Some(serde_json::json!(workers as f64)),
                    "{name}"
                );
                extra.retain(|name, _| {
                    !["lost tasks", "copied tasks", "games/s"].contains(&&**name)
                });
                if *name == "tetris-evaluation" {
                    window["extra"].take();
                } else if extra.is_empty() {
                    window.as_object_mut().unwrap().remove("extra");
                }
            }
            assert_eq!(found, expected, "{name} on {workers} workers");
        }
    }
}

#[test]
fn evaluations_play_the_same_games_on_a_cluster() {
    let run = Run::new("network", recipe("2048-3x3", &["budget.episodes=400"]));
    run.train(Stop::Never).unwrap();
    let (file, greedy) = (run.agent().display().to_string(), Search::GREEDY);
    let cases = [
        ("2048:3x3", &*file, greedy),
        ("2048:3x3", &*file, Search::expectimax(2)),
        ("tetris:10x10", "dellacherie", greedy),
        ("tetris:6x8", "linear:dellacherie=-1,1,-1,-1,-4,-1.25", greedy),
        ("1010:5x5", "random", greedy),
    ];
    for (rules, agent, search) in cases {
        let agent: Agent = agent.parse().unwrap();
        let settings = EvaluationSettings {
            games: 70,
            seed: 9,
            threads: Some(1),
            max_moves: Some(300),
            device: Device::Cpu,
        };
        let alone = open(rules).evaluate(&agent, &search, &settings).unwrap();
        for workers in [1, 4] {
            let _guard = connect_workers(workers);
            let settings = EvaluationSettings { device: Device::Cluster, ..settings };
            let mut shared = open(rules).evaluate(&agent, &search, &settings).unwrap();
            shared.seconds = alone.seconds;
            assert_eq!(shared, alone, "{rules} {agent}");
        }
    }
}

/// A whole training by workers, from a checkpoint, which comes back after every round.
#[test]
fn a_run_is_trained_on_a_cluster() {
    let _guard = connect_workers(2);
    let settings = [small("contour4"), &["log.window=20", "log.checkpoint_seconds=0"]].concat();
    let [alone, elsewhere] = [(); 2].map(|()| Run::new("whole", recipe("contour4", &settings)));
    alone.train(Stop::Never).unwrap();
    assert!(!elsewhere.train(Stop::AfterRounds(1)).unwrap().0.finished);
    let rules = elsewhere.0.recipe().rules.to_string();
    let stop = AtomicBool::new(true);
    let mut seen = Seen::default();
    let stopped = elsewhere.0.train_on_cluster(&rules, &stop, &mut seen).unwrap();
    assert!(!stopped.finished && seen.0.is_empty());
    stop.store(false, Ordering::Relaxed);
    let outcome = elsewhere.0.train_on_cluster(&rules, &stop, &mut seen).unwrap();
    assert_eq!((outcome.finished, outcome.position.episodes), (true, 60));
    // It is told whenever it comes back, and each window once.
    assert!(seen.0.len() > 1, "{:?}", seen.0);
    assert_eq!(seen.0.last(), Some(&(60, 1.0)));
    assert!(seen.0.is_sorted());
    assert!(fs::read(alone.agent()).unwrap() == fs::read(elsewhere.agent()).unwrap());
    assert_eq!(metrics(alone.0.path()), metrics(elsewhere.0.path()));
}

/// How far a training has come whenever it was told.
#[derive(Default)]
struct Seen(Vec<(u64, f64)>);

impl Observer for Seen {
    fn round(&mut self, status: &Status) -> std::io::Result<()> {
        self.0.push((status.position.episodes, status.fraction));
        Ok(())
    }
}

/// Trains a run on the cluster, stopped after so many rounds and resumed.
fn train_shared(run: &Run, rounds: u64) {
    for rounds in [rounds, u64::MAX] {
        let flag = AtomicBool::new(false);
        let mut observer = Recorder { flag: &flag, rounds, notes: Vec::new() };
        let engine = afterstate_engine::open(&run.0.recipe().rules);
        engine.train(&run.0, HARDWARE, &flag, &mut observer).unwrap();
    }
}

/// A single learner that is told its weights and answers its changes, exchange by exchange, learns what
/// one thread does: nothing is lost on the way, also of a network that learns in records.
#[test]
fn one_learner_of_a_network_learns_what_one_thread_does() {
    // The second learns in records. A mean over the training would be one over other moments.
    for (name, games) in [("2048-3x3", 300), ("2048-small", 120)] {
        let games = format!("budget.episodes={games}");
        let settings =
            [&games, "network.average=0", "network.learners=1", "network.exchange_games=32"];
        let settings = [small(name), &settings, &["log.window=20"]].concat();
        let [alone, shared] = [(); 2].map(|()| Run::new(name, recipe(name, &settings)));
        assert!(alone.train(Stop::Never).unwrap().0.finished);
        let _guard = connect_workers(2);
        train_shared(&shared, u64::MAX);
        let same = fs::read(alone.agent()).unwrap() == fs::read(shared.agent()).unwrap();
        assert!(same, "{name}");
    }
}

/// Learners that exchange weights learn something else than one learner, but they learn; how many
/// workers they share does not matter.
#[test]
fn networks_are_learned_on_a_cluster() {
    let settings = [
        "budget.episodes=600",
        "network.exchange_games=64",
        "network.learners=3",
        "log.window=100",
    ];
    let mut agents = Vec::new();
    for workers in [1, 3] {
        let _guard = connect_workers(workers);
        let run = Run::new("exchange", recipe("2048-small", &settings));
        train_shared(&run, 2);
        let windows = metrics(run.0.path());
        let mean = |window: usize| windows[window]["mean"].as_f64().unwrap();
        assert_eq!(windows.len(), 6);
        assert!(mean(5) > 1.5 * mean(0), "{} {}", mean(0), mean(5));
        agents.push(fs::read(run.agent()).unwrap());
    }
    assert!(agents[0] == agents[1]);
}

#[test]
fn what_cannot_be_shared_out_is_refused() {
    let _guard = connect_workers(1);
    let local =
        [("contour4", &[][..]), ("1010-lspi", &["lspi.samples=0"]), ("2048-neural", &[][..])];
    for (name, settings) in local {
        let recipe = recipe(name, settings);
        let refused = open(&recipe.rules.to_string()).check(&recipe, Device::Cluster);
        let sentence = refused.unwrap_err().to_string();
        assert!(sentence.contains("without --cluster"), "{sentence}");
    }
    let job = |kind: &str, rules: &str, settings: &str| Job {
        kind: kind.to_owned(),
        rules: rules.to_owned(),
        settings: settings.to_owned(),
        ..Job::default()
    };
    let wrong = [
        job("dance", "2048", ""),
        job("games", "chess", ""),
        job("evaluation", "2048", "{}"),
        job("evaluation", "2048", r#"{"agent":"random","search":"expectimax:2","seed":1}"#),
        job("rollouts", "tetris", "[]"),
        job("next moves", "1010", "[]"),
    ];
    for job in &wrong {
        assert!(prepare(job).is_err(), "{job:?}");
    }
    let games = r#"{"features":"dt","reward":0,"seed":1,"max_moves":9,"moves":false}"#;
    let work = prepare(&job("games", "tetris", games)).unwrap();
    let wrong =
        ["", r#"{"weights":{},"games":[[0,1]]}"#, r#"{"weights":{"0":[1,2]},"games":[[0,1]]}"#];
    for task in wrong {
        assert!(work.perform(task).is_err(), "{task}");
    }
    assert_eq!(work.perform(r#"{"weights":{},"games":[]}"#).unwrap(), b"[]");
}
