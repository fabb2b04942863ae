//! Contour agents of a narrow well, learned by TD(0) and by Sarsa(lambda); trained once for all
//! figures that need them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use afterstate_core::{Game, Rng};
use afterstate_games::tetris::contour::{Pay, Seen, SeenMoves};
use afterstate_games::tetris::{Setup, Tetris, melax_pieces};
use afterstate_games::{StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{Control, Exploration, Sarsa, TableTd, Task};
use afterstate_values::Table;

use super::melax::{seen, table, well};
use super::seeds::each;
use super::sized;
use crate::{Error, Session};

/// The eligibility that a step leaves, which the thesis does not name.
const LAMBDA: f32 = 0.9;

/// How a contour agent learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TdLearner {
    /// Paid one for a row, from values that are optimistic.
    Td {
        /// What a covered hole costs.
        hole: f32,
    },
    /// Paid by height and holes.
    Sarsa {
        /// Whether mirror images share an entry, which the thesis could not do.
        mirror: bool,
    },
}

/// One training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) width: usize,
    pub(super) standard: bool,
    pub(super) learner: TdLearner,
    pub(super) games: u64,
    /// Games are cut off after so many pieces.
    pub(super) cut: u64,
}

impl Plan {
    pub(super) fn game(&self) -> Result<Tetris, Error> {
        wide(self.width, self.standard)
    }

    pub(super) fn seen(&self, game: &Tetris) -> Result<Seen, Error> {
        let mirror = self.learner != TdLearner::Sarsa { mirror: false };
        let mirror = if mirror { ",mirror" } else { "" };
        seen(&format!("heights,differences,cap=3,window={}{mirror}", self.width), game)
    }

    pub(super) fn pay(&self) -> Pay {
        match self.learner {
            TdLearner::Td { hole } => Pay { hole, most_holes: 3, ..Pay::points(1.0) },
            TdLearner::Sarsa { .. } => Pay::CARR,
        }
    }

    /// Learns with one seed.
    fn train(&self, seed: u64) -> Result<Trained, Error> {
        let (game, pay) = (self.game()?, self.pay());
        let seen = self.seen(&game)?;
        let games = 0..self.games;
        let mut rows = Vec::new();
        let episodes = |episode: &mut dyn FnMut(&mut Rng) -> f64| {
            rows.extend(games.map(|number| episode(&mut Rng::stream(seed, number))));
        };
        let (discount, end, max_moves) = (0.8, Some(0.0), self.cut);
        let values = match self.learner {
            TdLearner::Td { .. } => {
                // A row at every move would be worth five: no value is larger.
                let values = table(StateAggregation::<Tetris>::size(&seen), 5.0)?;
                let task =
                    Task { table: &values, entries: &seen, reward: &pay, discount, end, max_moves };
                let mut learner = TableTd::new(&game, task, Td { rate: 0.2 }, Exploration::Greedy);
                episodes(&mut |rng| {
                    let start = game.start(rng);
                    learner.episode(start, rng).score
                });
                values
            }
            TdLearner::Sarsa { .. } => {
                let pairs = SeenMoves(seen);
                let values = table(pairs.size(), 0.0)?;
                let task = Task {
                    table: &values,
                    entries: &pairs,
                    reward: &pay,
                    discount,
                    end,
                    max_moves,
                };
                let mut learner =
                    Sarsa::new(&game, task, Control::Sarsa, 0.2, LAMBDA, Exploration::Greedy);
                episodes(&mut |rng| {
                    let start = game.start(rng);
                    learner.episode(start, rng).score
                });
                values
            }
        };
        Ok(Trained { rows, values })
    }
}

/// A well with reduced or standard pieces, twenty rows high.
pub(super) fn wide(width: usize, standard: bool) -> Result<Tetris, Error> {
    let setup = Setup::sized(width, 20);
    let pieces = if standard { setup.pieces.clone() } else { melax_pieces() };
    well(Setup { pieces, ..setup })
}

/// What one seed learned.
pub(super) struct Trained {
    /// Rows of each game of learning.
    pub(super) rows: Vec<f64>,
    pub(super) values: Table,
}

/// One training over many seeds.
pub(super) type Agents = Arc<Vec<Trained>>;

/// Trainings of this process: several figures play the same agents.
static TRAINED: LazyLock<Mutex<HashMap<String, Agents>>> = LazyLock::new(Mutex::default);

/// Trains all seeds of a session, or takes what was trained before.
pub(super) fn trained(session: &mut Session, name: &str, plan: &Plan) -> Result<Agents, Error> {
    let key = format!("{plan:?} {} {}", session.seed, super::seeds::count(session));
    let known = TRAINED.lock().ok().and_then(|known| known.get(&key).cloned());
    if let Some(known) = known {
        return Ok(known);
    }
    let agents = each(session, name, |seed| plan.train(seed))?;
    let agents = Arc::new(agents.into_iter().collect::<Result<Vec<_>, _>>()?);
    if let Ok(mut known) = TRAINED.lock() {
        known.insert(key, agents.clone());
    }
    Ok(agents)
}

/// TD(0) in a well, as far as a form trains it.
pub(super) fn td(session: &Session, width: usize, standard: bool) -> Plan {
    let form = &session.form;
    let games = match (width, standard) {
        (4, false) => sized(form, 4, 50, 100),
        _ => sized(form, 10, 1_500, 2_000),
    };
    let cut = if width == 4 { 40_000 } else { 5_000 };
    let cut = sized(form, 50, cut, 1_000_000);
    Plan { width, standard, learner: TdLearner::Td { hole: 0.0 }, games, cut }
}

/// Sarsa(lambda) in a well, as far as a form trains it.
pub(super) fn sarsa(session: &Session, width: usize, standard: bool, mirror: bool) -> Plan {
    let form = &session.form;
    let games = match (width, standard, mirror) {
        (4, false, false) => sized(form, 4, 1_200, 2_000),
        (4, false, true) => sized(form, 4, 800, 2_000),
        (_, false, false) => sized(form, 10, 4_500, 10_000),
        (_, false, true) => sized(form, 10, 2_500, 10_000),
        (4, true, _) => sized(form, 10, 6_000, 50_000),
        (_, true, _) => sized(form, 10, 10_000, 200_000),
    };
    let cut = sized(form, 50, 3_000, 100_000);
    Plan { width, standard, learner: TdLearner::Sarsa { mirror }, games, cut }
}
