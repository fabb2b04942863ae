//! How near learning comes to the exact optimum of a small game, and runs that are resumed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io};

use afterstate_core::{Device, Game};
use afterstate_games::twenty48::Twenty48;
use afterstate_learn::compare::{CompareSettings, Comparison, compare};
use afterstate_learn::solution::{Solution, estimate, solve};
use afterstate_values::{AgentInfo, Model};

use super::NeuralLearner;
use crate::budget::Position;
use crate::learners::{Learner, LearnerPlan, RoundContext, Training};
use crate::recipe::Recipe;
use crate::run::{Folder, Observer, Status, train};
use crate::{Hardware, recipes};

/// A run in a folder of its own.
struct Run(Folder);

impl Run {
    fn new(name: &str, settings: &[&str]) -> Run {
        let (_, text) = recipes::BUILT_IN.iter().find(|(own, _)| *own == "2048-neural").unwrap();
        let small = ["game=2048:2x2", "neural.scale=50", "neural.rate=0.003", "neural.games=64"];
        let layers = ["neural.layers=[\"dense 48\",\"dense 32\"]", "budget.moves=150000"];
        let settings: Vec<String> =
            small.iter().chain(&layers).chain(settings).map(|&text| text.to_owned()).collect();
        let name = format!("afterstate-neural-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Run(Folder::create(&path, Recipe::parse(text, &settings).unwrap()).unwrap())
    }

    /// Trains on one thread for so many rounds.
    fn train(&self, rounds: u64) -> bool {
        let stop = AtomicBool::new(rounds == 0);
        let mut observer = Rounds(&stop, rounds);
        let hardware = Hardware::threads(1);
        train(&game(), &self.0, hardware, &stop, &mut observer).unwrap().finished
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.path());
    }
}

/// Stops a training after some rounds.
struct Rounds<'a>(&'a AtomicBool, u64);

impl Observer for Rounds<'_> {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        self.1 -= 1;
        self.0.fetch_or(self.1 == 0, Ordering::Relaxed);
        Ok(())
    }
}

fn game() -> Twenty48 {
    Twenty48::new(2, 2, 0.1).unwrap()
}

fn solution() -> Solution {
    solve(&game(), &estimate(&game(), None, 1.0).unwrap(), &mut |_| {}).unwrap()
}

/// Trains and compares with the solution.
fn trained(name: &str, settings: &[&str]) -> Comparison {
    let run = Run::new(name, settings);
    assert!(run.train(u64::MAX), "{name}");
    let (_, model) = afterstate_values::model::load(&*run.0.agent(), &game()).unwrap();
    let settings = CompareSettings { games: 2_000, seed: 1, max_moves: 1_000, threads: 2 };
    compare(&game(), &solution().table, &*model, &settings)
}

/// The optimum is 66.96 points; play that maximises the next reward falls some ten points short. Without random
/// moves, half of the seeds of TD(0) never see that another move would be better.
#[test]
fn temporal_differences_come_near_the_optimum() {
    for (name, settings) in [
        ("td", &["neural.epsilon=0.05"][..]),
        ("lambda", &["neural.steps=4", "neural.lambda=0.5", "neural.symmetry=mean"]),
        ("replay", &["neural.epsilon=0.05", "neural.replay=10000"]),
        ("target", &["neural.epsilon=0.05", "neural.replay=10000", "neural.target=50"]),
    ] {
        let found = trained(name, settings);
        println!("{name}: {found:?}");
        assert!(found.regret < 2.0, "{name}: {found:?}");
        assert!(found.values.unwrap().correlation > 0.97, "{name}: {found:?}");
    }
}

/// The exact solution as an agent file, and the setting that makes it the teacher.
struct Teacher {
    path: PathBuf,
    setting: String,
}

impl Teacher {
    fn new(name: &str) -> Teacher {
        let name = format!("afterstate-teacher-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let info = AgentInfo { rules_version: Twenty48::VERSION, ..AgentInfo::new("2048:2x2", 1) };
        Model::<Twenty48>::save(&mut solution().table, &path, &info).unwrap();
        let setting = format!("neural.teacher=\"{}\"", path.display());
        Teacher { path, setting }
    }
}

impl Drop for Teacher {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[test]
fn the_exact_solution_is_learned_from_it() {
    let teacher = Teacher::new("taught");
    for (name, settings, bound) in [
        ("taught", &[][..], 2.0),
        ("advantage", &["neural.advantage=30", "neural.advantage_limit=1"], 2.0),
    ] {
        let settings = [&[&*teacher.setting, "neural.epsilon=0.2"], settings].concat();
        let found = trained(name, &settings);
        println!("{name}: {found:?}");
        assert!(found.regret < 0.5, "{name}: {found:?}");
        assert!(found.values.unwrap().rms < bound, "{name}: {found:?}");
    }
}

/// An iteration that is interrupted at any moment leaves everything as it was: done again, it is that
/// of a training that was never interrupted.
#[test]
fn an_interrupted_iteration_leaves_no_trace() {
    let game = game();
    let teacher = Teacher::new("interrupted");
    for settings in [
        &[&*teacher.setting, "neural.batch=100"][..],
        &["neural.steps=3", "neural.lambda=0.7", "neural.batch=50"],
        &["neural.symmetry=mean", "neural.epsilon=0.1"],
        &["neural.replay=100", "neural.target=3", "neural.steps=2", "neural.batch=40"],
    ] {
        let run = Run::new("interrupted", settings);
        let recipe = run.0.recipe();
        let LearnerPlan::Neural(plan) = &recipe.learner else { panic!("not [neural]") };
        let learner = || {
            let training = Training { game: &game, recipe, threads: 1, device: Device::Cpu };
            NeuralLearner::new(plan, plan.architecture(&game).unwrap(), training).unwrap()
        };
        let never = AtomicBool::new(false);
        let long = Duration::from_secs(1_000);
        let context =
            || RoundContext::new(recipe.budget, Position::default(), long, &never, &|| false);
        let state = |learner: &mut NeuralLearner<Twenty48>| {
            (learner.state().unwrap(), learner.trainer.learned().clone())
        };
        // A replay memory has something to learn from after the first iteration.
        let (mut whole, whole_context, mut games) = (learner(), context(), Vec::new());
        let _ = whole.iterate(&context(), &|| false, &mut games);
        let first = state(&mut whole);
        let _ = whole.iterate(&whole_context, &|| false, &mut games);
        let (mut broken, broken_context, mut own) = (learner(), context(), Vec::new());
        let _ = broken.iterate(&context(), &|| false, &mut own);
        let ended = own.len();
        for moment in 0.. {
            let looks = AtomicU64::new(0);
            let interrupted = || looks.fetch_add(1, Ordering::Relaxed) >= moment;
            if broken.iterate(&broken_context, &interrupted, &mut own).is_ok() {
                assert!(moment >= 5, "{moment} moments");
                break;
            }
            assert!(state(&mut broken) == first, "{settings:?}, moment {moment}");
            assert_eq!((broken_context.position().moves, own.len()), (0, ended));
        }
        assert!(state(&mut broken) == state(&mut whole), "{settings:?}");
        assert_eq!((own, broken_context.position().moves), (games, whole_context.position().moves));
    }
}

#[test]
fn a_resumed_training_has_the_bytes_of_an_unbroken_one() {
    let teacher = Teacher::new("resumed");
    for (name, settings) in [
        ("resumed", &[][..]),
        ("resumed-taught", &[&teacher.setting, "neural.symmetry=mean", "neural.batch=100"]),
        ("resumed-lambda", &["neural.steps=3", "neural.lambda=0.7"]),
        ("resumed-mean", &["neural.symmetry=mean", "neural.epsilon=0.1"]),
        ("resumed-replay", &["neural.replay=500", "neural.target=7", "neural.batch=50"]),
    ] {
        let settings = [settings, &["budget.moves=20000", "log.checkpoint_seconds=0"]].concat();
        let unbroken = Run::new(&format!("{name}-whole"), &settings);
        assert!(unbroken.train(u64::MAX));
        let run = Run::new(name, &settings);
        assert!(!run.train(0));
        run.train(1);
        run.train(2);
        assert!(run.train(u64::MAX));
        let bytes = |run: &Run| fs::read(run.0.agent()).unwrap();
        assert!(bytes(&run) == bytes(&unbroken), "{name}");
    }
}
