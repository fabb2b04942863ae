//! Melax's well: a table of its twelve cells, learned by TD(0) and by Sarsa(0).

use afterstate_core::policy::Choice;
use afterstate_core::{Episode, Game, Policy, RandomPolicy, Rng};
use afterstate_games::spec::Spec;
use afterstate_games::tetris::contour::{ContourActionAggregation, ContourAggregation};
use afterstate_games::tetris::{State, Tetris};
use afterstate_games::{Points, StateActionAggregation, StateAggregation};
use afterstate_learn::Td;
use afterstate_learn::table::{
    Control, ExplicitActionAggregation, ExplicitAggregation, ExplicitMdp, Exploration, Sarsa,
    Schedule, TableTd, Task,
};
use afterstate_render::chart::{Axis, Chart, Line};
use afterstate_values::{AfterstateTablePolicy, ValueTable};

use super::seeds::{each, jump, last, line, mean, mean_of_games};
use super::{
    DISCOUNT, FIRST, GAMES, PART, PUSHED, PUSHED_END, SMALLEST, level, optimum, over_games, results, seen, well,
};
use crate::experiment::{Experiment, Measured, Measurement, Quantity};
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
}

/// Melax's constants with mirror symmetry and optimistic values.
pub(super) const MELAX: MelaxTd = MelaxTd {
    mirror: true,
    rate: 0.02,
    initial: 0.0,
    explore: Explore::Greedy,
    discount: DISCOUNT,
    lambda: 0.0,
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
struct Trained {
    learned: Vec<f64>,
    played: Vec<f64>,
    smallest: f64,
}

/// The well with its states enumerated.
pub(super) struct Melax {
    well: Tetris,
    game: ExplicitMdp<Tetris>,
    /// Rows of the best play over 10,000 pieces from an empty well.
    pub(super) optimum: f64,
}

impl Melax {
    pub(super) fn new() -> Result<Melax, Error> {
        Melax::of("tetris:6x2,melax")
    }

    /// The same with other rules.
    pub(super) fn of(rules: &str) -> Result<Melax, Error> {
        let well = well(rules)?;
        let game = ExplicitMdp::new(&well, 1 << 16);
        let game = game.ok_or_else(|| Error::NotEnumerable(well.spec()))?;
        let optimum = -optimum(&well, well.limit())?;
        Ok(Melax { well, game, optimum })
    }

    fn seen(&self, mirror: bool) -> Result<ContourAggregation, Error> {
        seen(if mirror { "cells,mirror" } else { "cells" }, &self.well)
    }

    /// Learns for some games by TD(0), then plays some without learning.
    fn td(
        &self,
        settings: &MelaxTd,
        seed: u64,
        games: u64,
        play: u64,
    ) -> Result<Trained, Error> {
        let game = &self.game;
        let entries = ExplicitAggregation::new(game, &self.seen(settings.mirror)?);
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

    /// Learns for some games by Sarsa(0), greedily from optimistic values.
    fn sarsa(&self, mirror: bool, rate: f32, seed: u64, games: u64) -> Result<Vec<f64>, Error> {
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
        let mut learner = Sarsa::new(game, task, Control::Sarsa, rate, 0.0, Exploration::Greedy);
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
        let seeds = each(cache, name, |seed| self.td(&settings, seed, games, play))?;
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

/// Rows pushed out in one game.
fn rows<G: Game>(game: &G, policy: &mut impl Policy<G>, seed: u64, number: u64) -> f64 {
    -Episode::play(game, policy, &mut Rng::stream(seed, number)).score
}

/// Drops every piece where it appears: in its first orientation, in the middle.
struct NoMovement;

impl Policy<Tetris> for NoMovement {
    fn choose(&mut self, game: &Tetris, state: &State, _: &mut Rng) -> Option<Choice<Tetris>> {
        let width = game.form(state.piece).orientations[0].width;
        let middle = (game.setup().width - width) / 2;
        game.nth_move(state, middle)
    }
}

/// Table 2.1: Melax's own results, game by game.
pub(super) fn game_by_game(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = cache.scale.pick([256, 256, 512]);
    let melax = Melax::new()?;
    let curves = melax.learn(cache, ("TD(0)", NOT_MIRRORED), games, 0)?.rows;
    let mut measured = vec![melax.measured_optimum(PUSHED)];
    let mut points = Vec::new();
    for one in experiment.published {
        let number = one.case.strip_prefix("game ").and_then(|number| number.parse::<u32>().ok());
        if let Some(number) = number {
            let rows: Vec<f64> = curves.iter().map(|curve| curve[number as usize - 1]).collect();
            measured.push(Measurement::training(one.case, PUSHED, mean(&rows)));
            points.extend(one.value.map(|value| (f64::from(number), value)));
        }
    }
    let mut chart = melax.chart("Melax's agent, TD(0), rate 0.02", &[("ours", curves)]);
    chart.x = Axis::log("game of training");
    chart.lines.push(Line { dashed: true, ..Line::new("Melax 1998", points) });
    let shape = "a straight fall over the doubling of games, from 1,485 to about 300 rows.";
    Ok(results(experiment, cache, &measured, Some(chart), shape))
}

/// Figure 4.2: the agent beside players that learn nothing: no movement, random placement, and an
/// agent that knows only the immediate reward of a move.
pub(super) fn beside_untrained(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games = cache.scale.pick([3, 150, 500]);
    let melax = Melax::new()?;
    let curves = melax.learn(cache, ("TD(0)", NOT_MIRRORED), games, 1)?;
    let baselines = each(cache, "baselines", |seed| {
        Ok([
            rows(&melax.well, &mut NoMovement, seed, 0),
            rows(&melax.game, &mut RandomPolicy, seed, 0),
            melax.td(&MELAX, seed, 0, 1)?.played[0],
        ])
    })?;
    let end = last(&curves.rows, games as usize / 5);
    let played = mean_of_games(&curves.played);
    let mut measured = vec![
        Measurement::training("TD(0)", PUSHED, end).and_played(played),
        melax.measured_optimum(PUSHED),
    ];
    let mut chart = melax.chart("Melax's well: TD(0), rate 0.02", &[("TD(0)", curves.rows)]);
    for (number, name) in ["no movement", "random placement", "untrained"].into_iter().enumerate() {
        let value = mean(&baselines.iter().map(|rows| rows[number]).collect::<Vec<f64>>());
        measured.push(Measurement::played(name, PUSHED, value));
        chart.lines.push(level(name, value.value, games as usize));
        if name == "untrained" {
            let part = Value::exact(100.0 * end.value / value.value);
            measured.push(Measurement::training("TD(0) beside untrained", PART, part));
        }
    }
    let shape = "the agent falls from the level of the untrained player, quickly at first, and \
                 flattens out at about a quarter of it; random placement and no movement lie far \
                 above.";
    Ok(results(experiment, cache, &measured, Some(chart), shape))
}

/// Figures 4.3 and 4.8: two learners.
pub(super) fn compare(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    title: &str,
    cases: &[Case],
    shape: &str,
) -> Measured {
    let games = cache.scale.pick([4, 200, 500]);
    learners(experiment, cache, title, cases, (games, 1), false, Vec::new(), shape)
}

/// Figures 4.4 to 4.7: three ways to explore, in games of learning or without it.
pub(super) fn explore(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    (initial, temperature): Start,
    shows_played: bool,
    shape: &str,
) -> Measured {
    let cooling = Schedule { first: temperature, last: 1.0, games: 30 };
    let cases = [
        ("greedy", Explore::Greedy),
        ("epsilon-greedy", Explore::Epsilon(0.05)),
        ("softmax", Explore::Softmax(cooling)),
    ];
    let cases = cases.map(|(name, explore)| (name, MelaxTd { initial, explore, ..MELAX }));
    let values = if initial < 0.0 { "-150" } else { "0 (optimistic)" };
    let title = format!("Exploration from values of {values}");
    let games = cache.scale.pick([(4, 2), (100, 50), (200, 50)]);
    let mut from_0 = Vec::new();
    if initial < 0.0 && !shows_played {
        let melax = Melax::new()?;
        for ((_, settings), name) in cases.into_iter().zip(FROM_0) {
            let settings = MelaxTd { initial: 0.0, ..settings };
            // The greedy agent of figure 4.4 learns to the end, for the values of its table.
            let games = if settings.explore == Explore::Greedy { games.0 } else { 5 };
            let curves = melax.learn(cache, (name, settings), games, 0)?;
            from_0.push(Measurement::training(name, FIRST, first_games(&curves.rows)));
            from_0.push(Measurement::training(name, SMALLEST, mean(&curves.smallest)));
        }
    }
    learners(experiment, cache, &title, &cases, games, shows_played, from_0, shape)
}

/// The cases of figure 4.4 beside those of figure 4.6.
pub(super) const FROM_0: [&str; 3] = ["greedy, from 0", "epsilon-greedy, from 0", "softmax, from 0"];

/// The mean over seeds of the first five games.
fn first_games(curves: &[Vec<f64>]) -> Value {
    let first = |curve: &Vec<f64>| curve[..curve.len().min(5)].to_vec();
    mean_of_games(&curves.iter().map(first).collect::<Vec<_>>())
}

/// Several learners, for some games of learning and some without.
fn learners(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    title: &str,
    cases: &[Case],
    (games, play): (u64, u64),
    shows_played: bool,
    mut measured: Vec<Measurement>,
    shape: &str,
) -> Measured {
    let melax = Melax::new()?;
    measured.push(melax.measured_optimum(PUSHED_END));
    let mut shown = Vec::new();
    for &(name, settings) in cases {
        let curves = melax.learn(cache, (name, settings), games, play)?;
        let end = Measurement::training(name, PUSHED_END, last(&curves.rows, games as usize / 5));
        measured.push(end.and_played(mean_of_games(&curves.played)));
        measured.push(Measurement::training(name, FIRST, first_games(&curves.rows)));
        let arrival = arrival(&curves.rows);
        measured.extend(arrival.map(|games| Measurement::training(name, GAMES, games)));
        shown.push((name, if shows_played { curves.played } else { curves.rows }));
    }
    let mut chart = melax.chart(title, &shown);
    if shows_played {
        chart.x = Axis::linear("games without learning");
    }
    Ok(results(experiment, cache, &measured, Some(chart), shape))
}

/// The mean number of games after which ten games are within a tenth of a curve's end, of the seeds
/// that come there.
pub(super) fn arrival(curves: &[Vec<f64>]) -> Option<Value> {
    let end = last(curves, curves.first().map_or(0, |curve| curve.len() / 5)).value;
    let falls: Vec<Vec<f64>> =
        curves.iter().map(|curve| curve.iter().map(|rows| -rows).collect()).collect();
    jump(&falls, -1.1 * end, 10).0
}

/// Figure 4.9: Sarsa(0).
pub(super) fn sarsa(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games: u64 = cache.scale.pick([4, 1_000, 3_000]);
    let melax = Melax::new()?;
    let mut measured = vec![melax.measured_optimum(PUSHED_END)];
    let mut shown = Vec::new();
    for (name, mirror) in [("Sarsa(0)", false), ("Sarsa(0), mirrored", true)] {
        let curves = each(cache, name, |seed| melax.sarsa(mirror, 0.2, seed, games))?;
        measured.push(Measurement::training(name, PUSHED_END, last(&curves, games as usize / 10)));
        shown.push((name, curves));
    }
    let fast = MelaxTd { rate: 0.2, ..MELAX };
    let td = melax.learn(cache, ("TD(0)", fast), games.min(200), 0)?.rows;
    measured.push(Measurement::training("TD(0)", PUSHED_END, last(&td, 40)));
    shown.push(("TD(0), mirrored", td));
    let mut chart = melax.chart("Sarsa(0) on Melax's well", &shown);
    chart.lines.push(level("published end", 1_400.0, games as usize));
    let shape = "a slow fall over 800 games from several thousand rows to about 1,400, where it \
                 flattens out.";
    Ok(results(experiment, cache, &measured, Some(chart), shape))
}
