//! The figures of chapter 4, and table 2.1: learners in Melax's well beside each other and beside
//! players that learn nothing.

use afterstate_core::policy::Choice;
use afterstate_core::{Game, Policy, RandomPolicy, Rng};
use afterstate_games::tetris::{State, Tetris};
use afterstate_learn::table::Schedule;
use afterstate_render::chart::{Axis, Line};

use super::melax::{
    Case, Explore, MELAX, Melax, MelaxTd, NOT_MIRRORED, OPTIMISTIC, PESSIMISTIC, Start, rows,
};
use super::seeds::{each, jump, last, mean, mean_of_games};
use super::{FIRST, GAMES, PART, PUSHED, PUSHED_END, SMALLEST, TRACED, level, results};
use crate::TrainingCache;
use crate::experiment::{Experiment, Measured, Measurement};
use crate::measure::Value;

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
    learners(experiment, cache, (title, shape), cases, (games, 1), false, Vec::new())
}

/// Three ways to explore from some initial values, by so many seeds.
fn explorers((initial, temperature): Start, seeds: [u64; 3]) -> [Case; 3] {
    let cooling = Schedule { first: temperature, last: 1.0, games: 30 };
    let cases = [
        ("greedy", Explore::Greedy),
        ("epsilon-greedy", Explore::Epsilon(0.05)),
        ("softmax", Explore::Softmax(cooling)),
    ];
    cases.map(|(name, explore)| (name, MelaxTd { initial, explore, seeds, ..MELAX }))
}

/// Figures 4.4 to 4.7: three ways to explore, in games of learning or without it.
pub(super) fn explore(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    (start, seeds): (Start, [u64; 3]),
    shows_played: bool,
    shape: &str,
) -> Measured {
    let games = cache.scale.pick([(4, 2), (100, 50), (200, 50)]);
    let mut from_0 = Vec::new();
    if start == PESSIMISTIC && !shows_played {
        let melax = Melax::new()?;
        for ((_, settings), name) in explorers(OPTIMISTIC, seeds).into_iter().zip(FROM_0) {
            // The greedy agent of figure 4.4 learns to the end, for the values of its table.
            let games = if settings.explore == Explore::Greedy { games.0 } else { 5 };
            let curves = melax.learn(cache, (name, settings), games, 0)?;
            from_0.push(Measurement::training(name, FIRST, first_games(&curves.rows)));
            from_0.push(Measurement::training(name, SMALLEST, mean(&curves.smallest)));
        }
    }
    let values = if start == PESSIMISTIC { "-150" } else { "0 (optimistic)" };
    let title = format!("Exploration from values of {values}");
    let cases = explorers(start, seeds);
    learners(experiment, cache, (&title, shape), &cases, games, shows_played, from_0)
}

/// The cases of figure 4.4 beside those of figure 4.6.
pub(super) const FROM_0: [&str; 3] =
    ["greedy, from 0", "epsilon-greedy, from 0", "softmax, from 0"];

/// The mean over seeds of the first five games.
fn first_games(curves: &[Vec<f64>]) -> Value {
    let first = |curve: &Vec<f64>| curve[..curve.len().min(5)].to_vec();
    mean_of_games(&curves.iter().map(first).collect::<Vec<_>>())
}

/// Several learners, for some games of learning and some without.
pub(super) fn learners(
    experiment: &Experiment,
    cache: &mut TrainingCache,
    (title, shape): (&str, &str),
    cases: &[Case],
    (games, play): (u64, u64),
    shows_played: bool,
    mut measured: Vec<Measurement>,
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

/// Learners with eligibility traces beside those without: TD, then Sarsa, each with the first lambda 0.
pub(super) const TRACES: [[(&str, f32); 4]; 2] = [
    [("TD(0)", 0.0), ("TD(0.3)", 0.3), ("TD(0.6)", 0.6), ("TD(0.9)", 0.9)],
    [("Sarsa(0)", 0.0), ("Sarsa(0.3)", 0.3), ("Sarsa(0.6)", 0.6), ("Sarsa(0.9)", 0.9)],
];

/// Eligibility traces of TD and of Sarsa: rows at the end, and games to within a tenth of the end without
/// traces.
pub(super) fn traces(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let (games, play) = cache.scale.pick([(4, 1), (100, 5), (200, 10)]);
    let sarsa_games: u64 = cache.scale.pick([4, 300, 1_000]);
    let melax = Melax::new()?;
    let mut measured = vec![melax.measured_optimum(PUSHED_END)];
    let mut shown = Vec::new();
    let [td, sarsa] = TRACES;
    for (name, lambda) in td {
        let curves = melax.learn(cache, (name, MelaxTd { lambda, ..MELAX }), games, play)?;
        let end = Measurement::training(name, PUSHED_END, last(&curves.rows, games as usize / 5));
        measured.push(end.and_played(mean_of_games(&curves.played)));
        shown.push((name, curves.rows));
    }
    for (name, lambda) in sarsa {
        let learn = |seed| melax.sarsa(true, (0.2, lambda), seed, sarsa_games);
        let rows = each(cache, name, learn)?;
        let end = last(&rows, sarsa_games as usize / 5);
        measured.push(Measurement::training(name, PUSHED_END, end));
        shown.push((name, rows));
    }
    for group in shown.chunks(td.len()) {
        let end = last(&group[0].1, group[0].1.first().map_or(0, Vec::len) / 5).value;
        for (name, curves) in group {
            // The seeds that come there would stand for those that never do.
            let (games, never) = arrival_at(curves, end);
            let games = games.filter(|_| never.is_none_or(|never| never.value == 0.0));
            measured.extend(games.map(|games| Measurement::training(name, TRACED, games)));
        }
    }
    let chart = melax.chart("Eligibility traces of TD and of Sarsa", &shown);
    Ok(results(experiment, cache, &measured, Some(chart), "none is shown."))
}

/// The mean number of games after which ten games are within a tenth of a curve's end, of the seeds
/// that come there.
pub(super) fn arrival(curves: &[Vec<f64>]) -> Option<Value> {
    let end = last(curves, curves.first().map_or(0, |curve| curve.len() / 5)).value;
    arrival_at(curves, end).0
}

/// The same of the end of another curve, and the percentage of seeds that never come there.
fn arrival_at(curves: &[Vec<f64>], end: f64) -> (Option<Value>, Option<Value>) {
    let falls: Vec<Vec<f64>> =
        curves.iter().map(|curve| curve.iter().map(|rows| -rows).collect()).collect();
    jump(&falls, -1.1 * end, 10)
}

/// Figure 4.9: Sarsa(0).
pub(super) fn sarsa(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    let games: u64 = cache.scale.pick([4, 1_000, 3_000]);
    let melax = Melax::new()?;
    let mut measured = vec![melax.measured_optimum(PUSHED_END)];
    let mut shown = Vec::new();
    for (name, mirror) in [("Sarsa(0)", false), ("Sarsa(0), mirrored", true)] {
        let curves = each(cache, name, |seed| melax.sarsa(mirror, (0.2, 0.0), seed, games))?;
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
