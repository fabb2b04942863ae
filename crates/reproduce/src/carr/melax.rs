//! Melax's well: a table of its twelve cells, learned by TD(0) and by Sarsa(0).

use afterstate_core::policy::Choice;
use afterstate_core::{Episode, Game, Policy, RandomPolicy, Rng};
use afterstate_games::tetris::contour::{Seen, SeenMoves};
use afterstate_games::tetris::{Setup, State, Tetris};
use afterstate_games::{Points, RewardMixture, StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::solve::{Direct, Settings, iterate};
use afterstate_learn::table::{
    Control, ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, Exploration, Sarsa,
    Schedule, TableTd, Task,
};
use afterstate_values::{AfterstateTablePolicy, MemoryError, Table};

use crate::Error;

/// Off for each row that is pushed out.
const PAY: Points = Points(100.0);

/// How a learner explores, from game to game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Explore {
    Greedy,
    Epsilon(f32),
    Softmax(Schedule),
}

impl Explore {
    fn at(self, game: u64) -> Exploration {
        match self {
            Explore::Greedy => Exploration::Greedy,
            Explore::Epsilon(odds) => Exploration::Epsilon(odds),
            Explore::Softmax(cooling) => Exploration::Softmax(cooling.at(game)),
        }
    }
}

/// One way to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) mirror: bool,
    pub(super) rate: f32,
    pub(super) discount: f32,
    pub(super) initial: f32,
    pub(super) explore: Explore,
}

impl Plan {
    /// Melax's constants with mirror symmetry and optimistic values.
    pub(super) const MELAX: Plan =
        Plan { mirror: true, rate: 0.02, discount: 0.8, initial: 0.0, explore: Explore::Greedy };
}

/// Rows of each game of learning, and of games without learning afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Learned {
    pub(super) rows: Vec<f64>,
    pub(super) played: Vec<f64>,
}

/// The well, written out.
pub(super) struct Melax {
    well: Tetris,
    game: ExplicitMdp<Tetris>,
    /// Rows of the best play over 10,000 pieces from an empty well.
    pub(super) optimum: f64,
}

impl Melax {
    pub(super) fn new() -> Result<Melax, Error> {
        let well = well(Setup::melax())?;
        let game = ExplicitMdp::new(&well, 1 << 16).ok_or(Error::TooLarge)?;
        let optimum = -optimum(&well, well.limit())?;
        Ok(Melax { well, game, optimum })
    }

    fn seen(&self, mirror: bool) -> Result<Seen, Error> {
        let view = if mirror { "cells,mirror" } else { "cells" };
        seen(view, &self.well)
    }

    /// Learns for some games by TD(0), then plays some without learning.
    pub(super) fn td(
        &self,
        plan: &Plan,
        seed: u64,
        games: u64,
        play: u64,
    ) -> Result<Learned, Error> {
        let game = &self.game;
        let entries = ExplicitAggregation::new(game, &self.seen(plan.mirror)?);
        let table = table(StateAggregation::<ExplicitMdp<Tetris>>::size(&entries), plan.initial)?;
        let task = Task {
            table: &table,
            entries: &entries,
            reward: &PAY,
            discount: plan.discount,
            end: None,
            max_moves: u64::MAX,
        };
        let mut learner = TableTd::new(game, task, Td { rate: plan.rate }, Exploration::Greedy);
        let mut learned = Learned::default();
        for number in 0..games {
            learner.exploration = plan.explore.at(number);
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            learned.rows.push(-learner.episode(start, &mut rng).score);
        }
        let mut player = AfterstateTablePolicy::new(&table, &entries, &PAY, plan.discount);
        learned.played = (0..play).map(|n| rows(game, &mut player, seed, games + n)).collect();
        Ok(learned)
    }

    /// Learns for some games by Sarsa(0), greedily from optimistic values.
    pub(super) fn sarsa(
        &self,
        mirror: bool,
        rate: f32,
        seed: u64,
        games: u64,
    ) -> Result<Vec<f64>, Error> {
        let game = &self.game;
        let pairs = ExplicitActionAggregation::new(game, &SeenMoves(self.seen(mirror)?));
        let table = table(StateActionAggregation::<ExplicitMdp<Tetris>>::size(&pairs), 0.0)?;
        let task = Task {
            table: &table,
            entries: &pairs,
            reward: &PAY,
            discount: 0.8,
            end: None,
            max_moves: u64::MAX,
        };
        let mut learner = Sarsa::new(game, task, Control::Sarsa, rate, 0.0, Exploration::Greedy);
        let mut episode = |number| {
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            -learner.episode(start, &mut rng).score
        };
        Ok((0..games).map(&mut episode).collect())
    }

    /// Games by three who learn nothing: no movement at all, at random, and an agent that knows
    /// only what a move pays at once.
    pub(super) fn baselines(&self, seed: u64, games: u64) -> Result<[Vec<f64>; 3], Error> {
        let untrained = self.td(&Plan::MELAX, seed, 0, games)?.played;
        let each = |policy: &mut dyn FnMut(u64) -> f64| (0..games).map(policy).collect();
        Ok([
            each(&mut |n| rows(&self.well, &mut NoMovement, seed, n)),
            each(&mut |n| rows(&self.game, &mut RandomPolicy, seed, n)),
            untrained,
        ])
    }
}

/// Rows pushed out in one game.
fn rows<G: Game>(game: &G, policy: &mut impl Policy<G>, seed: u64, number: u64) -> f64 {
    -Episode::play(game, policy, &mut Rng::stream(seed, number)).score
}

/// Every piece falls where it appears: as it is drawn, in the middle.
struct NoMovement;

impl Policy<Tetris> for NoMovement {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let width = game.form(state.piece).orientations[0].width;
        let middle = (game.setup().width - width) / 2;
        game.nth_move(state, middle)
    }
}

/// Rules, as checked.
pub(super) fn well(setup: Setup) -> Result<Tetris, Error> {
    Tetris::new(setup).map_err(|error| Error::Rules(error.to_string()))
}

/// A view, as checked.
pub(super) fn seen(view: &str, game: &Tetris) -> Result<Seen, Error> {
    let seen = view.parse().and_then(|view| Seen::new(&view, game));
    seen.map_err(|error| Error::Rules(error.to_string()))
}

/// A table of one value.
pub(super) fn table(size: u64, initial: f32) -> Result<Table, Error> {
    Table::new(size, initial).map_err(|error: MemoryError| Error::Rules(error.to_string()))
}

/// The best that can be expected of a well that is small enough to be solved.
pub(super) fn optimum(well: &Tetris, horizon: Option<u64>) -> Result<f64, Error> {
    let layout = Direct::new(well).ok_or(Error::TooLarge)?;
    let settings = Settings { horizon, ..Settings::new::<f64>(RewardMixture::SCORE, 1.0) };
    Ok(iterate::<f64, _>(&layout, &settings, |_| {}).start)
}
