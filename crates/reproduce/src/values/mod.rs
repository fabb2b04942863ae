//! Value functions beside exact truth: tables, linear features, n-tuple networks and neural networks on
//! games that are solved, by time of training, by parameters and by time of play.

mod full_games;
mod learner;
mod measure;
mod page;
mod point;
mod processor_time;
#[cfg(test)]
mod tests;
mod training;
mod yardsticks;

use crate::Error;
use crate::experiment::{Experiment, Quantity, published};

pub use full_games::GamePoint;
use full_games::{CASES, STRENGTH};
use learner::Learner;
pub(crate) use page::{game_tables, page};
pub use point::ValuePoint;
pub(crate) use point::{short, table};
use yardsticks::YARDSTICKS;

/// The kinds of value functions.
const TABLE: &str = "table";
const LINEAR: &str = "linear";
const NTUPLES: &str = "n-tuples";
const NEURAL: &str = "neural";

/// Random play.
const RANDOM: &str = "random play";

/// The least regret of a kind.
const REGRET: Quantity = Quantity::Small("least regret");

/// A game that is solved, and the value functions that learn it.
#[derive(Debug)]
pub(crate) struct Yardstick {
    /// The experiment.
    name: &'static str,
    /// The game in words.
    title: &'static str,
    rules: &'static str,
    /// Whether what is learned is survival, so that regret is that of a move.
    survives: bool,
    /// The unit of regret.
    regret: &'static str,
    /// The unit of the error of values.
    error: &'static str,
    /// Seconds of the longest training.
    seconds: f64,
    /// Games of greedy play of each training, and after how many moves they are truncated.
    play: (u64, u64),
    /// The yardstick that stands for this one in tests.
    tiny: Option<&'static str>,
    methods: &'static [Method],
}

/// A value function of some size, and how it learns.
#[derive(Debug)]
struct Method {
    kind: &'static str,
    size: &'static str,
    /// Moves of training that a processor makes in a second, about.
    speed: u64,
    /// Whether it is trained for shorter times, too.
    over_time: bool,
    learner: Learner,
}

impl Method {
    /// Its name: the kind and the size.
    fn name(&self) -> String {
        format!("{}, {}", self.kind, self.size)
    }

    /// Its name in those of folders.
    fn folder(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        self.name().chars().map(plain).collect()
    }
}

impl Yardstick {
    /// What regret is.
    fn unit(&self) -> &'static str {
        if self.survives {
            "Regret is that of a move, in moves: by how many times the optimum's hazard rate the agent's \
             exceeds it. Errors of values are those that the best linear fit to the exact values leaves, in \
             moves, since what is learned is discounted survival."
        } else {
            "Regret is that of a game, in points: by how much the agent falls short of best play."
        }
    }

    /// The kinds of its value functions, in their order.
    fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&'static str> = self.methods.iter().map(|method| method.kind).collect();
        kinds.dedup();
        kinds
    }
}

/// The yardstick of an experiment.
pub(crate) fn yardstick(name: &str) -> Result<&'static Yardstick, Error> {
    let found = YARDSTICKS.iter().find(|yardstick| yardstick.name == name);
    found.ok_or_else(|| Error::Unknown(name.to_owned()))
}

const SOURCE: &str =
    "This program's own agents beside the exact solution; nothing published is known";

/// What all of these experiments leave open.
const MEASURED: &str = "Every kind has the settings that did best among a few that were tried, and no \
    more; the budget of a training is given in moves, so that the same seed gives the same agent.";

const ALL: Experiment = Experiment {
    source: SOURCE,
    published: published![
        RANDOM => REGRET; TABLE => REGRET; LINEAR => REGRET; NTUPLES => REGRET; NEURAL => REGRET
    ],
    differences: &[MEASURED],
    measure: measure::compared,
    ..Experiment::NONE
};

/// The experiment of full games that is made for a GPU.
pub(crate) const CUDA: &str = "values-full-games-cuda";

const FULL: Experiment = Experiment {
    source: "This program's own agents; their pages name the best published ones",
    published: published![
        CASES[0] => STRENGTH; CASES[1] => STRENGTH; CASES[2] => STRENGTH; CASES[3] => STRENGTH;
        CASES[4] => STRENGTH; CASES[5] => STRENGTH; CASES[6] => STRENGTH; CASES[7] => STRENGTH;
        CASES[8] => STRENGTH; CASES[9] => STRENGTH; CASES[10] => STRENGTH; CASES[11] => STRENGTH
    ],
    differences: &[
        "The trainings are those of recipes of the program with a budget that is the same for \
        all; the agents of the program were trained on GPUs, for as long as `afterstate agents NAME` tells.",
    ],
    rules: "2048:4x4, 1010:10x10,pieces=19 and tetris:10x10",
    measure: full_games::measured,
    ..Experiment::NONE
};

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "values-2048-2x2",
        title: "Values beside exact truth: 2048 2x2",
        rules: "2048:2x2",
        minutes: 1,
        ..ALL
    },
    Experiment {
        name: "values-2048-3x3",
        title: "Values beside exact truth: 2048 3x3",
        rules: "2048:3x3",
        published: published![
            RANDOM => REGRET; LINEAR => REGRET; NTUPLES => REGRET; NEURAL => REGRET
        ],
        differences: &[
            MEASURED,
            "A table of all boards (9 cells of 11 tiles each) has 2.4 billion entries and is left out.",
        ],
        minutes: 2,
        ..ALL
    },
    Experiment {
        name: "values-1010-3x3",
        title: "Values beside exact truth: 1010! 3x3",
        rules: "1010:3x3,pieces=7",
        minutes: 1,
        ..ALL
    },
    Experiment {
        name: "values-1010-4x4",
        title: "Values beside exact truth: 1010! 4x4",
        rules: "1010:4x4,pieces=7",
        minutes: 3,
        ..ALL
    },
    Experiment {
        name: "values-1010-5x5",
        title: "Values beside exact truth: 1010! 5x5",
        rules: "1010:5x5,pieces=7",
        minutes: 2,
        ..ALL
    },
    Experiment {
        name: "values-melax",
        title: "Values beside exact truth: Tetris 4x4 with Melax's pieces",
        rules: "tetris:4x4,pieces=melax",
        minutes: 3,
        ..ALL
    },
    Experiment {
        name: "values-full-games",
        title: "Value functions on full games after the same time of training: one processor",
        minutes: 3,
        ..FULL
    },
    Experiment {
        name: CUDA,
        title: "Value functions on full games after the same time of training: a GPU",
        minutes: 3,
        ..FULL
    },
];
