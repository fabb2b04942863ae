//! Melax's well: a table of its twelve cells, learned by TD(lambda) and by Sarsa(lambda).

use afterstate_core::{Episode, Game, Policy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tetris::contour::{ContourActionAggregation, ContourAggregation};
use afterstate_games::tetris::{Placement, Tetris};
use afterstate_games::{Points, StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{
    Control, ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, Exploration, Sarsa,
    Schedule, TableTd, Task,
};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_values::{AfterstateTablePolicy, ValueTable};

use super::melax_rules::explicit_optimum;
use super::seeds::{SEEDS, each_of, line};
use super::{DISCOUNT, level, optimum, over_games, seen, well};
use crate::experiment::{Measurement, Quantity};
use crate::measure::Value;
use crate::{Error, TrainingCache};

/// The reward of a row that is pushed out is -100: Tetris scores it -1.
const REWARD: Points = Points(100.0);

const OPTIMUM: &str = "exact optimum";

/// How a learner explores, from game to game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Explore {
    Greedy,
    Epsilon(f32),
    Softmax(Schedule),
    /// Softmax by the probability of the worst move.
    WorstMove(f32),
}

impl Explore {
    fn at(self, game: u64) -> Exploration {
        match self {
            Explore::Greedy => Exploration::Greedy,
            Explore::Epsilon(probability) => Exploration::Epsilon(probability),
            Explore::Softmax(cooling) => Exploration::Softmax(cooling.at(game)),
            Explore::WorstMove(probability) => Exploration::WorstMove(probability),
        }
    }
}

/// TD(0) in Melax's well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MelaxTd {
    pub(super) mirror: bool,
    pub(super) rate: f32,
    /// The initial value of every entry.
    pub(super) initial: f32,
    pub(super) explore: Explore,
    pub(super) discount: f32,
    /// The decay of eligibility traces; 0 is TD(0).
    pub(super) lambda: f32,
    /// What it sees instead of the cells.
    pub(super) contour: Option<&'static str>,
    /// How many seeds train it, at each scale.
    pub(super) seeds: [u64; 3],
}

/// Melax's constants with mirror symmetry and optimistic values.
pub(super) const MELAX: MelaxTd = MelaxTd {
    mirror: true,
    rate: 0.02,
    initial: 0.0,
    explore: Explore::Greedy,
    discount: DISCOUNT,
    lambda: 0.0,
    contour: None,
    seeds: SEEDS,
};

/// Melax's constants.
pub(super) const NOT_MIRRORED: MelaxTd = MelaxTd { mirror: false, ..MELAX };

/// A learner with its name.
pub(super) type Case = (&'static str, MelaxTd);

/// Initial values with the temperature from which softmax cools to 1.
pub(super) type Start = (f32, f32);

pub(super) const OPTIMISTIC: Start = (0.0, 30.0);
pub(super) const PESSIMISTIC: Start = (-150.0, 100.0);

/// Rows of each game of learning, and of later games without learning, seed by seed.
pub(super) struct Curves {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) played: Vec<Vec<f64>>,
    /// The smallest value in the table of each seed.
    pub(super) smallest: Vec<f64>,
}

/// What one seed learned and played.
pub(super) struct Trained {
    pub(super) learned: Vec<f64>,
    pub(super) played: Vec<f64>,
    pub(super) smallest: f64,
}

/// The well with its states enumerated.
pub(super) struct Melax {
    pub(super) well: Tetris,
    pub(super) game: ExplicitMdp<Tetris>,
    /// Rows of the best play over 10,000 pieces from an empty well.
    pub(super) optimum: f64,
}

impl Melax {
    pub(super) fn new() -> Result<Melax, Error> {
        let well = well("tetris:6x2,melax")?;
        let game = enumerated(&well)?;
        let optimum = -optimum(&well, well.limit())?;
        Ok(Melax { well, game, optimum })
    }

    /// The same with other rules that Tetris lacks: the score of a move, or `None` if it is not allowed.
    /// The optimum is over at most so many pieces.
    pub(super) fn with(
        rules: &str,
        rule: fn(Placement, f32) -> Option<f32>,
        pieces: u64,
    ) -> Result<Melax, Error> {
        let well = well(rules)?;
        let game = enumerated(&well)?.with_moves(|_, mv, reward| rule(mv, reward));
        let pieces = well.limit().unwrap_or(u64::MAX).min(pieces);
        let optimum = 0.0 - explicit_optimum(&game, pieces)?;
        Ok(Melax { well, game, optimum })
    }

    fn seen(&self, mirror: bool) -> Result<ContourAggregation, Error> {
        seen(if mirror { "cells,mirror" } else { "cells" }, &self.well)
    }

    /// Learns for some games by TD(0), then plays some without learning.
    pub(super) fn td(
        &self,
        settings: &MelaxTd,
        seed: u64,
        games: u64,
        play: u64,
    ) -> Result<Trained, Error> {
        let game = &self.game;
        let entries = ExplicitAggregation::new(
            game,
            &match settings.contour {
                Some(view) => seen(view, &self.well)?,
                None => self.seen(settings.mirror)?,
            },
        );
        let size = StateAggregation::<ExplicitMdp<Tetris>>::size(&entries);
        let table = ValueTable::new(size, settings.initial)?;
        let task = Task {
            table: &table,
            aggregation: &entries,
            reward: &REWARD,
            discount: settings.discount,
            terminal_value: None,
            max_moves: u64::MAX,
        };
        let update = Td { rate: settings.rate };
        let learner = TableTd::new(game, task, update, Exploration::Greedy);
        let mut learner = learner.with_traces(settings.lambda);
        let mut episode = |number| {
            learner.exploration = settings.explore.at(number);
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            -learner.episode(start, &mut rng).score
        };
        let learned = (0..games).map(&mut episode).collect();
        let mut player = AfterstateTablePolicy::new(&table, &entries, &REWARD, settings.discount);
        let played = (0..play).map(|n| rows(game, &mut player, seed, games + n)).collect();
        let values = (0..size as u32).map(|entry| f64::from(table.get(entry)));
        Ok(Trained { learned, played, smallest: values.fold(f64::INFINITY, f64::min) })
    }

    /// Learns for some games by Sarsa(lambda), greedily from optimistic values.
    pub(super) fn sarsa(
        &self,
        mirror: bool,
        (rate, lambda): (f32, f32),
        seed: u64,
        games: u64,
    ) -> Result<Vec<f64>, Error> {
        let game = &self.game;
        let pairs =
            ExplicitActionAggregation::new(game, &ContourActionAggregation(self.seen(mirror)?));
        let table =
            ValueTable::new(StateActionAggregation::<ExplicitMdp<Tetris>>::size(&pairs), 0.0)?;
        let task = Task {
            table: &table,
            aggregation: &pairs,
            reward: &REWARD,
            discount: DISCOUNT,
            terminal_value: None,
            max_moves: u64::MAX,
        };
        let explore = Exploration::Greedy;
        let mut learner = Sarsa::new(game, task, Control::Sarsa, rate, lambda, explore);
        let mut episode = |number| {
            let mut rng = Rng::stream(seed, number);
            let start = game.start(&mut rng);
            -learner.episode(start, &mut rng).score
        };
        Ok((0..games).map(&mut episode).collect())
    }

    /// TD(0) over all seeds.
    pub(super) fn learn(
        &self,
        cache: &mut TrainingCache,
        (name, settings): Case,
        games: u64,
        play: u64,
    ) -> Result<Curves, Error> {
        let seeds = cache.scale.pick(settings.seeds);
        let seeds = each_of(cache, name, seeds, |seed| self.td(&settings, seed, games, play))?;
        let smallest = seeds.iter().map(|seed| seed.smallest).collect();
        let (rows, played) = seeds.into_iter().map(|seed| (seed.learned, seed.played)).unzip();
        Ok(Curves { rows, played, smallest })
    }

    pub(super) fn measured_optimum(&self, quantity: Quantity) -> Measurement {
        Measurement::training(OPTIMUM, quantity, Value::exact(self.optimum))
    }

    /// Rows over games, with the optimum as a dashed level.
    pub(super) fn chart(&self, title: &str, curves: &[(&str, Vec<Vec<f64>>)]) -> Chart {
        let games = curves.iter().flat_map(|(_, curves)| curves.iter().map(Vec::len)).max();
        let games = games.unwrap_or(0);
        let own = curves.iter().map(|(name, curves)| line(name, curves, (games / 200).max(1)));
        let mut lines: Vec<Line> = own.collect();
        lines.push(level(OPTIMUM, self.optimum, games));
        over_games(title, Axis::log("rows pushed out in 10,000 pieces"), lines)
    }
}

/// A well as an explicit MDP.
fn enumerated(well: &Tetris) -> Result<ExplicitMdp<Tetris>, Error> {
    ExplicitMdp::new(well, 1 << 17).ok_or_else(|| Error::NotEnumerable(well.spec()))
}

/// Rows pushed out in one game.
pub(super) fn rows<G: Game>(game: &G, policy: &mut impl Policy<G>, seed: u64, number: u64) -> f64 {
    -Episode::play(game, policy, &mut Rng::stream(seed, number)).score
}
