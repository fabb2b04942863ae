//! The kill tier: the program is killed at random moments, by signals and by a disk that is full, and
//! goes on; in the end there are the bytes of an unbroken run and no stray files.

mod disk;
mod interrupt;
mod left;
mod outputs;
mod training;

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, bail, ensure};

use self::disk::Disk;
use self::training::Training;
use crate::{cargo, target};

/// How often each training is interrupted, unless another number is given.
const TIMES: u64 = 100;

/// The built-in recipes of every learner and optimiser, made trainings of some seconds with many
/// checkpoints.
const TRAININGS: &[Training] = &[
    exact("2048-td", &["budget.episodes=3000", "network.tuples=lines", "network.average=0.4"]),
    variant(
        "batch",
        "2048-td",
        &[
            "budget.episodes=3000",
            "network.tuples=lines",
            "network.batch=20",
            "phase.0.order=forward",
        ],
    ),
    variant(
        "stages",
        "2048-td",
        &["budget.episodes=3000", "network.tuples=lines", "network.stages=[500, 1500]"],
    ),
    exact("2048-states", &["budget.episodes=400", "network.tuples=lines"]),
    exact("2048-optimistic", &["budget.episodes=3000", "network.tuples=lines"]),
    exact("2048-cuda", &["budget.episodes=1000", "network.tuples=lines"]),
    exact(
        "2048-neural",
        &[
            "game=2048:3x3",
            "budget={moves=150000}",
            "neural.layers=['dense 24']",
            "neural.games=32",
            "neural.steps=2",
            "neural.lambda=0.5",
        ],
    ),
    exact("contour4", &["budget.episodes=100", "table.max_moves=5000"]),
    exact("contour4-sarsa", &["budget.episodes=100", "table.max_moves=5000"]),
    exact(
        "tetris-lambda-pi",
        &["budget.episodes=900", "lambda_pi.games=30", "lambda_pi.max_moves=2000"],
    ),
    exact("tetris-ce", &["budget.episodes=3000", "weights.optimiser.population=30"]),
    exact("tetris-cmaes", &["budget.episodes=1000"]),
    exact("tetris-annealing", &["budget.episodes=1000", "weights.games.max_score=200"]),
    variant(
        "annealing",
        "tetris-annealing",
        &[
            "budget.episodes=1000",
            "weights.games.max_score=200",
            "weights.optimiser={method='annealing', iterations=1000}",
        ],
    ),
    variant(
        "particle-swarm",
        "tetris-annealing",
        &[
            "budget.episodes=1000",
            "weights.games.max_score=200",
            "weights.optimiser={method='particle_swarm'}",
        ],
    ),
    exact(
        "tetris-genetic",
        &["budget.episodes=2000", "weights.games.max_score=200", "weights.features=dt"],
    ),
    exact("1010-lspi", &["budget.episodes=60"]),
    exact(
        "tetris-cbmpi",
        &[
            "budget.episodes=45",
            "cbmpi.games=5",
            "cbmpi.max_moves=500",
            "cbmpi.iteration.states=80",
        ],
    ),
    exact("tetris-evaluation", &["game=tetris:10x8", "budget.episodes=1500"]),
];

/// Commands that write one file, and its name.
const OUTPUTS: [(&[&str], &str); 2] = [
    (&["solve", "2048:2x3", "--out"], "best.safetensors"),
    (&["record", "2048", "--moves", "200", "--out"], "game.gif"),
];

/// Experiments whose quick forms train tables, play games and solve.
const EXPERIMENTS: [&str; 2] = ["carr-lambda", "tang-figure13"];

/// What learns on a GPU, in seconds; games of Tetris are the same to the bit.
const ON_CUDA: &[Training] = &[
    Training {
        same_bytes: false,
        ..exact("2048-cuda", &["budget.seconds=3", "network.tuples=lines"])
    },
    // The checkpoint of the whole network would fill the small disk.
    Training {
        same_bytes: false,
        ..exact("1010-record", &["budget.seconds=3", "network.tuples=rectangles 3x3"])
    },
    exact("tetris-record-10x10", &["budget.episodes=150000", "weights.games.count=300"]),
];

const fn exact(recipe: &'static str, settings: &'static [&'static str]) -> Training {
    variant(recipe, recipe, settings)
}

const fn variant(
    name: &'static str,
    recipe: &'static str,
    settings: &'static [&'static str],
) -> Training {
    Training { name, recipe, settings, same_bytes: true }
}

/// What `cargo xtask kills` was asked for.
struct Asked {
    times: u64,
    /// The recipe, command or experiment; all of them without one.
    name: Option<String>,
    device: String,
    /// Seconds after which a training is interrupted no more.
    seconds: u64,
    /// A program that was built before, so that neither cargo nor the sources are needed.
    program: Option<PathBuf>,
}

impl Asked {
    fn parse(words: &[String]) -> anyhow::Result<Asked> {
        let mut asked = Asked {
            times: TIMES,
            name: None,
            device: "cpu".to_owned(),
            seconds: u64::MAX,
            program: None,
        };
        let mut plain = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--device" => asked.device.clone_from(value()?),
                "--seconds" => {
                    let seconds = value()?;
                    let number = seconds.parse();
                    asked.seconds = number.with_context(|| format!("{seconds:?} is no number"))?;
                }
                "--program" => asked.program = Some(fs::canonicalize(value()?)?),
                option if option.starts_with('-') => bail!("unknown option {option}"),
                _ => plain.push(word),
            }
        }
        let mut plain = plain.into_iter();
        if let Some(times) = plain.next() {
            let number = times.parse();
            asked.times = number.with_context(|| format!("{times:?} is no number of kills"))?;
        }
        asked.name = plain.next().cloned();
        ensure!(plain.next().is_none(), "expected a number of kills and one name at most");
        Ok(asked)
    }

    fn is_asked(&self, name: &str) -> bool {
        self.name.as_deref().is_none_or(|only| only == name)
    }
}

/// `cargo xtask kills [TIMES] [NAME] [--device cuda] [--seconds N] [--program FILE]`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let asked = Asked::parse(words)?;
    let program = match &asked.program {
        Some(program) => program.clone(),
        None => {
            cargo("the program", &["build", "--release", "--package", "afterstate"])?;
            target().join("release/afterstate")
        }
    };
    let place = if asked.program.is_some() { env::temp_dir() } else { target() };
    let folder = place.join("kills");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).context("cannot make the folder of the runs")?;
    all(&asked, &program, &folder)?;
    fs::remove_dir_all(&folder).context("cannot remove the folder of the runs")
}

fn all(asked: &Asked, program: &Path, folder: &Path) -> anyhow::Result<()> {
    let on_cpu = asked.device == "cpu";
    let disk = Disk::mount(&folder.join("disk"))?;
    let trainings = if on_cpu { TRAININGS } else { ON_CUDA };
    for training in trainings.iter().filter(|training| asked.is_asked(training.name)) {
        training.interrupt(program, folder, &disk, asked)?;
    }
    if !on_cpu {
        return Ok(());
    }
    for (command, file) in OUTPUTS.iter().filter(|output| asked.is_asked(output.0[0])) {
        outputs::output(program, &disk, command, file, asked.times)?;
    }
    for name in EXPERIMENTS.into_iter().filter(|name| asked.is_asked(name)) {
        outputs::reproduce(program, folder, &disk, name, asked.times)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::root;

    /// The words that stand between `before` and `after` in the sources below a folder.
    fn between(folder: &Path, before: &str, after: char) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                found.extend(between(&entry, before, after));
            } else {
                let text = fs::read_to_string(&entry).unwrap();
                let words = text.split(before).skip(1).map(|rest| rest.split(after).next());
                found.extend(words.flatten().map(str::to_owned));
            }
        }
        found
    }

    /// The texts of the recipes that are killed, with their settings.
    fn killed() -> Vec<String> {
        let text = |training: &Training| {
            let path = format!("crates/train/recipes/{}.toml", training.recipe);
            let recipe = fs::read_to_string(root().join(path)).unwrap();
            format!("{recipe}\n{}", training.settings.join("\n"))
        };
        TRAININGS.iter().map(text).collect()
    }

    #[test]
    fn every_learner_and_every_optimiser_is_killed() {
        let sources = root().join("crates/train/src/learners");
        let learners = between(&sources, "const TABLES: &'static [&'static str] = &[\"", '"');
        assert!(learners.len() >= 8, "{learners:?}");
        let has = |word: &str| killed().iter().any(|recipe| recipe.contains(word));
        for learner in learners {
            assert!(has(&format!("[{learner}]")), "no training of [{learner}] is killed");
        }
        let optimisers = root().join("crates/learn/src/blackbox/any_optimiser.rs");
        let text = fs::read_to_string(optimisers).unwrap();
        let list = text.split("\noptimisers!(").nth(1).unwrap();
        let names: Vec<&str> = list
            .lines()
            .filter_map(|line| line.trim().split_once("Settings),"))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names.len(), 6);
        for name in names {
            let variant = name.split('(').next().unwrap();
            let snake: String = variant
                .chars()
                .flat_map(|letter| {
                    let under = letter.is_uppercase().then_some('_');
                    under.into_iter().chain(letter.to_lowercase())
                })
                .skip(1)
                .collect();
            let is_used = has(&format!("\"{snake}\"")) || has(&format!("'{snake}'"));
            assert!(is_used, "no training by {snake} is killed");
        }
        for setting in ["network.batch", "network.stages", "network.average"] {
            assert!(has(setting), "no training with {setting} is killed");
        }
    }
}
