//! The kill tier: the program is killed at random moments, by signals and by a disk that is full, and
//! goes on; in the end there are the bytes of an unbroken run and no stray files.

mod interrupt;
mod outputs;
mod training;

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, bail, ensure};

use self::training::Training;
use crate::{cargo, target};

/// How often each training is interrupted, unless another number is given.
const TIMES: u64 = 100;

/// The built-in recipe of each learner, made a training of some seconds with many checkpoints.
const TRAININGS: &[Training] = &[
    exact("2048-td", &["budget.episodes=3000", "network.tuples=lines", "network.average=0.4"]),
    exact("2048-states", &["budget.episodes=400", "network.tuples=lines"]),
    exact("2048-optimistic", &["budget.episodes=3000", "network.tuples=lines"]),
    exact("2048-cuda", &["budget.episodes=1000", "network.tuples=lines"]),
    exact("contour4", &["budget.episodes=100", "table.max_moves=5000"]),
    exact("contour4-sarsa", &["budget.episodes=100", "table.max_moves=5000"]),
    exact(
        "tetris-lambda-pi",
        &["budget.episodes=900", "lambda_pi.games=30", "lambda_pi.max_moves=2000"],
    ),
    exact("tetris-ce", &["budget.episodes=3000", "weights.optimiser.population=30"]),
    exact("tetris-cmaes", &["budget.episodes=1000"]),
    exact("tetris-annealing", &["budget.episodes=1000", "weights.games.max_score=200"]),
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
        recipe: "2048-cuda",
        settings: &["budget.seconds=3", "network.tuples=lines"],
        same_bytes: false,
    },
    Training { recipe: "1010-record", settings: &["budget.seconds=3"], same_bytes: false },
    exact("tetris-record-10x10", &["budget.episodes=150000", "weights.games.count=300"]),
];

const fn exact(recipe: &'static str, settings: &'static [&'static str]) -> Training {
    Training { recipe, settings, same_bytes: true }
}

/// What `cargo xtask kills` was asked for.
struct Asked {
    times: u64,
    /// The recipe, command or experiment; all of them without one.
    name: Option<String>,
    device: String,
    /// A program that was built before, so that neither cargo nor the sources are needed.
    program: Option<PathBuf>,
}

impl Asked {
    fn parse(words: &[String]) -> anyhow::Result<Asked> {
        let mut asked = Asked { times: TIMES, name: None, device: "cpu".to_owned(), program: None };
        let mut plain = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--device" => asked.device.clone_from(value()?),
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

/// `cargo xtask kills [TIMES] [NAME] [--device cuda] [--program FILE]`.
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
    let trainings = if on_cpu { TRAININGS } else { ON_CUDA };
    for training in trainings.iter().filter(|training| asked.is_asked(training.recipe)) {
        training.interrupt(program, folder, &asked.device, asked.times)?;
    }
    if !on_cpu {
        return Ok(());
    }
    for (command, file) in OUTPUTS.iter().filter(|output| asked.is_asked(output.0[0])) {
        outputs::output(program, folder, command, file, asked.times)?;
    }
    for name in EXPERIMENTS.into_iter().filter(|name| asked.is_asked(name)) {
        outputs::reproduce(program, folder, name, asked.times)?;
    }
    Ok(())
}
