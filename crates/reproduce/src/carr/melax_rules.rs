//! Which rules fit Melax's table: variants of his well, each learned and solved.

use afterstate_core::Game;
use afterstate_games::tetris::{Placement, Tetris};
use afterstate_learn::table::ExplicitMdp;
use afterstate_render::chart::{Axis, Line};

use super::melax::{Melax, NOT_MIRRORED};
use super::seeds::{line, mean};
use super::{over_games, results};
use crate::experiment::{Experiment, Measured, Measurement, Quantity, published};
use crate::measure::Value;
use crate::verdict::Statement;
use crate::{Error, TrainingCache};

const FIRST_GAME: Quantity = Quantity::Fewer("rows of game 1");
const LAST_GAME: Quantity = Quantity::Fewer("rows of game 256");
const OPTIMUM: Quantity = Quantity::Fewer("rows of best play");
const DISTANCE: Quantity = Quantity::Part("mean difference from the table");
const NEAREST: &str = "the nearest rules";

/// Melax's table: the number of a game and its rows.
const TABLE: [(usize, f64); 9] = [
    (1, 1485.0),
    (2, 1166.0),
    (4, 1032.0),
    (8, 902.0),
    (16, 837.0),
    (32, 644.0),
    (64, 395.0),
    (128, 303.0),
    (256, 289.0),
];

/// Other rules than those that the thesis tells.
struct Variant {
    case: &'static str,
    rules: &'static str,
    /// The score of a move, or `None` if it is not allowed.
    rule: fn(Placement, f32) -> Option<f32>,
}

const fn set(case: &'static str, rules: &'static str) -> Variant {
    Variant { case, rules, rule: |_, reward| Some(reward) }
}

const VARIANTS: [Variant; 22] = [
    set("as told", "tetris:6x2,melax"),
    set("no dot", "tetris:6x2,melax,pieces=domino:##+diagonal:.#/#.+corner:#./##+square:##/##"),
    set("no domino", "tetris:6x2,melax,pieces=dot:#+diagonal:.#/#.+corner:#./##+square:##/##"),
    set("no diagonal", "tetris:6x2,melax,pieces=dot:#+domino:##+corner:#./##+square:##/##"),
    set("no corner", "tetris:6x2,melax,pieces=dot:#+domino:##+diagonal:.#/#.+square:##/##"),
    set("no square", "tetris:6x2,melax,pieces=dot:#+domino:##+diagonal:.#/#.+corner:#./##"),
    set("twice the dots", "tetris:6x2,melax,weights=2/1/1/1/1"),
    set("twice the dominoes", "tetris:6x2,melax,weights=1/2/1/1/1"),
    set("half the diagonals", "tetris:6x2,melax,weights=2/2/1/2/2"),
    set("a third of the diagonals", "tetris:6x2,melax,weights=3/3/1/3/3"),
    set("twice the corners", "tetris:6x2,melax,weights=1/1/1/2/1"),
    set("three times the corners", "tetris:6x2,melax,weights=1/1/1/3/1"),
    set("twice the dominoes and corners", "tetris:6x2,melax,weights=1/2/1/2/1"),
    set("two thirds of the squares", "tetris:6x2,melax,weights=3/3/3/3/2"),
    set("half the squares", "tetris:6x2,melax,weights=2/2/2/2/1"),
    set("any of the orientations", "tetris:6x2,melax,weights=1/2/2/4/1"),
    set("any 2x2 pattern", "tetris:6x2,melax,weights=4/4/2/4/1"),
    set("five columns", "tetris:5x2,melax"),
    set("seven columns", "tetris:7x2,melax"),
    set("6,400 pieces", "tetris:6x2,pieces=melax,overflow=push,limit=6400"),
    Variant {
        case: "a push counts once",
        rules: "tetris:6x2,melax",
        rule: |_, reward| Some(reward.max(-1.0)),
    },
    Variant {
        case: "no rotation",
        rules: "tetris:6x2,melax",
        rule: |mv, reward| (mv.orientation == 0).then_some(reward),
    },
];

/// What fits his table best.
pub(crate) const MELAX_RULES: &[Experiment] = &[Experiment {
    name: "carr-melax-rules",
    title: "Which rules fit Melax's table",
    source: "Carr 2005, table 2.1 (Melax 1998), by 22 readings of the rules",
    published: RULES,
    differences: &[
        "The thesis shows Melax's pieces as a picture that is not in its text; ours are the five that \
            fit in 2x2 cells, and the table ends below the best play with them.",
        "Every variant changes one thing: a piece left out, other frequencies, another width or \
            length, a push of two rows counted once, or no rotation; rows counted before full ones \
            clear would only be more.",
        "The mean difference is that of the logarithms of all nine figures of the table; the nearest \
            rules are those where it is least, and others come so near that the table does not tell \
            which frequencies Melax had.",
        "Nineteen variants were measured first; three times the corners, twice the dominoes and \
            corners and two thirds of the squares were added afterwards, the first two because \
            their best play, of thirteen weightings that were solved, suited the table: the \
            nearest rules are fitted to it, and no evidence that Melax had them.",
    ],
    reasons: &[(
        "the greatly reduced piece set",
        "the best play by these rules, which value iteration finds, has 449 rows: a table that \
             ends at 289 needs other pieces or frequencies",
    )],
    statements: &[Statement {
        says: "the greatly reduced piece set shown in figure 2.3 [the five of 2x2 cells, alike in \
            frequency] leads from 1,485 rows to 289",
        // The optimum is exact.
        holds: |figures| Some(figures.of("as told", OPTIMUM)? <= 289.0),
    }],
    minutes: 2,
    rules: "tetris:6x2,melax",
    measure,
    ..Experiment::NONE
}];

const RULES: &[crate::Published] = published![
    NEAREST => FIRST_GAME = 1485.0 of Beside, LAST_GAME = 289.0 of Beside, DISTANCE;
    VARIANTS[0].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[1].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[2].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[3].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[4].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[5].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[6].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[7].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[8].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[9].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[10].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[11].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[12].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[13].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[14].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[15].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[16].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[17].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[18].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[19].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[20].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
    VARIANTS[21].case => FIRST_GAME, LAST_GAME, OPTIMUM, DISTANCE;
];

fn measure(experiment: &Experiment, cache: &mut TrainingCache) -> Measured {
    // For tests, four columns instead of six, and few pieces.
    let full = ("6x2", 256, u64::MAX);
    let (well, games, pieces) = cache.scale.pick([("4x2", 2, 10), full, full]);
    let (mut measured, mut lines) = (Vec::new(), Vec::new());
    let mut nearest: Option<(f64, Vec<Vec<f64>>, &str)> = None;
    for Variant { case, rules, rule } in &VARIANTS {
        let melax = Melax::with(&rules.replace("6x2", well), *rule, pieces)?;
        let curves = melax.learn(cache, (*case, NOT_MIRRORED), games, 0)?.rows;
        let distance = distance(&curves);
        let best = Value::exact(melax.optimum);
        measured.extend(ends(case, &curves));
        measured.push(Measurement::training(case, OPTIMUM, best));
        measured.push(Measurement::training(case, DISTANCE, Value::exact(distance)));
        if *case == "as told" {
            lines.push(line(case, &curves, 1));
        }
        if nearest.as_ref().is_none_or(|nearest| distance < nearest.0) {
            nearest = Some((distance, curves, case));
        }
    }
    let mut note = None;
    if let Some((distance, curves, case)) = nearest {
        measured.extend(ends(NEAREST, &curves));
        measured.push(Measurement::training(NEAREST, DISTANCE, Value::exact(distance)));
        lines.push(line(case, &curves, 1));
        note = Some(format!("The nearest rules: {case}."));
    }
    let points = TABLE.map(|(game, rows)| (game as f64, rows)).to_vec();
    lines.push(Line { dashed: true, ..Line::new("Melax 1998", points) });
    let mut chart = over_games(experiment.title, Axis::log("rows pushed out"), lines);
    chart.x = Axis::log("game of training");
    let shape = "a straight fall over the doubling of games, from 1,485 to 289 rows.";
    let mut results = results(experiment, cache, &measured, Some(chart), shape);
    results.notes.extend(note);
    Ok(results)
}

/// The first and the last of 256 games.
fn ends(case: &'static str, curves: &[Vec<f64>]) -> [Measurement; 2] {
    let rows = |game: usize| {
        let rows = curves.iter().filter_map(|curve| curve.get(game - 1).or(curve.last()));
        mean(&rows.copied().collect::<Vec<f64>>())
    };
    [
        Measurement::training(case, FIRST_GAME, rows(1)),
        Measurement::training(case, LAST_GAME, rows(256)),
    ]
}

/// The mean difference of the logarithms from Melax's table, in percent.
fn distance(curves: &[Vec<f64>]) -> f64 {
    let mut sum = (0.0, 0.0);
    for (game, published) in TABLE {
        let rows: Vec<f64> =
            curves.iter().filter_map(|curve| curve.get(game - 1)).copied().collect();
        if !rows.is_empty() {
            sum = (sum.0 + (mean(&rows).value / published).ln().abs(), sum.1 + 1.0);
        }
    }
    100.0 * sum.0 / sum.1
}

/// The largest expected score of an enumerated game over so many moves: finite-horizon value iteration
/// until every further move adds the same.
pub(super) fn explicit_optimum(game: &ExplicitMdp<Tetris>, horizon: u64) -> Result<f64, Error> {
    let mut after_values: Vec<f64> = Vec::new();
    let best = |state: &u32, values: &[f64]| {
        let mut best = f64::NEG_INFINITY;
        game.for_each_move(state, |_, step| {
            let value = values.get(step.after as usize).copied().unwrap_or(0.0);
            best = best.max(f64::from(step.reward) + value);
        });
        if best.is_finite() { best } else { 0.0 }
    };
    let (mut start, mut gain, mut steady) = (0.0, f64::NAN, 0);
    for number in 1..=horizon {
        let mut value = 0.0;
        game.for_each_start(|state, probability| {
            value += probability * best(&state, &after_values);
        });
        let added = value - start;
        steady = if (added - gain).abs() <= 1e-12 { steady + 1 } else { 0 };
        (start, gain) = (value, added);
        if steady >= 50 {
            return Ok(start + gain * (horizon - number) as f64);
        }
        let mut next = vec![0.0; game.after_count()];
        for (after, next) in (0..).zip(&mut next) {
            game.for_each_chance(&after, |state, probability| {
                *next += probability * best(&state, &after_values);
            });
        }
        after_values = next;
    }
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::super::optimum;
    use super::*;
    use crate::weights::tetris;

    /// The value iteration over an enumerated game against that of the solver.
    #[test]
    fn both_optima_agree() {
        let well = tetris("tetris:4x2,melax".parse().unwrap()).unwrap();
        let game = ExplicitMdp::new(&well, 1 << 16).unwrap();
        let found = explicit_optimum(&game, 10_000).unwrap();
        let expected = optimum(&well, Some(10_000)).unwrap();
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        // Fewer moves are worse, and a push that counts once is better.
        let once = game.clone().with_moves(|_, _, reward| Some(reward.max(-1.0)));
        assert!(explicit_optimum(&once, 10_000).unwrap() > found);
        let fixed = game.with_moves(|_, mv, reward| (mv.orientation == 0).then_some(reward));
        assert!(explicit_optimum(&fixed, 10_000).unwrap() < found);
    }
}
